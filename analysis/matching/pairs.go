package matching

import (
	"fmt"
	"slices"
)

// Pairs returns every vertex's partner, or -1, so that the sum of the pairs' weights is maximal,
// and that sum. If all weights are positive, at most one vertex has no partner. Pairs of weight 0
// are left out.
//
// It is Edmonds' primal-dual algorithm on a table. Each stage adds a pair, in O(n²) time, and
// more if odd cycles are shrunk. It begins with all duals at half the greatest weight and with
// pairs of that weight. So it is fast if there are few different weights, such as distances.
func Pairs(w Weights) (partner []int, weight int, err error) {
	table, most, err := w.table(false)
	if err != nil {
		return nil, 0, err
	}
	for i := range w.N {
		for j := range i {
			if table[i*w.N+j] != table[j*w.N+i] {
				return nil, 0, fmt.Errorf("the weight of %d and %d is %d one way and %d the other; pairs have no direction", i, j, table[i*w.N+j], table[j*w.N+i])
			}
		}
	}
	p := newPairing(w.N, table, most)
	p.greedy(most)
	for p.stage() {
	}
	weight, err = p.prove()
	if err != nil {
		return nil, 0, err
	}
	for i, j := range p.mate {
		if j >= 0 && table[i*w.N+j] == 0 {
			p.mate[i] = -1
		}
	}
	return p.mate, weight, nil
}

// Labels of top blossoms, which are inside no other. An alternating path of edges without slack
// leads from a vertex without partner to an outer blossom in an even number of steps, and to an
// inner one in an odd number.
const (
	free = iota
	outer
	inner
)

const none = -1

// edge joins x and y. x is none if there is no edge.
type edge struct{ x, y int }

var noEdge = edge{none, none}

// pairing is the state of Pairs. Blossoms 0 to n-1 are the vertices; the others are odd cycles of
// blossoms.
type pairing struct {
	n      int
	weight []int64
	mate   []int
	// dual holds doubled values for vertices, so that they stay integers.
	dual []int64
	// top is the top blossom that contains each vertex.
	top []int

	// Blossoms: around is the surrounding blossom. cycle lists the parts, and joins the edges
	// from each part to the next. base is the vertex whose partner is outside. For top blossoms,
	// label is the label and entry the edge through which they were reached.
	around []int
	cycle  [][]int
	joins  [][]edge
	base   []int
	label  []int
	entry  []edge
	spare  []int

	// near is, for vertices outside of outer blossoms, the outer vertex at the other end of the
	// edge of least slack. across is that edge between an outer blossom and other outer blossoms.
	near   []int
	across []edge
	queue  []int
	marked []bool
}

func newPairing(n int, weight []int64, most int64) *pairing {
	p := &pairing{
		n: n, weight: weight,
		mate: slices.Repeat([]int{none}, n), dual: make([]int64, 2*n), top: make([]int, n),
		around: slices.Repeat([]int{none}, 2*n), cycle: make([][]int, 2*n), joins: make([][]edge, 2*n),
		base: slices.Repeat([]int{none}, 2*n), label: make([]int, 2*n), entry: slices.Repeat([]edge{noEdge}, 2*n),
		near: make([]int, n), across: make([]edge, 2*n), marked: make([]bool, 2*n),
	}
	for v := range n {
		p.dual[v] = most
		p.top[v] = v
		p.base[v] = v
		p.spare = append(p.spare, 2*n-1-v)
	}
	return p
}

func (p *pairing) slack(v, w int) int64 { return p.dual[v] + p.dual[w] - 2*p.weight[v*p.n+w] }

// greedy pairs vertices joined by an edge of the greatest weight, which has no slack.
func (p *pairing) greedy(most int64) {
	for v := range p.n {
		for w := v + 1; w < p.n && p.mate[v] == none; w++ {
			if p.mate[w] == none && p.weight[v*p.n+w] == most {
				p.mate[v], p.mate[w] = w, v
			}
		}
	}
}

// leaves calls do for every vertex in a blossom.
func (p *pairing) leaves(b int, do func(v int)) {
	if b < p.n {
		do(b)
		return
	}
	for _, c := range p.cycle[b] {
		p.leaves(c, do)
	}
}

// tops calls do for every top blossom.
func (p *pairing) tops(do func(b int)) {
	for b := range 2 * p.n {
		if p.around[b] == none && p.base[b] != none {
			do(b)
		}
	}
}

// stage adds a pair along an augmenting path. It returns false if the pairs are optimal.
func (p *pairing) stage() bool {
	for b := range 2 * p.n {
		p.label[b], p.entry[b], p.across[b] = free, noEdge, noEdge
	}
	for v := range p.near {
		p.near[v] = none
	}
	p.queue = p.queue[:0]
	open := false
	p.tops(func(b int) {
		if p.mate[p.base[b]] == none {
			p.makeOuter(b, noEdge)
			open = true
		}
	})
	if !open {
		return false
	}
	for {
		for len(p.queue) > 0 {
			v := p.queue[len(p.queue)-1]
			p.queue = p.queue[:len(p.queue)-1]
			if p.scan(v) {
				p.endStage()
				return true
			}
		}
		augmented, best := p.adjust()
		if best {
			return false
		}
		if augmented {
			p.endStage()
			return true
		}
	}
}

// makeOuter labels a blossom outer and queues its vertices for scanning.
func (p *pairing) makeOuter(b int, entry edge) {
	p.label[b], p.entry[b], p.across[b] = outer, entry, noEdge
	p.leaves(b, func(v int) { p.queue = append(p.queue, v) })
}

// makeInner labels the blossom at the end of an edge without slack inner, and the blossom of its
// base's partner outer.
func (p *pairing) makeInner(entry edge) {
	b := p.top[entry.y]
	p.label[b], p.entry[b] = inner, entry
	v := p.base[b]
	w := p.mate[v]
	p.makeOuter(p.top[w], edge{v, w})
}

// scan examines all edges of an outer vertex, and reports whether it augmented.
func (p *pairing) scan(v int) bool {
	for w := range p.n {
		b, c := p.top[v], p.top[w]
		if b == c {
			continue
		}
		slack := p.slack(v, w)
		if p.label[c] == outer {
			if slack == 0 {
				if p.joinOuter(v, w) {
					return true
				}
			} else if a := p.across[b]; a.x == none || slack < p.slack(a.x, a.y) {
				p.across[b] = edge{v, w}
			}
			continue
		}
		if slack == 0 && p.label[c] == free {
			p.makeInner(edge{v, w})
		}
		if p.near[w] == none || slack < p.slack(p.near[w], w) {
			p.near[w] = v
		}
	}
	return false
}

// joinOuter handles an edge without slack between two outer blossoms. It shrinks the cycle, or
// augments and returns true.
func (p *pairing) joinOuter(v, w int) bool {
	if b := p.common(v, w); b != none {
		p.shrink(b, v, w)
		return false
	}
	p.augment(v, w)
	p.augment(w, v)
	return true
}

// common returns the first blossom that the paths from v and w back to their roots share, or
// none.
func (p *pairing) common(v, w int) int {
	var path []int
	found := none
	for v != none {
		b := p.top[v]
		if p.marked[b] {
			found = b
			break
		}
		p.marked[b] = true
		path = append(path, b)
		v = p.entry[b].x
		if v != none {
			v = p.entry[p.top[v]].x
		}
		if w != none {
			v, w = w, v
		}
	}
	for _, b := range path {
		p.marked[b] = false
	}
	return found
}

// adjust changes the duals until an edge loses its slack, an inner blossom its dual, or a vertex
// without partner its dual. In the last case the pairs are optimal.
func (p *pairing) adjust() (augmented, best bool) {
	delta := p.dual[0]
	for v := range p.n {
		delta = min(delta, p.dual[v])
	}
	reach, cross, open := noEdge, noEdge, none
	for w := range p.n {
		if v := p.near[w]; v != none && p.label[p.top[w]] == free && p.slack(v, w) <= delta {
			delta, reach = p.slack(v, w), edge{v, w}
		}
	}
	p.tops(func(b int) {
		if a := p.across[b]; p.label[b] == outer && a.x != none && p.slack(a.x, a.y)/2 <= delta {
			delta, cross = p.slack(a.x, a.y)/2, a
		}
	})
	p.tops(func(b int) {
		if b >= p.n && p.label[b] == inner && p.dual[b] <= delta {
			delta, open = p.dual[b], b
		}
	})
	for v := range p.n {
		switch p.label[p.top[v]] {
		case outer:
			p.dual[v] -= delta
		case inner:
			p.dual[v] += delta
		}
	}
	p.tops(func(b int) {
		if b < p.n {
			return
		}
		switch p.label[b] {
		case outer:
			p.dual[b] += delta
		case inner:
			p.dual[b] -= delta
		}
	})
	switch {
	case open != none:
		p.unfold(open, false)
	case cross != noEdge:
		return p.joinOuter(cross.x, cross.y), false
	case reach != noEdge:
		p.makeInner(reach)
	default:
		return false, true
	}
	return false, false
}

// endStage dissolves outer blossoms whose dual is 0, which could hinder later stages.
func (p *pairing) endStage() {
	for b := p.n; b < 2*p.n; b++ {
		if p.around[b] == none && p.base[b] != none && p.label[b] == outer && p.dual[b] == 0 {
			p.unfold(b, true)
		}
	}
}
