package disjoint

import "weft/internal/flow"

// ExactLength is the largest length for which [Counter.Bound] is exact.
const ExactLength = 3

// Bound returns an upper bound of both the minimum cut and the largest number of disjoint paths
// of at most the given number of hops. It equals both if hops ≤ 3 and every path of that length
// is a shortest one, and also if Greedy finds as many paths.
//
// It is the maximum flow through a layered network, with one layer per hop. Routers may wait, but
// A is left in the first hop and B entered in the last. An edge between other routers appears
// once in every layer where it can be of use. For hops ≤ 3 that is one layer, and two paths that
// take the edge in opposite directions can do without it. For more hops, paths may use a cable in
// several layers, so the flow may be too large. The edges of its minimum cut cut all paths, so it
// is never too small.
func (c *Counter) Bound(a, b []int32, hops int) int {
	c.nearA = c.distances(a, hops, c.fromA, c.nearA)
	c.nearB = c.distances(b, hops, c.toB, c.nearB)
	bound := c.layered(hops)
	reset(c.fromA, c.nearA)
	reset(c.toB, c.nearB)
	return bound
}

// layered returns the maximum flow of the layered network. Node 0 is A and node 1 is B. Each
// other node is a router after a number of hops, if it is on a sufficiently short path.
func (c *Counter) layered(hops int) int {
	const source, sink = 0, 1
	g := c.g
	nodes := int32(2)
	for _, v := range c.nearA {
		from, to := int(c.fromA[v]), int(c.toB[v])
		if from == 0 || to == 0 || from+to > hops {
			continue
		}
		// Its nodes are those after from to hops-to hops.
		c.place[v] = nodes - int32(from)
		nodes += int32(hops - to - from + 1)
	}
	c.network.Reset(int(nodes))
	direct := int32(0)
	for _, v := range c.nearA {
		from, to := int(c.fromA[v]), int(c.toB[v])
		if from+to > hops || to == 0 {
			continue
		}
		if from > 0 {
			for h := from; h < hops-to; h++ {
				c.network.Arc(c.place[v]+int32(h), c.place[v]+int32(h)+1, flow.Unlimited, 0)
			}
		}
		for arc := g.First[v]; arc < g.First[v+1]; arc++ {
			u := g.To[arc]
			uFrom, uTo := int(c.fromA[u]), int(c.toB[u])
			if uFrom == 0 || uTo == far {
				continue
			}
			cables := g.Cables[g.Edge[arc]]
			switch {
			case from == 0 && uTo == 0:
				direct += cables
			case from == 0 && 1+uTo <= hops:
				c.network.Arc(source, c.place[u]+1, cables, 0)
			case from > 0 && uTo == 0:
				c.network.Arc(c.place[v]+int32(hops)-1, sink, cables, 0)
			case from > 0:
				// One more hop leads to u, which must reach B in the remaining hops.
				for h := from; h+1+uTo <= hops; h++ {
					c.network.Arc(c.place[v]+int32(h), c.place[u]+int32(h)+1, cables, 0)
				}
			}
		}
	}
	return int(direct + c.network.Max(source, sink, flow.Unlimited))
}

// Minimal returns the exact number of minimal paths from a to b that share no cable: c_min(s,t)
// of FatPaths §IV-B1. It is 0 if there is no path of at most MaxLength hops.
func (c *Counter) Minimal(a, b int32) int {
	c.nearB = c.distances([]int32{b}, MaxLength, c.toB, c.nearB)
	hops := int(c.toB[a])
	if hops == far {
		reset(c.toB, c.nearB)
		return 0
	}
	c.nearA = c.distances([]int32{a}, hops, c.fromA, c.nearA)
	n := c.layered(hops)
	reset(c.fromA, c.nearA)
	reset(c.toB, c.nearB)
	return n
}
