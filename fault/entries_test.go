package fault

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/catalog"
	"weft/topo"
	"weft/unit"
)

func ptr[T any](v T) *T { return &v }

// hit returns the names of the ports that a fault's episodes touch.
func hit(t testing.TB, g *topo.Graph, f Fault, seed uint64) []string {
	t.Helper()
	episodes, _, err := f.Expand(Site{Graph: g, Rand: rand.NewPCG(seed, 0)})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range episodes {
		names = append(names, g.PortName(e.Port))
	}
	return names
}

func TestTargets(t *testing.T) {
	g := fabric(t)
	for _, test := range []struct {
		name  string
		fault Fault
		want  []string
	}{
		{"both directions", LinkDown{Where: Where{Links: []string{"tor0->spine1"}}},
			[]string{"tor0->spine1", "spine1->tor0"}},
		{"one direction", LinkDown{Where: Where{Links: []string{"spine1->tor0"}, OneWay: true}},
			[]string{"spine1->tor0"}},
		{"a glob", LinkDown{Where: Where{Links: []string{"tor0->spine*"}, OneWay: true}},
			[]string{"tor0->spine0", "tor0->spine1"}},
		{"patterns that overlap", LinkDown{Where: Where{Links: []string{"tor0->spine*", "spine0->tor0"}}},
			[]string{"tor0->spine0", "spine0->tor0", "tor0->spine1", "spine1->tor0"}},
		{"both directions named one way", LinkDown{Where: Where{Links: []string{"tor0->spine0", "spine0->tor0"}, OneWay: true}},
			[]string{"tor0->spine0", "spine0->tor0"}},
		{"all of the links", LinkDown{Where: Where{Links: []string{"tor0->spine*"}, OneWay: true}, Sample: Sample{Share: ptr(unit.Ratio(1))}},
			[]string{"tor0->spine0", "tor0->spine1"}},
		{"a switch", SwitchDown{Switches: []string{"spine1"}},
			[]string{"tor0->spine1", "spine1->tor0", "tor1->spine1", "spine1->tor1"}},
		{"the switches of a glob that fits hosts, too", SwitchDown{Switches: []string{"*0"}},
			[]string{"host0->tor0", "tor0->host0", "host1->tor0", "tor0->host1", "tor0->spine0", "spine0->tor0",
				"tor0->spine1", "spine1->tor0", "tor1->spine0", "spine0->tor1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, hit(t, g, test.fault, 1)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRandomTargets(t *testing.T) {
	g, err := topo.LeafSpine{ToRs: 16, HostsPerToR: 1, Spines: 8, LinksPerSpine: 1, Rate: unit.Gbps}.Build()
	if err != nil {
		t.Fatal(err)
	}
	uplinks := []string{"tor*->spine*"}
	for _, test := range []struct {
		name  string
		fault Fault
		want  int // episodes
	}{
		{"2 % of 128 links", LinkDown{Where: Where{Links: uplinks}, Sample: Sample{Share: ptr(unit.Ratio(0.02))}}, 2 * 3},
		{"at least one", LinkDown{Where: Where{Links: uplinks}, Sample: Sample{Share: ptr(unit.Ratio(1e-6))}}, 2},
		{"a number", LinkDown{Where: Where{Links: uplinks}, Sample: Sample{Pick: ptr(5)}}, 2 * 5},
		{"a number, one way", LinkDown{Where: Where{Links: uplinks, OneWay: true}, Sample: Sample{Pick: ptr(5)}}, 5},
		{"half of the spines", SwitchDown{Switches: []string{"spine*"}, Sample: Sample{Share: ptr(unit.Ratio(0.5))}}, 2 * 4 * 16},
	} {
		first := hit(t, g, test.fault, 1)
		if len(first) != test.want {
			t.Errorf("%s: %d ports, want %d: %v", test.name, len(first), test.want, first)
		}
		sorted := slices.Clone(first)
		slices.Sort(sorted)
		if len(slices.Compact(sorted)) != len(first) {
			t.Errorf("%s: ports are hit twice: %v", test.name, first)
		}
		if again := hit(t, g, test.fault, 1); !slices.Equal(first, again) {
			t.Errorf("%s: the same seed gives %v and %v", test.name, first, again)
		}
		if other := hit(t, g, test.fault, 2); test.want < 100 && slices.Equal(first, other) {
			t.Errorf("%s: seeds 1 and 2 give the same", test.name)
		}
	}
}

// Every link is chosen as often as any other.
func TestRandomTargetsAreUniform(t *testing.T) {
	g := fabric(t)
	counts := map[string]float64{}
	const draws = 4000
	for seed := range uint64(draws) {
		for _, name := range hit(t, g, LinkDown{Where: Where{Links: []string{"tor*->spine*"}, OneWay: true}, Sample: Sample{Pick: ptr(2)}}, seed) {
			counts[name]++
		}
	}
	for name, n := range counts {
		// Half of the draws, within five standard deviations.
		if n < draws/2-158 || n > draws/2+158 || len(counts) != 4 {
			t.Errorf("%s was chosen %v times in %d draws of 2 of %d", name, n, draws, len(counts))
		}
	}
}

func TestFaultsOfATimelineChooseIndependently(t *testing.T) {
	g, err := topo.LeafSpine{ToRs: 16, HostsPerToR: 1, Spines: 8, LinksPerSpine: 1, Rate: unit.Gbps}.Build()
	if err != nil {
		t.Fatal(err)
	}
	f := LinkDown{Where: Where{Links: []string{"tor*->spine*"}}, Sample: Sample{Pick: ptr(3)}}
	later := f
	later.At = us
	tl, err := NewTimeline([]Fault{f, later}, g, 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := NewTimeline([]Fault{f}, g, 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(tl.Changes) <= len(alone.Changes) {
		t.Errorf("the second fault chose the links of the first")
	}
	if diff := cmp.Diff(alone.Changes, tl.Changes[:len(alone.Changes)]); diff != "" {
		t.Errorf("a second fault changed the first: %s", diff)
	}
}

func TestEpisodes(t *testing.T) {
	g := fabric(t)
	one := func(f Fault) []Episode {
		t.Helper()
		episodes, _, err := f.Expand(Site{Graph: g, Rand: rand.NewPCG(1, 1)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range episodes {
			episodes[i].Port = 0
		}
		return episodes
	}
	links := []string{"tor0->spine0"}
	for _, test := range []struct {
		name  string
		fault Fault
		want  []Episode
	}{
		{"for good", LinkDown{Where: Where{Links: links, OneWay: true}, When: When{At: us}}, []Episode{{From: us, To: unit.Forever, What: Down}}},
		{"for a time", LinkDown{Where: Where{Links: links, OneWay: true}, When: When{At: us, For: ptr(2 * us)}}, []Episode{{From: us, To: 3 * us, What: Down}}},
		{"beyond all time", LinkDown{Where: Where{Links: links, OneWay: true}, When: When{At: us, For: ptr(unit.Forever)}}, []Episode{{From: us, To: unit.Forever, What: Down}}},
		{"up", LinkUp{Where: Where{Links: links, OneWay: true}, At: us}, []Episode{{From: us, What: Up}}},
		{"a rate", Degrade{Where: Where{Links: links, OneWay: true}, Rate: Bandwidth{Rate: 200 * unit.Gbps}},
			[]Episode{{To: unit.Forever, What: SetRate, Rate: 200 * unit.Gbps}}},
		{"a share of the rate", Degrade{Where: Where{Links: links, OneWay: true}, Rate: Bandwidth{Share: 0.25}},
			[]Episode{{To: unit.Forever, What: SetRate, Rate: 100 * unit.Gbps}}},
		{"loss", Loss{Where: Where{Links: links, OneWay: true}, Probability: 0.01, When: When{At: us, For: ptr(us)}},
			[]Episode{{From: us, To: 2 * us, What: SetLoss, Loss: 0.01}}},
		{"flap, counted", Flap{Where: Where{Links: links, OneWay: true}, At: us, Period: 10 * us, Down: 2 * us, Count: ptr(2)},
			[]Episode{{From: us, To: 3 * us, What: Down}, {From: 11 * us, To: 13 * us, What: Down}}},
		{"flap until", Flap{Where: Where{Links: links, OneWay: true}, At: us, Period: 10 * us, Down: 2 * us, Until: ptr(12 * us)},
			[]Episode{{From: us, To: 3 * us, What: Down}, {From: 11 * us, To: 12 * us, What: Down}}},
		{"flap until the next would begin", Flap{Where: Where{Links: links, OneWay: true}, At: us, Period: 10 * us, Down: 2 * us, Until: ptr(11 * us)},
			[]Episode{{From: us, To: 3 * us, What: Down}}},
	} {
		if diff := cmp.Diff(test.want, one(test.fault)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestErrorsOfFaults(t *testing.T) {
	g := fabric(t)
	links := []string{"tor0->spine0"}
	for _, test := range []struct {
		fault Fault
		want  string
	}{
		{LinkDown{Where: Where{Links: []string{"tor0->spine9"}}}, `there are spine0..spine`},
		{LinkDown{Where: Where{Links: []string{"tor0->tor1"}}}, "no link goes from tor0 to tor1"},
		{LinkDown{Where: Where{Links: []string{"tor0"}}}, "no arrow"},
		{LinkDown{}, "links is empty"},
		{LinkDown{Where: Where{Links: links}, When: When{At: -1}}, "cannot be before the run"},
		{LinkDown{Where: Where{Links: links}, When: When{For: ptr(unit.Time(0))}}, "leave it out"},
		{LinkDown{Where: Where{Links: links}, Sample: Sample{Share: ptr(unit.Ratio(0.5)), Pick: ptr(1)}}, "give one of them"},
		{LinkDown{Where: Where{Links: links}, Sample: Sample{Share: ptr(unit.Ratio(0))}}, "above 0"},
		{LinkDown{Where: Where{Links: links}, Sample: Sample{Share: ptr(unit.Ratio(1.5))}}, "at most 100%"},
		{LinkDown{Where: Where{Links: links}, Sample: Sample{Pick: ptr(2)}}, "at most the 1 matching links"},
		{LinkDown{Where: Where{Links: links}, Sample: Sample{Pick: ptr(0)}}, "at least 1"},
		{LinkUp{Where: Where{Links: []string{"x->y"}}}, `no node is named "x"`},
		{LinkUp{Where: Where{Links: links}, At: -1}, "cannot be before the run"},
		{Degrade{Where: Where{Links: links}, Rate: Bandwidth{Share: 0.5}, When: When{For: ptr(unit.Time(-1))}}, "leave it out"},
		{Degrade{Where: Where{Links: links}}, "take the link down instead"},
		{Degrade{Where: Where{Links: links}, Rate: Bandwidth{Share: 2}}, "more than the link's own 400Gbps"},
		{Degrade{Where: Where{Links: links}, Rate: Bandwidth{Rate: 401 * unit.Gbps}}, "tor0->spine0"},
		{Loss{Where: Where{Links: links}}, "probability is 0%"},
		{Loss{Where: Where{Links: links}, Probability: 2}, "at most 100%"},
		{Loss{Where: Where{Links: []string{"tor7->*"}}, Probability: 1}, `no node is named "tor7"`},
		{SwitchDown{Switches: []string{"host1"}}, `"host1->*"`},
		{SwitchDown{Switches: []string{"core0"}}, `no node is named "core0"`},
		{SwitchDown{}, "switches is empty"},
		{SwitchDown{Switches: []string{"spine*"}, Sample: Sample{Pick: ptr(3)}}, "at most the 2 matching switches"},
		{SwitchDown{Switches: []string{"spine*"}, When: When{At: -1}}, "cannot be before the run"},
		{Flap{Where: Where{Links: links}, Period: us, Down: us, Count: ptr(1)}, "less than a period"},
		{Flap{Where: Where{Links: links}, Period: us, Count: ptr(1)}, "more than 0"},
		{Flap{Where: Where{Links: links}, Period: 2 * us, Down: us}, "neither count nor until"},
		{Flap{Where: Where{Links: links}, Period: 2 * us, Down: us, Count: ptr(0)}, "at least 1"},
		{Flap{Where: Where{Links: links}, At: us, Period: 2 * us, Down: us, Until: ptr(us)}, "first fail at 1us"},
		{Flap{Where: Where{Links: links}, At: -us, Period: 2 * us, Down: us, Until: ptr(us)}, "before the run"},
		{Flap{Where: Where{Links: links}, Period: 2, Down: 1, Until: ptr(unit.Second)}, "more than 10000000"},
		{Flap{Where: Where{Links: []string{"tor0->x"}}, Period: 2, Down: 1, Count: ptr(1)}, `no node is named "x"`},
	} {
		_, _, err := test.fault.Expand(Site{Graph: g, Rand: rand.NewPCG(1, 1)})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%T: error %v, want one with %q", test.fault, err, test.want)
		}
	}
}

// A flap that began close to the end of time counts without overflow.
func TestFlapAtTheEndOfTime(t *testing.T) {
	f := Flap{At: unit.Forever - 3, Period: 2, Down: 1, Count: ptr(1000)}
	if n, err := f.failures(); n != 2 || err != nil {
		t.Errorf("%d failures, error %v; want 2", n, err)
	}
}

func TestEntriesBuild(t *testing.T) {
	for _, e := range Entries() {
		if err := catalog.Check(e.Options()); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		f, err := e.Build(reflect.New(e.Options()).Interface())
		if err != nil || f == nil || reflect.TypeOf(f) != e.Options() {
			t.Errorf("%s builds %T, error %v", e.Name, f, err)
		}
	}
}

func TestBandwidthText(t *testing.T) {
	for _, test := range []struct {
		text string
		want Bandwidth
		err  string
	}{
		{"200Gbps", Bandwidth{Rate: 200 * unit.Gbps}, ""},
		{" 50% ", Bandwidth{Share: 0.5}, ""},
		{"0.5", Bandwidth{}, `"50%"`},
		{"fast", Bandwidth{}, `"50%"`},
		{"-5%", Bandwidth{}, "-5%"},
	} {
		var got Bandwidth
		err := got.UnmarshalText([]byte(test.text))
		if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q: %+v, error %v; want %+v, %q", test.text, got, err, test.want, test.err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		b := Bandwidth{Rate: unit.Rate(rapid.Int64Range(0, 1<<60).Draw(t, "rate"))}
		if rapid.Bool().Draw(t, "relative") {
			b = Bandwidth{Share: unit.Ratio(rapid.Float64Range(1e-9, 1).Draw(t, "share"))}
		}
		text, err := b.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var again Bandwidth
		if err := again.UnmarshalText(text); err != nil || again != b {
			t.Fatalf("%+v is written %q and read %+v, error %v", b, text, again, err)
		}
	})
}

// Patterns do not tell what chance chose, so that marks must.
func TestMarksNameWhatChanceChose(t *testing.T) {
	g := fabric(t)
	mark := func(f Fault) string {
		_, marks, err := f.Expand(Site{Graph: g, Rand: rand.NewPCG(1, 0)})
		if err != nil {
			t.Fatal(err)
		}
		return marks[0].What
	}
	links := LinkDown{Where: Where{Links: []string{"tor*->spine*"}, OneWay: true}, Sample: Sample{Pick: ptr(3)}}
	names := strings.Join(hit(t, g, links, 1), ", ")
	if got, want := mark(links), "3 links ("+names+") down"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	links.Pick = ptr(4)
	if got, want := mark(links), "4 links (tor*->spine*) down"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	links.Where.Links, links.Pick = []string{"*->*"}, ptr(7)
	if got := mark(links); strings.Count(got, ",") != 6 {
		t.Errorf("%q does not name 7 links", got)
	}
	many := Drawn{Hit: 100, Names: slices.Repeat([]string{"x"}, mostListed)}
	if got := many.list(); !strings.HasSuffix(got, "x, x, and 36 more") {
		t.Errorf("a hundred are listed as %q", got)
	}
}
