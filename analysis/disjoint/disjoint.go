// Package disjoint counts paths of bounded length that share no cable, and how
// far the paths of two pairs of routers get into each other's way.
//
// For sets A and B of routers and a length l there are three numbers:
//
//   - the definition: the least number of cables whose removal leaves no path of at
//     most l hops from A to B ([FatPaths] §IV-B1, c_l(A,B));
//   - the most paths of at most l hops without a common cable;
//   - what a greedy search finds: take a shortest path, remove its cables, repeat.
//
// The paper's numbers are the third. greedy ≤ paths ≤ definition always; the last
// two are equal for l ≤ 3 and may differ for l ≥ 4, where finding either is hard
// (Itai, Perl and Shiloach 1982; Baier et al. 2010). [Counter.Greedy] is the third,
// [Counter.Bound] is exact for l ≤ 3 and bounds the first two from above for more.
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

// MaxLength is the largest length that can be asked for.
const MaxLength = 64

// far is a distance beyond every length.
const far = math.MaxUint8

// Counter counts disjoint paths in one graph. It keeps memory between counts, which
// is why two goroutines need two.
type Counter struct {
	g *routers.Graph
	// left counts the cables of each edge that are not removed; removed lists the edges.
	left    []int32
	removed []int32
	// fromA and toB are distances in the whole graph, far if longer than what is
	// asked for; nearA and nearB list where they are not far.
	fromA, toB   []uint8
	nearA, nearB []int32
	// seen holds the last search that reached a router, parent the arc by which.
	seen   []int32
	search int32
	parent []int32
	queue  []int32

	network flow.Network[int32]
	// place is the first of a router's nodes in the network, one a hop.
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

// Greedy finds shortest paths from A to B one after another, each without the
// cables of those before, and sets found[h] to the number of those with at most h
// hops, for h from 0 to len(found)-1. Among equal paths a breadth-first search takes
// the first in the order of neighbours. A path begins at its last router of A and
// ends at its first of B. A and B must not be empty and have no router in common.
//
// Since lengths never decrease while cables are removed, one search for the
// longest length has the counts of all shorter ones.
//
// Source: FatPaths §IV-B1 and Appendix B-B: Ford–Fulkerson by breadth-first search,
// with the paths' cables removed and without residual arcs, which is the reading
// that has the numbers of Table IV.
func (c *Counter) Greedy(a, b []int32, found []int) {
	clear(found)
	longest := len(found) - 1
	// What is a hop or more from A need not be known to be longest hops from B.
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

// remove searches a path from A to B of so many hops, knowing that there is no
// shorter one, and removes its cables. It passes over routers from which the whole
// graph has no path to B that is short enough. That changes nothing but the time:
// what leads to a router on such a path is on one too.
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
	// more is how many hops are left after the next.
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

// distances finds how far all routers within a distance are from a set, and lists
// them.
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

// boundary returns how many cables leave a set. No more paths than that are
// disjoint.
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

// CheckLengths refuses lengths that cannot be asked for.
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
