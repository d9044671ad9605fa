package hashing

import (
	"context"
	"fmt"

	"weft/analysis/internal/draw"
)

// Pattern determines who sends to whom.
type Pattern string

// Patterns of traffic.
const (
	// Permutation makes every host send to one other host at random, and receive from one.
	Permutation Pattern = "permutation"
	// Tornado makes host i send to host i plus half the number of hosts.
	Tornado Pattern = "tornado"
)

// Spray models a lower bound, due to hashing, of the runtime of a permutation under oblivious
// spraying with a limited set of entropies. The fabric is a two-tier fat tree whose links all
// have the same rate.
//
// A flow that uses its entropies evenly sends each uplink a share of its bytes equal to the
// uplink's share of its entropies, however slowly. The uplink's spine forwards them on its one
// link to the destination's switch. So a link must carry the sum of the shares of all flows on
// it, and the runtime is at least the fullest link's, whatever the congestion control does.
type Spray struct {
	// Tors have Hosts hosts each, and one uplink to each of Uplinks spines.
	Tors, Hosts, Uplinks int
	Entropies            int
	Pattern              Pattern
	Trials               int
	Seed                 uint64
}

// Bound is the effect of hashing in one trial. All values are multiples of the time that evenly
// spread packets would take.
type Bound struct {
	// Runtime is the least runtime, determined by the fullest link of all.
	Runtime float64
	// Tor is the same for the first switch's uplinks alone.
	Tor float64
	// Flow and WorstFlow are the mean and the maximum over flows of 1 plus the imbalance of the
	// flow's own entropies. If every link were shared equally among its flows, the flow would be
	// done by that time: an upper bound.
	Flow, WorstFlow float64
}

// Check reports parameters that are out of bounds or inconsistent.
func (o Spray) Check() error {
	for _, v := range []struct {
		name         string
		value, least int
	}{{"tors", o.Tors, 2}, {"hosts", o.Hosts, 1}, {"uplinks", o.Uplinks, 1}, {"entropies", o.Entropies, 1}, {"trials", o.Trials, 1}} {
		if v.value < v.least {
			return fmt.Errorf("%d %s; there must be at least %d", v.value, v.name, v.least)
		}
	}
	if o.Pattern != Permutation && o.Pattern != Tornado {
		return fmt.Errorf("pattern %q; use %s or %s", o.Pattern, Permutation, Tornado)
	}
	if o.Pattern == Tornado && o.Tors*o.Hosts%2 != 0 {
		return fmt.Errorf("a tornado needs an even number of hosts, not %d; use an even number of tors or hosts", o.Tors*o.Hosts)
	}
	return nil
}

// Sample returns the bounds for each trial. If progress is not nil, it is called after each
// trial. Sample fails if a parameter is out of bounds or ctx ends.
func (o Spray) Sample(ctx context.Context, progress func(done int)) ([]Bound, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	out := make([]Bound, o.Trials)
	for t := range out {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		out[t] = o.trial(t)
		if progress != nil {
			progress(t + 1)
		}
	}
	return out, nil
}

func (o Spray) trial(t int) Bound {
	hosts := o.Tors * o.Hosts
	to := o.receivers(t)
	r := draw.Stream(o.Seed, fmt.Sprint("spray ", o.Entropies), t)
	up, down := make([]int, o.Tors*o.Uplinks), make([]int, o.Tors*o.Uplinks)
	sends, receives := make([]int, o.Tors), make([]int, o.Tors)
	counts := make([]int, o.Uplinks)
	flows, sum, worst := 0, 0, 0
	for host := range hosts {
		from, dest := host/o.Hosts, to[host]/o.Hosts
		if from == dest {
			continue
		}
		flows++
		sends[from]++
		receives[dest]++
		clear(counts)
		r.Spread(o.Entropies, counts)
		most := 0
		for u, c := range counts {
			up[from*o.Uplinks+u] += c
			down[dest*o.Uplinks+u] += c
			most = max(most, c)
		}
		sum += most
		worst = max(worst, most)
	}
	// Times are in units of one flow's time at the rate of a link. No host can be faster than
	// that, and no switch faster than its uplinks together.
	ideal := 1.0
	for tor := range o.Tors {
		ideal = max(ideal, float64(max(sends[tor], receives[tor]))/float64(o.Uplinks))
	}
	e := float64(o.Entropies)
	b := Bound{Runtime: 1, Tor: 1, Flow: 1, WorstFlow: 1}
	for i := range up {
		load := float64(max(up[i], down[i])) / e
		b.Runtime = max(b.Runtime, load/ideal)
		if i < o.Uplinks {
			b.Tor = max(b.Tor, float64(up[i])/e/ideal)
		}
	}
	if flows > 0 {
		b.Flow = float64(sum) / float64(flows) * float64(o.Uplinks) / e
		b.WorstFlow = float64(worst) * float64(o.Uplinks) / e
	}
	return b
}

// receivers returns the receiver of each host. It does not depend on the number of entropies, so
// that different sizes are compared over the same pairs.
func (o Spray) receivers(t int) []int {
	hosts := o.Tors * o.Hosts
	to := make([]int, hosts)
	for i := range to {
		to[i] = i
	}
	if o.Pattern == Tornado {
		for i := range to {
			to[i] = (i + hosts/2) % hosts
		}
		return to
	}
	cycle(draw.Stream(o.Seed, "receivers", t), to)
	return to
}

// cycle permutes the numbers so that all lie on one cycle and none stays in its place (Sattolo's
// algorithm).
func cycle(r draw.Rand, to []int) {
	for i := len(to) - 1; i > 0; i-- {
		j := r.Below(i)
		to[i], to[j] = to[j], to[i]
	}
}
