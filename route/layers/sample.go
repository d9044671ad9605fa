package layers

import (
	"math"
	"slices"

	"weft/problem"
	"weft/unit"
)

// Sample draws the links of sparse layers uniformly at random: FatPaths, Section V-B2 and
// Listing 1.
//
// Departures: a layer has exactly ⌊ρ·|E|⌋ links, as the text says. The listing draws each
// link with probability ρ instead. A layer that does not connect all routers is drawn
// again; the text speaks of a small number of attempts. If all attempts fail, the layer
// with the fewest unreachable pairs is kept. The reading as-printed follows the listing in
// both respects.
type Sample struct {
	// Layers is n, including the layer with all links. According to Section VII-B3, 9
	// suffice for three disjoint paths of a pair.
	Layers int
	// Density is ρ, the share of links in a sparse layer, to six decimals. With 1, all
	// layers have all links.
	Density unit.Ratio
	// Attempts is the most draws of a layer until it connects all routers; 10 when 0.
	Attempts int
	// Reading is Undirected when empty.
	Reading Reading
	Seed    uint64
}

// million is the denominator for shares of links. Whole numbers give the same count of
// links on every machine.
const million = 1_000_000

func (o Sample) share() int { return int(math.Round(float64(o.Density) * million)) }

func (o Sample) check() error {
	if err := checkLayers(o.Layers); err != nil {
		return err
	}
	if !(o.Density > 0 && o.Density <= 1) || o.share() == 0 {
		return problem.At("density", "density is %v", float64(o.Density)).Mend("use more than 0 and at most 1, such as 0.6")
	}
	if o.Attempts < 0 || o.Attempts > 1000 {
		return problem.New("%d attempts", o.Attempts).Mend("use from 1 to 1000")
	}
	return o.Reading.check()
}

// Build draws the layers. It fails if options are out of range.
func (o Sample) Build(r *Routers) (*Layers, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	share := o.share()
	if o.Attempts == 0 {
		o.Attempts = 10
	}
	l := &Layers{routers: r, arcs: []bitset{r.all()}}
	for layer := 1; layer < o.Layers; layer++ {
		if o.Reading == AsPrinted {
			l.arcs = append(l.arcs, o.printed(r, layer, share))
		} else {
			l.arcs = append(l.arcs, o.connected(r, layer, share))
		}
	}
	return l, nil
}

// printed follows lines 3 to 9 of Listing 1.
func (o Sample) printed(r *Routers, layer, share int) bitset {
	var s stream
	s.start(o.Seed, uint64(layer), "order of routers")
	order := s.order(len(r.nodes))
	s.start(o.Seed, uint64(layer), "links")
	arcs := newBitset(len(r.to))
	for u := range int32(len(r.nodes)) {
		for e := r.offset[u]; e < r.offset[u+1]; e++ {
			if order[u] < order[r.to[e]] && s.below(million) < share {
				arcs.set(e)
			}
		}
	}
	return arcs
}

func (o Sample) connected(r *Routers, layer, share int) bitset {
	var best bitset
	apart := int64(math.MaxInt64)
	for attempt := range o.Attempts {
		var s stream
		s.start(o.Seed, uint64(layer)<<16|uint64(attempt), "links")
		arcs := draw(r, &s, int(int64(len(r.to)/2)*int64(share)/million))
		if n := r.unreachable(arcs); n < apart {
			best, apart = arcs, n
		}
		if apart == 0 {
			break
		}
	}
	return best
}

// draw chooses the wanted number of links, each such set with the same probability
// (selection sampling, Knuth, TAOCP 3.4.2, Algorithm S).
func draw(r *Routers, s *stream, wanted int) bitset {
	arcs := newBitset(len(r.to))
	left := len(r.to) / 2
	for e, back := range r.back {
		if int32(e) > back {
			continue
		}
		if s.below(left) < wanted {
			arcs.set(int32(e))
			arcs.set(back)
			wanted--
		}
		left--
	}
	return arcs
}

// unreachable counts the ordered pairs of edge routers that the links, used in both
// directions, do not connect.
func (r *Routers) unreachable(arcs bitset) int64 {
	sets := newUnion(len(r.nodes))
	for e, to := range r.to {
		if arcs.has(int32(e)) {
			sets.join(r.to[r.back[e]], to)
		}
	}
	size := make([]int64, len(r.nodes))
	for _, edge := range r.edges {
		size[sets.find(edge)]++
	}
	pairs := int64(0)
	for _, n := range size {
		pairs += n * (int64(len(r.edges)) - n)
	}
	return pairs
}

// union is a partition of numbers into sets (union by size). Joins can be undone in reverse
// order, so paths are not compressed.
type union struct{ parent, size []int32 }

func newUnion(n int) *union {
	u := &union{make([]int32, n), slices.Repeat([]int32{1}, n)}
	for i := range u.parent {
		u.parent[i] = int32(i)
	}
	return u
}

func (u *union) find(i int32) int32 {
	for u.parent[i] != i {
		i = u.parent[i]
	}
	return i
}

// join unites the sets of two numbers. It returns the root that became a child, or -1 if
// the numbers were already in one set.
func (u *union) join(a, b int32) int32 {
	a, b = u.find(a), u.find(b)
	if a == b {
		return -1
	}
	if u.size[a] < u.size[b] {
		a, b = b, a
	}
	u.parent[b] = a
	u.size[a] += u.size[b]
	return b
}

// split undoes the join that returned this root.
func (u *union) split(root int32) {
	u.size[u.parent[root]] -= u.size[root]
	u.parent[root] = root
}
