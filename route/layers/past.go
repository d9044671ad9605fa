package layers

import (
	"context"
	"errors"
	"fmt"
	"math"

	"weft/problem"
	"weft/topo"
)

// PastTrees is the rule by which PAST grows the tree of an address.
type PastTrees string

// The rules for growing trees (FatPaths, Appendix C-C).
const (
	// PastFirst takes, of several parents equally near to the root, the one reached first.
	PastFirst PastTrees = "bfs"
	// PastRandom takes one of them at random.
	PastRandom PastTrees = "random"
	// PastWeighted takes one at random. Its probability is inversely proportional to one
	// plus the number of hosts below it, summed over all trees built so far. The paper only
	// says that this number weights the choice.
	PastWeighted PastTrees = "weighted"
	// PastValiant grows a random tree from a random router instead of the address's own, so
	// that paths are not minimal (Listing 5).
	PastValiant PastTrees = "non-minimal"
)

// Past gives each address, which is a host, a spanning tree for all traffic to it. That is
// PAST (Stephens et al., CoNEXT 2012) as FatPaths compares with it, Appendix C-C and
// Listing 5.
type Past struct {
	// Trees is PastRandom when empty.
	Trees PastTrees
	Seed  uint64
}

// Addresses builds one tree per host. A pair of hosts has one path. A pair of routers has
// at most as many as the second router has hosts. It fails if the options are wrong or ctx
// ends.
func (o Past) Addresses(ctx context.Context, r *Routers, w Work) (*PastRoutes, error) {
	if len(r.graph.Hosts) == 0 {
		return nil, errors.New("the network has no hosts, but PAST builds a tree for each; give routers hosts, or set the number of trees")
	}
	roots := make([]int32, len(r.graph.Hosts))
	for h, n := range r.graph.Hosts {
		roots[h] = r.router[n]
	}
	f, err := o.grow(ctx, r, roots, w)
	if err != nil {
		return nil, err
	}
	p := &PastRoutes{forest: f, first: make([]int32, len(r.nodes)+1), addresses: make([]int32, len(roots))}
	for _, root := range roots {
		p.first[root+1]++
	}
	for i := range r.nodes {
		p.first[i+1] += p.first[i]
	}
	free := append([]int32(nil), p.first...)
	for h, root := range roots {
		p.addresses[free[root]] = int32(h)
		free[root]++
	}
	return p, nil
}

// Layers builds n trees that all pairs may use, for comparisons with equally many layers
// (FatPaths, Section VI-C). The roots are n routers drawn at random, in proportion to their
// hosts, and none is drawn twice before all others were drawn. The paper does not say how
// it reduces PAST to n layers. If every router has equally many hosts, this differs from
// PastValiant only in that PastValiant may repeat roots.
func (o Past) Layers(ctx context.Context, r *Routers, n int, w Work) (*Forest, error) {
	if err := checkLayers(n); err != nil {
		return nil, err
	}
	var draw []int32
	for i, edge := range r.edges {
		for range max(1, r.hosts[i]) {
			draw = append(draw, edge)
		}
	}
	var s stream
	s.start(o.Seed, 0, "addresses of trees")
	used := make([]int, len(r.nodes))
	roots := make([]int32, 0, n)
	for turn := 1; len(roots) < n; turn++ {
		for _, i := range s.order(len(draw)) {
			if root := draw[i]; used[root] < turn && len(roots) < n {
				used[root]++
				roots = append(roots, root)
			}
		}
	}
	return o.grow(ctx, r, roots, w)
}

func (o Past) check() error {
	switch o.Trees {
	case "", PastFirst, PastRandom, PastWeighted, PastValiant:
		return nil
	}
	return problem.New("unknown trees %q of PAST", string(o.Trees)).Mend("use %s, %s, %s or %s", PastFirst, PastRandom, PastWeighted, PastValiant)
}

func (o Past) grow(ctx context.Context, r *Routers, roots []int32, w Work) (*Forest, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Trees == "" {
		o.Trees = PastRandom
	}
	n := len(r.nodes)
	if n > math.MaxUint16 {
		return nil, fmt.Errorf("%d routers; trees have room for 65535", n)
	}
	f := &Forest{routers: r, layers: len(roots), up: make([]uint16, n*len(roots)), depth: make([]uint16, n*len(roots))}
	p := &progress{report: w.Progress, of: len(roots)}
	if o.Trees == PastWeighted {
		// Each tree depends on the earlier ones.
		w.Workers = 1
	}
	err := w.each(ctx, p, len(roots), func() func(int) {
		t := newTree(r, o.Trees)
		return func(i int) {
			t.random.start(o.Seed, uint64(i), "trees")
			root := roots[i]
			if o.Trees == PastValiant {
				root = int32(t.random.below(n))
			}
			t.grow(root, f.up[i*n:(i+1)*n], f.depth[i*n:(i+1)*n])
		}
	})
	if err != nil {
		return nil, fmt.Errorf("trees of PAST: %w", err)
	}
	return f, nil
}

// tree grows one spanning tree after another, breadth first.
type tree struct {
	routers *Routers
	kind    PastTrees
	random  stream
	queue   []int32
	reached marks
	ties    []uint64
	// below counts the hosts below each router over all trees, and under those in the
	// current tree.
	below []uint64
	under []uint64
}

func newTree(r *Routers, kind PastTrees) *tree {
	n := len(r.nodes)
	return &tree{routers: r, kind: kind, reached: newMarks(n), ties: make([]uint64, n), below: make([]uint64, n), under: make([]uint64, n)}
}

func (t *tree) grow(root int32, up, depth []uint16) {
	r := t.routers
	t.reached.empty()
	t.reached.set(root)
	up[root], depth[root] = noPort, 0
	t.queue = append(t.queue[:0], root)
	for i := 0; i < len(t.queue); i++ {
		x := t.queue[i]
		for e := r.offset[x]; e < r.offset[x+1]; e++ {
			y := r.to[e]
			port := uint16(r.back[e] - r.offset[y])
			if !t.reached.has(y) {
				t.reached.set(y)
				t.queue = append(t.queue, y)
				depth[y] = depth[x] + 1
				up[y] = port
				t.ties[y] = t.chance(x)
			} else if depth[y] == depth[x]+1 && t.kind != PastFirst {
				t.ties[y] += t.chance(x)
				if t.random.below(int(t.ties[y])) < int(t.chance(x)) {
					up[y] = port
				}
			}
		}
	}
	if t.kind == PastWeighted {
		t.count(up)
	}
}

// chance returns the weight of a router in the random choice of a parent.
func (t *tree) chance(x int32) uint64 {
	if t.kind != PastWeighted {
		return 1
	}
	return 1<<32/(t.below[x]+1) + 1
}

// count adds the hosts below each router in the last tree.
func (t *tree) count(up []uint16) {
	r := t.routers
	clear(t.under)
	for i, edge := range r.edges {
		t.under[edge] = uint64(r.hosts[i])
	}
	for i := len(t.queue) - 1; i > 0; i-- {
		x := t.queue[i]
		parent := r.to[r.offset[x]+int32(up[x])]
		t.under[parent] += t.under[x]
	}
	for x, n := range t.under {
		t.below[x] += n
	}
}

// PastRoutes holds the trees of all addresses.
type PastRoutes struct {
	forest *Forest
	// The hosts of router r are addresses[first[r]:first[r+1]].
	first, addresses []int32
}

// Trees returns the trees. Layer i is the tree of the graph's host i.
func (p *PastRoutes) Trees() *Forest { return p.forest }

// AppendPath appends the ports of the path from a router to a host's router.
func (p *PastRoutes) AppendPath(path []topo.PortID, from, host int) []topo.PortID {
	r := p.forest.routers
	path, _ = p.forest.AppendPath(path, host, from, int(r.router[r.graph.Hosts[host]]))
	return path
}

// Source returns the distinct paths of pairs of routers, over all addresses of the second
// router. Each of its hosts is reached by only one of them.
func (p *PastRoutes) Source() Source { return &pastSource{routes: p} }

type pastSource struct {
	routes *PastRoutes
	set    pathSet
}

func (s *pastSource) Paths(from, to int) [][]topo.PortID {
	s.set.clear()
	p := s.routes
	for _, host := range p.addresses[p.first[to]:p.first[to+1]] {
		path, ok := p.forest.AppendPath(s.set.begin(), int(host), from, to)
		s.set.end(path, ok)
	}
	return s.set.list()
}
