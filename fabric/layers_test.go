package fabric_test

import (
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/topo"
	"weft/unit"
)

// TestWalksInLayers follows every entropy of a few layers between all hosts of networks with links
// down: where there is a path, the frame takes one, and it is no longer than what the layer has, or
// where that has none, than what it has from where a minimal path meets it.
func TestWalksInLayers(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		s := &scene{setup: setup{Seed: rapid.Uint64().Draw(t, "seed"), Layers: rapid.IntRange(1, 5).Draw(t, "layers")}}
		g := drawGraph(t, s)
		s.Graph = g
		dead := rapid.SliceOfN(rapid.SampledFrom([]bool{false, false, false, true}), len(g.Links), len(g.Links)).Draw(t, "dead")
		down := func(l topo.LinkID) bool {
			k := g.Links[l]
			return dead[l] && g.Nodes[k.A].Kind == topo.Switch && g.Nodes[k.B].Kind == topo.Switch
		}
		n := s.build(t)
		layered := s.tables(t, down)
		n.SetTables(layered)
		whole := tables(t, g, down)
		minimal, strays := true, int64(0)
		for layer := range s.Layers {
			w := layered.Walks(layer)
			strays += w.Strays
			for src := range int32(len(g.Hosts)) {
				for dst := range int32(len(g.Hosts)) {
					if src == dst {
						continue
					}
					from := g.Hosts[src]
					distance := whole.Distance(whole.EdgeSwitch(whole.Edge(from)), whole.Edge(g.Hosts[dst]))
					entropy := uint16(layer + s.Layers*rapid.IntRange(0, 9).Draw(t, "entropy"))
					path, reached := n.Path(src, dst, entropy)
					if reached != (distance >= 0) {
						t.Fatalf("host %d to %d in layer %d: reached is %v, the distance %d", src, dst, layer, reached, distance)
					}
					if !reached {
						continue
					}
					for _, p := range path {
						if down(p.Link()) {
							t.Fatalf("%s is down, but in layer %d of the way to host %d", g.PortName(p), layer, dst)
						}
					}
					links := len(path) - 2
					minimal = minimal && links == distance
					if most := s.bound(layered, layer, src, dst); links < distance || links > most {
						t.Fatalf("host %d to %d in layer %d: %d links between switches, the distance is %d, the bound %d", src, dst, layer, links, distance, most)
					}
				}
			}
		}
		cover.note("networks", true)
		cover.note("detours", !minimal)
		cover.note("pairs without a route in a layer", strays > 0)
	})
	cover.report(t, 5)
}

// bound is the longest way that tables allow from one host to another in a layer.
func (s *setup) bound(t *route.Tables, layer int, src, dst int32) int {
	edge := t.Edge(s.Graph.Hosts[dst])
	var walk func(sw topo.NodeID) int
	walk = func(sw topo.NodeID) int {
		if sw == t.EdgeSwitch(edge) {
			return 0
		}
		longest := 0
		for _, p := range t.HopsIn(layer, sw, edge) {
			_, next := s.Graph.Ends(p)
			longest = max(longest, 1+walk(next))
		}
		return longest
	}
	return walk(t.EdgeSwitch(t.Edge(s.Graph.Hosts[src])))
}

// TestEntropyIsTheLayer sends frames of all entropies over two layers that have one spine each.
func TestEntropyIsTheLayer(t *testing.T) {
	g := graph(t, topo.LeafSpine{ToRs: 2, HostsPerToR: 1, Spines: 2, Rate: 100 * unit.Gbps, Delay: 1000})
	spine := func(l topo.LinkID) string {
		for _, n := range []topo.NodeID{g.Links[l].A, g.Links[l].B} {
			if g.Nodes[n].Tier == 2 {
				return g.Nodes[n].Name
			}
		}
		return ""
	}
	tables, err := route.Layered(g, route.Options{}, route.Layering{Layers: 2, Has: func(layer int, l topo.LinkID) bool {
		return spine(l) == [...]string{"spine0", "spine1"}[layer]
	}})
	if err != nil {
		t.Fatal(err)
	}
	n := setup{Graph: g}.build(t)
	n.SetTables(tables)
	for entropy := range uint16(100) {
		path, reached := n.Path(0, 1, entropy)
		if got, want := spine(path[1].Link()), [...]string{"spine0", "spine1"}[entropy%2]; !reached || got != want {
			t.Fatalf("entropy %d goes over %s, want %s", entropy, got, want)
		}
	}
	if !n.Reaches(0, 1) || fabric.MaxLayers < 4096 {
		t.Error("hosts are apart")
	}
}
