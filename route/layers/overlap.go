package layers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"weft/problem"
)

// Overlap builds layers whose paths overlap little with those in other layers: FatPaths,
// Section V-B3 and Listing 2. In each layer, the pair of routers with the fewest paths so
// far gets a path of MinHops to MaxHops links. The path must increase in the layer's random
// order, and its links must have the least total weight. Then the weights of its links
// grow, and its chords are no longer available to the layer.
//
// Choices where the listing leaves a detail open:
//
//   - MinHops, MaxHops and Paths, whose values are not printed, follow one rule for
//     all families when they are 0: see [Overlap.Rule].
//   - A path has at least MinHops and at most MaxHops links. As printed, the two
//     tests of a path's length contradict the listing's own comment.
//   - Link number i of L, counted from 0, gains (i+1)·(L-i). The middle links gain
//     most, and every link gains something. With the listing's i·(length-1-i), at
//     least one end gains nothing or loses, whichever way indices and lengths are
//     meant.
//   - A pair gets one path per layer; the listing does not say when it leaves 𝒱 after
//     success. Pairs are those of edge routers.
//   - Among paths of the least weight a shorter one is taken, and among these one at
//     random.
//   - In the reading undirected, links serve both directions, so weights belong to
//     links and priorities to unordered pairs.
type Overlap struct {
	// Layers is n, including the layer with all links.
	Layers int
	// MinHops and MaxHops are L_min and L_max, in links.
	MinHops, MaxHops int
	// Paths is M, the most paths that a layer gets.
	Paths int
	// Reading is Undirected when empty.
	Reading Reading
	Seed    uint64
}

// maxHops limits L_max. The search joins two halves, and longer paths are far from minimal
// in any network of low diameter.
const maxHops = 16

// Rule fills in the parameters that are 0. The rule is the same for all families of
// networks, and depends only on distances:
//
//   - MinHops is one more than the most frequent distance of two edge routers, "one
//     hop longer than minimal" (Section V-B3). It is two more if the network is
//     bipartite, as in fat trees, where the lengths of paths between two routers are
//     all even or all odd.
//   - MaxHops is MinHops.
//   - Paths is ⌈¾·|E| / MinHops⌉. That would cover three quarters of all links if no
//     two paths of a layer shared one; since they do, it covers 40 to 50 %.
//
// The share ¾ was chosen by counting disjoint paths per hop over nine layers of five
// families with 1k hosts, before any throughput was computed: see docs/layers.md for the
// numbers.
func (o Overlap) Rule(r *Routers) Overlap {
	if o.MinHops == 0 {
		o.MinHops = r.typical() + 1
		if r.bipartite() {
			o.MinHops++
		}
		if o.MaxHops > 0 {
			o.MinHops = min(o.MinHops, o.MaxHops)
		}
	}
	if o.MaxHops == 0 {
		o.MaxHops = o.MinHops
	}
	if o.Paths == 0 {
		o.Paths = (3*r.Links() + 4*o.MinHops - 1) / (4 * o.MinHops)
	}
	return o
}

// check refuses options that are wrong on any network. The rule fills in those that are 0.
func (o Overlap) check() error {
	if err := checkLayers(o.Layers); err != nil {
		return err
	}
	switch {
	case o.MinHops < 0 || o.MaxHops < 0 || o.MaxHops > 0 && o.MaxHops < o.MinHops:
		return problem.At("min_hops", "paths of %d to %d hops", o.MinHops, o.MaxHops).Mend("the shortest must be from 1 to the longest; 0 uses the rule's")
	case o.Paths < 0:
		return problem.At("paths", "%d paths per layer", o.Paths).Mend("use at least 1, or 0 for the rule's")
	}
	if err := checkHops(max(o.MinHops, o.MaxHops)); err != nil {
		return err
	}
	return o.Reading.check()
}

func checkHops(most int) error {
	if most > maxHops {
		return problem.At("max_hops", "paths of up to %d hops", most).Mend("layers of low overlap allow at most %d", maxHops)
	}
	return nil
}

// Build builds the layers. The work is proportional to the number of their paths, and of
// the pairs tried in vain. It fails if options are out of range, or if ctx ends. It reports
// progress. The layers are built one after another, because each depends on the earlier
// ones.
func (o Overlap) Build(ctx context.Context, r *Routers, w Work) (*Layers, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if len(r.edges) < 2 {
		return nil, errors.New("only one router has hosts, so no pair of routers needs a path; use more")
	}
	o = o.Rule(r)
	if err := checkHops(o.MaxHops); err != nil { // from the rule
		return nil, err
	}
	b := newOverlapBuilder(o, r)
	l := &Layers{routers: r, arcs: []bitset{r.all()}}
	for layer := 1; layer < o.Layers; layer++ {
		report := func(share float64) {
			if w.Progress != nil {
				w.Progress((float64(layer-1) + share) / float64(o.Layers-1))
			}
		}
		arcs, err := b.layer(ctx, layer, report)
		if err != nil {
			return nil, fmt.Errorf("layer %d of %d: %w", layer, o.Layers, err)
		}
		l.arcs = append(l.arcs, arcs)
	}
	return l, nil
}

// overlapBuilder holds the state that layers share, and the state of the current layer.
type overlapBuilder struct {
	options Overlap
	routers *Routers
	random  stream
	// placed counts the paths of each pair of edge routers over all layers. most is the
	// largest count.
	placed []uint8
	most   uint8
	// removed marks the ordered pairs that have left 𝒱 in this layer, by the same
	// numbering.
	removed bitset
	finder  pathFinder
}

func newOverlapBuilder(o Overlap, r *Routers) *overlapBuilder {
	pairs := len(r.edges) * len(r.edges)
	return &overlapBuilder{
		options: o, routers: r,
		placed:  make([]uint8, pairs),
		removed: newBitset(pairs),
		finder:  newPathFinder(r, o.MinHops, o.MaxHops),
	}
}

// layer implements create_layer of Listing 2.
func (b *overlapBuilder) layer(ctx context.Context, layer int, report func(float64)) (bitset, error) {
	r := b.routers
	b.random.start(b.options.Seed, uint64(layer), "order of routers")
	b.finder.begin(b.random.order(len(r.nodes)))
	b.random.start(b.options.Seed, uint64(layer), "order of pairs")
	pairs := newShuffle(uint64(len(b.placed)), &b.random)
	b.finder.random.start(b.options.Seed, uint64(layer), "paths")
	clear(b.removed)
	arcs := newBitset(len(r.to))
	count := 0
	// Only a pair that gets a path changes its priority, and then it leaves. So pairs can
	// be taken one priority after another, each in the same random order.
	for priority := uint8(0); priority <= b.most && count < b.options.Paths; priority++ {
		for i := range pairs.n {
			if i&0xfff == 0 {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			if b.try(pairs.at(i), priority, arcs) {
				count++
				report(float64(count) / float64(b.options.Paths))
				if count == b.options.Paths {
					break
				}
			}
		}
	}
	return arcs, nil
}

// try adds a path for a pair, if the pair is a candidate of this priority and has a path.
func (b *overlapBuilder) try(pair uint64, priority uint8, arcs bitset) bool {
	r := b.routers
	n := uint64(len(r.edges))
	u, v := r.edges[pair/n], r.edges[pair%n]
	if b.finder.order[u] >= b.finder.order[v] || b.placed[b.number(u, v)] != priority || b.removed.hasWide(pair) {
		return false
	}
	path := b.finder.find(u, v)
	if path == nil {
		return false
	}
	for i, e := range path {
		arcs.set(e)
		weight := int64(i+1) * int64(len(path)-i)
		b.finder.weight[e] += weight
		if b.options.Reading != AsPrinted {
			arcs.set(r.back[e])
			b.finder.weight[r.back[e]] += weight
		}
	}
	b.finder.exclude(path)
	b.remove(u, path)
	b.removed.setWide(pair)
	// A larger count would not fit in a byte, and makes no difference.
	if p := &b.placed[b.number(u, v)]; *p < math.MaxUint8-1 {
		*p++
		b.most = max(b.most, *p)
	}
	return true
}

// number returns the index of a pair's priority. Pairs are unordered if links serve both
// directions.
func (b *overlapBuilder) number(u, v int32) int {
	r := b.routers
	x, y := int(r.edge[u]), int(r.edge[v])
	if b.options.Reading != AsPrinted && x > y {
		x, y = y, x
	}
	return x*len(r.edges) + y
}

// remove removes from 𝒱 the pairs that are nearer than MinHops along the path. A longer
// path of such a pair would not be the shortest in this layer (line 29).
func (b *overlapBuilder) remove(u int32, path []int32) {
	r := b.routers
	way := []int32{u}
	for _, e := range path {
		way = append(way, r.to[e])
	}
	for i, x := range way {
		for _, y := range way[i+1 : min(len(way), i+b.options.MinHops)] {
			if r.edge[x] >= 0 && r.edge[y] >= 0 {
				b.removed.setWide(uint64(r.edge[x])*uint64(len(r.edges)) + uint64(r.edge[y]))
			}
		}
	}
}

// typical returns the most frequent distance of two different edge routers, the smallest
// one in case of a tie.
func (r *Routers) typical() int {
	count := []int64{0}
	d := newDistances(r)
	for _, destination := range r.edges {
		for _, distance := range d.from(destination) {
			for len(count) <= int(distance) {
				count = append(count, 0)
			}
		}
		for _, source := range r.edges {
			count[d.hops[source]]++
		}
	}
	count[0] = 0
	return slices.Index(count, slices.Max(count))
}

// bipartite reports whether the routers form two classes with links only between the
// classes.
func (r *Routers) bipartite() bool {
	hops := newDistances(r).from(0)
	for e, to := range r.to {
		if hops[to]&1 == hops[r.to[r.back[e]]]&1 {
			return false
		}
	}
	return true
}
