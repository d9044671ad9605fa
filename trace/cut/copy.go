package cut

import (
	"fmt"

	"weft/trace"
)

// Ranks returns the trace of the ranks from first to last, which are numbered from 0 on then. It refuses
// ranks that exchange messages with others.
func Ranks(t *trace.Trace, first, last int) (*trace.Trace, error) {
	if first < 0 || last < first || last >= len(t.Ranks) {
		return nil, fmt.Errorf("there are no ranks %d to %d; ranks are 0 to %d", first, last, len(t.Ranks)-1)
	}
	for r := first; r <= last; r++ {
		s := &t.Ranks[r]
		for i := range uint32(s.Len()) {
			o := s.At(i)
			if o.Kind != trace.Calc && (int(o.Peer) < first || int(o.Peer) > last) && o.Peer != trace.AnySource {
				return nil, fmt.Errorf("rank %d, %s: rank %d is not among ranks %d to %d; keep ranks that exchange messages only with each other", r, s.Describe(i), o.Peer, first, last)
			}
		}
	}
	for r := range t.Ranks {
		if r >= first && r <= last {
			continue
		}
		s := &t.Ranks[r]
		for i := range uint32(s.Len()) {
			if o := s.At(i); o.Kind == trace.Send && int(o.Peer) >= first && int(o.Peer) <= last {
				return nil, fmt.Errorf("rank %d, %s: it sends to ranks %d to %d; keep it, too", r, s.Describe(i), first, last)
			}
		}
	}
	out := &trace.Trace{Notices: t.Notices}
	k := copier{from: t, to: out}
	for r := first; r <= last; r++ {
		k.copy(r, func(uint32) bool { return true }, int32(first))
	}
	return out, nil
}

// copier copies schedules, or parts of them.
type copier struct {
	from, to *trace.Trace
	b        trace.Builder
	numbers  []uint32        // of operations in the copy
	calls    map[int32]int32 // numbers of calls in the copy
}

// copy appends operations of a rank. Its peers are numbered from a rank on.
func (k *copier) copy(rank int, keep func(op uint32) bool, from int32) {
	s := &k.from.Ranks[rank]
	k.numbers = k.numbers[:0]
	for i := range uint32(s.Len()) {
		k.numbers = append(k.numbers, uint32(k.b.Len()))
		if !keep(i) {
			continue
		}
		o := s.At(i)
		if o.Kind != trace.Calc && o.Peer != trace.AnySource {
			o.Peer -= from
		}
		k.b.Add(o)
		if l := s.Label(i); l != "" {
			k.b.Label([]byte(l))
		}
	}
	for i := range uint32(s.Len()) {
		if keep(i) {
			s.Dependants(i, func(op uint32, start bool) {
				if keep(op) {
					k.b.Require(k.numbers[op], k.numbers[i], start)
				}
			})
		}
	}
	end := uint32(k.b.Len())
	for _, span := range s.Spans() {
		last := end
		if int(span.End) < len(k.numbers) {
			last = k.numbers[span.End]
		}
		if first := k.numbers[span.First]; first < last {
			k.b.Span(first, last, k.call(span.Call))
		}
	}
	k.to.Ranks = append(k.to.Ranks, k.b.Schedule())
}

// call returns the number of a call in the copy.
func (k *copier) call(n int32) int32 {
	if k.calls == nil {
		k.calls = map[int32]int32{}
	}
	number, known := k.calls[n]
	if !known {
		number = int32(len(k.to.Calls))
		k.calls[n] = number
		k.to.Calls = append(k.to.Calls, k.from.Calls[n])
	}
	return number
}
