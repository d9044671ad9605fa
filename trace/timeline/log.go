// Package timeline has what a replay of a trace recorded, and what follows from it: how ranks spent their time,
// how long collectives took, and which operations decided when the job ended. It knows neither networks nor
// processors. A carrier fills a Log, whichever carrier it is.
package timeline

import (
	"runtime"

	"weft/trace"
	"weft/trace/internal/paged"
	"weft/unit"
)

// Never is the time of what did not happen.
const Never unit.Time = -1

// Log is when the operations of a replay began and ended. Each row may be written by another thread.
type Log struct {
	Ranks []Rank
	// Waits tells how a send waits for its receive. It is nil if none does.
	Waits func(send Ref) Wait
	// Handling tells how a receiver's processor works on a message: no earlier than a time after the send began,
	// and for how long. It is the processor that has the number of the send's. Handling is nil if messages
	// need no processor.
	Handling func(send Ref) (after, work unit.Time)
	// Sending tells how long a send holds its NIC. It is nil if a NIC serves any number of sends at once.
	Sending func(send Ref) unit.Time
	memory  *paged.Memory // which has the rows
}

// Wait is how a send waits for its receive.
type Wait uint8

// Ways to wait.
const (
	// Eager: it does not wait.
	Eager Wait = iota
	// Taken: its message goes at once, and the send ends no earlier than a receive takes it.
	Taken
	// Held: its message stays with the sender until its receive is posted.
	Held
)

// handling returns how a receiver's processor works on a message.
func (l *Log) handling(send Ref) (after, work unit.Time) {
	if l.Handling == nil {
		return 0, 0
	}
	return l.Handling(send)
}

// wait returns how a send waits for its receive.
func (l *Log) wait(send Ref) Wait {
	if l.Waits == nil {
		return Eager
	}
	return l.Waits(send)
}

// Rank is the operations of one rank, by their number.
type Rank struct {
	// Begin and End are Never for what did not happen. A send begins when it is handed to the network, a receive
	// when it is posted, and a computation when it has its processor. A send ends as its carrier says, and a
	// receive when the message that it took has arrived.
	Begin, End []unit.Time
	// Took is the send whose message a receive took. Its rank is -1 if there is none.
	Took []Ref
}

// Ref names an operation of a rank.
type Ref struct {
	Rank int32
	Op   uint32
}

// New returns a log in which nothing has happened.
func New(t *trace.Trace) *Log {
	l := &Log{Ranks: make([]Rank, len(t.Ranks)), memory: &paged.Memory{}}
	for r := range t.Ranks {
		n := t.Ranks[r].Len()
		l.Ranks[r] = Rank{
			Begin: filled(l.memory, n, Never), End: filled(l.memory, n, Never), Took: filled(l.memory, n, Ref{Rank: -1}),
		}
	}
	return l
}

// filled returns a table of n values.
func filled[T any](m *paged.Memory, n int, value T) []T {
	table := paged.Make[T](m, n)
	for i := range table {
		table[i] = value
	}
	return table
}

// Bounds returns when the first operation began and when the last one ended, or else last began. Both are 0 if
// nothing happened.
func (l *Log) Bounds() (begin, end unit.Time) {
	defer runtime.KeepAlive(l)
	begin = unit.Forever
	for i := range l.Ranks {
		r := &l.Ranks[i]
		for op, b := range r.Begin {
			if b != Never {
				begin, end = min(begin, b), max(end, b, r.End[op])
			}
		}
	}
	return min(begin, end), end
}
