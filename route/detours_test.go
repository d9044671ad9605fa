package route

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/topo"
	"weft/unit"
)

// lengthsTo returns the length of the shortest path from every switch to one of them, found by relaxing all links
// over and over; -1 is unreachable.
func lengthsTo(g *topo.Graph, down func(topo.LinkID) bool, length func(topo.LinkID) int, to topo.NodeID) []int {
	d := slices.Repeat([]int{-1}, len(g.Nodes))
	d[to] = 0
	for range g.Nodes {
		for p := range topo.PortID(2 * len(g.Links)) {
			x, y := g.Ends(p)
			if k := length(p.Link()); usable(g, down, p) && d[y] >= 0 && (d[x] < 0 || d[y]+k < d[x]) {
				d[x] = d[y] + k
			}
		}
	}
	return d
}

// TestLengthsAgreeWithTheirDefinition compares tables by lengths of links with a plain search.
func TestLengthsAgreeWithTheirDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		down := anyDown(t, g)
		lengths := rapid.SliceOfN(rapid.IntRange(1, 9), len(g.Links), len(g.Links)).Draw(t, "lengths")
		length := func(l topo.LinkID) int { return lengths[l] }
		tables, err := Minimal(g, Options{Down: down, Length: length})
		if err != nil {
			t.Fatal(err)
		}
		longest := 0
		for e, end := range edgesOf(g) {
			d := lengthsTo(g, down, length, end)
			links := tables.Links()[e]
			for n := range g.Nodes {
				sw := topo.NodeID(n)
				if g.Nodes[n].Kind == topo.Host {
					continue
				}
				var want []topo.PortID
				most := 0
				for p := range topo.PortID(2 * len(g.Links)) {
					if x, y := g.Ends(p); x == sw && usable(g, down, p) && d[n] > 0 && d[y] >= 0 && d[y] == d[n]-length(p.Link()) {
						want = append(want, p)
						most = max(most, 1+int(links[tables.Row(y)]))
					}
				}
				if got := tables.Hops(sw, int32(e)); !slices.Equal(got, want) {
					t.Fatalf("next hops from %d to %d: %v, want %v", n, end, got, want)
				}
				if d[n] < 0 {
					most = Unreached
				}
				if got := int(links[tables.Row(sw)]); got != most {
					t.Fatalf("%d links from %d to %d, want %d", got, n, end, most)
				}
				if tables.Edge(sw) >= 0 && most != Unreached {
					longest = max(longest, most)
				}
			}
		}
		if got := tables.Longest(); got != longest {
			t.Fatalf("the longest path has %d links, want %d", got, longest)
		}
	})
}

func build(t testing.TB, o interface{ build() (Policy, error) }, g *topo.Graph) (Policy, *Tables) {
	t.Helper()
	p, err := o.build()
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Prepare(g, 1)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := r(Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p, tables
}

// TestMinimalOnDragonfly has paths with one link between groups at most, and those of fewest links otherwise.
func TestMinimalOnDragonfly(t *testing.T) {
	two := 2
	g, err := topo.Dragonfly{GlobalLinks: &two, Cables: topo.Cables{Rate: unit.Gbps}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	of, groups := Groups(g)
	if groups != 9 || !hierarchical(g, of, groups) {
		t.Fatalf("%d groups, hierarchical %v", groups, hierarchical(g, of, groups))
	}
	_, tables := build(t, valiant{Intermediates{Paths: "auto"}}, g)
	for e := range int32(tables.Edges()) {
		for n := range g.Nodes {
			sw := topo.NodeID(n)
			if g.Nodes[n].Kind == topo.Host {
				continue
			}
			across := 0
			for at := sw; at != tables.EdgeSwitch(e); {
				hops := tables.Hops(at, e)
				if len(hops) != 1 {
					t.Fatalf("%d next hops from %s to %s", len(hops), g.Nodes[at].Name, g.Nodes[tables.EdgeSwitch(e)].Name)
				}
				_, next := g.Ends(hops[0])
				if of[at] != of[next] {
					across++
				}
				at = next
			}
			if want := min(1, abs(of[sw]-of[tables.EdgeSwitch(e)])); across != int(want) {
				t.Errorf("%d links between groups from %s to %s, want %d", across, g.Nodes[n].Name, g.Nodes[tables.EdgeSwitch(e)].Name, want)
			}
		}
	}
	for _, tt := range []struct {
		name string
		o    interface{ build() (Policy, error) }
		want int
	}{
		{"valiant", valiant{Intermediates{"switch", "auto"}}, 6}, {"valiant by groups", valiant{Intermediates{"group", "auto"}}, 5},
		{"ugal", ugal{Information: "global", Intermediates: Intermediates{"switch", "groups"}}, 6},
		{"par", par{Intermediates: Intermediates{"switch", "auto"}}, 7}, {"par by groups", par{Intermediates: Intermediates{"group", "auto"}}, 6},
	} {
		p, tables := build(t, tt.o, g)
		if got := p.Detours.LongestWalk(tables); got != tt.want {
			t.Errorf("%s: walks of up to %d links, want %d", tt.name, got, tt.want)
		}
	}
	if got := (*Detours)(nil).LongestWalk(tables); got != 3 {
		t.Errorf("minimal paths of up to %d links, want 3", got)
	}
}

func abs(n int32) int32 { return max(n, -n) }

// TestHierarchyIsSeen tells topologies with groups like those of a Dragonfly from others.
func TestHierarchyIsSeen(t *testing.T) {
	three := 3
	for _, tt := range []struct {
		name string
		g    interface{ Build() (*topo.Graph, error) }
		want bool
	}{
		{"slim fly", topo.SlimFly{Order: &three, Cables: topo.Cables{Rate: unit.Gbps}}, false},
		{"leaf-spine", topo.LeafSpine{ToRs: 3, HostsPerToR: 1, Spines: 2, Rate: unit.Gbps}, false},
	} {
		g, err := tt.g.Build()
		if err != nil {
			t.Fatal(err)
		}
		of, groups := Groups(g)
		if got := groups > 0 && hierarchical(g, of, groups); got != tt.want {
			t.Errorf("%s: hierarchical %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestDetoursRefuse has policies refused that a topology or their options do not allow.
func TestDetoursRefuse(t *testing.T) {
	g, _ := leafSpine(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 1, Spines: 2, Rate: unit.Gbps}, Options{})
	for _, tt := range []struct {
		o    interface{ build() (Policy, error) }
		want string
	}{
		{par{Intermediates: Intermediates{"switch", "auto"}}, "stands in no group"},
		{valiant{Intermediates{"group", "auto"}}, "as in a dragonfly; write intermediate: switch"},
		{ugal{Intermediates: Intermediates{"switch", "groups"}}, "as in a dragonfly; write paths: auto"},
		{ugal{Delay: ptr(unit.Microsecond)}, "delay is that of information: global"},
	} {
		p, err := tt.o.build()
		if err == nil {
			_, err = p.Prepare(g, 1)
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.o, err, tt.want)
		}
	}
}

func ptr[T any](v T) *T { return &v }
