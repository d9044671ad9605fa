// Package paths finds the lengths and numbers of minimal paths between routers.
package paths

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"weft/analysis/internal/pool"
	"weft/analysis/routers"
	"weft/internal/portable"
	"weft/sim"
)

// Options configures Count.
type Options struct {
	// Sources is the number of edge routers from which paths are counted, drawn at random without
	// repetition. 0, or a number that is too large, means all.
	Sources int
	Seed    uint64
	// Threads is the number of searches run in parallel; 0 means one per processor. It does not
	// affect results.
	Threads int
	// Progress, if not nil, is called with the share that is done.
	Progress func(share float64)
}

// Kind describes the minimal paths of a pair.
type Kind struct {
	// Hops is their length, l_min.
	Hops int
	// Paths is their number. Parallel cables make separate paths. The largest uint64 stands for
	// itself and all larger numbers.
	Paths uint64
}

// Survey describes the minimal paths between ordered pairs of different edge routers.
type Survey struct {
	// Pairs is the number of pairs examined, and Sources the number of their first routers.
	Pairs   int64
	Sources int
	// Exact is set if all pairs were examined.
	Exact bool
	// Unreachable is the number of pairs without a path.
	Unreachable int64
	// Kinds counts pairs.
	Kinds map[Kind]int64
	// Load bounds the number of flows without conflicts: the directed links between routers
	// divided by the mean length, k'·N_r/d (total network load, FatPaths §IV-B3).
	Load float64
}

// Count surveys the minimal paths between the edge routers of g, by a breadth-first search from
// each source. An interrupted survey returns nothing.
//
// Source: FatPaths §IV-B1 (l_min), Appendix B-A (numbers of walks of l_min hops, which are the
// minimal paths).
func Count(ctx context.Context, g *routers.Graph, o Options) (*Survey, error) {
	edge := g.EdgeRouters()
	if len(edge) < 2 {
		return nil, errors.New("only one router has hosts; paths lead from one to another")
	}
	if o.Sources < 0 {
		return nil, fmt.Errorf("%d sources; use 1 or more, or 0 for all", o.Sources)
	}
	sources := slices.Clone(edge)
	exact := o.Sources == 0 || o.Sources >= len(edge)
	if !exact {
		r := sim.Stream(o.Seed, 0, "sources of minimal paths")
		portable.Sample(&r, sources, o.Sources)
		sources = sources[:o.Sources]
	}
	isEdge := make([]bool, g.Len())
	for _, v := range edge {
		isEdge[v] = true
	}
	workers, err := pool.Each(ctx, len(sources), pool.Options{Threads: o.Threads, Progress: o.Progress},
		func() *search { return newSearch(g) },
		func(s *search, i int) { s.from(sources[i], isEdge) })
	if err != nil {
		return nil, err
	}
	out := &Survey{Sources: len(sources), Exact: exact, Kinds: map[Kind]int64{}}
	out.Pairs = int64(len(sources)) * int64(len(edge)-1)
	reached := int64(0)
	for _, w := range workers {
		for kind, n := range w.kinds {
			out.Kinds[kind] += n
			reached += n
		}
	}
	out.Unreachable = out.Pairs - reached
	if mean := out.MeanHops(); mean > 0 {
		out.Load = 2 * float64(g.Links()) / mean
	}
	return out, nil
}

// MeanHops returns the mean length d of minimal paths over the pairs that have one; 0 if no pair
// has.
func (s *Survey) MeanHops() float64 {
	hops, pairs := int64(0), int64(0)
	for kind, n := range s.Kinds {
		hops += int64(kind.Hops) * n
		pairs += n
	}
	if pairs == 0 {
		return 0
	}
	return float64(hops) / float64(pairs)
}

// Longest returns the largest length of a minimal path. If the survey is exact, this is the
// diameter D of the edge routers.
func (s *Survey) Longest() int {
	most := 0
	for kind := range s.Kinds {
		most = max(most, kind.Hops)
	}
	return most
}

// Lengths returns the share of all pairs by the length of their minimal paths, for 0 to Longest()
// hops.
func (s *Survey) Lengths() []float64 {
	out := make([]float64, s.Longest()+1)
	counts := make([]int64, len(out))
	for kind, n := range s.Kinds {
		counts[kind.Hops] += n
	}
	for h, n := range counts {
		out[h] = float64(n) / float64(s.Pairs)
	}
	return out
}

// Share is a number of paths and the share of pairs that have it.
type Share struct {
	Paths uint64
	Share float64
}

// Counts returns the share of all pairs by their number of minimal paths, in ascending order of
// the number. Pairs without a path are left out.
func (s *Survey) Counts() []Share {
	counts := map[uint64]int64{}
	for kind, n := range s.Kinds {
		counts[kind.Paths] += n
	}
	var out []Share
	for _, paths := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, Share{paths, float64(counts[paths]) / float64(s.Pairs)})
	}
	return out
}

// search is a breadth-first search that counts paths.
type search struct {
	g     *routers.Graph
	hops  []int32
	paths []uint64
	queue []int32
	kinds map[Kind]int64
}

func newSearch(g *routers.Graph) *search {
	s := &search{g: g, hops: make([]int32, g.Len()), paths: make([]uint64, g.Len()), kinds: map[Kind]int64{}}
	for v := range s.hops {
		s.hops[v] = -1
	}
	return s
}

func (s *search) from(source int32, isEdge []bool) {
	s.queue = append(s.queue[:0], source)
	s.hops[source], s.paths[source] = 0, 1
	g := s.g
	for i := 0; i < len(s.queue); i++ {
		v := s.queue[i]
		for arc := g.First[v]; arc < g.First[v+1]; arc++ {
			u := g.To[arc]
			if s.hops[u] < 0 {
				s.hops[u], s.paths[u] = s.hops[v]+1, 0
				s.queue = append(s.queue, u)
			}
			if s.hops[u] == s.hops[v]+1 {
				s.paths[u] = saturating(s.paths[u], s.paths[v], uint64(g.Cables[g.Edge[arc]]))
			}
		}
	}
	for _, v := range s.queue {
		if v != source && isEdge[v] {
			s.kinds[Kind{int(s.hops[v]), s.paths[v]}]++
		}
		s.hops[v] = -1
	}
}

// saturating returns sum + a·b, or the largest uint64 if that overflows.
func saturating(sum, a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	total, carry := bits.Add64(sum, low, 0)
	if high > 0 || carry > 0 {
		return math.MaxUint64
	}
	return total
}
