package topo

import (
	"slices"
	"sort"
)

// Partition cuts g into at most the given number of domains. It returns the domain of each
// node, numbered densely from 0.
//
// A host is always in the domain of its switch. Nodes also stay together if a frame can
// pass between them in no time: if the link's delay and the latency of the receiving switch
// are both zero, in either direction. So do the hosts, by number, of each group in
// together. Nodes that must stay together form a block. Blocks follow each other in the
// order of their first switch, and every domain is a run of blocks. So neighbours in the
// graph's order, such as the ToRs or spines of a tier or the switches of a pod, share a
// domain. The weight of a block is the sum of its nodes' degrees; the cuts minimise the
// weight of the heaviest domain.
func Partition(g *Graph, domains int, together ...[]int32) []int32 {
	domain := make([]int32, len(g.Nodes))
	if domains <= 1 {
		return domain
	}
	blocks, weights := g.blocks(together)
	limit := heaviest(weights, domains)
	starts := make([]int32, len(weights))
	current, sum := int32(0), 0
	for i, w := range weights {
		if sum+w > limit {
			current++
			sum = 0
		}
		sum += w
		starts[i] = current
	}
	for n := range domain {
		domain[n] = starts[blocks[n]]
	}
	return domain
}

// blocks returns the block of each node, in the order of their first switches, and the
// weight of each block.
func (g *Graph) blocks(groups [][]int32) (block []int32, weights []int) {
	together := newUnions(len(g.Nodes))
	for _, hosts := range groups {
		for _, h := range hosts[1:] {
			together.join(int32(g.Hosts[hosts[0]]), int32(g.Hosts[h]))
		}
	}
	for _, l := range g.Links {
		a, b := &g.Nodes[l.A], &g.Nodes[l.B]
		if a.Kind == Host || b.Kind == Host || l.Delay+a.Latency == 0 || l.Delay+b.Latency == 0 {
			together.join(int32(l.A), int32(l.B))
		}
	}
	const none = -1
	block = slices.Repeat([]int32{none}, len(g.Nodes))
	number := func(n int) {
		root := together.find(int32(n))
		if block[root] == none {
			block[root] = int32(len(weights))
			weights = append(weights, 0)
		}
		block[n] = block[root]
	}
	for n := range g.Nodes {
		if g.Nodes[n].Kind == Switch {
			number(n)
		}
	}
	// Two directly connected hosts have no switch.
	for n := range g.Nodes {
		number(n)
	}
	for _, l := range g.Links {
		weights[block[l.A]]++
		weights[block[l.B]]++
	}
	return block, weights
}

// heaviest returns the smallest possible weight of the heaviest run if weights is cut into
// at most n runs.
func heaviest(weights []int, n int) int {
	most, total := 0, 0
	for _, w := range weights {
		most = max(most, w)
		total += w
	}
	return most + sort.Search(total-most, func(extra int) bool {
		runs, sum := 1, 0
		for _, w := range weights {
			if sum+w > most+extra {
				runs++
				sum = 0
			}
			sum += w
		}
		return runs <= n
	})
}
