package fault

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/topo"
	"weft/unit"
)

const us = unit.Microsecond

// fabric is two ToRs with two hosts each under two spines, all at 400 Gb/s.
func fabric(t testing.TB) *topo.Graph {
	t.Helper()
	g, err := topo.LeafSpine{
		ToRs: 2, HostsPerToR: 2, Spines: 2, LinksPerSpine: 1,
		Rate: 400 * unit.Gbps, Delay: 500 * unit.Nanosecond,
	}.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// scripted is a fault of given episodes, which may cut hosts off.
type scripted []Episode

func (s scripted) AllowsCutoff() bool { return true }

func (s scripted) Expand(Site) ([]Episode, []Mark, error) { return s, nil, nil }

func TestOverlappingEpisodes(t *testing.T) {
	const half, quarter = 200 * unit.Gbps, 100 * unit.Gbps
	const full = 400 * unit.Gbps
	down := func(from, to unit.Time) Episode { return Episode{From: from, To: to, What: Down} }
	slow := func(from, to unit.Time, r unit.Rate) Episode {
		return Episode{From: from, To: to, What: SetRate, Rate: r}
	}
	lossy := func(from, to unit.Time, p unit.Ratio) Episode {
		return Episode{From: from, To: to, What: SetLoss, Loss: p}
	}
	for _, test := range []struct {
		name     string
		episodes []Episode
		want     []Change
	}{
		{"one down", []Episode{down(1, 5)}, []Change{{At: 1, What: Down}, {At: 5, What: Up}}},
		{"down for good", []Episode{down(1, unit.Forever)}, []Change{{At: 1, What: Down}}},
		{"up when all downs have ended", []Episode{down(1, 5), down(3, 9)},
			[]Change{{At: 1, What: Down}, {At: 9, What: Up}}},
		{"nested downs", []Episode{down(1, 9), down(3, 5)},
			[]Change{{At: 1, What: Down}, {At: 9, What: Up}}},
		{"a down that follows another at once", []Episode{down(1, 5), down(5, 9)},
			[]Change{{At: 1, What: Down}, {At: 9, What: Up}}},
		{"up ends all downs in force, whose own ends do nothing",
			[]Episode{down(1, 9), down(2, unit.Forever), {From: 4, What: Up}, down(6, 20)},
			[]Change{{At: 1, What: Down}, {At: 4, What: Up}, {At: 6, What: Down}, {At: 20, What: Up}}},
		{"up of what is up", []Episode{{From: 4, What: Up}}, nil},
		{"up, then down at the same instant", []Episode{down(1, 9), {From: 4, What: Up}, down(4, 6)},
			[]Change{{At: 1, What: Down}, {At: 6, What: Up}}},
		{"down, then up at the same instant", []Episode{down(4, 6), {From: 4, What: Up}}, nil},
		{"rate goes back to the graph's", []Episode{slow(1, 5, half)},
			[]Change{{At: 1, What: SetRate, Rate: half}, {At: 5, What: SetRate, Rate: full}}},
		{"the rate that began last wins", []Episode{slow(3, 5, quarter), slow(1, 9, half)},
			[]Change{{At: 1, What: SetRate, Rate: half}, {At: 3, What: SetRate, Rate: quarter},
				{At: 5, What: SetRate, Rate: half}, {At: 9, What: SetRate, Rate: full}}},
		{"of two at one instant the later declared wins", []Episode{slow(1, 9, half), slow(1, 5, quarter)},
			[]Change{{At: 1, What: SetRate, Rate: quarter}, {At: 5, What: SetRate, Rate: half},
				{At: 9, What: SetRate, Rate: full}}},
		{"the rate that ends under another does nothing", []Episode{slow(1, 5, half), slow(3, unit.Forever, quarter)},
			[]Change{{At: 1, What: SetRate, Rate: half}, {At: 3, What: SetRate, Rate: quarter}}},
		{"loss ends", []Episode{lossy(1, 5, 0.5)},
			[]Change{{At: 1, What: SetLoss, Loss: 0.5}, {At: 5, What: SetLoss}}},
		{"effects do not touch each other", []Episode{down(1, 5), slow(1, 3, half), lossy(2, 3, 1)},
			[]Change{{At: 1, What: Down}, {At: 1, What: SetRate, Rate: half}, {At: 2, What: SetLoss, Loss: 1},
				{At: 3, What: SetRate, Rate: full}, {At: 3, What: SetLoss}, {At: 5, What: Up}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tl, err := NewTimeline([]Fault{scripted(test.episodes)}, fabric(t), 1, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, tl.Changes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The timeline replayed gives, at every instant and for every port, the state
// that the definition says; and each change changes something.
func TestTimelineAgainstDefinition(t *testing.T) {
	g := fabric(t)
	rapid.Check(t, func(t *rapid.T) {
		episodes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Episode {
			if rapid.IntRange(0, 9).Draw(t, "missing") == 0 {
				return Episode{To: unit.Forever, Port: topo.PortID(rapid.IntRange(0, 2).Draw(t, "port")), What: Missing}
			}
			from := rapid.Int64Range(0, 12).Draw(t, "from")
			to := unit.Time(from + rapid.Int64Range(1, 8).Draw(t, "for"))
			if rapid.IntRange(0, 4).Draw(t, "for good") == 0 {
				to = unit.Forever
			}
			return Episode{
				From: unit.Time(from), To: to,
				Port: topo.PortID(rapid.IntRange(0, 2).Draw(t, "port")),
				What: Effect(rapid.IntRange(int(Down), int(SetLoss)).Draw(t, "what")),
				Rate: unit.Rate(rapid.IntRange(1, 3).Draw(t, "rate")) * 100 * unit.Gbps,
				Loss: unit.Ratio(rapid.IntRange(1, 3).Draw(t, "loss")) / 4,
			}
		}), 0, 12).Draw(t, "episodes")
		tl, err := NewTimeline([]Fault{scripted(episodes)}, g, 1, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(tl.Changes, func(a, b Change) int { return int(a.At - b.At) }) {
			t.Fatalf("changes out of order: %v", tl.Changes)
		}
		got := map[topo.PortID]state{}
		i := 0
		for now := unit.Time(0); now < 25; now++ {
			for ; i < len(tl.Changes) && tl.Changes[i].At == now; i++ {
				c := tl.Changes[i]
				s, ok := got[c.Port]
				if !ok {
					s.rate = 400 * unit.Gbps
				}
				before := s
				switch c.What {
				case Down:
					s.down = true
				case Up:
					s.down = false
				case SetRate:
					s.rate = c.Rate
				case SetLoss:
					s.loss = c.Loss
				}
				if s == before {
					t.Fatalf("%v changes nothing", c)
				}
				got[c.Port] = s
			}
			for p := range topo.PortID(3) {
				s, ok := got[p]
				if !ok {
					s.rate = 400 * unit.Gbps
				}
				if want := defined(episodes, p, now); s != want {
					t.Fatalf("port %d at %d is %+v, want %+v", p, now, s, want)
				}
			}
		}
	})
}

// defined is the state of a port as the doc comment of NewTimeline defines it.
func defined(episodes []Episode, p topo.PortID, now unit.Time) state {
	s := state{rate: 400 * unit.Gbps}
	rateFrom, lossFrom := unit.Time(-1), unit.Time(-1)
	for i, e := range episodes {
		if e.Port != p || e.From > now || e.To <= now {
			continue
		}
		switch e.What {
		case Missing:
			s.down = true
		case Down:
			ended := false
			for j, u := range episodes {
				if u.Port == p && u.What == Up && u.From <= now && (u.From > e.From || u.From == e.From && j > i) {
					ended = true
				}
			}
			s.down = s.down || !ended
		case SetRate:
			if e.From >= rateFrom {
				s.rate, rateFrom = e.Rate, e.From
			}
		case SetLoss:
			if e.From >= lossFrom {
				s.loss, lossFrom = e.Loss, e.From
			}
		}
	}
	return s
}

func TestTimelineRefusesBrokenEpisodes(t *testing.T) {
	for _, test := range []struct {
		episode Episode
		want    string
	}{
		{Episode{Port: 1000, To: 1}, "no port 1000"},
		{Episode{Port: -1, To: 1}, "no port -1"},
		{Episode{From: -1, To: 1}, "negative time"},
		{Episode{From: 1, To: 1}, "not after its begin"},
		{Episode{To: 1, What: SetRate}, "more than 0"},
		{Episode{To: 1, What: SetLoss, Loss: 1.5}, "between 0% and 100%"},
		{Episode{To: 1, What: 9}, "unknown effect 9"},
		{Episode{To: 1, What: Missing}, "permanently"},
		{Episode{From: 1, To: unit.Forever, What: Missing}, "from the start"},
	} {
		_, err := NewTimeline([]Fault{scripted{}, scripted{test.episode}}, fabric(t), 1, Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "fault 2") {
			t.Errorf("%+v: error %v, want one of fault 2 with %q", test.episode, err, test.want)
		}
		var e *Error
		if !errors.As(err, &e) || e.Index != 1 || strings.Contains(e.Unwrap().Error(), "fault") {
			t.Errorf("%+v: error %#v does not tell the fault's place", test.episode, err)
		}
	}
}

func TestMarksAreInOrder(t *testing.T) {
	for10, for50 := 10*us, 50*us
	tl, err := NewTimeline([]Fault{
		LinkDown{Where: Where{Links: []string{"tor0->spine0"}}, When: When{At: 100 * us, For: &for50}},
		Degrade{Where: Where{Links: []string{"tor0->spine1"}}, Rate: Bandwidth{Share: 0.5}, When: When{At: 20 * us, For: &for10}},
		SwitchDown{Switches: []string{"spine1"}, When: When{At: 100 * us}, Cutting: Cutting{AllowCutoff: true}},
	}, fabric(t), 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Mark{
		{20 * us, "tor0->spine1 at 50%"},
		{30 * us, "tor0->spine1 at full rate"},
		{100 * us, "tor0->spine0 down"},
		{100 * us, "spine1 down"},
		{150 * us, "tor0->spine0 up"},
	}
	if diff := cmp.Diff(want, tl.Marks); diff != "" {
		t.Error(diff)
	}
}

// TestHostsCutOff refuses what cuts hosts off, and gives a notice where that is
// allowed.
func TestHostsCutOff(t *testing.T) {
	for10 := 10 * us
	three := 3
	down := func(at unit.Time, lasts *unit.Time, links ...string) LinkDown {
		return LinkDown{Where: Where{Links: links}, When: When{At: at, For: lasts}}
	}
	loses := func(p unit.Ratio, at unit.Time, lasts *unit.Time, links ...string) Loss {
		return Loss{Where: Where{Links: links}, Probability: p, When: When{At: at, For: lasts}}
	}
	oneWay := down(0, nil, "*->host1")
	oneWay.OneWay = true
	for _, test := range []struct {
		name   string
		faults []Fault
		index  int      // of the fault that is refused
		want   []string // substrings of what is said; none is nothing
	}{
		{"one of two spines", []Fault{SwitchDown{Switches: []string{"spine0"}}}, 0, nil},
		{"a slow host link", []Fault{Degrade{Where: Where{Links: []string{"host0->*"}}, Rate: Bandwidth{Share: 0.1}}}, 0, nil},
		{"a host's link", []Fault{down(5*us, &for10, "host1->*")}, 0, []string{"at 5us", "host1:"}},
		{"one direction of a host's link", []Fault{oneWay}, 0, []string{"host1:", "cut off to the end"}},
		{"a host's link that loses all", []Fault{loses(1, 5*us, &for10, "host1->*")}, 0, []string{"at 5us", "host1:"}},
		{"a host's link that loses almost all", []Fault{loses(0.999, 0, nil, "host1->*")}, 0, nil},
		{"an uplink down and the other losing all", []Fault{
			down(5*us, nil, "tor1->spine0"), loses(1, 7*us, nil, "tor1->spine1")},
			1, []string{"at 7us", "host2, host3:", "cut off to the end"}},
		{"a failure after the other loses no more", []Fault{
			loses(1, 5*us, &for10, "tor1->spine0"), down(15*us, &for10, "tor1->spine1")}, 0, nil},
		{"a failure while the other loses all", []Fault{
			loses(1, 5*us, nil, "tor1->spine0"), down(20*us, &for10, "tor1->spine1")},
			1, []string{"at 20us", "host2, host3:"}},
		{"a host's link that is missing", []Fault{Absent{Links: []string{"host1->*"}}}, 0, []string{"at 0s", "host1:", "cut off to the end"}},
		{"both uplinks, one after the other", []Fault{
			down(5*us, nil, "tor1->spine0"), down(7*us, nil, "tor1->spine1"),
			Degrade{Where: Where{Links: []string{"tor0->spine1"}}, Rate: Bandwidth{Share: 0.1}, When: When{At: 7 * us}}},
			1, []string{"at 7us", "host2, host3:", "cut off to the end"}},
		{"an uplink that fails where the other is missing", []Fault{
			down(5*us, nil, "tor1->spine0"), Absent{Links: []string{"tor1->spine1"}}},
			0, []string{"at 5us", "host2, host3:", "cut off to the end"}},
		{"a failure after the repair of another", []Fault{
			down(5*us, &for10, "tor1->spine0"), down(15*us, &for10, "tor1->spine1")}, 0, nil},
		{"one link at a time", []Fault{LinkDown{Where: Where{Links: []string{"tor1->spine*"}}, When: When{Every: &for10}}},
			0, []string{"at 10us", "host2, host3:", "cut off to the end"}},
		{"flapping", []Fault{Flap{Where: Where{Links: []string{"host*->*"}}, At: 3 * us, Period: 4 * us, Down: us, Count: &three}},
			0, []string{"at 3us", "host1, host2, host3:"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := NewTimeline(test.faults, fabric(t), 1, Options{})
			var e *Error
			if errors.As(err, &e) != (test.want != nil) || e != nil && e.Index != test.index {
				t.Fatalf("error %v, want one of fault %d with %q", err, test.index+1, test.want)
			}
			if test.want == nil {
				return
			}
			for _, w := range append(test.want, "allow_cutoff: true", "keep_connected: true") {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q lacks %q", err, w)
				}
			}
			if !slices.Contains(test.want, "cut off to the end") && strings.Contains(err.Error(), "to the end") {
				t.Errorf("error %q says that hosts stay cut off", err)
			}
			// Any of the faults that do it may allow it.
			for i := range test.faults {
				allowed := slices.Clone(test.faults)
				allowed[i] = allowing(allowed[i])
				tl, err := NewTimeline(allowed, fabric(t), 1, Options{})
				if i > test.index {
					continue
				}
				if err != nil || len(tl.Notices) != 1 {
					t.Fatalf("allowed by fault %d: error %v, notices %q", i+1, err, tl.Notices)
				}
				for _, w := range test.want {
					if !strings.Contains(tl.Notices[0], w) {
						t.Errorf("allowed by fault %d: notice %q lacks %q", i+1, tl.Notices[0], w)
					}
				}
			}
		})
	}
}

// allowing returns a fault that may cut hosts off.
func allowing(f Fault) Fault {
	switch f := f.(type) {
	case LinkDown:
		f.AllowCutoff = true
		return f
	case Absent:
		f.AllowCutoff = true
		return f
	case Flap:
		f.AllowCutoff = true
		return f
	case Loss:
		f.AllowCutoff = true
		return f
	}
	return f
}

// TestMissingLinks are down throughout, whatever comes up.
func TestMissingLinks(t *testing.T) {
	for5 := 5 * us
	tl, err := NewTimeline([]Fault{
		Absent{Links: []string{"spine0->tor0"}},
		SwitchDown{Switches: []string{"spine0"}, When: When{At: 3 * us, For: &for5}},
		LinkUp{Where: Where{Links: []string{"tor*->spine0"}}, At: 5 * us},
	}, fabric(t), 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := fabric(t)
	var got []string
	for _, c := range tl.Changes {
		got = append(got, c.At.String()+" "+g.PortName(c.Port)+" "+c.What.String())
	}
	want := []string{
		"0s tor0->spine0 down", "0s spine0->tor0 down",
		"3us tor1->spine0 down", "3us spine0->tor1 down",
		"5us tor1->spine0 up", "5us spine0->tor1 up",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(tl.Missing) != 1 || tl.Changes[0].Port.Link() != tl.Missing[0] {
		t.Errorf("missing links %v", tl.Missing)
	}
	if m := tl.Marks[0]; m.What != "spine0->tor0 missing" || m.At != 0 {
		t.Errorf("mark %+v", m)
	}
}
