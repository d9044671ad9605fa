package ballsbins

import (
	"context"
	"slices"

	"weft/analysis/internal/draw"
)

// often is the number of rounds between checks of the context.
const often = 1 << 10

// oblivious throws every ball at random. Only the number of balls in a bin matters, not which.
func oblivious(ctx context.Context, o Options) (*Outcome, error) {
	r := draw.Stream(o.Seed, "oblivious", o.Trial)
	loads := make([]int, o.Bins)
	out := &Outcome{Max: make([]int, 0, min(o.Rounds, 1<<16))}
	for round := 1; round <= o.Rounds; round++ {
		if round%often == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for i, load := range loads {
			if load > 0 {
				loads[i]--
				out.Removed++
			}
		}
		balls := o.batch(round, r)
		for range balls {
			loads[r.Below(o.Bins)]++
		}
		out.Thrown += int64(balls)
		out.note(&o, round, loads)
	}
	out.Fresh = out.Thrown
	out.end(&o, loads)
	return out, nil
}

// batch returns the number of balls that arrive in a round.
func (o *Options) batch(round int, r draw.Rand) int {
	if o.Rate == 1 {
		return o.Bins
	}
	if o.Arrivals == Binomial {
		n := 0
		for range o.Bins {
			if r.Float64() < o.Rate {
				n++
			}
		}
		return n
	}
	each := o.Rate * float64(o.Bins)
	return int(each*float64(round)) - int(each*float64(round-1))
}

func (out *Outcome) note(o *Options, round int, loads []int) {
	out.Max = append(out.Max, slices.Max(loads))
	if o.Observe != nil {
		o.Observe(round, loads)
	}
}

func (out *Outcome) end(o *Options, loads []int) {
	if o.Recycled {
		out.Settled = 1
		for i, m := range out.Max {
			if m > o.Threshold {
				out.Settled = i + 2
			}
		}
	}
	out.Peak = slices.Max(out.Max)
	out.Final = out.Max[len(out.Max)-1]
	for _, load := range loads {
		out.Left += int64(load)
		if o.Recycled && load > o.Threshold {
			out.Above++
		}
	}
}
