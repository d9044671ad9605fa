package bound

import (
	"weft/internal/flow"
	"weft/route"
	"weft/topo"
	"weft/unit"
)

// tree holds the narrowest cuts between edge switches, up to a rate. The narrowest cut
// between two switches is the least rate on the tree path between them.
type tree struct {
	most   unit.Rate
	parent []int32 // of each edge switch, towards 0
	rate   []unit.Rate
	depth  []int32
}

// newTree computes the cuts with one maximum flow per edge switch, except the first. A
// larger cut counts as most.
//
// Source: Gusfield, Very Simple Methods for All Pairs Network Flow Analysis, SIAM J.
// Comput. 19, 1990, §2.2 (equivalent flow trees).
//
// Departure: a flow ends when it reaches most. Then no narrower cut separates the two
// switches. They count as one for all later cuts, and no other switch moves to the new one.
func newTree(g *topo.Graph, tables *route.Tables, most unit.Rate) *tree {
	n := tables.Edges()
	t := &tree{most: most, parent: make([]int32, n), rate: make([]unit.Rate, n), depth: make([]int32, n)}
	network := new(flow.Network[unit.Rate])
	network.Reset(len(g.Nodes))
	for _, l := range g.Links {
		if g.Nodes[l.A].Kind == topo.Switch && g.Nodes[l.B].Kind == topo.Switch {
			network.Arc(int32(l.A), int32(l.B), l.Rate, l.Rate)
		}
	}
	side := make([]bool, len(g.Nodes))
	for s := int32(1); s < int32(n); s++ {
		p := t.parent[s]
		from := int32(tables.EdgeSwitch(s))
		network.Restore()
		t.rate[s] = network.Max(from, int32(tables.EdgeSwitch(p)), most)
		t.depth[s] = t.depth[p] + 1
		if t.rate[s] == most {
			continue
		}
		network.Side(from, side)
		for later := s + 1; later < int32(n); later++ {
			if t.parent[later] == p && side[tables.EdgeSwitch(later)] {
				t.parent[later] = s
			}
		}
	}
	return t
}

// between returns the rate of the narrowest cut between two edge switches, at most the rate
// up to which cuts are known.
func (t *tree) between(a, b int32) unit.Rate {
	rate := t.most
	for a != b {
		if t.depth[a] < t.depth[b] {
			a, b = b, a
		}
		rate = min(rate, t.rate[a])
		a = t.parent[a]
	}
	return rate
}
