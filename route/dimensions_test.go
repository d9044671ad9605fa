package route

import (
	"fmt"
	"strings"
	"testing"

	"weft/topo"
	"weft/unit"
)

// grids are a HyperX, a mesh and a torus, all of switches named by coordinates with a host on each.
func grids(t *testing.T) map[string]*topo.Graph {
	one := 1
	hyperx, err := topo.HyperX{Widths: []int{3, 4, 2}, HostsPerSwitch: &one, Cables: topo.Cables{Rate: unit.Gbps}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*topo.Graph{"hyperx": hyperx, "mesh": plane(t, 4, 3, false), "torus": plane(t, 5, 4, true)}
}

// plane is a mesh of two dimensions, or a torus.
func plane(t *testing.T, wide, high int, around bool) *topo.Graph {
	o := topo.Custom{HostsPerSwitch: 1, Rate: unit.Gbps}
	name := func(x, y int) string { return fmt.Sprintf("r%d-%d", x%wide, y%high) }
	for x := range wide {
		for y := range high {
			o.Nodes = append(o.Nodes, topo.CustomNode{Name: name(x, y)})
			if around || x+1 < wide {
				o.Links = append(o.Links, topo.CustomLink{A: name(x, y), B: name(x+1, y), Count: 1})
			}
			if around || y+1 < high {
				o.Links = append(o.Links, topo.CustomLink{A: name(x, y), B: name(x, y+1), Count: 1})
			}
		}
	}
	g, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestDimensionOrder compares next hops with their definition: those on shortest paths whose link changes the first
// coordinate that differs from the destination's. Where links are down and there is none, they are all of those.
func TestDimensionOrder(t *testing.T) {
	for name, g := range grids(t) {
		c, err := newGrid(g)
		if err != nil {
			t.Fatal(err)
		}
		p, err := detoured(nil, byDimensions)
		if err != nil {
			t.Fatal(err)
		}
		router, err := p.Prepare(g, 1)
		if err != nil {
			t.Fatal(err)
		}
		strayed := false
		for _, down := range []func(topo.LinkID) bool{nil, func(l topo.LinkID) bool { return l%7 == 0 && g.Nodes[g.Links[l].A].Kind == g.Nodes[g.Links[l].B].Kind }} {
			got, err := router(Options{Down: down})
			if err != nil {
				t.Fatal(err)
			}
			all, err := Minimal(g, Options{Down: down})
			if err != nil {
				t.Fatal(err)
			}
			for e := range int32(all.Edges()) {
				edge := all.EdgeSwitch(e)
				for n := range g.Nodes {
					sw := topo.NodeID(n)
					if g.Nodes[n].Kind == topo.Host || sw == edge {
						continue
					}
					want := map[topo.PortID]bool{}
					for _, hop := range all.Hops(sw, e) {
						if _, next := g.Ends(hop); c.first(sw, next) == c.first(sw, edge) {
							want[hop] = true
						}
					}
					if len(want) == 0 {
						strayed = true
						for _, hop := range all.Hops(sw, e) {
							want[hop] = true
						}
						if down == nil {
							t.Errorf("%s: no next hop in order from %s to %s", name, g.Nodes[n].Name, g.Nodes[edge].Name)
						}
					}
					hops := got.Hops(sw, e)
					for _, hop := range hops {
						if !want[hop] {
							t.Fatalf("%s: a next hop out of order from %s to %s", name, g.Nodes[n].Name, g.Nodes[edge].Name)
						}
					}
					if len(hops) != len(want) {
						t.Fatalf("%s: %d next hops from %s to %s, want %d", name, len(hops), g.Nodes[n].Name, g.Nodes[edge].Name, len(want))
					}
				}
			}
		}
		if !strayed {
			t.Errorf("%s: the links that are down leave all next hops in order; the test shows nothing of the others", name)
		}
	}
}

// TestDimensionOrderRefuses has graphs refused where switches are not at coordinates.
func TestDimensionOrderRefuses(t *testing.T) {
	spine, _ := leafSpine(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 1, Spines: 2, Rate: unit.Gbps}, Options{})
	for _, tt := range []struct {
		nodes string
		links string
		want  string
	}{
		{"a b", "a b", "switch a has no number in its name"},
		{"r0-0 r1", "r0-0 r1", "the names of switches r0-0 and r1 have 2 and 1 numbers"},
		{"r0-1 s0-1", "r0-1 s0-1", "switches r0-1 and s0-1 have the same coordinates"},
		{"r0-0 r1-1", "r0-0 r1-1", "does not change exactly one coordinate"},
		{"", "", "tor0 and spine0 have the same coordinates"},
	} {
		g := spine
		if tt.nodes != "" {
			o := topo.Custom{HostsPerSwitch: 1, Rate: unit.Gbps}
			for n := range strings.FieldsSeq(tt.nodes) {
				o.Nodes = append(o.Nodes, topo.CustomNode{Name: n})
			}
			ends := strings.Fields(tt.links)
			o.Links = []topo.CustomLink{{A: ends[0], B: ends[1], Count: 1}}
			var err error
			if g, err = o.Build(); err != nil {
				t.Fatal(err)
			}
		}
		p, err := detoured(nil, byDimensions)
		if err == nil {
			_, err = p.Prepare(g, 1)
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "such as ecmp") {
			t.Errorf("%q: error %v, want %q", tt.nodes, err, tt.want)
		}
	}
}
