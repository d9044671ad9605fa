package ballsbins

import (
	"context"
	"math"

	"weft/analysis/internal/draw"
	"weft/internal/fifo"
)

// none means no bin.
const none = -1

// colored is the process as §5.1 prints it. In each round, one ball leaves each non-empty bin,
// first in first out, and its color remembers or forgets the bin. Then each color of the round's
// batch throws a ball: into the bin it remembers, or at random.
type colored struct {
	Options
	rand   draw.Rand
	queues []fifo.Queue[int32] // of colors
	loads  []int
	memory []int32 // the bin that each color remembers
	next   int     // first color of the next batch
	order  []int   // order of removals within a round

	removals    int64 // counted for coalescing
	unremembers int   // number of colors without a bin
	watch       convergence
	out         Outcome
}

func newColored(o Options) *colored {
	colors := max(int(math.Round(o.Colors*float64(o.Bins))), o.Bins)
	p := &colored{
		Options:     o,
		rand:        draw.Stream(o.Seed, "recycled", o.Trial),
		queues:      make([]fifo.Queue[int32], o.Bins),
		loads:       make([]int, o.Bins),
		memory:      make([]int32, colors),
		order:       identity(o.Bins),
		unremembers: colors,
	}
	for c := range p.memory {
		p.memory[c] = none
	}
	p.watch.period = colors / gcd(colors, o.Bins)
	p.watch.possible = o.Rate == 1 && o.Coalescing == 1
	p.out.Max = make([]int, 0, min(o.Rounds, 1<<16))
	return p
}

func (p *colored) run(ctx context.Context) (*Outcome, error) {
	for round := 1; round <= p.Rounds; round++ {
		if round%often == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		p.remove(round)
		p.throw(round)
		p.out.note(&p.Options, round, p.loads)
		p.watch.look(round, p)
	}
	p.out.Converged = p.watch.since
	p.out.end(&p.Options, p.loads)
	return &p.out, nil
}

func (p *colored) remove(round int) {
	if p.Coalescing > 1 {
		// Otherwise the same bins would always be reported when k divides n.
		p.rand.Shuffle(len(p.order), func(i, j int) { p.order[i], p.order[j] = p.order[j], p.order[i] })
	}
	for _, bin := range p.order {
		load := p.loads[bin]
		if load == 0 {
			continue
		}
		color := p.queues[bin].First()
		p.queues[bin].Pop()
		p.loads[bin]--
		p.out.Removed++
		p.removals++
		reported := p.removals%int64(p.Coalescing) == 0
		switch {
		case !reported && p.Unreported == Keep:
		case !reported, load > p.Threshold:
			p.remember(color, none, round)
		case p.memory[color] == none:
			p.remember(color, int32(bin), round)
		}
	}
}

func (p *colored) remember(color, bin int32, round int) {
	if p.memory[color] == bin {
		return
	}
	if bin == none {
		p.unremembers++
	} else {
		p.unremembers--
	}
	p.memory[color] = bin
	p.watch.changed = round
}

func (p *colored) throw(round int) {
	for range p.batch(round, p.rand) {
		color := int32(p.next)
		if p.next++; p.next == len(p.memory) {
			p.next = 0
		}
		bin := p.memory[color]
		if bin == none {
			bin = int32(p.rand.Below(p.Bins))
			p.out.Fresh++
		}
		p.queues[bin].Push(color)
		p.loads[bin]++
		p.out.Thrown++
	}
}

// convergence detects when the process repeats itself forever. If all colors remember a bin,
// nothing is random. If, in addition, no memory changes in a whole cycle through the batches and
// each load returns to its value, the process is in the same state as at the cycle's start: the
// same colors follow in the same order, and each bin holds the colors that arrived last.
type convergence struct {
	possible bool
	period   int
	// changed is the last round in which a memory changed.
	changed int
	// taken is the round whose loads are saved.
	taken int
	loads []int
	since int
}

func (w *convergence) look(round int, p *colored) {
	if !w.possible || w.since > 0 || p.unremembers > 0 {
		return
	}
	if w.taken < w.changed {
		w.taken = round
		w.loads = append(w.loads[:0], p.loads...)
		return
	}
	if round < w.taken+w.period {
		return
	}
	same := true
	for i, load := range p.loads {
		same = same && load == w.loads[i]
	}
	if same {
		w.since = max(w.changed, 1)
	}
	w.taken = round
	copy(w.loads, p.loads)
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}
