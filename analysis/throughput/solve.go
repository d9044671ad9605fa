package throughput

import (
	"context"
	"errors"
	"fmt"
	"math"

	"weft/internal/portable"
)

// Options of Solve and SolveFlow.
type Options struct {
	// Gap is how far the bounds may lie apart, as a share of the upper one. 0 is 1 %.
	Gap float64
	// Passes is after how many looks at all commodities to give up; 0 is a million.
	Passes int
	// Progress is told the bounds now and then, unless it is nil.
	Progress func(lower, upper float64)
}

// DefaultGap is the gap unless Options say otherwise.
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

// ErrGap is why Solve returns bounds that lie further apart than they should.
var ErrGap = errors.New("the bounds did not come close enough; allow more passes or a larger gap")

// Solve finds the throughput of a problem. The result is the same on every
// platform.
//
// It begins with a descent that minimises the sum of exp(α·use) over the arcs by moving flow, one
// commodity after another, from dearer paths to the cheapest one, the price of an
// arc being exp(α·use)/capacity. For α → ∞ the fullest arc alone counts. The
// prices are a dual solution at every time, and their bound tells when to stop;
// α doubles when it, and not the division of the flow, is what keeps the bounds
// apart. This is a descent on the potential of Shahrokhi and Matula (1990) and
// its successors, with flow that is moved rather than added, so that bad early
// decisions are undone. Where that does not end soon, a game of flows against
// prices goes on from there, by the primal-dual hybrid gradient method with
// restarts.
//
// If ctx ends, or the passes are used up (ErrGap), the bounds of then are returned
// with the error.
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

// descentPasses is after how many passes of the descent the steps of a game go
// on: most networks with one commodity a router are done before.
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

// pricer offers commodities paths that the problem does not have yet.
type pricer interface {
	// price returns what a throughput of 1 pays at least at these prices, over all
	// paths there are, and adds the cheapest ones to the problem.
	price(prices []float64) (pays float64, err error)
}

// descent is the state of Solve.
type descent struct {
	*Problem
	// pricer is nil where the paths are given.
	pricer pricer
	alpha  float64
	// shares of the demand on each path; load of each arc; price of each arc, up to
	// a common factor such that the fullest arc's times its capacity is about 1.
	shares []float64
	load   []float64
	prices []float64
	// level is the use at which an arc's price times its capacity is 1.
	level float64
	// mark holds the present stamp for arcs of the cheapest path.
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

// entropy is the logarithm of the number of arcs: what the sum of the potential
// can hide from the largest of its terms.
func (d *descent) entropy() float64 { return 1 + portable.Log(float64(d.exist)) }

// settled tells whether moving more flow at this α would bring less than a larger
// α: at the optimum for α, the bounds are still up to entropy/α apart. The share
// of that at which to go on was found by trial, and changes the speed alone.
func (d *descent) settled(slack float64) bool { return slack*d.alpha < 0.3*d.entropy() }

// grow makes room for paths that were added.
func (d *descent) grow() {
	for len(d.shares) < d.Problem.Paths() {
		d.shares = append(d.shares, 0)
	}
}

// settle adds up the loads anew, so that rounding errors do not add up, and sets
// the level to the use of the fullest arc.
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

// floor keeps prices of empty arcs apart from 0, so that paths over them are
// not endless.
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

// look takes the bounds of the present state, and returns how much the use of the
// fullest arc could sink if α were infinite in the sense of the first order: what
// the flow pays more than its cheapest paths.
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
		// The pool of paths is searched through before more are asked for.
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

// move takes flow from one path to another until both cost the same, or none is
// left. The common arcs do not change. Along it, the potential is the sum of
// exponentials of the moved amount; where all arcs have the same capacity, it is
// least where the two sums of prices meet, at half the logarithm of their ratio.
// Otherwise the smallest capacity gives an amount that stays below.
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
	// Where the cheapest path is a part of the other, all of it moves.
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

// finish takes the bounds once more from what the result holds.
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
