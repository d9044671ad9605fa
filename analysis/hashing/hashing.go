// Package hashing models how evenly a switch's hash spreads entropy values over its uplinks, and
// what that costs oblivious packet spraying (ARCANE Appendix B, §4.5.2).
package hashing

import (
	"context"
	"fmt"
	"math"

	"weft/analysis/internal/draw"
	"weft/internal/portable"
)

// Imbalance models the load imbalance of a set of entropy values. Each entropy of each flow is a
// ball, and the hash throws it into the bin of an uplink. For m balls and n uplinks, the
// imbalance is the largest load divided by m/n, minus 1.
type Imbalance struct {
	Uplinks, Flows, Entropies int
	// Groups is the number of independent switches; the worst one counts; 1 for one switch.
	Groups int
	Trials int
	Seed   uint64
}

func (o Imbalance) check() error {
	for _, v := range []struct {
		name  string
		value int
	}{{"uplinks", o.Uplinks}, {"flows", o.Flows}, {"entropies", o.Entropies}, {"groups", o.Groups}, {"trials", o.Trials}} {
		if v.value < 1 {
			return fmt.Errorf("%d %s; there must be at least 1", v.value, v.name)
		}
	}
	return nil
}

// Sample returns the imbalance in each trial. It fails if a parameter is below 1 or ctx ends.
func (o Imbalance) Sample(ctx context.Context) ([]float64, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	out := make([]float64, o.Trials)
	counts := make([]int, o.Uplinks)
	for t := range out {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r := draw.Stream(o.Seed, fmt.Sprint("imbalance ", o.Flows, o.Entropies), t)
		most := 0
		for range o.Groups {
			clear(counts)
			r.Spread(o.Flows*o.Entropies, counts)
			for _, c := range counts {
				most = max(most, c)
			}
		}
		out[t] = float64(most)*float64(o.Uplinks)/(float64(o.Flows)*float64(o.Entropies)) - 1
	}
	return out, nil
}

// Approximate returns the imbalance of m balls in n bins for m well above n ln n: √(2n ln(n)/m).
// For the worst of several groups, the n in the logarithm is multiplied by the number of groups
// (Raab and Steger 1998; higher-order terms are omitted).
func (o Imbalance) Approximate() float64 {
	n := float64(o.Uplinks)
	m := float64(o.Flows) * float64(o.Entropies)
	return math.Sqrt(2 * n * portable.Log(n*float64(o.Groups)) / m)
}
