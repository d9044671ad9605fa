package connectivity

import (
	"weft/analysis/routers"
	"weft/internal/flow"
)

// Sets computes minimum cuts between sets of routers in one graph. It is not safe for concurrent
// use.
type Sets struct {
	g       *routers.Graph
	node    []int32
	network flow.Network[int32]
}

// NewSets returns a Sets for g.
func NewSets(g *routers.Graph) *Sets { return &Sets{g: g, node: make([]int32, g.Len())} }

// Between returns the number of cable-disjoint paths from routers in a to routers in b. This
// equals the least number of cables whose removal separates them. The sets must not overlap.
func (s *Sets) Between(a, b []int32) int {
	const source, sink = 0, 1
	for v := range s.node {
		s.node[v] = int32(v) + 2
	}
	for _, v := range a {
		s.node[v] = source
	}
	for _, v := range b {
		s.node[v] = sink
	}
	s.network.Reset(s.g.Len() + 2)
	for v := range int32(s.g.Len()) {
		for arc := s.g.First[v]; arc < s.g.First[v+1]; arc++ {
			u := s.g.To[arc]
			if v < u && s.node[v] != s.node[u] {
				cables := s.g.Cables[s.g.Edge[arc]]
				s.network.Arc(s.node[v], s.node[u], cables, cables)
			}
		}
	}
	return int(s.network.Max(source, sink, flow.Unlimited))
}
