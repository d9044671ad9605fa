package throughput

import (
	"context"
	"errors"
	"fmt"
	"math"

	"weft/internal/portable"
)

// Options configures Solve and SolveFlow.
type Options struct {
	// Gap is the largest allowed difference of the bounds, as a share of the upper one. 0 means 1
	// %.
	Gap float64
	// Passes limits the number of passes over all commodities; 0 means a million.
	Passes int
	// Progress, if not nil, is called occasionally with the bounds.
	Progress func(lower, upper float64)
}

// DefaultGap is the gap used if Options.Gap is 0.
const DefaultGap = 0.01

func (o Options) withDefaults() (Options, error) {
	if o.Gap == 0 {
		o.Gap = DefaultGap
	}
	if o.Passes == 0 {
		o.Passes = 1_000_000
	}
	if !(o.Gap >= 1e-6 && o.Gap < 1) || o.Passes < 0 {
		return o, fmt.Errorf("a gap of %v after %d passes; the gap must be a share from 0.000001 to 1", o.Gap, o.Passes)
	}
	return o, nil
}

// ErrGap reports that Solve returns bounds that are further apart than requested.
var ErrGap = errors.New("the bounds did not come close enough; allow more passes or a larger gap")

// Solve computes the throughput of a problem. The result is the same on every platform.
//
// It begins with a descent that minimizes the sum of exp(α·use) over the arcs. The descent moves
// flow from dearer paths to the cheapest one, one commodity after another; the price of an arc is
// exp(α·use)/capacity. For α → ∞ only the fullest arc counts. The prices are always a dual
// solution, and its bound says when to stop. α doubles when it, rather than the division of the
// flow, limits the gap. This is a descent on the potential of Shahrokhi and Matula (1990) and
// their successors, except that flow is moved rather than added, so that bad early decisions are
// undone. If the descent does not finish soon, a game of flows against prices continues from
// there, by the primal-dual hybrid gradient method with restarts.
//
// If ctx ends, or the passes are used up (ErrGap), Solve returns the current bounds with the
// error.
func Solve(ctx context.Context, p *Problem, o Options) (*Result, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	return climb(ctx, p, nil, o)
}

// descentPasses is the number of descent passes before the game takes over. Most networks with
// one commodity per router finish earlier.
const descentPasses = 60

// climb runs the descent and, if the bounds are still apart, the game.
func climb(ctx context.Context, p *Problem, pricer pricer, o Options) (*Result, error) {
	first := o
	first.Passes = min(o.Passes, descentPasses)
	d := newDescent(p, pricer)
	err := d.run(ctx, first)
	if errors.Is(err, ErrGap) && first.Passes < o.Passes {
		err = newPrimalDual(p, pricer, &d.best).run(ctx, o)
	}
	if err != nil && !errors.Is(err, ErrGap) && ctx.Err() == nil {
		return nil, err
	}
	return finish(p, pricer, &d.best, err)
}

// pricer finds paths for commodities that the problem does not have yet.
type pricer interface {
	// price returns the least that a throughput of 1 pays at these prices, over all paths in the
	// network, and adds the cheapest paths to the problem.
	price(prices []float64) (pays float64, err error)
}

// descent is the state of Solve's descent.
type descent struct {
	*Problem
	// pricer is nil if the paths are fixed.
	pricer pricer
	alpha  float64
	// shares is each path's share of its demand, and load each arc's load. prices holds the arcs'
	// prices up to a common factor, chosen so that the fullest arc's price times its capacity is
	// about 1.
	shares []float64
	load   []float64
	prices []float64
	// level is the use at which an arc's price times its capacity is 1.
	level float64
	// mark equals stamp for arcs of the cheapest path.
	mark  []int32
	stamp int32
	costs []float64

	best  Result
	exist int
}

func newDescent(p *Problem, pricer pricer) *descent {
	d := &descent{
		Problem: p, pricer: pricer,
		load: make([]float64, len(p.capacity)), prices: make([]float64, len(p.capacity)), mark: make([]int32, len(p.capacity)),
	}
	for _, c := range p.capacity {
		if c > 0 {
			d.exist++
		}
	}
	d.best = Result{Upper: math.Inf(1), Prices: make([]float64, len(p.capacity))}
	d.grow()
	for _, paths := range p.paths {
		for _, q := range paths {
			d.shares[q] = 1 / float64(len(paths))
		}
	}
	d.settle()
	d.alpha = 2 * d.entropy() / d.level
	return d
}

// entropy returns 1 plus the logarithm of the number of arcs: how much the sum of the potential
// can hide from its largest term.
func (d *descent) entropy() float64 { return 1 + portable.Log(float64(d.exist)) }

// settled reports whether increasing α would help more than moving flow at this α: at the optimum
// for α, the bounds are still up to entropy/α apart. The factor was found by trial, and affects
// only the speed.
func (d *descent) settled(slack float64) bool { return slack*d.alpha < 0.3*d.entropy() }

// grow makes room for paths that were added.
func (d *descent) grow() {
	for len(d.shares) < d.Problem.Paths() {
		d.shares = append(d.shares, 0)
	}
}

// settle recomputes the loads, so that rounding errors do not accumulate, and sets the level to
// the use of the fullest arc.
func (d *descent) settle() {
	clear(d.load)
	for i, paths := range d.paths {
		for _, q := range paths {
			if s := d.shares[q]; s > 0 {
				amount := d.demand[i] * s
				for _, e := range d.path(q) {
					d.load[e] += amount
				}
			}
		}
	}
	d.level = maxUse(d.load, d.capacity)
}

// reprice sets all prices.
func (d *descent) reprice() {
	for e, c := range d.capacity {
		if c > 0 {
			d.setPrice(int32(e))
		}
	}
}

// floor keeps prices of empty arcs above 0, so that paths over them are not arbitrarily long.
const floor = 1e-12

func (d *descent) setPrice(e int32) {
	c := d.capacity[e]
	d.prices[e] = (portable.Exp(d.alpha*(d.load[e]/c-d.level)) + floor) / c
}

func (d *descent) run(ctx context.Context, o Options) error {
	for pass := 1; ; pass++ {
		d.reprice()
		slack, err := d.look()
		if err != nil {
			return err
		}
		d.best.Passes = pass
		if end, err := d.best.ended(ctx, o); end {
			return err
		}
		if d.settled(slack) {
			d.alpha *= 2
			d.reprice()
		}
		for i := range d.paths {
			d.improve(i)
		}
		d.settle()
	}
}

// look computes the bounds of the present state. It returns how much the use of the fullest arc
// could fall, to first order, if α were infinite: the excess of the flow's payments over its
// cheapest paths.
func (d *descent) look() (slack float64, err error) {
	pays, paid := 0.0, 0.0
	for i, paths := range d.paths {
		cheapest, mean := math.Inf(1), 0.0
		for _, q := range paths {
			price := d.price(q, d.prices)
			cheapest = min(cheapest, price)
			mean += float64(d.shares[q] * price)
		}
		pays += float64(d.demand[i] * cheapest)
		paid += float64(d.demand[i] * mean)
	}
	worth := 0.0
	for e, c := range d.capacity {
		worth += float64(c * d.prices[e])
	}
	slack = (paid - pays) / worth
	if d.pricer != nil {
		// Exhaust the pool of paths before adding more.
		if d.settled(slack) {
			pays, err = d.pricer.price(d.prices)
			if err != nil {
				return 0, err
			}
			d.grow()
			slack = (paid - pays) / worth
		} else {
			pays = 0
		}
	}
	if upper := bound(d.capacity, d.prices, pays); upper < d.best.Upper {
		d.best.Upper = upper
		copy(d.best.Prices, d.prices)
	}
	if lower := 1 / (d.level * (1 + safety)); lower > d.best.Lower {
		d.best.Lower = lower
		d.best.Shares = append(d.best.Shares[:0], d.shares...)
	}
	return slack, nil
}

// improve moves flow of commodity i from its dearer paths to its cheapest one.
func (d *descent) improve(i int) {
	paths := d.paths[i]
	if len(paths) == 1 {
		return
	}
	d.costs = d.costs[:0]
	best := 0
	for j, q := range paths {
		d.costs = append(d.costs, d.price(q, d.prices))
		if d.costs[j] < d.costs[best] {
			best = j
		}
	}
	d.stamp++
	to := d.path(paths[best])
	for _, e := range to {
		d.mark[e] = d.stamp
	}
	for j, q := range paths {
		if j == best || d.shares[q] == 0 || d.costs[j] <= d.costs[best] {
			continue
		}
		d.move(i, q, paths[best])
	}
}

// move moves flow from one path to another until both cost the same or none is left. Common arcs
// do not change. Along the move, the potential is a sum of exponentials of the moved amount. If
// all arcs have the same capacity, it is least where the two sums of prices meet, at half the
// logarithm of their ratio. Otherwise the smallest capacity gives an amount that does not
// overshoot.
func (d *descent) move(i int, from, to int32) {
	dear, cheap := 0.0, 0.0
	least := math.Inf(1)
	common := 0
	for _, e := range d.path(from) {
		if d.mark[e] == d.stamp {
			common++
			continue
		}
		dear += d.prices[e]
		least = min(least, d.capacity[e])
	}
	for _, e := range d.path(to) {
		if common > 0 && contains(d.path(from), e) {
			continue
		}
		cheap += d.prices[e]
		least = min(least, d.capacity[e])
	}
	if !(dear > cheap) {
		return
	}
	// If the cheapest path is part of the other, all flow moves.
	amount := math.Inf(1)
	if cheap > 0 {
		amount = least * portable.Log(dear/cheap) / (2 * d.alpha)
	}
	if all := d.shares[from] * d.demand[i]; amount >= all {
		amount = all
		d.shares[to] += d.shares[from]
		d.shares[from] = 0
	} else {
		share := amount / d.demand[i]
		d.shares[to] += share
		d.shares[from] -= share
	}
	for _, e := range d.path(from) {
		if d.mark[e] != d.stamp {
			d.load[e] -= amount
			d.setPrice(e)
		}
	}
	for _, e := range d.path(to) {
		if common > 0 && contains(d.path(from), e) {
			continue
		}
		d.load[e] += amount
		d.setPrice(e)
	}
}

func contains(path []int32, arc int32) bool {
	for _, e := range path {
		if e == arc {
			return true
		}
	}
	return false
}

// finish recomputes the bounds from the result's content.
func finish(p *Problem, pricer pricer, r *Result, why error) (*Result, error) {
	var err error
	pays := 0.0
	if pricer != nil {
		if pays, err = pricer.price(r.Prices); err != nil {
			return nil, err
		}
		r.Upper = bound(p.capacity, r.Prices, pays)
	} else {
		r.Upper = p.Bound(r.Prices)
	}
	r.Paths = p.Paths()
	for len(r.Shares) < r.Paths {
		r.Shares = append(r.Shares, 0)
	}
	if r.Lower, err = p.Feasible(r.Shares); err != nil {
		return nil, fmt.Errorf("the flow that was found does not hold: %w", err)
	}
	return r, why
}
