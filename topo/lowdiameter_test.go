package topo

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/unit"
)

var cables = Cables{Rate: rate, Delay: half, SwitchLatency: half}

// shapeOf counts switches, degree, hosts per switch and hosts of a regular graph.
func shapeOf(t *testing.T, g *Graph) [4]int {
	t.Helper()
	f := Survey(g)
	if !f.Degree.regular() || f.EdgeSwitches != f.Switches || !f.HostsPerSwitch.regular() {
		t.Fatalf("the graph is not regular: %+v", f)
	}
	return [4]int{f.Switches, f.Degree.Least, f.HostsPerSwitch.Least, f.Hosts}
}

// farthest returns the greatest distance of two switches, going from every one of
// them, or -1 if parts are not connected.
func farthest(g *Graph) int {
	m := newMesh(g)
	most := 0
	for s := range m.nodes {
		far, reached := m.eccentricity(s)
		if reached != len(m.nodes) {
			return -1
		}
		most = max(most, far)
	}
	return most
}

// simple tells whether no two switches have more than one link.
func simple(g *Graph) bool {
	for _, n := range g.parallels() {
		if n > 0 {
			return false
		}
	}
	return true
}

func TestSlimFlyOfEveryOrder(t *testing.T) {
	degrees := map[int]int{
		3: 5, 4: 6, 5: 7, 7: 11, 8: 12, 9: 13, 11: 17, 13: 19, 16: 24, 17: 25, 19: 29, 23: 35, 25: 37, 27: 41,
		29: 43, 31: 47, 32: 48, 37: 55, 41: 61, 43: 65, 47: 71, 49: 73,
	}
	tried := 0
	for q := 3; q <= 49; q++ {
		want, exists := degrees[q]
		g, err := SlimFly{Order: ptr(q), HostsPerSwitch: ptr(1), Cables: cables}.Build()
		if !exists {
			if err == nil {
				t.Errorf("a Slim Fly of order %d was built", q)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		tried++
		if got := shapeOf(t, g); got != [4]int{2 * q * q, want, 1, 2 * q * q} {
			t.Errorf("order %d: switches, degree, hosts per switch and hosts are %v", q, got)
		}
		if !simple(g) {
			t.Errorf("order %d: two switches have two links", q)
		}
		if d := MeasureDistances(g, 0); d.Diameter != 2 || d.Unreached != 0 {
			t.Errorf("order %d: the diameter is %d, and %d pairs are not joined", q, d.Diameter, d.Unreached)
		}
	}
	if tried != len(degrees) {
		t.Errorf("%d orders were tried, want %d", tried, len(degrees))
	}
}

// A diameter of 2 says nothing of which switches are linked: this is the
// definition, followed link by link with the integers modulo a prime.
func TestSlimFlyByDefinition(t *testing.T) {
	const q, primitive = 13, 2
	g := build(t, SlimFly{Order: ptr(q), HostsPerSwitch: ptr(1), Cables: cables})
	var sets [2][q]bool
	power := 1
	for n := range q - 1 {
		sets[n%2][power] = true
		power = power * primitive % q
	}
	linked := map[[2]string]bool{}
	for _, l := range g.Links {
		a, b := g.Nodes[l.A].Name, g.Nodes[l.B].Name
		linked[[2]string{a, b}], linked[[2]string{b, a}] = true, true
	}
	name := func(s, group, i int) string { return fmt.Sprintf("%c%dr%d", "ab"[s], group, i) }
	for i := range q {
		for j := range q {
			for x := range q {
				for y := range q {
					for s := range 2 {
						want := i == j && sets[s][(x-y+q)%q]
						if got := linked[[2]string{name(s, i, x), name(s, j, y)}]; got != want {
							t.Fatalf("%s and %s: linked is %v", name(s, i, x), name(s, j, y), got)
						}
					}
					want := x == (j*i+y)%q
					if got := linked[[2]string{name(0, i, x), name(1, j, y)}]; got != want {
						t.Fatalf("%s and %s: linked is %v", name(0, i, x), name(1, j, y), got)
					}
				}
			}
		}
	}
}

func TestListedInstances(t *testing.T) {
	for _, test := range []struct {
		options builders
		// switches, degree, hosts per switch, hosts
		want     [4]int
		diameter int
	}{
		{SlimFly{Size: ptr("1k"), Cables: cables}, [4]int{162, 13, 7, 1134}, 2},
		{SlimFly{Size: ptr("10k"), Cables: cables}, [4]int{722, 29, 14, 10108}, 2},
		{SlimFly{Order: ptr(19), Cables: cables}, [4]int{722, 29, 15, 10830}, 2},
		{SlimFly{Size: ptr("100k"), Cables: cables}, [4]int{3362, 61, 31, 104222}, 0},
		{Dragonfly{Size: ptr("1k"), Cables: cables}, [4]int{264, 11, 4, 1056}, 3},
		{Dragonfly{Size: ptr("10k"), Cables: cables}, [4]int{2064, 23, 8, 16512}, 3},
		{Dragonfly{Size: ptr("100k"), Cables: cables}, [4]int{8814, 38, 13, 114582}, 0},
		{HyperX{Size: ptr("1k"), Cables: cables}, [4]int{216, 15, 5, 1080}, 3},
		{HyperX{Size: ptr("10k"), Cables: cables}, [4]int{1331, 30, 10, 13310}, 3},
		{HyperX{Size: ptr("100k"), Cables: cables}, [4]int{5832, 51, 17, 99144}, 0},
		{HyperX{Size: ptr("10k"), Dimensions: ptr(2), Cables: cables}, [4]int{484, 42, 21, 10164}, 2},
		{Xpander{Size: ptr("1k"), Cables: cables}, [4]int{272, 16, 8, 2176}, 3},
		{Xpander{Size: ptr("10k"), Cables: cables}, [4]int{1056, 32, 16, 16896}, 3},
		{Xpander{Size: ptr("100k"), Cables: cables}, [4]int{3422, 58, 29, 99238}, 0},
		{Clique{Size: ptr("1k"), Cables: cables}, [4]int{32, 31, 31, 992}, 1},
		{Clique{Size: ptr("10k"), Cables: cables}, [4]int{101, 100, 100, 10100}, 1},
		{Clique{Size: ptr("100k"), Cables: cables}, [4]int{317, 316, 316, 100172}, 0},
		{Jellyfish{Size: ptr("10k"), Like: ptr("slim-fly"), Cables: cables}, [4]int{722, 29, 14, 10108}, 3},
		{Jellyfish{Size: ptr("10k"), Like: ptr("fat-tree"), Cables: cables}, [4]int{1620, 29, 7, 11340}, 3},
		{Jellyfish{Size: ptr("1k"), Like: ptr("dragonfly"), Cables: cables}, [4]int{264, 11, 4, 1056}, 4},
	} {
		name := fmt.Sprintf("%T/%v", test.options, test.want)
		t.Run(strings.ReplaceAll(name, " ", ","), func(t *testing.T) {
			g, err := test.options.Build()
			if err != nil {
				t.Fatal(err)
			}
			if got := shapeOf(t, g); got != test.want {
				t.Errorf("switches, degree, hosts per switch and hosts are %v, want %v", got, test.want)
			}
			if test.want[3] < 20000 {
				if err := g.Validate(); err != nil {
					t.Error(err)
				}
				if !simple(g) {
					t.Error("two switches have two links")
				}
			}
			if test.diameter > 0 {
				if got := farthest(g); got != test.diameter {
					t.Errorf("the diameter is %d, want %d", got, test.diameter)
				}
			}
		})
	}
}

func TestFatTreesAsCounted(t *testing.T) {
	for size, want := range map[string][3]int{"1k": {320, 1024, 8}, "10k": {1620, 11664, 18}, "100k": {6845, 101306, 37}} {
		g, err := FatTree{Tiers: 3, Size: ptr(size), Rate: rate}.Build()
		if err != nil {
			t.Fatal(err)
		}
		f := Survey(g)
		if got := [3]int{f.Switches, f.Hosts, f.HostsPerSwitch.Least}; got != want || !f.HostsPerSwitch.regular() {
			t.Errorf("%s: switches, hosts and hosts per switch are %v, want %v", size, got, want)
		}
	}
	g := build(t, FatTree{Tiers: 3, HostsPerToR: ptr(8), UplinksPerToR: ptr(4), ToRsPerPod: ptr(4), UplinksPerAgg: ptr(4), Pods: ptr(8), Rate: rate})
	plain := build(t, FatTree{Tiers: 3, Radix: ptr(8), Rate: rate})
	if a, b := Survey(g), Survey(plain); a.Switches != b.Switches || a.Hosts != 2*b.Hosts || a.GroupLinks != b.GroupLinks || a.GlobalLinks != b.GlobalLinks {
		t.Errorf("twice oversubscribed %+v has not the switches of %+v and twice its hosts", a, b)
	}
	if d := farthest(plain); d != 4 {
		t.Errorf("the diameter is %d, want 4", d)
	}
}

// Every pair of groups has one link, or as many as the number of groups allows.
func TestDragonflyGroups(t *testing.T) {
	for _, arrangement := range []string{"absolute", "relative", "circulant", "random"} {
		for _, test := range []struct {
			o    Dragonfly
			each int
		}{
			{Dragonfly{HostsPerSwitch: ptr(2)}, 1},
			{Dragonfly{HostsPerSwitch: ptr(3)}, 1},
			{Dragonfly{HostsPerSwitch: ptr(3), Groups: ptr(10)}, 2},
			{Dragonfly{HostsPerSwitch: ptr(3), Groups: ptr(2)}, 18},
			{Dragonfly{SwitchesPerGroup: ptr(5), GlobalLinks: ptr(1)}, 1},
			{Dragonfly{SwitchesPerGroup: ptr(5), GlobalLinks: ptr(3), HostsPerSwitch: ptr(2), Groups: ptr(6)}, 3},
		} {
			test.o.Arrangement, test.o.Cables = arrangement, cables
			g := build(t, test.o)
			pairs := map[[2]int32]int{}
			for _, l := range g.Links {
				if a, b := g.Nodes[l.A].Group, g.Nodes[l.B].Group; a > 0 && b > 0 && a != b {
					pairs[[2]int32{min(a, b), max(a, b)}]++
				}
			}
			f := Survey(g)
			if len(pairs) != f.Groups*(f.Groups-1)/2 {
				t.Errorf("%s %+v: %d pairs of %d groups are linked", arrangement, test.o, len(pairs), f.Groups)
			}
			for pair, n := range pairs {
				if n != test.each {
					t.Errorf("%s %+v: groups %v have %d links, want %d", arrangement, test.o, pair, n, test.each)
				}
			}
			if d := farthest(g); d > 3 {
				t.Errorf("%s %+v: the diameter is %d", arrangement, test.o, d)
			}
		}
	}
}

// The first global links of group 4 of 9, of four switches with two each.
func TestDragonflyArrangements(t *testing.T) {
	for arrangement, want := range map[string]string{
		"absolute":  "g0r1 g1r1 g2r1 g3r1 g5r2 g6r2 g7r2 g8r2",
		"relative":  "g5r3 g6r3 g7r2 g8r2 g0r1 g1r1 g2r0 g3r0",
		"circulant": "g5r0 g3r0 g6r1 g2r1 g7r2 g1r2 g8r3 g0r3",
	} {
		g := build(t, Dragonfly{HostsPerSwitch: ptr(2), Arrangement: arrangement, Cables: cables})
		got := map[string]bool{}
		for _, l := range g.Links {
			a, b := g.Nodes[l.A], g.Nodes[l.B]
			if a.Group > 0 && b.Group > 0 && a.Group != b.Group {
				got[a.Name+" "+b.Name], got[b.Name+" "+a.Name] = true, true
			}
		}
		for slot, far := range strings.Fields(want) {
			if near := fmt.Sprintf("g4r%d", slot/2); !got[near+" "+far] {
				t.Errorf("%s: %s and %s are not linked", arrangement, near, far)
			}
		}
	}
}

func TestHyperXLinksOneDigit(t *testing.T) {
	g := build(t, HyperX{Widths: []int{2, 3, 4}, Multiplicity: []int{1, 2, 1}, HostsPerSwitch: ptr(1), Cables: cables})
	links := map[[2]string]int{}
	for _, l := range g.Links[len(g.Hosts):] {
		links[[2]string{g.Nodes[l.A].Name, g.Nodes[l.B].Name}]++
	}
	total := 0
	for i := range g.Nodes {
		for j := range g.Nodes[:i] {
			a, b := g.Nodes[i].Name, g.Nodes[j].Name
			if a[0] != 'r' || b[0] != 'r' {
				continue
			}
			want := 0
			if x, y := strings.Split(a[1:], "-"), strings.Split(b[1:], "-"); x[0] == y[0] && x[1] == y[1] || x[0] == y[0] && x[2] == y[2] || x[1] == y[1] && x[2] == y[2] {
				want = 1
				if x[1] != y[1] {
					want = 2
				}
			}
			if got := links[[2]string{b, a}] + links[[2]string{a, b}]; got != want {
				t.Errorf("%s and %s have %d links, want %d", a, b, got, want)
			}
			total++
		}
	}
	if total != 24*23/2 {
		t.Errorf("%d pairs of switches were seen", total)
	}
}

// Between any two groups of an Xpander is a perfect matching.
func TestXpanderMatchings(t *testing.T) {
	for _, o := range []Xpander{
		{Degree: ptr(6), Cables: cables},
		{Degree: ptr(5), Lift: ptr(7), Cables: cables},
		{Degree: ptr(5), TwoLifts: ptr(3), Cables: cables},
		{Degree: ptr(4), TwoLifts: ptr(0), Cables: cables},
	} {
		g := build(t, o)
		seen := map[[3]int]int{}
		for _, l := range g.Links[len(g.Hosts):] {
			a, b := g.Nodes[l.A], g.Nodes[l.B]
			if a.Group == b.Group {
				t.Errorf("%+v: %s and %s stand in one group", o, a.Name, b.Name)
			}
			seen[[3]int{int(l.A), int(b.Group)}]++
			seen[[3]int{int(l.B), int(a.Group)}]++
		}
		f := Survey(g)
		if want := f.Switches * *o.Degree; len(seen) != want || f.Groups != *o.Degree+1 {
			t.Errorf("%+v: %d pairs of switch and other group, want %d; %d groups", o, len(seen), want, f.Groups)
		}
	}
}

func TestRandomGraphsFollowTheirSeed(t *testing.T) {
	for _, at := range []func(seed uint64) builders{
		func(s uint64) builders { return Xpander{Degree: ptr(8), Seed: s, Cables: cables} },
		func(s uint64) builders { return Xpander{Degree: ptr(8), TwoLifts: ptr(3), Seed: s, Cables: cables} },
		func(s uint64) builders {
			return Jellyfish{Switches: ptr(50), Degree: ptr(7), Seed: s, Cables: cables}
		},
		func(s uint64) builders {
			return Dragonfly{HostsPerSwitch: ptr(3), Arrangement: "random", Seed: s, Cables: cables}
		},
	} {
		one, again, two := build(t, at(1)), build(t, at(1)), build(t, at(2))
		if !reflect.DeepEqual(one, again) {
			t.Errorf("%T: the same seed makes two graphs", at(1))
		}
		if reflect.DeepEqual(one.Links, two.Links) {
			t.Errorf("%T: another seed makes the same graph", at(1))
		}
	}
}

// The first draw of this seed has a diameter of 4, which a bound refuses.
func TestMaxDiameter(t *testing.T) {
	o := Xpander{Size: ptr("1k"), Seed: 1, Cables: cables}
	if d := farthest(build(t, o)); d != 4 {
		t.Fatalf("the diameter is %d; take a seed that has 4", d)
	}
	o.MaxDiameter = ptr(3)
	if d := farthest(build(t, o)); d != 3 {
		t.Errorf("the diameter is %d, want 3", d)
	}
}

// All small regular graphs can be drawn, from rings to full meshes.
func TestJellyfishOfEveryDegree(t *testing.T) {
	for n := 3; n <= 14; n++ {
		for degree := 2; degree < n; degree++ {
			if n*degree%2 != 0 {
				continue
			}
			for seed := range uint64(20) {
				g := build(t, Jellyfish{Switches: ptr(n), Degree: ptr(degree), HostsPerSwitch: ptr(1), Seed: seed, Cables: cables})
				if got := shapeOf(t, g); got != [4]int{n, degree, 1, n} || !simple(g) {
					t.Fatalf("%d switches of degree %d, seed %d: %v, simple is %v", n, degree, seed, got, simple(g))
				}
			}
		}
	}
}

func TestLowDiameterRefuses(t *testing.T) {
	for _, test := range []struct {
		options builders
		want    string
	}{
		{SlimFly{Order: ptr(6), Cables: cables}, "use 5 or 7"},
		{SlimFly{Order: ptr(2), Cables: cables}, "use 3"},
		{SlimFly{Order: ptr(10), Cables: cables}, "use 9 or 11"},
		{SlimFly{Order: ptr(1000), Cables: cables}, "use 353"},
		{SlimFly{Order: ptr(5), Size: ptr("1k"), Cables: cables}, "size sets order already"},
		{SlimFly{Size: ptr("2k"), Cables: cables}, "use 1k, 10k, 100k, 1M"},
		{SlimFly{Cables: cables}, "give order"},
		{SlimFly{Order: ptr(5)}, "rate"},
		{SlimFly{Order: ptr(5), HostsPerSwitch: ptr(0), Cables: cables}, "hosts_per_switch is 0"},
		{Dragonfly{Cables: cables}, "give hosts_per_switch"},
		{Dragonfly{SwitchesPerGroup: ptr(5), Cables: cables}, "use 4 or 6"},
		{Dragonfly{HostsPerSwitch: ptr(2), Groups: ptr(7), Cables: cables}, "use 5 or 9"},
		{Dragonfly{HostsPerSwitch: ptr(2), Groups: ptr(12), Cables: cables}, "use 9"},
		{Dragonfly{HostsPerSwitch: ptr(2), Groups: ptr(1), Cables: cables}, "use 2"},
		{Dragonfly{HostsPerSwitch: ptr(2), Arrangement: "nautilus", Cables: cables}, "absolute, relative, circulant or random"},
		{HyperX{Cables: cables}, "give widths"},
		{HyperX{Widths: []int{4, 5}, Dimensions: ptr(3), Cables: cables}, "2 values for 3 dimensions"},
		{HyperX{Widths: []int{4, 1}, Cables: cables}, "at least 2"},
		{HyperX{Widths: []int{4, 4}, Multiplicity: []int{0}, Cables: cables}, "multiplicity is 0"},
		{HyperX{Size: ptr("1k"), Dimensions: ptr(4), Cables: cables}, "2 or 3 dimensions"},
		{HyperX{Widths: []int{1 << 20}, Cables: cables}, "too many"},
		{Xpander{Cables: cables}, "give degree"},
		{Xpander{Degree: ptr(1), Cables: cables}, "use 2 or more"},
		{Xpander{Degree: ptr(8), Lift: ptr(2), TwoLifts: ptr(1), Cables: cables}, "not both"},
		{Jellyfish{Switches: ptr(9), Degree: ptr(5), Cables: cables}, "use 4 or 6 links or 8 or 10 switches"},
		{Jellyfish{Switches: ptr(9), Degree: ptr(9), Cables: cables}, "from 2 to 8"},
		{Jellyfish{Switches: ptr(9), Cables: cables}, "give switches and degree"},
		{Jellyfish{Like: ptr("clique"), Cables: cables}, "like and size go together"},
		{Jellyfish{Like: ptr("torus"), Size: ptr("1k"), Cables: cables}, "use slim-fly"},
		{Jellyfish{Switches: ptr(20), Degree: ptr(3), MaxDiameter: ptr(2), Cables: cables}, "a diameter of at most 2 of 20 switches with 3 links each"},
		{Xpander{Degree: ptr(2), Lift: ptr(20), MaxDiameter: ptr(3), Cables: cables}, "a diameter of at most 3 of degree 2"},
		{Clique{Switches: ptr(1), Cables: cables}, "from 2"},
		{Clique{Switches: ptr(20000), Cables: cables}, "to 11585"},
		{Jellyfish{Switches: ptr(1 << 20), Degree: ptr(200), Cables: cables}, "too many"},
		{Dragonfly{HostsPerSwitch: ptr(200), Cables: cables}, "too many"},
		{Clique{Cables: cables}, "give switches"},
		{FatTree{Tiers: 2, Size: ptr("1k"), Radix: ptr(16), Rate: rate}, "size sets radix already"},
		{FatTree{Tiers: 3, Size: ptr("1k"), Radix: ptr(8), Rate: rate}, "size sets radix already"},
	} {
		_, err := test.options.Build()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v; want %q", test.options, err, test.want)
		}
	}
}

// The distances of given switches are those of the fabric's definition.
func TestDistancesBetween(t *testing.T) {
	g := build(t, HyperX{Widths: []int{3, 4}, Cables: cables})
	var switches []NodeID
	for n := range g.Nodes {
		if g.Nodes[n].Kind == Switch {
			switches = append(switches, NodeID(n))
		}
	}
	slices.Reverse(switches)
	pairs := make([]int64, 3)
	for i, row := range DistancesBetween(g, switches) {
		for j, d := range row {
			pairs[d]++
			if i == j && d != 0 || d != DistancesBetween(g, switches)[j][i] {
				t.Errorf("from %d to %d: %d", i, j, d)
			}
		}
	}
	if want := []int64{12, 12 * (2 + 3), 12 * 2 * 3}; !slices.Equal(pairs, want) {
		t.Errorf("pairs by distance %v, want %v", pairs, want)
	}
	g.Links = nil
	if d := DistancesBetween(g, switches); d[0][1] != Unreached || d[1][1] != 0 {
		t.Errorf("without links %v", d[:2])
	}
}

// Searches side by side find what one search after another does.
func TestDistances(t *testing.T) {
	for _, o := range []builders{
		SlimFly{Order: ptr(7), Cables: cables},
		Jellyfish{Switches: ptr(90), Degree: ptr(3), Seed: 4, Cables: cables},
		FatTree{Tiers: 3, Radix: ptr(12), Rate: rate},
		HyperX{Widths: []int{3, 4, 5}, Cables: cables},
	} {
		g := build(t, o)
		m := newMesh(g)
		hosts := m.hosts(g)
		var pairs []int64
		for s := range m.nodes {
			if hosts[s] == 0 {
				continue
			}
			distance := make([]int, len(m.nodes))
			queue := []int{s}
			for len(queue) > 0 {
				n := queue[0]
				queue = queue[1:]
				for _, to := range m.neighbours(n) {
					if int(to) != s && distance[to] == 0 {
						distance[to] = distance[n] + 1
						queue = append(queue, int(to))
					}
				}
			}
			for to, d := range distance {
				if to == s || hosts[to] == 0 {
					continue
				}
				for len(pairs) <= d {
					pairs = append(pairs, 0)
				}
				pairs[d]++
			}
		}
		d := MeasureDistances(g, 0)
		if !slices.Equal(d.Pairs, pairs) || d.Unreached != 0 || d.Diameter != len(pairs)-1 {
			t.Errorf("%T: pairs by distance are %v, want %v", o, d.Pairs, pairs)
		}
		some := MeasureDistances(g, 10)
		if some.Sources != 10 || some.Of != d.Of || some.Diameter > d.Diameter {
			t.Errorf("%T: a sample of 10 is %+v", o, some)
		}
	}
}

func TestEquivalent(t *testing.T) {
	if _, err := Equivalent(build(t, Dumbbell{Left: 2, Right: 3, Rate: rate})); err == nil {
		t.Error("a dumbbell of unequal switches has an equivalent")
	}
	o, err := Equivalent(build(t, FatTree{Tiers: 3, Radix: ptr(4), Rate: rate}))
	if err != nil {
		t.Fatal(err)
	}
	if *o.Switches != 20 || *o.Degree != 3 || *o.HostsPerSwitch != 1 {
		t.Errorf("20 switches of 4 ports make %d switches of %d links and %d hosts", *o.Switches, *o.Degree, *o.HostsPerSwitch)
	}
}

func TestPartitionKeepsGroups(t *testing.T) {
	g := build(t, Dragonfly{HostsPerSwitch: ptr(2), Cables: cables})
	domain := Partition(g, 9)
	of := map[int32]int32{}
	for n, d := range domain {
		if group := g.Nodes[n].Group; group > 0 {
			if before, ok := of[group]; ok && before != d {
				t.Errorf("group %d is cut", group)
			}
			of[group] = d
		}
	}
	if len(of) != 9 {
		t.Errorf("%d groups", len(of))
	}
}

func BenchmarkBuild(b *testing.B) {
	c := Cables{Rate: unit.Gbps}
	for _, o := range []builders{
		SlimFly{Size: ptr("1M"), Cables: c}, Dragonfly{Size: ptr("1M"), Cables: c}, HyperX{Size: ptr("1M"), Cables: c},
		Xpander{Size: ptr("1M"), Cables: c}, Jellyfish{Size: ptr("1M"), Like: ptr("slim-fly"), Cables: c},
		FatTree{Tiers: 3, Size: ptr("1M"), Rate: unit.Gbps}, Clique{Size: ptr("1M"), Cables: c},
	} {
		b.Run(fmt.Sprintf("%T", o), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := o.Build(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestSizesOfTrees: a class of size makes about so many hosts of every family.
func TestSizesOfTrees(t *testing.T) {
	rate := 100 * unit.Gbps
	for _, b := range []interface{ Build() (*Graph, error) }{
		LeafSpine{Size: ptr("1k"), Rate: rate}, FatTree{Size: ptr("1k"), Rate: rate}, FatTree{Tiers: 3, Size: ptr("1k"), Rate: rate}, Star{Size: ptr("1k"), Rate: rate},
	} {
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if n := len(g.Hosts); n < 900 || n > 1100 {
			t.Errorf("%T has %d hosts, want about 1000", b, n)
		}
	}
	if _, err := (LeafSpine{Size: ptr("1k"), ToRs: 4, Rate: rate}).Build(); err == nil {
		t.Error("size and tors are both taken")
	}
}
