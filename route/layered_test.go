package route

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/topo"
	"weft/unit"
)

// TestLayeredAgreesWithItsDefinition compares next hops with distances within each layer, on
// random networks with links down, and with the rule for what a layer does not reach.
func TestLayeredAgreesWithItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		down := anyDown(t, g)
		n := rapid.IntRange(1, 4).Draw(t, "layers")
		has := make([]func(topo.LinkID) bool, n)
		for i := range has {
			lacks := anyDown(t, g)
			has[i] = func(l topo.LinkID) bool { return !lacks(l) }
		}
		l := Layering{
			Layers: n, All: rapid.Bool().Draw(t, "all"), Seed: rapid.Uint64().Draw(t, "seed"),
			Has: func(layer int, l topo.LinkID) bool { return has[layer](l) },
		}
		tables, err := Layered(g, Options{Down: down}, l)
		if err != nil {
			t.Fatal(err)
		}
		if tables.Layers() != n || !tables.Layered() {
			t.Fatalf("%d layers, want %d", tables.Layers(), n)
		}
		for layer := range n {
			strays, longest := int64(0), 0
			unusable := func(k topo.LinkID) bool { return down(k) || !has[layer](k) }
			for e, end := range edgesOf(g) {
				within, whole := distances(g, unusable, end), distances(g, down, end)
				checkHops(t, g, tables, layer, int32(e), l.All, unusable, down, within, whole)
				for _, from := range edgesOf(g) {
					if within[from] < 0 && whole[from] >= 0 {
						strays++
					}
				}
				longest = max(longest, checkWalks(t, g, tables, layer, int32(e), within, whole))
			}
			if w := tables.Walks(layer); w.Strays != strays || w.Longest != longest {
				t.Fatalf("layer %d: %+v, want %d strays and %d links at most", layer, w, strays, longest)
			}
		}
	})
}

// checkHops compares the next hops of a layer towards an edge switch.
func checkHops(t *rapid.T, g *topo.Graph, tables *Tables, layer int, e int32, all bool, unusable, down func(topo.LinkID) bool, within, whole []int) {
	for i := range g.Nodes {
		sw := topo.NodeID(i)
		if g.Nodes[i].Kind == topo.Host {
			continue
		}
		d, out := within, unusable
		if within[i] < 0 {
			d, out = whole, down
		}
		var want []topo.PortID
		for p := range topo.PortID(2 * len(g.Links)) {
			if x, y := g.Ends(p); x == sw && usable(g, out, p) && d[i] > 0 && d[y] == d[i]-1 {
				want = append(want, p)
			}
		}
		got := tables.HopsIn(layer, sw, e)
		if one := !all && len(want) > 0; one && (len(got) != 1 || !slices.Contains(want, got[0])) || !one && !slices.Equal(got, want) {
			t.Fatalf("layer %d: next hops from %d to edge switch %d: %v, of %v", layer, i, e, got, want)
		}
	}
}

// checkWalks follows the first and the last next hops from each edge switch. It returns the
// length of the longest walk that there is, as the bound allows.
func checkWalks(t *rapid.T, g *topo.Graph, tables *Tables, layer int, e int32, within, whole []int) (longest int) {
	most := slices.Max(within)
	var walk func(sw topo.NodeID) int
	walk = func(sw topo.NodeID) int {
		n := 0
		for _, p := range tables.HopsIn(layer, sw, e) {
			_, next := g.Ends(p)
			n = max(n, 1+walk(next))
		}
		return n
	}
	for _, from := range edgesOf(g) {
		n := walk(from)
		bound := within[from]
		if bound < 0 {
			bound = max(0, whole[from]+most)
		}
		if n > bound || whole[from] > 0 && n == 0 {
			t.Fatalf("layer %d: %d links from %d to edge switch %d, at most %d", layer, n, from, e, bound)
		}
		longest = max(longest, n)
	}
	return longest
}

// TestNextHopsAreDrawnEvenly draws the one next hop of many layers with all links, and compares
// how often each spine is taken: within 5 standard deviations of a fair draw.
func TestNextHopsAreDrawnEvenly(t *testing.T) {
	const spines, layers = 4, 4000
	g, err := topo.LeafSpine{ToRs: 2, HostsPerToR: 1, Spines: spines, Rate: unit.Gbps}.Build()
	if err != nil {
		t.Fatal(err)
	}
	every := func(int, topo.LinkID) bool { return true }
	tables, err := Layered(g, Options{}, Layering{Layers: layers, Has: every, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	count := map[topo.PortID]int{}
	for layer := range layers {
		count[tables.HopsIn(layer, node(t, g, "tor0"), 1)[0]]++
	}
	const mean, tolerance = layers / spines, 140 // 5·√(4000·¼·¾)
	for p, n := range count {
		if n < mean-tolerance || n > mean+tolerance {
			t.Errorf("%s is taken in %d layers, want %d ± %d", g.PortName(p), n, mean, tolerance)
		}
	}
}

// TestFailuresChangeOnlyWhatUsedThem takes a link out of a network: the drawn next hops that did not
// use it stay, unless distances change.
func TestFailuresChangeOnlyWhatUsedThem(t *testing.T) {
	g, err := topo.LeafSpine{ToRs: 6, HostsPerToR: 1, Spines: 4, Rate: unit.Gbps}.Build()
	if err != nil {
		t.Fatal(err)
	}
	l := Layering{Layers: 20, Has: func(int, topo.LinkID) bool { return true }, Seed: 3}
	before, err := Layered(g, Options{}, l)
	if err != nil {
		t.Fatal(err)
	}
	dead := topo.LinkID(slices.IndexFunc(g.Links, func(l topo.Link) bool {
		return g.Nodes[l.A].Kind == topo.Switch && g.Nodes[l.B].Kind == topo.Switch
	}))
	after, err := Layered(g, Options{Down: func(l topo.LinkID) bool { return l == dead }}, l)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for layer := range l.Layers {
		for i := range 6 {
			sw := node(t, g, fmt.Sprint("tor", i))
			for e := range int32(6) {
				was, is := before.HopsIn(layer, sw, e), after.HopsIn(layer, sw, e)
				if slices.Equal(was, is) {
					continue
				}
				changed++
				_, spine := g.Ends(was[0])
				if ends := g.Links[dead]; spine != ends.A && spine != ends.B {
					t.Errorf("layer %d: tor%d to %d went over %s, and now over %s", layer, i, e, names(g, was), names(g, is))
				}
			}
		}
	}
	if changed == 0 {
		t.Error("nothing changed")
	}
}
