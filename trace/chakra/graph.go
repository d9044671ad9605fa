package chakra

import (
	"slices"

	"weft/trace"
)

// graphOf is the nodes that a schedule is written as: a node per operation, or per span of a call. A node is
// known by its first operation.
type graphOf struct {
	rank  int
	node  []uint32                // by operation
	needs map[uint32][]uint32     // by node, in ascending order
	calls map[uint32]*writtenCall // nodes that are calls
}

// graph returns the nodes of a rank.
func (w *writer) graph(rank int) *graphOf {
	s := &w.trace.Ranks[rank]
	g := &graphOf{rank: rank, node: make([]uint32, s.Len()), needs: map[uint32][]uint32{}, calls: map[uint32]*writtenCall{}}
	for i := range g.node {
		g.node[i] = uint32(i)
	}
	for _, span := range s.Spans() {
		if c := &w.calls[span.Call]; c.ok {
			g.calls[span.First] = c
			for op := span.First; op < span.End; op++ {
				g.node[op] = span.First
			}
		}
	}
	need := func(op, on uint32) {
		if from, to := g.node[op], g.node[on]; from != to {
			g.needs[from] = append(g.needs[from], to)
		}
	}
	// What waits for a start waits for all that comes before it.
	starts := map[uint32][]uint32{} // by what waits
	before := map[uint32][]uint32{} // by operation that somebody waits for the start of
	for on := range uint32(s.Len()) {
		s.Dependants(on, func(op uint32, start bool) {
			if start {
				w.starts++
				starts[op] = append(starts[op], on)
				before[on] = nil
				return
			}
			need(op, on)
		})
	}
	if len(starts) > 0 {
		w.expand(s, starts, before, need)
	}
	for node, list := range g.needs {
		slices.Sort(list)
		g.needs[node] = slices.Compact(list)
	}
	return g
}

// expand makes dependencies on ends of those on starts.
func (w *writer) expand(s *trace.Schedule, starts, before map[uint32][]uint32, need func(op, on uint32)) {
	for on := range uint32(s.Len()) {
		s.Dependants(on, func(op uint32, start bool) {
			if _, asked := before[op]; asked && !start {
				before[op] = append(before[op], on)
			}
		})
	}
	for op := range starts {
		seen := map[uint32]bool{}
		for todo := slices.Clone(starts[op]); len(todo) > 0; {
			on := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if seen[on] {
				continue
			}
			seen[on] = true
			for _, earlier := range before[on] {
				need(op, earlier)
			}
			todo = append(todo, starts[on]...)
		}
	}
}

// order returns the nodes so that each comes after what it needs, and false if there is no such order.
func (g *graphOf) order() ([]uint32, bool) {
	waits := map[uint32]int{}
	dependants := map[uint32][]uint32{}
	var ready, list []uint32
	nodes := 0
	for op, node := range g.node {
		if uint32(op) != node {
			continue
		}
		nodes++
		if waits[node] = len(g.needs[node]); waits[node] == 0 {
			ready = append(ready, node)
		}
		for _, on := range g.needs[node] {
			dependants[on] = append(dependants[on], node)
		}
	}
	for len(ready) > 0 {
		node := ready[0]
		ready = ready[1:]
		list = append(list, node)
		for _, d := range dependants[node] {
			if waits[d]--; waits[d] == 0 {
				ready = append(ready, d)
			}
		}
	}
	slices.Sort(list)
	return list, len(list) == nodes
}
