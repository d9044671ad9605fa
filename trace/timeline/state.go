package timeline

import (
	"runtime"
	"slices"

	"weft/trace"
	"weft/unit"
)

// State is what a rank is doing at an instant: the first that holds.
type State uint8

// States of a rank.
const (
	// Computing: a processor computes.
	Computing State = iota
	// Exposed: a message that the rank awaits is on its way, or a send of its own has not ended.
	Exposed
	// Waiting: it awaits messages, and the sends of all of them have not begun. A send whose message is held
	// waits for its receive in the same way.
	Waiting
	// Idle: it awaits nothing.
	Idle
	// Done: all its operations have ended.
	Done

	// States is how many there are.
	States = iota
)

// String returns the name of a state in a word.
func (s State) String() string {
	return [...]string{"computing", "exposed", "waiting", "idle", "done"}[s]
}

// Times is how long a rank was in each state. They add up to the time of the job.
type Times [States]unit.Time

// Total returns the time of the job.
func (t *Times) Total() (sum unit.Time) {
	for _, one := range t {
		sum += one
	}
	return sum
}

// Interval is a span of time that a rank spends in one state.
type Interval struct {
	Begin, End unit.Time
	State      State
}

// Account returns how each rank spent the time from begin to end. These are the bounds of the log, unless a replay
// was stopped: what has not ended then goes on until end.
func Account(t *trace.Trace, l *Log, begin, end unit.Time) []Times {
	defer runtime.KeepAlive(l)
	all := make([]Times, len(l.Ranks))
	s := newSpans(t, l, begin, end)
	for r := range all {
		s.of(int32(r), func(i Interval) { all[r][i.State] += i.End - i.Begin })
	}
	return all
}

// spans finds the states of one rank after another. It keeps when spans begin and end at which a state could
// hold: the time of each operation, in one or two parts.
type spans struct {
	trace      *trace.Trace
	log        *Log
	takers     takers
	begin, end unit.Time
	from, to   [Idle][]unit.Time
}

func newSpans(t *trace.Trace, l *Log, begin, end unit.Time) *spans {
	return &spans{trace: t, log: l, takers: newTakers(t, l), begin: begin, end: end}
}

// of calls visit for all intervals of a rank in the order of time. Two that follow each other differ in state.
func (s *spans) of(rank int32, visit func(Interval)) {
	for state := range s.from {
		s.from[state], s.to[state] = s.from[state][:0], s.to[state][:0]
	}
	done := s.collect(rank)
	for state := range s.from {
		slices.Sort(s.from[state])
		slices.Sort(s.to[state])
	}
	last := Interval{Begin: s.begin, End: s.begin}
	s.sweep(done, func(state State, until unit.Time) {
		if state != last.State {
			if last.End > last.Begin {
				visit(last)
			}
			last.Begin, last.State = last.End, state
		}
		last.End = until
	})
	if last.End > last.Begin {
		visit(last)
	}
}

// collect finds the spans of a rank, and returns when its last operation ended.
func (s *spans) collect(rank int32) (done unit.Time) {
	sched, log := &s.trace.Ranks[rank], &s.log.Ranks[rank]
	for i := range uint32(sched.Len()) {
		begin, end := log.Begin[i], log.End[i]
		if end == Never {
			end = s.end
		}
		done = max(done, end)
		if begin == Never {
			continue
		}
		kind := sched.Kind(i)
		if kind == trace.Calc {
			s.add(Computing, begin, end)
			continue
		}
		moves := begin // since when the message is on its way
		switch {
		case kind == trace.Recv:
			moves = end
			if send := log.Took[i]; send.Rank >= 0 {
				moves = s.log.Ranks[send.Rank].Begin[send.Op]
			}
		case s.log.wait(Ref{rank, i}) == Held:
			moves = end
			if recv, ok := s.takers.of(Ref{rank, i}); ok {
				moves = s.log.Ranks[recv.Rank].Begin[recv.Op]
			}
		}
		moves = min(max(begin, moves), end)
		s.add(Waiting, begin, moves)
		s.add(Exposed, moves, end)
	}
	return done
}

func (s *spans) add(state State, from, to unit.Time) {
	if from, to = max(from, s.begin), min(to, s.end); from < to {
		s.from[state], s.to[state] = append(s.from[state], from), append(s.to[state], to)
	}
}

// sweep goes from instant to instant, and tells which state holds until when.
func (s *spans) sweep(done unit.Time, visit func(state State, until unit.Time)) {
	var begun, ended [Idle]int // spans until now
	for now := s.begin; now < s.end; {
		state, next := Idle, s.end
		for i := range begun {
			from, to := s.from[i], s.to[i]
			b, e := begun[i], ended[i]
			for b < len(from) && from[b] <= now {
				b++
			}
			for e < len(to) && to[e] <= now {
				e++
			}
			begun[i], ended[i] = b, e
			if b > e {
				// What comes after this state does not matter until it ends, or one before it begins.
				state, next = State(i), min(next, to[e])
				break
			}
			if b < len(from) {
				next = min(next, from[b])
			}
		}
		if state == Idle {
			if now >= done {
				state = Done
			} else {
				next = min(next, done)
			}
		}
		visit(state, next)
		now = next
	}
}
