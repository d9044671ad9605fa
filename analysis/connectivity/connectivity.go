// Package connectivity computes, for all pairs of routers, how many paths of any length share no
// cable: their edge connectivity.
package connectivity

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"

	"weft/analysis/internal/pool"
	"weft/analysis/routers"
	"weft/internal/flow"
)

// Tree is an equivalent flow tree: the edge connectivity of two routers is the least flow on the
// tree path between them.
type Tree struct {
	// Parent is each router's parent on the way to router 0, which is its own parent.
	Parent []int32
	// Flow is the edge connectivity of a router and its parent. It is meaningless for router 0.
	Flow []int32
	// depth is a router's distance from router 0 in the tree.
	depth []int32
}

// Options configures New.
type Options struct {
	// Threads is the number of maximum flows computed in parallel; 0 means one per processor. It
	// does not affect results.
	Threads int
	// Progress, if not nil, is called with the share that is done.
	Progress func(share float64)
}

// New computes the tree of a graph with one maximum flow fewer than the graph has routers. If the
// graph is not connected, some flows are 0.
//
// Source: Gusfield, Very Simple Methods for All Pairs Network Flow Analysis, SIAM J. Comput. 19,
// 1990, §2.2 (equivalent flow trees); FatPaths Appendix B-B.
//
// Departure: the flows of several routers are computed in parallel, assuming that earlier routers
// do not change their parents. If one does, the flow is computed again. So the tree equals that
// of the sequential algorithm.
func New(ctx context.Context, g *routers.Graph, o Options) (*Tree, error) {
	n := g.Len()
	if n == 0 {
		return nil, errors.New("the graph has no routers")
	}
	threads := o.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	b := &builder{g: g, tree: &Tree{Parent: make([]int32, n), Flow: make([]int32, n)}}
	b.degree = make([]int32, n)
	for v := range n {
		b.degree[v] = int32(g.Degree(int32(v)))
	}
	const ahead = 4 // flows per thread, so that threads rarely wait for each other
	batch := make([]cut, threads*ahead)
	for i := range batch {
		batch[i].side = make([]bool, n)
	}
	networks := make([]*flow.Network[int32], threads)
	for i := range networks {
		networks[i] = network(g)
	}
	for s := 1; s < n; {
		size := min(len(batch), n-s)
		guessed := slices.Clone(b.tree.Parent[s : s+size])
		given := 0
		_, err := pool.Each(ctx, size, pool.Options{Threads: threads},
			func() *flow.Network[int32] { given++; return networks[given-1] },
			func(f *flow.Network[int32], i int) { b.cut(f, int32(s+i), guessed[i], &batch[i]) })
		if err != nil {
			return nil, err
		}
		for i, parent := range guessed {
			v := int32(s + i)
			if b.tree.Parent[v] != parent {
				b.cut(networks[0], v, b.tree.Parent[v], &batch[i])
			}
			b.settle(v, &batch[i])
		}
		s += size
		if o.Progress != nil {
			o.Progress(float64(s) / float64(n))
		}
	}
	b.tree.measure()
	return b.tree, nil
}

type builder struct {
	g      *routers.Graph
	tree   *Tree
	degree []int32
}

// cut is a minimum cut between two routers.
type cut struct {
	flow int32
	side []bool
}

func network(g *routers.Graph) *flow.Network[int32] {
	f := new(flow.Network[int32])
	f.Reset(g.Len())
	for v := range int32(g.Len()) {
		for arc := g.First[v]; arc < g.First[v+1]; arc++ {
			if u := g.To[arc]; v < u {
				cables := g.Cables[g.Edge[arc]]
				f.Arc(v, u, cables, cables)
			}
		}
	}
	return f
}

// cut finds a minimum cut of s and t. Any minimum cut will do.
func (b *builder) cut(f *flow.Network[int32], s, t int32, c *cut) {
	f.Restore()
	least := min(b.degree[s], b.degree[t])
	c.flow = f.Max(s, t, least)
	switch {
	case c.flow == b.degree[s]:
		// All cables of s are used, so s alone is one side.
		clear(c.side)
		c.side[s] = true
	case c.flow == b.degree[t]:
		for v := range c.side {
			c.side[v] = v != int(t)
		}
	default:
		f.Side(s, c.side)
	}
}

// settle makes s the parent of later routers on its side of the cut that had the same parent.
func (b *builder) settle(s int32, c *cut) {
	t := b.tree.Parent[s]
	b.tree.Flow[s] = c.flow
	for v := int(s) + 1; v < len(c.side); v++ {
		if c.side[v] && b.tree.Parent[v] == t {
			b.tree.Parent[v] = s
		}
	}
}

// measure computes depths. Parents have lower numbers than their children.
func (t *Tree) measure() {
	t.depth = make([]int32, len(t.Parent))
	for v := 1; v < len(t.Parent); v++ {
		t.depth[v] = t.depth[t.Parent[v]] + 1
	}
}

// Between returns the edge connectivity of two different routers.
func (t *Tree) Between(a, b int32) int {
	least := int32(flow.Unlimited)
	for a != b {
		if t.depth[a] < t.depth[b] {
			a, b = b, a
		}
		least = min(least, t.Flow[a])
		a = t.Parent[a]
	}
	return int(least)
}

// Class is a number of disjoint paths with the number of unordered pairs that have it.
type Class struct {
	Connectivity int
	Pairs        int64
}

// Classes counts the pairs among some routers by edge connectivity, in decreasing order.
func (t *Tree) Classes(among []int32) []Class {
	group := make([]int32, len(t.Parent)) // representative of each router
	size := make([]int64, len(t.Parent))
	for v := range group {
		group[v] = int32(v)
	}
	for _, v := range among {
		size[v] = 1
	}
	find := func(v int32) int32 {
		for group[v] != v {
			group[v] = group[group[v]]
			v = group[v]
		}
		return v
	}
	// When edges are joined in decreasing order of flow, each edge is the least on the tree paths
	// between the parts that it joins.
	order := make([]int32, 0, len(t.Parent))
	for v := 1; v < len(t.Parent); v++ {
		order = append(order, int32(v))
	}
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(t.Flow[y], t.Flow[x]) })
	var out []Class
	for _, v := range order {
		x, y := find(v), find(t.Parent[v])
		pairs := size[x] * size[y]
		group[x] = y
		size[y] += size[x]
		if pairs == 0 {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last].Connectivity == int(t.Flow[v]) {
			out[last].Pairs += pairs
		} else {
			out = append(out, Class{int(t.Flow[v]), pairs})
		}
	}
	return out
}
