package timeline

import (
	"cmp"
	"slices"
	"sort"

	"weft/trace"
	"weft/unit"
)

// index finds what a schedule and a log do not list: what an operation of a rank requires, and what ended at
// an instant.
type index struct {
	// needs[first[i]:first[i+1]] is what operation i requires.
	first []uint32
	needs []need
	// byEnd is the operations that took time, by their ends.
	byEnd []uint32
	// sends is the sends that began, by their begins.
	sends []uint32
}

// need is an operation that another one requires, with the bit onStart if its start is enough.
type need uint32

const onStart need = 1

func (n need) op() uint32  { return uint32(n >> 1) }
func (n need) start() bool { return n&onStart != 0 }

// index returns the index of a rank, which it makes when the path first comes there.
func (w *walker) index(rank int32) *index {
	if w.indices[rank] == nil {
		w.indices[rank] = newIndex(&w.trace.Ranks[rank], &w.log.Ranks[rank])
	}
	return w.indices[rank]
}

func newIndex(s *trace.Schedule, log *Rank) *index {
	n := s.Len()
	x := &index{first: make([]uint32, n+1), needs: make([]need, s.Dependencies())}
	for i := range uint32(n) {
		s.Dependants(i, func(op uint32, _ bool) { x.first[op+1]++ })
		if log.End[i] > log.Begin[i] {
			x.byEnd = append(x.byEnd, i)
		}
		if log.Begin[i] != Never && s.Kind(i) == trace.Send {
			x.sends = append(x.sends, i)
		}
	}
	for i := range n {
		x.first[i+1] += x.first[i]
	}
	next := slices.Clone(x.first)
	for i := range uint32(n) {
		s.Dependants(i, func(op uint32, start bool) {
			one := need(i) << 1
			if start {
				one |= onStart
			}
			x.needs[next[op]] = one
			next[op]++
		})
	}
	slices.SortFunc(x.byEnd, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(log.End[a], log.End[b]), cmp.Compare(a, b))
	})
	slices.SortFunc(x.sends, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(log.Begin[a], log.Begin[b]), cmp.Compare(a, b))
	})
	return x
}

// latest returns which requirement of an operation was met last until a time, and when. The time is Never if
// there is none. LogGOPS can begin an operation before its requirements have ended; these do not count.
func (x *index) latest(log *Rank, op uint32, until unit.Time) (last need, when unit.Time) {
	when = Never
	for _, n := range x.needs[x.first[op]:x.first[op+1]] {
		at := log.End[n.op()]
		if n.start() {
			at = log.Begin[n.op()]
		}
		if at > when && at <= until {
			last, when = n, at
		}
	}
	return last, when
}

// endingAt returns the operations that took time and ended at an instant.
func (x *index) endingAt(log *Rank, at unit.Time) []uint32 {
	from := sort.Search(len(x.byEnd), func(i int) bool { return log.End[x.byEnd[i]] >= at })
	to := from
	for to < len(x.byEnd) && log.End[x.byEnd[to]] == at {
		to++
	}
	return x.byEnd[from:to]
}

// sendsBefore returns the sends that began before an instant.
func (x *index) sendsBefore(log *Rank, at unit.Time) []uint32 {
	return x.sends[:sort.Search(len(x.sends), func(i int) bool { return log.Begin[x.sends[i]] >= at })]
}
