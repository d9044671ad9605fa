package throughput

import (
	"context"
	"math"
	"slices"
)

// primalDual solves a problem as a game. Flows choose paths to minimize the use of the most used
// arc; prices choose arcs to maximize what the flows pay. Both take projected gradient steps
// against each other (Chambolle and Pock 2011), and restart from their averages when these have
// become closer (Applegate et al., PDLP, NeurIPS 2021). Flows and prices are feasible at every
// step, so both bounds can be computed at any time. If many arcs are about as full as the
// fullest, it needs far fewer steps than the descent.
type primalDual struct {
	*Problem
	pricer pricer
	// exist lists the arcs with capacity, and inv is the inverse capacity of each arc.
	exist []int32
	inv   []float64
	// flow is the flow on each path. weight is the weight of each arc (its price times its
	// capacity; weights add up to 1). The Sum fields are sums since the last restart, and the
	// Start fields are values at the last restart.
	flow, flowSum, flowStart       []float64
	weight, weightSum, weightStart []float64
	steps                          int
	// eta is the step size, and balance divides it between flows and weights.
	eta, balance float64

	use, cost, trial, list []float64
	best                   *Result
	// last is the gap over the pool at the last restart, and before the gap at the previous look
	// since then. priced is the gap over all paths when they were last priced.
	last, before, priced float64
}

// stepsPerLook is the number of steps between two computations of the bounds.
const stepsPerLook = 20

func newPrimalDual(p *Problem, pricer pricer, from *Result) *primalDual {
	d := &primalDual{
		Problem: p, pricer: pricer, best: from,
		inv: make([]float64, len(p.capacity)), use: make([]float64, len(p.capacity)), cost: make([]float64, len(p.capacity)),
		weight: make([]float64, len(p.capacity)), weightSum: make([]float64, len(p.capacity)),
		last: math.Inf(1), before: math.Inf(1), priced: math.Inf(1),
	}
	worth := 0.0
	for e, c := range p.capacity {
		if c > 0 {
			d.exist = append(d.exist, int32(e))
			d.inv[e] = 1 / c
			d.weight[e] = c * from.Prices[e]
			worth += d.weight[e]
		}
	}
	for _, e := range d.exist {
		d.weight[e] /= worth
	}
	d.grow()
	for i, paths := range p.paths {
		for _, q := range paths {
			if int(q) < len(from.Shares) {
				d.flow[q] = p.demand[i] * from.Shares[q]
			}
		}
	}
	d.balance = norm(d.weight) / norm(d.flow)
	d.measure()
	d.start()
	return d
}

// grow makes room for paths that were added. They carry no flow yet.
func (d *primalDual) grow() {
	for len(d.flow) < d.Problem.Paths() {
		d.flow = append(d.flow, 0)
		d.flowSum = append(d.flowSum, 0)
		d.flowStart = append(d.flowStart, 0)
		d.trial = append(d.trial, 0)
	}
}

// measure sets the step size from the largest singular value of the matrix of paths and arcs,
// found by power iteration.
func (d *primalDual) measure() {
	v := slices.Repeat([]float64{1}, len(d.flow))
	length := 1.0
	for range 30 {
		d.uses(v)
		for e := range d.use {
			d.cost[e] = d.use[e] * d.inv[e]
		}
		for q := range v {
			v[q] = d.price(int32(q), d.cost)
		}
		length = norm(v)
		for q := range v {
			v[q] /= length
		}
	}
	d.eta = 0.9 / math.Sqrt(length)
}

func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	return math.Sqrt(sum)
}

// start begins new averages from the present flows and weights.
func (d *primalDual) start() {
	copy(d.flowStart, d.flow)
	d.weightStart = append(d.weightStart[:0], d.weight...)
	clear(d.flowSum)
	clear(d.weightSum)
	d.steps = 0
	d.before = math.Inf(1)
}

// uses sets use to the share of each arc's capacity that flows take.
func (d *primalDual) uses(flow []float64) {
	clear(d.use)
	for q, x := range flow {
		if x != 0 {
			for _, e := range d.path(int32(q)) {
				d.use[e] += x
			}
		}
	}
	for _, e := range d.exist {
		d.use[e] *= d.inv[e]
	}
}

// prices sets cost to the prices that weights represent.
func (d *primalDual) prices(weight []float64) {
	for _, e := range d.exist {
		d.cost[e] = weight[e] * d.inv[e]
	}
}

func (d *primalDual) run(ctx context.Context, o Options) error {
	for {
		for range stepsPerLook {
			d.step()
		}
		d.best.Passes += stepsPerLook
		if err := d.look(o.Gap); err != nil {
			return err
		}
		if end, err := d.best.ended(ctx, o); end {
			return err
		}
	}
}

// step moves flows against prices. It then moves weights along the use that flows would have if
// they moved as far again.
func (d *primalDual) step() {
	d.prices(d.weight)
	down, up := d.eta/d.balance, d.eta*d.balance
	for i, paths := range d.paths {
		if len(paths) == 1 {
			d.trial[paths[0]] = d.flow[paths[0]]
			d.flowSum[paths[0]] += d.flow[paths[0]]
			continue
		}
		d.list = d.list[:0]
		for _, q := range paths {
			d.list = append(d.list, d.flow[q]-float64(down*d.price(q, d.cost)))
		}
		threshold := simplexThreshold(d.list, d.demand[i])
		for _, q := range paths {
			x := max(0, d.flow[q]-float64(down*d.price(q, d.cost))-threshold)
			d.trial[q] = x + (x - d.flow[q])
			d.flow[q] = x
			d.flowSum[q] += x
		}
	}
	d.uses(d.trial)
	d.list = d.list[:0]
	for _, e := range d.exist {
		d.weight[e] += float64(up * d.use[e])
		d.list = append(d.list, d.weight[e])
	}
	threshold := simplexThreshold(d.list, 1)
	for _, e := range d.exist {
		w := max(0, d.weight[e]-threshold)
		d.weight[e] = w
		d.weightSum[e] += w
	}
	d.steps++
}

// simplexThreshold returns the number to subtract from all list elements, with negative results
// set to 0, so that they add up to total. This is the projection onto a simplex (Michelot 1986).
// It modifies the list.
func simplexThreshold(list []float64, total float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	for {
		threshold := (sum - total) / float64(len(list))
		kept := 0
		sum = 0
		for _, x := range list {
			if x > threshold {
				list[kept] = x
				kept++
				sum += x
			}
		}
		if kept == len(list) || kept == 0 {
			return threshold
		}
		list = list[:kept]
	}
}

// look computes the bounds of the present and the average flows and weights, and restarts from
// the better ones when due.
func (d *primalDual) look(target float64) error {
	lower, upper := d.bounds(d.flow, d.weight)
	present := 1/lower - 1/upper
	n := 1 / float64(d.steps)
	flow, weight := slices.Clone(d.flowSum), slices.Clone(d.weightSum)
	for q := range flow {
		flow[q] *= n
	}
	for e := range weight {
		weight[e] *= n
	}
	lower, upper = d.bounds(flow, weight)
	average := 1/lower - 1/upper
	gap := min(present, average)
	// In units of the use of the fullest arc, like the bounds of a game.
	relative := gap * d.best.Lower
	if d.pricer != nil && (relative < target/2 || relative < d.priced/3) {
		if average > present {
			weight = d.weight
		}
		added, err := d.reprice(weight)
		if err != nil {
			return err
		}
		d.priced = d.best.Gap()
		if added > 0 {
			d.measure()
			d.last = math.Inf(1)
			if average <= present {
				copy(d.flow, flow)
				copy(d.weight, weight)
			}
			d.start()
			return nil
		}
	}
	if gap < 0.2*d.last || gap < 0.8*d.last && gap > d.before || d.steps >= 40*stepsPerLook {
		if average < present {
			copy(d.flow, flow)
			copy(d.weight, weight)
		}
		d.rebalance()
		d.last = gap
		d.start()
		return nil
	}
	d.before = gap
	return nil
}

// rebalance gives larger steps to whichever of flows and weights moved further since the last
// restart.
func (d *primalDual) rebalance() {
	far := func(a, b []float64) float64 {
		sum := 0.0
		for i := range a {
			sum += float64((a[i] - b[i]) * (a[i] - b[i]))
		}
		return math.Sqrt(sum)
	}
	flow, weight := far(d.flow, d.flowStart), far(d.weight, d.weightStart)
	if flow > 0 && weight > 0 {
		d.balance = math.Sqrt(d.balance * (weight / flow))
	}
}

// bounds returns the bounds from a flow and weights over the paths of the problem, and records
// them if they are the best.
func (d *primalDual) bounds(flow, weight []float64) (lower, upper float64) {
	d.uses(flow)
	lower = 1 / (slices.Max(d.use) * (1 + safety))
	if lower > d.best.Lower {
		d.best.Lower = lower
		d.best.Shares = append(d.best.Shares[:0], flow...)
		for i, paths := range d.paths {
			for _, q := range paths {
				d.best.Shares[q] /= d.demand[i]
			}
		}
	}
	d.prices(weight)
	upper = d.Bound(d.cost)
	if d.pricer == nil && upper < d.best.Upper {
		d.best.Upper = upper
		copy(d.best.Prices, d.cost)
	}
	return lower, upper
}

// reprice looks for cheaper paths and computes the bound over all paths in the network. A small
// weight on all arcs keeps paths over arcs with price 0 short.
func (d *primalDual) reprice(weight []float64) (added int, err error) {
	const share = 1e-4
	d.prices(weight)
	for _, e := range d.exist {
		d.cost[e] = float64((1-share)*d.cost[e]) + float64(share*d.inv[e]/float64(len(d.exist)))
	}
	before := d.Problem.Paths()
	pays, err := d.pricer.price(d.cost)
	if err != nil {
		return 0, err
	}
	if upper := bound(d.capacity, d.cost, pays); upper < d.best.Upper {
		d.best.Upper = upper
		copy(d.best.Prices, d.cost)
	}
	d.grow()
	return d.Problem.Paths() - before, nil
}
