package simai

import (
	"fmt"
	"slices"

	"weft/trace"
	"weft/trace/collective"
)

// Numbers of processors. Computations have the first one, and collectives one per kind of group, as the
// streams of a GPU.
const computeStream uint16 = 0

func (g groupKind) stream() uint16 { return uint16(g) + 1 }

// tagBits is how many bits a tag has below its kind of group. The whole of it fits into 32 bits, as the binary
// form of GOAL demands.
const tagBits = 28

// writer writes the schedules of ranks.
type writer struct {
	*workload
	settings collective.Settings
	b        trace.Builder
	teams    [groups]team
	// last is what the next step waits for, and tails the ends of the last collective of each stream.
	last  []uint32
	tails [groups][]uint32
	// tags are the next ones of each kind of group.
	tags [groups]int64
	// calls are those of all ranks, if they are kept, and call is the first one of the next collective: one
	// per group.
	calls []trace.Call
	call  int
	names [groups][]string
	err   error
}

// lowered returns the kind of package collective.
func (k kind) lowered() collective.Kind {
	switch k {
	case allReduce:
		return collective.AllReduce
	case allGather:
		return collective.AllGather
	case reduceScatter:
		return collective.ReduceScatter
	}
	return collective.AllToAll
}

// sends tells whether a phase has a collective that sends anything.
func (f *workload) sends(p *phase) bool {
	return p.kind != none && p.bytes > 0 && f.size(p.group) > 1
}

// walk calls its functions for the computations and the collectives of a rank in their order.
type walk struct {
	compute func(ns int64)
	// block is a collective that the rank waits for.
	block func(p *phase, update int64)
	// begin is one that it does not wait for. If joined, it waits at the next join.
	begin func(p *phase, update int64, joined bool)
	join  func()
}

// walk goes through the layers as the parallelism demands.
func (f *workload) walk(w walk) {
	s := f.strategy
	pass := func(l *layer) {
		w.compute(l.forward.compute)
		if s.forward {
			w.block(&l.forward, l.update)
		}
	}
	for i := range f.layers {
		pass(&f.layers[i])
	}
	if s.forwardOnly {
		return
	}
	for i := len(f.layers) - 1; i >= 0; i-- {
		l := &f.layers[i]
		if f.initiates[i] {
			for j := f.checkpoint(i); j < i; j++ {
				pass(&f.layers[j])
			}
		}
		switch {
		case s.weightsFirst:
			w.compute(l.weightGrad.compute)
			w.begin(&l.weightGrad, l.update, false)
			if i > 0 {
				w.compute(l.inputGrad.compute)
			}
			continue
		case s.overlapped:
			w.compute(l.inputGrad.compute)
			if i > 0 {
				w.begin(&l.inputGrad, l.update, true)
			}
		default:
			w.compute(l.inputGrad.compute)
			w.block(&l.inputGrad, l.update)
		}
		w.compute(l.weightGrad.compute)
		if s.weightGrad {
			w.begin(&l.weightGrad, l.update, false)
		}
		w.join()
	}
}

// count returns how many collectives all groups have.
func (f *workload) count() (n int) {
	add := func(p *phase) {
		if f.sends(p) {
			n += f.ranks / f.size(p.group)
		}
	}
	f.walk(walk{
		compute: func(int64) {}, join: func() {},
		block: func(p *phase, _ int64) { add(p) },
		begin: func(p *phase, _ int64, _ bool) { add(p) },
	})
	return n
}

// schedule makes the schedule of a rank.
func (w *writer) schedule(rank int) (*trace.Schedule, error) {
	w.last, w.tails, w.tags, w.call = nil, [groups][]uint32{}, [groups]int64{}, 0
	for g := range groups {
		w.team(groupKind(g), rank, &w.teams[g])
	}
	var joined []uint32
	w.walk(walk{
		compute: w.compute,
		block:   func(p *phase, update int64) { w.last = w.collective(p, update, computeStream) },
		begin: func(p *phase, update int64, join bool) {
			if ends := w.collective(p, update, p.group.stream()); join {
				joined = ends
			}
		},
		join: func() { w.last, joined = join(w.last, joined), nil },
	})
	if w.err != nil {
		return nil, w.err
	}
	s := w.b.Schedule()
	return &s, nil
}

// compute adds a computation.
func (w *writer) compute(ns int64) {
	if ns > 0 {
		w.last = []uint32{w.calc(ns, computeStream, w.last)}
	}
}

func (w *writer) calc(ns int64, stream uint16, after []uint32) uint32 {
	op := w.b.Add(trace.Operation{Kind: trace.Calc, Size: ns, CPU: stream})
	for _, on := range after {
		w.b.Require(op, on, false)
	}
	return op
}

// mostEnds is how many operations others wait for before a computation of no time stands for them.
const mostEnds = 8

// collective adds the rank's part of a collective and the time after it, which is spent by a stream. It
// returns what to wait for.
func (w *writer) collective(p *phase, update int64, stream uint16) []uint32 {
	if !w.sends(p) || w.err != nil {
		return w.last
	}
	g, first := p.group, uint32(w.b.Len())
	t, kind := &w.teams[g], p.kind.lowered()
	algorithm := w.settings.Choice.Algorithm(kind, p.bytes)
	c := collective.Call{Kind: kind, Size: p.bytes, CPU: g.stream(), Node: w.settings.Node, Reduction: w.settings.Reduction}
	tags := c.Tags(algorithm, len(t.ranks))
	if w.tags[g]+tags > 1<<tagBits {
		w.tags[g] = 0
	}
	c.Tag = int64(g)<<tagBits | w.tags[g]
	w.tags[g] += tags
	ends, err := c.Lower(&w.b, algorithm, t.ranks, t.place, join(w.last, w.tails[g]))
	switch {
	case err != nil:
		w.err = err
		return nil
	case w.b.Len() > mostOperations:
		w.err = fmt.Errorf("there are more than %d operations; take a file of fewer layers", mostOperations)
		return nil
	}
	w.span(first, p)
	w.tails[g] = ends
	if update > 0 || len(ends) > mostEnds {
		ends = []uint32{w.calc(update, stream, ends)}
	}
	return ends
}

// mostOperations is how many operations a rank has at most. It leaves room for those of one more collective.
const mostOperations = 1 << 30

// span notes that the operations from first on belong to the next collective.
func (w *writer) span(first uint32, p *phase) {
	if w.calls == nil {
		return
	}
	t := &w.teams[p.group]
	number := w.call + t.number
	w.call += w.ranks / len(t.ranks)
	w.b.Span(first, uint32(w.b.Len()), int32(number))
	if t.place > 0 {
		return
	}
	names := &w.names[p.group]
	for len(*names) <= t.number {
		*names = append(*names, p.group.name(len(*names)))
	}
	w.calls[number] = trace.Call{Name: p.kind.lowered().String(), Group: (*names)[t.number], Ranks: len(t.ranks), Size: p.bytes}
}

// join returns operations of two lists, each once.
func join(a, b []uint32) []uint32 {
	if len(b) == 0 {
		return a
	}
	out := slices.Clone(a)
	for _, op := range b {
		if !slices.Contains(out, op) {
			out = append(out, op)
		}
	}
	return out
}
