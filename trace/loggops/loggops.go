// Package loggops replays traces by the arithmetic of LogGOPS (Hoefler, Schneider, Lumsdaine: LogGOPSim,
// HPDC 2010): messages take the same time between any two ranks, whatever else is on its way.
//
// A message of s bytes holds the sender's processor for o + (s-1)O and its NIC for g + (s-1)G. Its first byte
// arrives o + L after it was sent. There it holds a processor for o + max((s-1)O, (s-1)G) and a NIC for
// g + (s-1)G, whether or not a receive is posted. A message of more than S bytes ends at its sender when a
// receive takes it (rendezvous), and others when they start. A receive that takes a message that had arrived
// before costs nothing more. A message without bytes counts as one byte.
//
// An operation begins when everything that it requires has ended and its processor is free. A message holds
// the processor and the NIC of the receiver that have the numbers of the send, not of the receive.
//
// LogGOPSim has another reading, which Parameters.AsLogGOPSim gives to the nanosecond:
//
//   - An operation begins when its own processor is free. An operation that it requires, on another
//     processor, may end later.
//   - When a receive takes a rendezvous message that had arrived before, the processor and the NIC of
//     the sender that have the numbers of the receive are free no earlier than that. Otherwise those with
//     the numbers of the send are.
//
// With one processor and one NIC per rank, both readings have the same times.
package loggops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"weft/trace"
	"weft/trace/replay"
	"weft/trace/timeline"
	"weft/unit"
)

// Parameters of the model.
type Parameters struct {
	Latency         unit.Time // L
	Overhead        unit.Time // o, of the processor per message
	Gap             unit.Time // g, of the NIC per message
	GapPerByte      unit.Time // G
	OverheadPerByte unit.Time // O
	// Eager is S: larger messages wait for their receive.
	Eager int64
	// AsLogGOPSim lets an operation begin before what it requires on another processor has ended, as
	// LogGOPSim does.
	AsLogGOPSim bool
	// Log fills Result.Log. It goes with the causal reading only.
	Log bool
	// Faults is how many faults Result.Stuck lists. 0 stands for 1000.
	Faults int
}

// Defaults returns the numbers that LogGOPSim has without flags.
func Defaults() Parameters {
	return Parameters{
		Latency: 2500 * unit.Nanosecond, Overhead: 1500 * unit.Nanosecond, Gap: 1000 * unit.Nanosecond, GapPerByte: 6 * unit.Nanosecond, Eager: 65535,
	}
}

// Result is what a replay came to.
type Result struct {
	// Ends is when the last processor of each rank was free.
	Ends []unit.Time
	// Events counts operations and messages that were handled.
	Events int64
	// Stuck is why the replay did not come to its end, and empty if it did.
	Stuck trace.Faults
	// Log is when operations began and ended, if Parameters.Log is set. A computation begins when it gets its
	// processor, a send when it has its processor and its NIC, and a receive when its turn comes to be posted.
	// A computation and an eager send end when the processor is done with them, and a send that waits for its
	// receive when that takes the message. A receive ends when the processor is done with the message, or at
	// once if the message was there. Work on a message that arrives before its receive is no operation.
	Log *timeline.Log
}

// End returns the latest end.
func (r *Result) End() (end unit.Time) {
	for _, t := range r.Ends {
		end = max(end, t)
	}
	return end
}

// defaultFaults is how many faults a result lists unless the parameters say otherwise.
const defaultFaults = 1000

// Run replays a trace without faults that trace.Check finds.
func Run(ctx context.Context, t *trace.Trace, p Parameters) (*Result, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if p.Log && p.AsLogGOPSim {
		return nil, errors.New("LogGOPSim's reading has no log: operations may begin before what they require has ended")
	}
	if err := p.fits(t); err != nil {
		return nil, err
	}
	m := newMachine(t, p)
	if p.Log {
		m.log = p.newLog(t)
	}
	if err := m.run(ctx); err != nil {
		return nil, err
	}
	return &Result{Ends: m.ends(), Events: m.events, Stuck: replay.Stuck(t, m.ranks, cmp.Or(p.Faults, defaultFaults)), Log: m.log}, nil
}

// newLog returns a log that knows what the model does with messages.
func (p Parameters) newLog(t *trace.Trace) *timeline.Log {
	l := timeline.New(t)
	l.Waits = func(send timeline.Ref) timeline.Wait {
		if t.Ranks[send.Rank].At(send.Op).Size > p.Eager {
			return timeline.Taken
		}
		return timeline.Eager
	}
	l.Handling = func(send timeline.Ref) (after, work unit.Time) {
		return p.Overhead + p.Latency, p.receipt(t.Ranks[send.Rank].At(send.Op).Size)
	}
	l.Sending = func(send timeline.Ref) unit.Time {
		return p.Gap + perByte(t.Ranks[send.Rank].At(send.Op).Size, p.GapPerByte)
	}
	return l
}

func (p *Parameters) check() error {
	for _, one := range []struct {
		name string
		v    int64
	}{
		{"L", int64(p.Latency)}, {"o", int64(p.Overhead)}, {"g", int64(p.Gap)}, {"G", int64(p.GapPerByte)}, {"O", int64(p.OverheadPerByte)}, {"S", p.Eager},
	} {
		if one.v < 0 {
			return fmt.Errorf("%s is negative; parameters of LogGOPS are 0 or more", one.name)
		}
	}
	return nil
}

// ErrTooLong is the error of a trace whose times cannot be counted.
var ErrTooLong = errors.New("the trace takes longer than 106 days one operation after another, which is too long for weft; choose smaller parameters")

// fits tells whether no time of a replay can overflow: the longest one does everything one after another.
func (p *Parameters) fits(t *trace.Trace) error {
	left := uint64(math.MaxInt64)
	spend := func(each, times uint64) bool {
		hi, lo := bits.Mul64(each, times)
		if hi > 0 || lo > left {
			return false
		}
		left -= lo
		return true
	}
	for r := range t.Ranks {
		s := &t.Ranks[r]
		for i := range uint32(s.Len()) {
			o := s.At(i)
			ok := true
			switch o.Kind {
			case trace.Calc:
				ok = spend(uint64(o.Size), uint64(unit.Nanosecond))
			case trace.Send:
				ok = spend(uint64(p.Latency), 1) && spend(uint64(p.Overhead), 2) && spend(uint64(p.Gap), 2) &&
					spend(uint64(o.Size), 2*uint64(p.GapPerByte)) && spend(uint64(o.Size), 2*uint64(p.OverheadPerByte))
			}
			if !ok {
				return ErrTooLong
			}
		}
	}
	return nil
}
