// Package throughput computes the maximum achievable throughput (MAT) of a network: the largest T
// such that every demand gets T times its size at the same time, without any link carrying more
// than its capacity (FatPaths §VI-A; TopoBench, Jyothi et al., SC'16).
//
// [Problem] restricts every commodity to a list of paths. This is the linear program of FatPaths'
// equations 5 to 9 in the variables of paths. If a layer sends a commodity over one path, both
// have the same optimum. [Solve] finds it up to a certified gap. The lower bound is a flow whose
// loads are recomputed at the end; the upper bound is the value of a dual solution, the prices of
// arcs. [SolveFlow] lets commodities use all paths of the network, which bounds any routing.
// [Exact] uses the linear programming solver CLP.
//
// Commodities are pairs of routers. Endpoints of one router that send to endpoints of another
// share the same paths, so adding up their demands ([Network.Aggregate]) changes nothing: a flow
// of the sum can be divided in proportion, and the flows of the parts add up to one of the sum.
// Links of endpoints are not part of the problem; their limit is computed separately
// ([Network.EndpointBound]).
package throughput

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Problem is a maximum concurrent flow over given paths. Arcs are numbered from 0; a path is a
// list of arcs. [Problem.Add] and [Problem.AddPath] extend it.
type Problem struct {
	// capacity lists the arcs' capacities. Arcs with capacity 0 do not exist.
	capacity []float64
	demand   []float64
	// paths lists the indices of every commodity's paths.
	paths [][]int32
	// Path p has arcs[start[p]:start[p+1]].
	start []int32
	arcs  []int32
}

// NewProblem returns a problem without commodities. Arcs with capacity 0 do not exist. It fails
// if a capacity is negative or not finite.
func NewProblem(capacity []float64) (*Problem, error) {
	for e, c := range capacity {
		if !(c >= 0) || math.IsInf(c, 1) {
			return nil, fmt.Errorf("arc %d has a capacity of %v; capacities must be positive, or 0 for absent arcs", e, c)
		}
	}
	return &Problem{capacity: slices.Clone(capacity), start: []int32{0}}, nil
}

// Add adds a commodity with a demand and optional paths, and returns its index. It fails if the
// demand is not positive, or for the reasons that AddPath fails.
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

// AddPath lets commodity i use a path, and reports whether the path is new to it. It fails if the
// path is empty, or contains an arc that does not exist or occurs twice.
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

// ended reports whether a search is over: because the gap is small enough, or because of the
// returned error. It calls Progress first.
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
	// Lower is achieved by Shares. Upper is the value of Prices; no throughput is above it.
	Lower, Upper float64
	// Shares is, for each path of the Problem, the share of its commodity's demand that it
	// carries.
	Shares []float64
	// Prices holds the dual values of the arcs.
	Prices []float64
	// Passes is the number of passes over all commodities.
	Passes int
	// Paths is the number of paths considered.
	Paths int
}

// Gap returns the difference of the bounds, as a share of the upper one.
func (r *Result) Gap() float64 { return (r.Upper - r.Lower) / r.Upper }

// safety widens certified bounds by more than the rounding errors of their sums.
const safety = 1e-9

// Feasible returns the throughput of a division of the demands over the paths: it adds up the
// loads and scales them until the fullest arc is full. Shares of a commodity that do not add up
// to 1 are scaled. It fails if a share is negative or a commodity has no share.
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

// Bound returns an upper bound of the throughput from prices of arcs. Each unit of a commodity
// pays at least its cheapest path, and all together cannot pay more than the capacities are worth
// (weak duality). It is infinite if the prices give no bound.
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

// bound returns the worth of all capacities divided by what a throughput of 1 pays.
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

// price returns the sum of the prices of a path's arcs.
func (p *Problem) price(q int32, prices []float64) float64 {
	sum := 0.0
	for _, e := range p.path(q) {
		sum += prices[e]
	}
	return sum
}

// maxUse returns the largest used share of any arc's capacity.
func maxUse(load, capacity []float64) float64 {
	most := 0.0
	for e, c := range capacity {
		if c > 0 {
			most = max(most, load[e]/c)
		}
	}
	return most
}
