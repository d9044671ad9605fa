package ballsbins

import (
	"context"
	"math"

	"weft/analysis/internal/draw"
	"weft/internal/fifo"
)

// returning is the process in the proof of Theorem 5.1: a ball that leaves a bin that is not too
// full is thrown back into it. In between, a FIFO memory holds the bins. At rate 1 it fills and
// empties in each round.
type returning struct {
	Options
	rand     draw.Rand
	loads    []int
	order    []int
	memory   fifo.Queue[int32] // of bins
	room     int
	removals int64
	// random is the last round in which a ball fell at random.
	random int
	out    Outcome
}

func newReturning(o Options) *returning {
	p := &returning{
		Options: o,
		rand:    draw.Stream(o.Seed, "returning", o.Trial),
		loads:   make([]int, o.Bins),
		order:   identity(o.Bins),
		room:    max(int(math.Round(o.Colors*float64(o.Bins))), o.Bins),
	}
	p.out.Max = make([]int, 0, min(o.Rounds, 1<<16))
	return p
}

func (p *returning) run(ctx context.Context) (*Outcome, error) {
	for round := 1; round <= p.Rounds; round++ {
		if round%often == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		p.remove()
		p.throw(round)
		p.out.note(&p.Options, round, p.loads)
	}
	// If nothing random is left, each ball returns forever.
	if p.Rate == 1 && p.Coalescing == 1 && p.random < p.Rounds {
		p.out.Converged = p.random + 1
	}
	p.out.end(&p.Options, p.loads)
	return &p.out, nil
}

func (p *returning) remove() {
	if p.Coalescing > 1 || p.Rate < 1 {
		// Otherwise the same bins would always be reported, or remembered, first.
		p.rand.Shuffle(len(p.order), func(i, j int) { p.order[i], p.order[j] = p.order[j], p.order[i] })
	}
	for _, bin := range p.order {
		load := p.loads[bin]
		if load == 0 {
			continue
		}
		p.loads[bin]--
		p.out.Removed++
		p.removals++
		if p.removals%int64(p.Coalescing) != 0 || load > p.Threshold {
			continue
		}
		if p.memory.Len() == p.room {
			p.memory.Pop()
		}
		p.memory.Push(int32(bin))
	}
}

func (p *returning) throw(round int) {
	for range p.batch(round, p.rand) {
		bin := 0
		if !p.memory.Empty() {
			bin = int(p.memory.First())
			p.memory.Pop()
		} else {
			bin = p.rand.Below(p.Bins)
			p.out.Fresh++
			p.random = round
		}
		p.loads[bin]++
		p.out.Thrown++
	}
}

func identity(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}
