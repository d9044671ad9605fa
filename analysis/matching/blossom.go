package matching

import (
	"fmt"
	"slices"
)

// shrink makes a blossom of the paths from v and w back to the blossom that they share, and the
// edge between v and w.
func (p *pairing) shrink(shared, v, w int) {
	b := p.spare[len(p.spare)-1]
	p.spare = p.spare[:len(p.spare)-1]
	cycle, joins := []int{}, []edge{}
	for c := p.top[v]; c != shared; c = p.top[p.entry[c].x] {
		cycle = append(cycle, c)
		joins = append(joins, p.entry[c])
	}
	cycle = append(cycle, shared)
	slices.Reverse(cycle)
	slices.Reverse(joins)
	joins = append(joins, edge{v, w})
	for c := p.top[w]; c != shared; c = p.top[p.entry[c].x] {
		cycle = append(cycle, c)
		joins = append(joins, edge{p.entry[c].y, p.entry[c].x})
	}
	p.cycle[b], p.joins[b] = cycle, joins
	p.base[b], p.dual[b], p.around[b] = p.base[shared], 0, none
	entry := p.entry[shared]
	for _, c := range cycle {
		p.around[c] = b
	}
	p.leaves(b, func(v int) { p.top[v] = b })
	// Scan all vertices again, since the best edge of a part may now be inside the blossom.
	p.makeOuter(b, entry)
}

// unfold dissolves a blossom. At the end of a stage it also dissolves parts whose dual is 0.
// Within a stage, it relabels the parts of an inner blossom.
func (p *pairing) unfold(b int, end bool) {
	cycle, joins := p.cycle[b], p.joins[b]
	for _, c := range cycle {
		p.around[c] = none
		p.label[c], p.entry[c], p.across[c] = free, noEdge, noEdge
		p.leaves(c, func(v int) { p.top[v] = c })
	}
	if !end {
		p.relabel(cycle, joins, p.entry[b])
	}
	p.cycle[b], p.joins[b] = nil, nil
	p.base[b], p.label[b], p.entry[b] = none, free, noEdge
	p.spare = append(p.spare, b)
	if end {
		for _, c := range cycle {
			if c >= p.n && p.dual[c] == 0 {
				p.unfold(c, true)
			}
		}
	}
}

// relabel labels the parts of an inner blossom along the path with an even number of edges, from
// where it was reached to its base. The others become free.
func (p *pairing) relabel(cycle []int, joins []edge, entry edge) {
	i := slices.Index(cycle, p.top[entry.y])
	size := len(cycle)
	for i != 0 {
		p.makeInner(entry)
		// Part i has its partner in the next part, forward if i is odd.
		if i%2 == 1 {
			entry = joins[i+1]
			i = (i + 2) % size
		} else {
			entry = edge{joins[i-2].y, joins[i-2].x}
			i -= 2
		}
	}
	p.label[cycle[0]], p.entry[cycle[0]] = inner, entry
}

// augment swaps pairs along the path from v back to its root. w becomes v's partner.
func (p *pairing) augment(v, w int) {
	for {
		b := p.top[v]
		p.rotate(b, v)
		p.mate[v] = w
		if p.entry[b].x == none {
			return
		}
		entry := p.entry[p.top[p.entry[b].x]]
		p.rotate(p.top[entry.y], entry.y)
		p.mate[entry.y] = entry.x
		v, w = entry.x, entry.y
	}
}

// rotate makes v the base of a blossom. It swaps pairs along the even path from v's part to the
// present base.
func (p *pairing) rotate(b, v int) {
	if b < p.n {
		return
	}
	part := v
	for p.around[part] != b {
		part = p.around[part]
	}
	p.rotate(part, v)
	cycle, joins := p.cycle[b], p.joins[b]
	size := len(cycle)
	i := slices.Index(cycle, part)
	for j := i; j != 0; {
		var e edge
		if i%2 == 1 {
			e = joins[j+1]
			p.rotate(cycle[j+1], e.x)
			p.rotate(cycle[(j+2)%size], e.y)
			j = (j + 2) % size
		} else {
			e = joins[j-2]
			p.rotate(cycle[j-2], e.x)
			p.rotate(cycle[j-1], e.y)
			j -= 2
		}
		p.mate[e.x], p.mate[e.y] = e.y, e.x
	}
	p.cycle[b] = append(slices.Clone(cycle[i:]), cycle[:i]...)
	p.joins[b] = append(slices.Clone(joins[i:]), joins[:i]...)
	p.base[b] = v
}

// prove compares the weight of the pairs with the duals, an upper bound for any pairs (Edmonds
// 1965): the sum of the vertices' duals, plus k times the dual of each blossom of 2k+1 vertices.
func (p *pairing) prove() (int, error) {
	slack := make([]int64, p.n*p.n)
	bound := int64(0)
	for v := range p.n {
		if p.dual[v] < 0 {
			return 0, fmt.Errorf("matching: vertex %d has the dual %d", v, p.dual[v])
		}
		bound += p.dual[v]
		for w := range p.n {
			slack[v*p.n+w] = p.slack(v, w)
		}
	}
	for b := p.n; b < 2*p.n; b++ {
		if p.base[b] == none {
			continue
		}
		if p.dual[b] < 0 {
			return 0, fmt.Errorf("matching: a blossom has the dual %d", p.dual[b])
		}
		var in []int
		p.leaves(b, func(v int) { in = append(in, v) })
		bound += p.dual[b] * int64(len(in)-1)
		for _, v := range in {
			for _, w := range in {
				slack[v*p.n+w] += 2 * p.dual[b]
			}
		}
	}
	weight := int64(0)
	for v := range p.n {
		if w := p.mate[v]; w != none {
			if p.mate[w] != v {
				return 0, fmt.Errorf("matching: %d has %d, which has %d", v, w, p.mate[w])
			}
			weight += p.weight[v*p.n+w]
		}
		for w := range p.n {
			if w != v && slack[v*p.n+w] < 0 {
				return 0, fmt.Errorf("matching: the duals of %d and %d are below their weight", v, w)
			}
		}
	}
	// Each pair was counted twice, as duals are.
	if weight != bound {
		return 0, fmt.Errorf("matching: the pairs weigh %d halves, and their duals %d", weight, bound)
	}
	return int(weight / 2), nil
}
