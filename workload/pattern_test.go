package workload

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/catalog"
	"weft/unit"
)

func catalogType[T any]() reflect.Type { return reflect.TypeFor[T]() }

func ptr[T any](v T) *T { return &v }

func share(v unit.Ratio) *unit.Ratio { return &v }

// first returns every host's first destination, or -1.
func first(t testing.TB, p Pattern, s Setting) []int32 {
	t.Helper()
	s, err := s.withMembers()
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	to := nowhere(s.Hosts)
	r := rand.NewPCG(s.Seed, 1)
	for _, h := range s.Members {
		if d.Fan(h) > 0 {
			to[h] = d.Destination(h, 0, r)
		}
	}
	return to
}

// row is a network of switches in a row, with so many hosts on each.
func row(hosts, each int32) Setting {
	return Setting{
		Hosts: int(hosts),
		Edge:  func(h int32) int32 { return 100 + h/each },
		Distances: func(edges []int32) [][]uint8 {
			rows := make([][]uint8, len(edges))
			for i, a := range edges {
				for _, b := range edges {
					rows[i] = append(rows[i], uint8(max(a-b, b-a)))
				}
			}
			return rows
		},
	}
}

func hosts(from, to int32) []int32 {
	var list []int32
	for h := from; h <= to; h++ {
		list = append(list, h)
	}
	return list
}

func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		name    string
		pattern Pattern
		setting Setting
		want    []int32
	}{
		{"incast of all", Incast{Receiver: "host2"}, Setting{Hosts: 4}, []int32{2, 2, -1, 2}},
		{"incast of members", Incast{Receiver: "host0"}, Setting{Hosts: 5, Members: []int32{4, 2, 2}}, []int32{-1, -1, 0, -1, 0}},
		{"incast to a member", Incast{Receiver: "host1"}, Setting{Hosts: 4, Members: []int32{0, 1}}, []int32{1, -1, -1, -1}},
		{"incast of as many as there are", Incast{Receiver: "host0", Senders: ptr(2)}, Setting{Hosts: 3}, []int32{-1, 0, 0}},
		{"permutation of two", Permutation{}, Setting{Hosts: 4, Members: []int32{1, 3}}, []int32{-1, 3, -1, 1}},
		{"tornado", Tornado{}, Setting{Hosts: 6}, []int32{3, 4, 5, 0, 1, 2}},
		{"tornado of one half, as in ARCANE's Figure 3", Tornado{}, Setting{Hosts: 16, Members: hosts(0, 7)},
			append(hosts(8, 15), -1, -1, -1, -1, -1, -1, -1, -1)},
		{"off-diagonal", OffDiagonal{Offset: 2}, Setting{Hosts: 5}, []int32{2, 3, 4, 0, 1}},
		{"off-diagonal of members", OffDiagonal{Offset: 1}, Setting{Hosts: 5, Members: []int32{0, 2, 3}}, []int32{2, -1, 3, 0, -1}},
		{"shuffle of six, of which three would send to themselves or beyond", Shuffle{}, Setting{Hosts: 6}, []int32{-1, 4, 1, 5, 2, 0}},
		{"shuffle of eight: abc to cab", Shuffle{}, Setting{Hosts: 8}, []int32{-1, 4, 1, 5, 2, 6, 3, -1}},
		{"shuffle of members", Shuffle{}, Setting{Hosts: 5, Members: []int32{0, 2, 4}}, []int32{-1, -1, 4, -1, 2}},
		// Three switches in a row, of two hosts each: by 2 hosts the distances are 1, 1 and 2, by 4 hosts 2, 1 and 1.
		{"adversarial, the least of equal offsets", Adversarial{}, row(6, 2), []int32{2, 3, 4, 5, 0, 1}},
		// Four: by one switch 1, 1, 1, 3; by two 2, 2, 2, 2; by three 3, 1, 1, 1.
		{"adversarial, the farthest", Adversarial{}, row(8, 2), []int32{4, 5, 6, 7, 0, 1, 2, 3}},
		// Switches of 3, 3 and 1 hosts: by 3 hosts the distances are 1, 1, 1, 1 (host3 to the last one), 2, 2, 2;
		// by 6 they are 2, 0, 0, 1, 1, 1, 1.
		{"adversarial of unequal switches", Adversarial{}, row(7, 3), []int32{3, 4, 5, 6, 0, 1, 2}},
		// Of the four in a row: 0 with 2 and 1 with 3, or 0 with 3 and 1 with 2: both weigh 4.
		{"worst case of two", WorstCase{}, row(4, 2), []int32{2, 3, 0, 1}},
		{"worst case of three: the ends", WorstCase{}, row(6, 2), []int32{4, 5, -1, -1, 0, 1}},
		{"worst case of unequal switches", WorstCase{}, row(7, 3), []int32{6, -1, -1, -1, -1, -1, 0}},
		{"uniform of two", Uniform{}, Setting{Hosts: 3, Members: []int32{0, 2}}, []int32{2, -1, 0}},
		{"pairs", Pairs{Pairs: []string{"host0->host2", " host2 -> host1 "}}, Setting{Hosts: 3}, []int32{2, -1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, first(t, test.pattern, test.setting)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIncastChoosesSenders(t *testing.T) {
	s := Setting{Hosts: 100, Seed: 1, Group: "a"}
	senders := func(n int, s Setting) []int32 {
		var list []int32
		for h, to := range first(t, Incast{Receiver: "host5", Senders: &n}, s) {
			if to == 5 {
				list = append(list, int32(h))
			} else if to != -1 {
				t.Errorf("host%d sends to host%d", h, to)
			}
		}
		if len(list) != n || slices.Contains(list, 5) {
			t.Errorf("senders are %v, want %d without host5", list, n)
		}
		return list
	}
	eight := senders(8, s)
	if !slices.Equal(eight, senders(8, s)) {
		t.Error("the same seed chooses others")
	}
	for _, h := range eight {
		if !slices.Contains(senders(16, s), h) {
			t.Errorf("host%d is among 8 senders but not among 16", h)
		}
	}
	s.Group = "b"
	if slices.Equal(eight, senders(8, s)) {
		t.Error("another group has the same senders")
	}
}

// A permutation is a derangement of the members.
func TestPermutationIsDerangement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "hosts")
		members := rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(n-1)), 2, n, rapid.ID).Draw(t, "members")
		s := Setting{Hosts: n, Members: members, Seed: rapid.Uint64().Draw(t, "seed")}
		s, err := s.withMembers()
		if err != nil {
			t.Fatal(err)
		}
		d, err := Permutation{}.Resolve(s)
		if err != nil {
			t.Fatal(err)
		}
		var images []int32
		for h := range int32(n) {
			if _, member := slices.BinarySearch(s.Members, h); !member {
				if d.Fan(h) != 0 {
					t.Fatalf("host%d sends without being a member", h)
				}
				continue
			}
			if d.Fan(h) != 1 || d.Destination(h, 0, nil) == h {
				t.Fatalf("host%d has %d destinations, the first is host%d", h, d.Fan(h), d.Destination(h, 0, nil))
			}
			images = append(images, d.Destination(h, 7, nil))
		}
		slices.Sort(images)
		if !slices.Equal(images, s.Members) {
			t.Fatalf("receivers are %v, members %v", images, s.Members)
		}
	})
}

// All nine derangements of four hosts come equally often; of them only six are
// cyclic.
func TestPermutationIsUniform(t *testing.T) {
	counts := map[[4]int32]int{}
	const draws = 9000
	for seed := range uint64(draws) {
		counts[[4]int32(first(t, Permutation{}, Setting{Hosts: 4, Seed: seed}))]++
	}
	if len(counts) != 9 {
		t.Fatalf("%d derangements of 4 hosts came, want 9", len(counts))
	}
	chi2 := 0.0
	for _, n := range counts {
		d := float64(n) - draws/9
		chi2 += d * d / (draws / 9)
	}
	if chi2 > 26.1 { // 99.9 % of χ² with eight degrees of freedom
		t.Errorf("χ² = %.1f: %v", chi2, counts)
	}
}

func TestUniformIsUniform(t *testing.T) {
	s, err := Setting{Hosts: 9, Members: []int32{1, 3, 4, 7, 8}}.withMembers()
	if err != nil {
		t.Fatal(err)
	}
	d, err := Uniform{}.Resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.NewPCG(1, 1)
	for _, h := range s.Members {
		counts := map[int32]int{}
		const draws = 4000
		for n := range int64(draws) {
			counts[d.Destination(h, n, r)]++
		}
		chi2 := 0.0
		for _, other := range s.Members {
			if other == h {
				continue
			}
			d := float64(counts[other]) - draws/4
			chi2 += d * d / (draws / 4)
		}
		if chi2 > 16.3 || counts[h] != 0 || len(counts) != 4 { // 99.9 % of χ² with three degrees of freedom
			t.Errorf("host%d sends %v, χ² = %.1f", h, counts, chi2)
		}
	}
}

func TestPairsTakeTurns(t *testing.T) {
	s, err := Setting{Hosts: 4}.withMembers()
	if err != nil {
		t.Fatal(err)
	}
	d, err := Pairs{Pairs: []string{"host0->host2", "host1->host0", "host0->host1", "host0->host2"}}.Resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	var got []int32
	for n := range int64(6) {
		got = append(got, d.Destination(0, n, nil))
	}
	if want := []int32{2, 1, 2, 2, 1, 2}; !slices.Equal(got, want) || d.Fan(0) != 3 || d.Fan(1) != 1 || d.Fan(3) != 0 {
		t.Errorf("host0 sends to %v, fans %d, %d and %d", got, d.Fan(0), d.Fan(1), d.Fan(3))
	}
}

func TestErrorsOfPatterns(t *testing.T) {
	named := Setting{Hosts: 2, Name: func(h int32) string { return []string{"alice", "bob"}[h] }}
	lookup := named
	lookup.Lookup = func(name string) (int32, bool) { return 1, name == "bob" }
	for _, test := range []struct {
		pattern Pattern
		setting Setting
		want    string
	}{
		{Incast{Receiver: "host12"}, Setting{Hosts: 8}, `incast: receiver: no host is named "host12"; the 8 hosts are host0..host7`},
		{Incast{Receiver: "hots3"}, Setting{Hosts: 8}, `incast: receiver: no host is named "hots3"; did you mean "host3"?`},
		{Incast{Receiver: "server"}, Setting{Hosts: 8}, "the 8 hosts are host0..host7"},
		{Incast{Receiver: "bop"}, named, `did you mean "bob"`},
		{Incast{Receiver: "bop"}, lookup, `did you mean "bob"`},
		{Incast{Receiver: "bob"}, Setting{Hosts: 2, Members: []int32{1}, Name: named.Name}, "no host is left to send to bob"},
		{Incast{Receiver: "host0", Senders: ptr(8)}, Setting{Hosts: 8}, "from 1 to 7"},
		{Incast{Receiver: "host0", Senders: ptr(0)}, Setting{Hosts: 8}, "from 1 to 7"},
		{Permutation{}, Setting{Hosts: 8, Members: []int32{3}}, "permutation: only host3 takes part"},
		{Permutation{}, Setting{Hosts: 1}, "at least two hosts"},
		{Uniform{}, Setting{Hosts: 8, Members: []int32{3}}, "uniform: only host3 takes part"},
		{Shuffle{}, Setting{Hosts: 2}, "at least three are needed"},
		{Shuffle{}, Setting{Hosts: 1}, "shuffle: only host0 takes part"},
		{Adversarial{}, Setting{Hosts: 4}, "adversarial: the switch of each host is not known"},
		{Adversarial{}, row(4, 4), "adversarial: all hosts that take part are under one switch"},
		{WorstCase{}, row(3, 3), "worst-case: all hosts that take part are under one switch"},
		{WorstCase{}, row(257, 1), "worst-case: no path leads from the switch of host0 to that of host255"},
		{Stencil{Offsets: []int{4, -8}}, Setting{Hosts: 4}, "offsets [4 -8] each of the 4 hosts would send to itself; use from 1 to 3"},
		{Stencil{Barrier: true}, Setting{Hosts: 4}, "give rounds, or remove them"},
		{Stencil{Compute: 1}, Setting{Hosts: 4}, "give rounds, or remove them"},
		{stencilRounds{Stencil{Rounds: ptr(0)}}, Setting{Hosts: 4}, "repeat: 0"},
		{stencilRounds{Stencil{Rounds: ptr(1), Compute: -1}}, Setting{Hosts: 4}, "compute: "},
		{Tornado{}, Setting{Hosts: 7}, "7 hosts; with an odd number a host has no twin"},
		{Pairs{}, Setting{Hosts: 2}, "the list is empty"},
		{Pairs{Pairs: []string{"host0->host1", "host0"}}, Setting{Hosts: 2}, `pair 2: "host0" has no arrow`},
		{Pairs{Pairs: []string{"host9->host1"}}, Setting{Hosts: 2}, `no host is named "host9"`},
		{Pairs{Pairs: []string{"host1->host9"}}, Setting{Hosts: 2}, `no host is named "host9"`},
		{Pairs{Pairs: []string{"host1->host1"}}, Setting{Hosts: 2}, "does not send to itself"},
		{Pairs{Pairs: []string{"host1->host0"}}, Setting{Hosts: 2, Members: []int32{0}}, "host1 is not among the hosts that take part"},
		{Tornado{}, Setting{}, "0 hosts"},
		{Tornado{}, Setting{Hosts: 2, Members: []int32{}}, "no host takes part"},
		{Tornado{}, Setting{Hosts: 2, Members: []int32{2}}, "hosts 0 to 1"},
		{Tornado{}, Setting{Hosts: 2, Members: []int32{-1}}, "hosts 0 to 1"},
	} {
		_, err := NewSources(Traffic{Pattern: test.pattern, Sizes: Fixed(1), Arrival: Once{Count: 1}}, test.setting)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%#v: error %v, want one with %q", test.pattern, err, test.want)
		}
	}
	if _, err := (Setting{}).FindHost("a"); err == nil {
		t.Error("a host was found among none")
	}
}

func TestEntries(t *testing.T) {
	for _, e := range Patterns() {
		if err := catalog.Check(e.Options()); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		if p, err := e.Build(reflect.New(e.Options()).Interface()); err != nil || reflect.TypeOf(p) != e.Options() {
			t.Errorf("%s builds %T, error %v", e.Name, p, err)
		}
	}
	for _, e := range Arrivals() {
		if err := catalog.Check(e.Options()); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		if _, err := e.Build(reflect.New(e.Options()).Interface()); err == nil || !strings.HasPrefix(err.Error(), e.Name+": ") {
			t.Errorf("%s builds without options, error %v", e.Name, err)
		}
	}
	good := Poisson{Load: share(0.5)}
	for _, e := range Arrivals() {
		if e.Name != "poisson" {
			continue
		}
		if a, err := e.Build(&good); err != nil || a != good {
			t.Errorf("poisson builds %v, error %v", a, err)
		}
	}
}

const us = unit.Microsecond
