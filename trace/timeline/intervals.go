package timeline

import (
	"runtime"
	"weft/trace"
	"weft/unit"
)

// Intervals returns a function that calls visit for the intervals of a rank from begin to end, in the order of time.
// They follow each other without gaps.
func Intervals(t *trace.Trace, l *Log, begin, end unit.Time) func(rank int32, visit func(Interval)) {
	return newSpans(t, l, begin, end).of
}

// Timeline returns the intervals of some ranks from begin to end, to be drawn: they follow each other without gaps.
// An interval of at least the resolution stays as it is. Shorter ones that follow each other are merged until they
// have that length. A merged interval has one of their states, such that over time each state gets its
// share: the one that has been shown the least for its time.
func Timeline(t *trace.Trace, l *Log, ranks []int32, begin, end, resolution unit.Time) [][]Interval {
	defer runtime.KeepAlive(l)
	all := make([][]Interval, len(ranks))
	s := newSpans(t, l, begin, end)
	for i, r := range ranks {
		m := merger{resolution: resolution}
		s.of(r, m.add)
		m.flush()
		all[i] = m.list
	}
	return all
}

// merger merges short intervals.
type merger struct {
	resolution unit.Time
	list       []Interval
	short      Interval // the short ones so far, as one
	has        [States]bool
	owed       Times // how much longer each state was than it is shown
}

func (m *merger) add(i Interval) {
	length := i.End - i.Begin
	if length >= m.resolution {
		m.flush()
		m.show(i)
		return
	}
	if m.short.End == m.short.Begin {
		m.short.Begin = i.Begin
	}
	m.short.End = i.End
	m.has[i.State] = true
	m.owed[i.State] += length
	if m.short.End-m.short.Begin >= m.resolution {
		m.flush()
	}
}

// flush shows the short intervals so far as one.
func (m *merger) flush() {
	length := m.short.End - m.short.Begin
	if length == 0 {
		return
	}
	best := States
	for state := range m.owed {
		if m.has[state] && (best == States || m.owed[state] > m.owed[best]) {
			best = state
		}
	}
	m.short.State = State(best)
	m.owed[best] -= length
	m.show(m.short)
	m.short, m.has = Interval{}, [States]bool{}
}

func (m *merger) show(i Interval) {
	if n := len(m.list); n > 0 && m.list[n-1].State == i.State {
		m.list[n-1].End = i.End
		return
	}
	m.list = append(m.list, i)
}
