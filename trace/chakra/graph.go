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
	gone  map[uint32]bool         // joins that what depends on them does without
	calls map[uint32]*writtenCall // nodes that are calls
}

// graph returns the nodes of a rank.
func (w *writer) graph(rank int) *graphOf {
	s := &w.trace.Ranks[rank]
	g := &graphOf{rank: rank, node: make([]uint32, s.Len()), needs: map[uint32][]uint32{}, gone: map[uint32]bool{}, calls: map[uint32]*writtenCall{}}
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
	dependants := g.dependants()
	var list []uint32
	nodes := 0
	for op, node := range g.node {
		if uint32(op) != node {
			continue
		}
		nodes++
		if waits[node] = len(g.needs[node]); waits[node] == 0 {
			list = append(list, node)
		}
	}
	for next := 0; next < len(list); next++ {
		for _, d := range dependants[list[next]] {
			if waits[d]--; waits[d] == 0 {
				list = append(list, d)
			}
		}
	}
	return list, len(list) == nodes
}

// dependants returns the nodes that need each node.
func (g *graphOf) dependants() map[uint32][]uint32 {
	out := map[uint32][]uint32{}
	for node, list := range g.needs {
		for _, on := range list {
			out[on] = append(out[on], node)
		}
	}
	return out
}

// fold takes joins out. What depends on a join then needs what the join needs, which is the same replay. A
// join of many nodes that many depend on stays, since folding it would multiply dependencies. The order is
// that of order.
func (g *graphOf) fold(order []uint32, isJoin func(node uint32) bool) {
	dependants := g.dependants()
	for _, node := range order {
		var list []uint32
		for _, on := range g.needs[node] {
			if g.gone[on] {
				list = append(list, g.needs[on]...)
			} else {
				list = append(list, on)
			}
		}
		slices.Sort(list)
		list = slices.Compact(list)
		g.needs[node] = list
		if isJoin(node) && (len(list) <= mostEnds || len(dependants[node]) <= 1) {
			g.gone[node] = true
		}
	}
}
