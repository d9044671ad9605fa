// Package layers routes by layers, as FatPaths does (Besta et al., SC 2020, Section V and
// Appendix C), and by the schemes that FatPaths is compared with.
//
// A layer is a set of links. Routing within a layer is minimal. Layers are so sparse that
// their minimal paths are often not minimal in the whole network. That is how a few tables
// give many paths. Layer 0 has all links.
//
//   - [Sample] draws layers at random (Listing 1), [Overlap] lets paths overlap
//     little (Listing 2). Both give [Layers], which [Layers.Tables] turns into
//     next-hop tables (Listing 3).
//   - [Spain] makes forests of link-disjoint paths (Listing 4), [Past] one tree for
//     each address (Listing 5); [Shortest] gives the k shortest paths of a pair
//     (Appendix C-D).
//
// Each of them provides a [Source] of explicit paths between two routers. [Measure]
// measures how long and how disjoint these paths are, and [Scheme] makes any of the schemes
// by name. All are functions of the graph and a seed; the number of workers changes
// nothing.
package layers

import (
	"math/bits"
	"math/rand/v2"

	"weft/problem"
	"weft/sim"
	"weft/topo"
)

// Reading defines how the links of a sparse layer may be used. The pseudocode and the text
// of FatPaths differ.
type Reading string

// Readings.
const (
	// Undirected uses links in both directions, as the text of Section V-B does.
	Undirected Reading = "undirected"
	// AsPrinted uses a link only from the router that comes first in the layer's random
	// order (π(u) < π(v) in Listings 1 and 2). That makes the layer acyclic, and leaves at
	// least half of all ordered pairs without a route in it.
	AsPrinted Reading = "as-printed"
)

func (r Reading) check() error {
	switch r {
	case Undirected, AsPrinted, "":
		return nil
	}
	return problem.New("unknown reading %q of layers", string(r)).Mend("use %s or %s", Undirected, AsPrinted)
}

// MaxLayers is the most layers that tables can have.
const MaxLayers = 4096

func checkLayers(n int) error {
	if n < 1 || n > MaxLayers {
		return problem.New("%d layers", n).Mend("use from 1 to %d, counting the one with all links", MaxLayers)
	}
	return nil
}

// Layers holds sets of directed links over the same routers. The first set has all links.
type Layers struct {
	routers *Routers
	// arcs has a bit for each entry of the routers.
	arcs []bitset
}

// Minimal returns the layer with all links, n times. Their tables differ only by random
// choices among minimal next hops.
func Minimal(r *Routers, n int) (*Layers, error) {
	if err := checkLayers(n); err != nil {
		return nil, err
	}
	l := &Layers{routers: r}
	full := r.all()
	for range n {
		l.arcs = append(l.arcs, full)
	}
	return l, nil
}

// Routers returns the routers of the layers.
func (l *Layers) Routers() *Routers { return l.routers }

// Len returns the number of layers, n.
func (l *Layers) Len() int { return len(l.arcs) }

// Links returns the number of links that a layer uses in at least one direction.
func (l *Layers) Links(layer int) int {
	n := 0
	for e, back := range l.routers.back {
		if int32(e) < back && (l.arcs[layer].has(int32(e)) || l.arcs[layer].has(back)) {
			n++
		}
	}
	return n
}

// Has reports whether a layer has the directed link from a router by one of its ports.
func (l *Layers) Has(layer, router, port int) bool {
	return l.arcs[layer].has(l.routers.offset[router] + int32(port))
}

// all returns the set of all directed links.
func (r *Routers) all() bitset {
	b := newBitset(len(r.to))
	for i := range b {
		b[i] = ^uint64(0)
	}
	return b
}

type bitset []uint64

func newBitset(n int) bitset           { return make(bitset, (n+63)/64) }
func (b bitset) has(i int32) bool      { return b[i>>6]>>(i&63)&1 != 0 }
func (b bitset) set(i int32)           { b[i>>6] |= 1 << (i & 63) }
func (b bitset) remove(i int32)        { b[i>>6] &^= 1 << (i & 63) }
func (b bitset) hasWide(i uint64) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bitset) setWide(i uint64)      { b[i>>6] |= 1 << (i & 63) }

// stream holds the random numbers of one entity and purpose under a seed.
type stream struct{ rand.PCG }

func (s *stream) start(seed, entity uint64, purpose string) {
	sim.SeedStream(&s.PCG, seed, entity, "layers: "+purpose)
}

// below returns a number from 0 to n-1, all with the same probability (Lemire 2019).
func (s *stream) below(n int) int {
	high, low := bits.Mul64(s.Uint64(), uint64(n))
	if low < uint64(n) {
		for limit := -uint64(n) % uint64(n); low < limit; {
			high, low = bits.Mul64(s.Uint64(), uint64(n))
		}
	}
	return int(high)
}

// order returns the numbers below n in random order.
func (s *stream) order(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		j := s.below(i + 1)
		order[i] = order[j]
		order[j] = int32(i)
	}
	return order
}

// Source provides explicit paths between routers. Only one goroutine may use a Source.
type Source interface {
	// Paths returns the distinct paths from one router to another, each as its ports in
	// order. It returns none if there is no route, and one path without ports if the
	// routers are the same. The result is valid until the next call.
	Paths(from, to int) [][]topo.PortID
}
