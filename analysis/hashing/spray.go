package hashing

import (
	"context"
	"fmt"

	"weft/analysis/internal/draw"
)

// Pattern is who sends to whom.
type Pattern string

// Patterns.
const (
	// Permutation has every host send to one other host at random, and receive from
	// one.
	Permutation Pattern = "permutation"
	// Tornado has host i send to i plus half of the hosts.
	Tornado Pattern = "tornado"
)

// Spray are the parameters of the bound that hashing puts on the runtime of a
// permutation under oblivious spraying with a limited entropy set, in a fat tree of
// two tiers whose links all have the same rate.
//
// A flow that picks its entropies evenly sends each uplink the share of its bytes
// that the uplink has of its entropies, however slowly; the uplink's spine passes
// them on to the one link to the destination's switch. So a link must carry the sum
// of the shares of all flows over it, and the runtime is at least that of the
// fullest link, whatever the congestion control does.
type Spray struct {
	// Tors have Hosts hosts each and an uplink to each of Uplinks spines.
	Tors, Hosts, Uplinks int
	Entropies            int
	Pattern              Pattern
	Trials               int
	Seed                 uint64
}

// Bound is what hashing does to one trial. All are factors of the time that evenly
// spread packets would take.
type Bound struct {
	// Runtime is the least runtime: that of the fullest link of all.
	Runtime float64
	// Tor is the same of the first switch's uplinks alone.
	Tor float64
	// Flow and WorstFlow are the mean and the largest over the flows of 1 plus the
	// imbalance of the flow's own entropies. If every link gave each flow over it an
	// equal part, the flow would be done by that time: an upper bound.
	Flow, WorstFlow float64
}

// Check tells which parameters are out of bounds or do not fit together.
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

// Sample returns the bounds of each trial, and calls progress, unless it is nil,
// after each. It fails if a parameter is out of bounds or ctx ends.
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
	// Times are in units of one flow's at the rate of a link. A host cannot be
	// quicker than that, nor a switch quicker than its uplinks together.
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

// receivers returns the receiver of each host. It does not depend on the number of
// entropies, so that sizes are compared over the same pairs.
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

// cycle permutes the numbers so that none stays in its place, and all are on one
// cycle (Sattolo's algorithm).
func cycle(r draw.Rand, to []int) {
	for i := len(to) - 1; i > 0; i-- {
		j := r.Below(i)
		to[i], to[j] = to[j], to[i]
	}
}
