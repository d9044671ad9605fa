// Package throughput computes the maximum achievable throughput (MAT) of a network:
// the largest T such that every demand gets T times its size at once, without
// any link carrying more than its capacity (FatPaths §VI-A; TopoBench, Jyothi et
// al., SC'16).
//
// [Problem] restricts every commodity to a list of paths, which is the linear
// program of FatPaths' equations 5 to 9 in the variables of paths: where a layer
// sends a commodity over one path, both have the same optimum. [Solve] finds it
// up to a gap that is certified: the lower bound is a flow whose loads are added
// up again at the end, the upper bound is the value of a dual solution, the
// prices of arcs. [SolveFlow] lets commodities use all paths of the network,
// which bounds what any routing can do. [Exact] asks the linear programming
// solver CLP.
//
// Commodities are pairs of routers. Endpoints of one router that send to
// endpoints of one other share the same paths, so adding up their demands
// ([Aggregate]) changes nothing: a flow of the sum can be divided in proportion,
// and the flows of the parts add up to one of the sum. Links of endpoints are
// not part of the problem; what they allow is computed apart ([EndpointBound]).
package throughput

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Problem is a maximum concurrent flow over given paths. Arcs are numbered from
// 0; a path is a list of arcs. It grows by [Problem.Add] and [Problem.AddPath].
type Problem struct {
	// capacity of every arc; arcs without one do not exist.
	capacity []float64
	demand   []float64
	// paths lists the numbers of every commodity's paths.
	paths [][]int32
	// Path p has arcs[start[p]:start[p+1]].
	start []int32
	arcs  []int32
}

// NewProblem returns a problem without commodities. Arcs of capacity 0 do not
// exist. It fails if a capacity is negative or not finite.
func NewProblem(capacity []float64) (*Problem, error) {
	for e, c := range capacity {
		if !(c >= 0) || math.IsInf(c, 1) {
			return nil, fmt.Errorf("arc %d has a capacity of %v; capacities must be positive, or 0 for absent arcs", e, c)
		}
	}
	return &Problem{capacity: slices.Clone(capacity), start: []int32{0}}, nil
}

// Add adds a commodity of that demand, which may have the given paths, and
// returns its number. It fails if the demand is not positive, or as AddPath.
func (p *Problem) Add(demand float64, paths ...[]int32) (int, error) {
	if !(demand > 0) || math.IsInf(demand, 1) {
		return 0, fmt.Errorf("commodity %d demands %v; demands must be positive", len(p.demand), demand)
	}
	i := len(p.demand)
	p.demand = append(p.demand, demand)
	p.paths = append(p.paths, nil)
	for _, path := range paths {
		if _, err := p.AddPath(i, path); err != nil {
			return 0, err
		}
	}
	return i, nil
}

// AddPath lets commodity i use a path, and tells whether it is new: a path that
// the commodity has already is not added again. It fails if the path has no
// arcs, or one that does not exist or comes twice.
func (p *Problem) AddPath(i int, path []int32) (added bool, err error) {
	if len(path) == 0 {
		return false, fmt.Errorf("commodity %d: a path without arcs; traffic within a router is not a commodity", i)
	}
	for j, e := range path {
		if e < 0 || int(e) >= len(p.capacity) || p.capacity[e] == 0 {
			return false, fmt.Errorf("commodity %d: path %v uses arc %d, which does not exist", i, path, e)
		}
		if slices.Contains(path[:j], e) {
			return false, fmt.Errorf("commodity %d: path %v uses arc %d twice; remove its loop", i, path, e)
		}
	}
	for _, q := range p.paths[i] {
		if slices.Equal(p.path(q), path) {
			return false, nil
		}
	}
	p.paths[i] = append(p.paths[i], int32(len(p.start)-1))
	p.arcs = append(p.arcs, path...)
	p.start = append(p.start, int32(len(p.arcs)))
	return true, nil
}

// Commodities returns the number of commodities.
func (p *Problem) Commodities() int { return len(p.demand) }

// Paths returns the number of paths of all commodities.
func (p *Problem) Paths() int { return len(p.start) - 1 }

// path returns the arcs of path q.
func (p *Problem) path(q int32) []int32 { return p.arcs[p.start[q]:p.start[q+1]] }

func (p *Problem) check() error {
	if len(p.demand) == 0 {
		return fmt.Errorf("there is nothing to send: no commodity leaves its router; choose another pattern or more intensity")
	}
	for i, paths := range p.paths {
		if len(paths) == 0 {
			return fmt.Errorf("commodity %d has no path, so the throughput of all is 0; add a layer with all links, or leave such pairs out", i)
		}
	}
	return nil
}

// ended tells whether a search is over: the gap is small enough, or if not why it goes
// no further. It shows the bounds first.
func (r *Result) ended(ctx context.Context, o Options) (bool, error) {
	if o.Progress != nil {
		o.Progress(r.Lower, r.Upper)
	}
	switch {
	case r.Gap() <= o.Gap:
		return true, nil
	case ctx.Err() != nil:
		return true, ctx.Err()
	case r.Passes >= o.Passes:
		return true, ErrGap
	}
	return false, nil
}

// Result is a throughput between two bounds.
type Result struct {
	// Lower is reached by Shares. Upper is the value of Prices; nothing is above.
	Lower, Upper float64
	// Shares tells which share of its commodity's demand goes over every path, by
	// its number, in order of Problem's paths.
	Shares []float64
	// Prices are the dual values of the arcs.
	Prices []float64
	// Passes counts how often all commodities were looked at.
	Passes int
	// Paths is the number of paths that were considered.
	Paths int
}

// Gap returns how much the bounds lie apart, as a share of the upper one.
func (r *Result) Gap() float64 { return (r.Upper - r.Lower) / r.Upper }

// safety widens certified bounds by more than the rounding of their sums.
const safety = 1e-9

// Feasible returns the throughput of a division of the demands over the paths:
// its loads are added up and scaled until the fullest arc is full. Shares of a
// commodity that do not add up to 1 are scaled. It fails if a share is negative
// or a commodity has none.
func (p *Problem) Feasible(shares []float64) (float64, error) {
	load := make([]float64, len(p.capacity))
	for i, paths := range p.paths {
		sum := 0.0
		for _, q := range paths {
			if !(shares[q] >= 0) {
				return 0, fmt.Errorf("commodity %d: path %v carries %v", i, p.path(q), shares[q])
			}
			sum += shares[q]
		}
		if !(sum > 0) {
			return 0, fmt.Errorf("commodity %d is not carried", i)
		}
		for _, q := range paths {
			amount := p.demand[i] * (shares[q] / sum)
			for _, e := range p.path(q) {
				load[e] += amount
			}
		}
	}
	return 1 / (maxUse(load, p.capacity) * (1 + safety)), nil
}

// Bound returns an upper bound of the throughput from prices of arcs: each unit
// of a commodity pays at least its cheapest path, and all together cannot pay
// more than what the capacities are worth (weak duality). It is infinite if the
// prices say nothing.
func (p *Problem) Bound(prices []float64) float64 {
	pays := 0.0
	for i, paths := range p.paths {
		cheapest := math.Inf(1)
		for _, q := range paths {
			cheapest = min(cheapest, p.price(q, prices))
		}
		pays += float64(p.demand[i] * cheapest)
	}
	return bound(p.capacity, prices, pays)
}

// bound is the worth of all capacities over what a throughput of 1 pays.
func bound(capacity, prices []float64, pays float64) float64 {
	worth := 0.0
	for e, c := range capacity {
		worth += float64(c * prices[e])
	}
	if !(pays > 0) {
		return math.Inf(1)
	}
	return worth / pays * (1 + safety)
}

// price adds up the prices of a path's arcs.
func (p *Problem) price(q int32, prices []float64) float64 {
	sum := 0.0
	for _, e := range p.path(q) {
		sum += prices[e]
	}
	return sum
}

// maxUse returns the largest share of an arc's capacity that is used.
func maxUse(load, capacity []float64) float64 {
	most := 0.0
	for e, c := range capacity {
		if c > 0 {
			most = max(most, load[e]/c)
		}
	}
	return most
}
