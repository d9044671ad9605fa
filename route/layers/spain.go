package layers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"weft/problem"
)

// Spain builds layers without cycles: SPAIN (Mudigonda et al., NSDI 2010) as FatPaths
// compares with it, Appendix C-B and Listing 4. For each destination, it finds K paths from
// each source that share as few links as possible. It colours the paths so that those of a
// colour form a tree. Then it merges the trees of all destinations as long as their union
// has no cycle. The number of layers is an outcome.
//
// Departures, and choices where the listing leaves a detail open:
//
//   - A link weighs 1 before it is taken. With 0, as printed, the first path would
//     be any path, not a shortest one.
//   - Among shortest paths, each router prefers ports in a cyclic order drawn for the
//     destination, the same for all sources, so that few colours are needed.
//   - Destinations and sources are edge routers. Destinations are independent of
//     each other; sources are taken in random order.
//   - Colouring is first fit. A colour is stored as the next hop of each router. A
//     path fits it if and only if it is compatible with each path of the colour.
//   - Merging takes the trees in random order; each takes in all later ones that
//     fit. Disjoint sets test for cycles, instead of a search.
//
// The layer with all links, with which the listing begins, is not among the trees: see
// [Spain.Layers].
type Spain struct {
	// K is the most paths from a source to a destination. 0 means 3, the number of disjoint
	// paths that FatPaths finds necessary (Section IV-A).
	K    int
	Seed uint64
}

// MaxSpainPaths is the largest K.
const MaxSpainPaths = 64

// SpainLayers holds the trees that SPAIN finds.
type SpainLayers struct {
	routers *Routers
	// trees lists the entries of the trees' links. Trees with the most links come first.
	trees [][]int32
	// The numbers of trees before merging, and of paths.
	colours int
	paths   int64
}

func (o Spain) check() error {
	if o.K < 0 || o.K > MaxSpainPaths {
		return problem.New("%d paths from a source to a destination", o.K).Mend("use from 1 to %d", MaxSpainPaths)
	}
	return nil
}

// Build computes all layers. It fails if the options are out of range or ctx ends.
func (o Spain) Build(ctx context.Context, r *Routers, w Work) (*SpainLayers, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.K == 0 {
		o.K = 3
	}
	if len(r.nodes) > math.MaxUint16 {
		return nil, fmt.Errorf("%d routers; trees have room for 65535", len(r.nodes))
	}
	colours := make([][][]int32, len(r.edges))
	paths := make([]int64, len(r.edges))
	p := &progress{report: w.Progress, of: len(r.edges)}
	err := w.each(ctx, p, len(r.edges), func() func(int) {
		c := newColouring(r, o.K)
		return func(i int) {
			c.paths.random.start(o.Seed, uint64(i), "paths of SPAIN")
			colours[i], paths[i] = c.colour(r.edges[i])
		}
	})
	if err != nil {
		return nil, fmt.Errorf("paths of SPAIN: %w", err)
	}
	l := &SpainLayers{routers: r}
	var trees [][]int32
	for i := range colours {
		trees = append(trees, colours[i]...)
		l.paths += paths[i]
	}
	l.colours = len(trees)
	var s stream
	s.start(o.Seed, 0, "order of merging")
	if l.trees, err = merge(ctx, r, trees, s.order(len(trees))); err != nil {
		return nil, fmt.Errorf("merging %d trees of SPAIN: %w", len(trees), err)
	}
	slices.SortStableFunc(l.trees, func(a, b []int32) int { return cmp.Compare(len(b), len(a)) })
	return l, nil
}

// Len returns the natural number of layers, without the layer that has all links.
func (l *SpainLayers) Len() int { return len(l.trees) }

// Colours returns the number of trees before merging.
func (l *SpainLayers) Colours() int { return l.colours }

// Paths returns the number of paths that the trees were made of.
func (l *SpainLayers) Paths() int64 { return l.paths }

// Layers returns the n trees with the most links, or all if n is 0 or exceeds their number.
// Together with the layer that has all links, they are SPAIN reduced to n+1 layers.
func (l *SpainLayers) Layers(n int) (*Forest, error) {
	if n < 0 {
		return nil, problem.New("%d trees of SPAIN", n).Mend("use 0 for all, or a positive number")
	}
	if n == 0 || n > len(l.trees) {
		n = len(l.trees)
	}
	f := &Forest{routers: l.routers}
	for _, t := range l.trees[:n] {
		f.addLinks(t)
	}
	return f, nil
}

// colouring divides the paths to one destination into trees.
type colouring struct {
	routers *Routers
	paths   *spainPaths
	colours []colour
	used    int
}

// colour is a tree of paths to a destination.
type colour struct {
	// next is the entry by which paths of this colour leave a router, or -1.
	next    []int32
	touched []int32
}

func newColouring(r *Routers, k int) *colouring {
	return &colouring{routers: r, paths: newSpainPaths(r, k)}
}

// colour returns the links of each tree, as entries, and the number of paths.
func (c *colouring) colour(destination int32) (trees [][]int32, paths int64) {
	r := c.routers
	order := c.paths.random.order(len(r.edges))
	c.paths.start(destination)
	for _, i := range order {
		source := r.edges[i]
		if source == destination {
			continue
		}
		c.paths.paths(source, destination, func(path []int32) {
			paths++
			c.place(source, path)
		})
	}
	for i := range c.colours[:c.used] {
		k := &c.colours[i]
		var tree []int32
		for _, x := range k.touched {
			tree = append(tree, k.next[x])
			k.next[x] = -1
		}
		k.touched = k.touched[:0]
		trees = append(trees, tree)
	}
	c.used = 0
	return trees, paths
}

// place gives a path the first colour that it fits.
func (c *colouring) place(source int32, path []int32) {
	for i := range c.colours[:c.used] {
		if c.fits(&c.colours[i], source, path) {
			c.add(&c.colours[i], source, path)
			return
		}
	}
	if c.used == len(c.colours) {
		c.colours = append(c.colours, colour{next: slices.Repeat([]int32{-1}, len(c.routers.nodes))})
	}
	c.used++
	c.add(&c.colours[c.used-1], source, path)
}

// fits is vlan-compatible of Listing 4 against all paths of a colour at once: if they share
// a router, their next routers must be the same.
func (c *colouring) fits(k *colour, x int32, path []int32) bool {
	for _, e := range path {
		if old := k.next[x]; old >= 0 && old != e {
			return false
		}
		x = c.routers.to[e]
	}
	return true
}

func (c *colouring) add(k *colour, x int32, path []int32) {
	for _, e := range path {
		if k.next[x] < 0 {
			k.next[x] = e
			k.touched = append(k.touched, x)
		}
		x = c.routers.to[e]
	}
}

// merge unites trees whose union has no cycle (lines 29 to 32 of Listing 4). Each tree
// joins the first layer that it fits. The result is the same as when each layer in turn
// takes in all trees that fit.
func merge(ctx context.Context, r *Routers, trees [][]int32, order []int32) ([][]int32, error) {
	var layers []*merged
	var undo []int32
	for _, i := range order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		fits := func(m *merged) bool {
			undo = undo[:0]
			return m.take(r, trees[i], &undo)
		}
		if !slices.ContainsFunc(layers, fits) {
			m := &merged{sets: newUnion(len(r.nodes)), has: newBitset(len(r.to))}
			m.take(r, trees[i], &undo)
			layers = append(layers, m)
		}
	}
	out := make([][]int32, len(layers))
	for i, m := range layers {
		out[i] = m.links
	}
	return out, nil
}

// merged is a layer into which trees are merged.
type merged struct {
	sets  *union
	has   bitset
	links []int32
}

// take adds a tree, unless that makes a cycle. undo receives the roots that were joined.
func (m *merged) take(r *Routers, tree []int32, undo *[]int32) bool {
	n := len(m.links)
	if n == len(r.nodes)-1 && slices.ContainsFunc(tree, func(e int32) bool { return !m.has.has(e) }) {
		return false
	}
	for _, e := range tree {
		if m.has.has(e) {
			continue
		}
		root := m.sets.join(r.to[e], r.to[r.back[e]])
		if root < 0 {
			m.retreat(r, n, *undo)
			return false
		}
		*undo = append(*undo, root)
		m.links = append(m.links, e)
		m.has.set(e)
		m.has.set(r.back[e])
	}
	return true
}

func (m *merged) retreat(r *Routers, n int, undo []int32) {
	for _, root := range slices.Backward(undo) {
		m.sets.split(root)
	}
	for _, e := range m.links[n:] {
		m.has.remove(e)
		m.has.remove(r.back[e])
	}
	m.links = m.links[:n]
}
