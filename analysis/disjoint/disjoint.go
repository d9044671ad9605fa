// Package disjoint counts paths of bounded length that share no cable, and how much the paths of two
// pairs of routers interfere.
//
// For sets A and B of routers and a length l there are three numbers:
//
//   - the definition: the least number of cables whose removal leaves no path of at
//     most l hops from A to B ([FatPaths] §IV-B1, c_l(A,B));
//   - the largest number of paths of at most l hops without a common cable;
//   - the result of a greedy search: take a shortest path, remove its cables, repeat.
//
// The paper's numbers are the third. Always greedy ≤ paths ≤ definition. The last two are equal for
// l ≤ 3 and may differ for l ≥ 4, where finding either is hard (Itai, Perl and Shiloach 1982; Baier
// et al. 2010). [Counter.Greedy] computes the third. [Counter.Bound] is exact for l ≤ 3 and bounds
// the first two from above otherwise.
//
// [FatPaths]: Besta et al., FatPaths, SC 2020.
package disjoint

import (
	"fmt"
	"math"
	"slices"

	"weft/analysis/routers"
	"weft/internal/flow"
)

// MaxLength is the largest length in hops.
const MaxLength = 64

// far is a distance beyond every length.
const far = math.MaxUint8

// Counter counts disjoint paths in one graph. It reuses memory between counts and is not safe for
// concurrent use.
type Counter struct {
	g *routers.Graph
	// left is the number of remaining cables of each edge. removed lists the edges of removed
	// cables.
	left    []int32
	removed []int32
	// fromA and toB are distances in the whole graph, or far beyond the requested length. nearA
	// and nearB list the routers where they are not far.
	fromA, toB   []uint8
	nearA, nearB []int32
	// seen is the last search that reached each router, and parent the arc by which it did.
	seen   []int32
	search int32
	parent []int32
	queue  []int32

	network flow.Network[int32]
	// place is the first node of each router in the layered network, with one node per hop.
	place []int32
}

// NewCounter returns a counter for g, which must not change.
func NewCounter(g *routers.Graph) *Counter {
	n := g.Len()
	c := &Counter{
		g: g, left: slices.Clone(g.Cables),
		fromA: make([]uint8, n), toB: make([]uint8, n),
		seen: make([]int32, n), parent: make([]int32, n),
		place: make([]int32, n),
	}
	for v := range n {
		c.fromA[v], c.toB[v] = far, far
	}
	return c
}

// Greedy finds shortest paths from A to B one after another, each without the cables of the
// earlier ones. It sets found[h] to the number of paths with at most h hops, for h from 0 to
// len(found)-1. Among equal paths, a breadth-first search takes the first in the order of
// neighbours. A path begins at its last router in A and ends at its first in B. A and B must be
// non-empty and disjoint.
//
// Lengths never decrease while cables are removed, so one search for the longest length gives the
// counts of all shorter ones.
//
// Source: FatPaths §IV-B1 and Appendix B-B: Ford–Fulkerson by breadth-first search, removing the
// paths' cables, without residual arcs. This reading gives the numbers of Table IV.
func (c *Counter) Greedy(a, b []int32, found []int) {
	clear(found)
	longest := len(found) - 1
	// Routers at least one hop from A need be known only up to longest-1 hops from B.
	c.nearB = c.distances(b, longest-1, c.toB, c.nearB)
	least := longest
	for _, v := range a {
		least = min(least, int(c.toB[v]))
	}
	limit := min(c.boundary(a), c.boundary(b))
	total := 0
	for hops := max(1, least); hops <= longest; hops++ {
		for total < limit && c.remove(a, hops) {
			total++
		}
		found[hops] = total
	}
	for h := 1; h < len(found); h++ {
		found[h] = max(found[h], found[h-1])
	}
	for _, e := range c.removed {
		c.left[e]++
	}
	c.removed = c.removed[:0]
	reset(c.toB, c.nearB)
}

// remove searches for a path from A to B with the given number of hops and removes its cables.
// The caller must know that there is no shorter path. It skips routers that have no sufficiently
// short path to B even in the whole graph. This changes only the running time: every router on a
// short path has a short path to B.
func (c *Counter) remove(a []int32, hops int) bool {
	c.search++
	c.queue = c.queue[:0]
	for _, v := range a {
		c.seen[v] = c.search
		c.parent[v] = -1
		c.queue = append(c.queue, v)
	}
	first, to, edge := c.g.First, c.g.To, c.g.Edge
	toB, seen, left := c.toB, c.seen, c.left
	// more is the number of hops left after the next.
	more, end := hops-1, len(c.queue)
	for i := 0; i < len(c.queue); i++ {
		if i == end {
			more--
			end = len(c.queue)
		}
		v := c.queue[i]
		from, until := first[v], first[v+1]
		edges := edge[from:until]
		for j, u := range to[from:until] {
			if int(toB[u]) > more || seen[u] == c.search || left[edges[j]] == 0 {
				continue
			}
			seen[u] = c.search
			c.parent[u] = from + int32(j)
			if toB[u] == 0 {
				c.take(u)
				return true
			}
			c.queue = append(c.queue, u)
		}
	}
	return false
}

// take removes the cables of the path that the search found to a router.
func (c *Counter) take(v int32) {
	for c.parent[v] >= 0 {
		arc := c.parent[v]
		c.left[c.g.Edge[arc]]--
		c.removed = append(c.removed, c.g.Edge[arc])
		v = c.g.To[c.g.Back[arc]]
	}
}

// distances computes the distances of all routers within most hops from a set, and lists these
// routers.
func (c *Counter) distances(from []int32, most int, distance []uint8, near []int32) []int32 {
	near = append(near[:0], from...)
	for _, v := range from {
		distance[v] = 0
	}
	for i := 0; i < len(near); i++ {
		v := near[i]
		if int(distance[v]) >= most {
			break
		}
		for _, u := range c.g.To[c.g.First[v]:c.g.First[v+1]] {
			if distance[u] == far {
				distance[u] = distance[v] + 1
				near = append(near, u)
			}
		}
	}
	return near
}

func reset(distance []uint8, near []int32) {
	for _, v := range near {
		distance[v] = far
	}
}

// boundary returns the number of cables that leave a set. It bounds the number of disjoint paths.
func (c *Counter) boundary(set []int32) int {
	c.search++
	for _, v := range set {
		c.seen[v] = c.search
	}
	n := 0
	for _, v := range set {
		for arc := c.g.First[v]; arc < c.g.First[v+1]; arc++ {
			if c.seen[c.g.To[arc]] != c.search {
				n += int(c.g.Cables[c.g.Edge[arc]])
			}
		}
	}
	return n
}

// CheckLengths rejects invalid lengths.
func CheckLengths(lengths ...int) error {
	if len(lengths) == 0 {
		return fmt.Errorf("no length is given; name at least one, from 1 to %d hops", MaxLength)
	}
	for _, l := range lengths {
		if l < 1 || l > MaxLength {
			return fmt.Errorf("a length of %d hops; use 1 to %d", l, MaxLength)
		}
	}
	return nil
}
