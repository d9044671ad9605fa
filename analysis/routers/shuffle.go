package routers

import (
	"slices"

	"weft/internal/portable"
	"weft/sim"
)

// Shuffled returns the same graph with each router's neighbours in a random order. A search that
// takes the first of several equal paths then takes another one.
func (g *Graph) Shuffled(seed uint64) *Graph {
	s := *g
	s.To, s.Edge, s.Back = slices.Clone(g.To), slices.Clone(g.Edge), slices.Clone(g.Back)
	moved := make([]int32, len(g.To)) // where each arc of g is in s
	for v := range g.Len() {
		r := sim.Stream(seed, uint64(v), "order of neighbours")
		arcs := make([]int32, g.First[v+1]-g.First[v])
		for i := range arcs {
			arcs[i] = g.First[v] + int32(i)
		}
		portable.Shuffle(&r, arcs)
		for i, old := range arcs {
			moved[old] = g.First[v] + int32(i)
		}
	}
	for old, arc := range moved {
		s.To[arc], s.Edge[arc], s.Back[arc] = g.To[old], g.Edge[old], moved[g.Back[old]]
	}
	return &s
}
