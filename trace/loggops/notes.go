package loggops

import (
	"weft/trace"
	"weft/trace/internal/paged"
	"weft/unit"
)

// notes are times that hold operations back until what they require on other processors has ended.
type notes struct {
	// times has, by rank and operation, when its last requirement has ended. Once a send has begun, it has
	// when a processor is done with it: with an eager one the receiver's, and else the sender's. It is nil
	// for ranks that need no notes.
	times  [][]unit.Time
	memory *paged.Memory // which has times
	// messages has when the receiver's processor was done with messages that no receive was posted for, if
	// times does not.
	messages map[sent]unit.Time
	// starts tells which ranks have operations that require the start of another one.
	starts []bool
}

// sent names a message.
type sent struct {
	rank int32
	op   uint32
}

// processors are the numbers of processors that ranks use, by rank: 0 for none, one number and 1, or several.
type processors []uint32

const several = ^uint32(0)

func (p processors) add(rank int32, cpu uint16) {
	switch n := uint32(cpu) + 1; p[rank] {
	case 0:
		p[rank] = n
	case n:
	default:
		p[rank] = several
	}
}

// newNotes returns the notes of a replay. A rank whose operations and messages use one processor needs none:
// whatever ends there ends no later than that processor is free, and nothing begins before. A log has these
// times, so that all ranks need them.
func newNotes(t *trace.Trace, p *Parameters, used processors) notes {
	n := notes{times: make([][]unit.Time, len(t.Ranks)), memory: &paged.Memory{}, messages: map[sent]unit.Time{}, starts: make([]bool, len(t.Ranks))}
	for r := range t.Ranks {
		s := &t.Ranks[r]
		n.starts[r] = s.Starts()
		if !p.AsLogGOPSim && (p.Log || used[r] == several) {
			n.times[r] = paged.Make[unit.Time](n.memory, s.Len())
		}
	}
	return n
}

// timed tells whether a rank has notes.
func (n *notes) timed(rank int32) bool { return n.times[rank] != nil }

// of returns the note of an operation, or 0.
func (n *notes) of(rank int32, op uint32) unit.Time {
	if times := n.times[rank]; times != nil {
		return times[op]
	}
	return 0
}

// put notes a time of an operation.
func (n *notes) put(rank int32, op uint32, at unit.Time) {
	if times := n.times[rank]; times != nil {
		times[op] = at
	}
}

// hold notes that the dependants of an operation begin no earlier than its start, or else its end.
func (n *notes) hold(s *trace.Schedule, rank int32, op uint32, start bool, at unit.Time) {
	times := n.times[rank]
	if times == nil {
		return
	}
	s.Dependants(op, func(d uint32, onStart bool) {
		if onStart == start {
			times[d] = max(times[d], at)
		}
	})
}

// handled notes when the receiver's processor is done with a message that no receive was posted for.
func (n *notes) handled(message sent, eager bool, at unit.Time) {
	if times := n.times[message.rank]; times != nil && eager {
		times[message.op] = at
		return
	}
	n.messages[message] = at
}

// handledAt returns what handled noted, once.
func (n *notes) handledAt(message sent, eager bool) unit.Time {
	if times := n.times[message.rank]; times != nil && eager {
		return times[message.op]
	}
	at := n.messages[message]
	delete(n.messages, message)
	return at
}
