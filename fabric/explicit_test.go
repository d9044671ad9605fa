package fabric_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/sim"
	"weft/topo"
)

// onPaths is a number of layers that stands for explicit paths.
const onPaths = -1

// explicitTables returns minimal tables with random explicit paths of random weights between most pairs of edge switches.
func explicitTables(t rapid.TB, g *topo.Graph, seed uint64, down func(topo.LinkID) bool) *route.Tables {
	t.Helper()
	tables := tables(t, g, down)
	paths, err := route.NewPaths(g)
	if err != nil {
		t.Fatal(err)
	}
	for to := range int32(paths.Edges()) {
		paths.SetTo(to, func(from int32, add func([]topo.PortID, int)) {
			for k := range sim.Mix(seed+uint64(from*64+to)) % 4 {
				random := sim.Mix(seed + uint64(from*64+to)<<8 + k)
				if path := wander(paths, g, from, to, random, down); from != to && path != nil {
					add(path, 1+int(random%3))
				}
			}
		})
	}
	tables.Prefer(paths)
	return tables
}

// wander returns a random path without loops over links that are not down, or nil.
func wander(p *route.Paths, g *topo.Graph, from, to int32, random uint64, down func(topo.LinkID) bool) []topo.PortID {
	seen := map[topo.NodeID]bool{}
	var visit func(at topo.NodeID, path []topo.PortID) []topo.PortID
	visit = func(at topo.NodeID, path []topo.PortID) []topo.PortID {
		if at == p.EdgeSwitch(to) {
			return path
		}
		seen[at] = true
		ports := p.Ports(at)
		for i := range ports {
			random = sim.Mix(random)
			id := ports[(i+int(random%64))%len(ports)]
			if _, next := g.Ends(id); !seen[next] && (down == nil || !down(id.Link())) {
				if whole := visit(next, append(path, id)); whole != nil {
					return whole
				}
			}
		}
		return nil
	}
	return visit(p.EdgeSwitch(from), nil)
}

// TestWalksOnPaths follows every place of the paths of all pairs of hosts, with links down: a frame takes exactly the path
// of its entropy, and where its pair has none a minimal one. So it does with lanes.
func TestWalksOnPaths(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		s := &scene{setup: setup{Seed: rapid.Uint64().Draw(t, "seed"), Layers: onPaths}}
		g := drawGraph(t, s)
		s.Graph = g
		if rapid.Bool().Draw(t, "lanes") {
			s.Lanes = fabric.LanePerHop
		}
		dead := rapid.SliceOfN(rapid.SampledFrom([]bool{false, false, false, true}), len(g.Links), len(g.Links)).Draw(t, "dead")
		down := func(l topo.LinkID) bool {
			return dead[l] && g.Nodes[g.Links[l].A].Kind == topo.Switch && g.Nodes[g.Links[l].B].Kind == topo.Switch
		}
		n := s.build(t)
		tables := s.tables(t, down)
		n.SetTables(tables)
		paths := tables.Paths()
		for src := range int32(len(g.Hosts)) {
			for dst := range int32(len(g.Hosts)) {
				from, to := tables.Edge(g.Hosts[src]), tables.Edge(g.Hosts[dst])
				if src == dst || from < 0 || to < 0 {
					continue
				}
				places := paths.Places(from, to)
				if places == 0 {
					distance := tables.Distance(tables.EdgeSwitch(from), to)
					got, reached := n.Path(src, dst, rapid.Uint16().Draw(t, "entropy"))
					if reached != (distance >= 0) || reached && len(got) != distance+2 {
						t.Fatalf("host %d to %d takes %d links, reached is %v, the distance %d", src, dst, len(got), reached, distance)
					}
					cover.note("minimal paths", from != to)
					continue
				}
				paths.Each(from, to, func(first uint16, weight int, path []topo.PortID) {
					for place := int(first); place < int(first)+weight; place++ {
						entropy := uint16(place + places*rapid.IntRange(0, 9).Draw(t, "round"))
						got, reached := n.Path(src, dst, entropy)
						if !reached || !slices.Equal(got[1:len(got)-1], path) {
							t.Fatalf("host %d to %d with entropy %d takes %v, want %v between switches", src, dst, entropy, got, path)
						}
						cover.note("paths", true)
						cover.note("longer paths", len(path) > tables.Distance(tables.EdgeSwitch(from), to))
					}
				})
			}
		}
	})
	cover.report(t, 5)
}
