package transport

import (
	"slices"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/unit"
)

// react lets a source continue after it was told of something. It sends the
// source's signals and schedules its next message.
func (e *Endpoint) react(now unit.Time, h int32, s *source) {
	if s.signaller != nil {
		e.emit(now, h, s)
	}
	e.scheduleReceiver(now, h, s)
}

// scheduleReceiver schedules the next message of a source that may name an earlier
// time after every event.
func (e *Endpoint) scheduleReceiver(now unit.Time, h int32, s *source) {
	at, ok := s.receiver.Due()
	at = max(at, now)
	if !ok || s.waiting && s.due <= at {
		return
	}
	s.due, s.waiting = at, true
	e.Sending.Await(e.Host(h), end.Deadline{At: at, What: s.group})
}

// startReceiver starts the messages of a source that are due. An earlier deadline
// may have started them already.
func (e *Endpoint) startReceiver(now unit.Time, h int32, s *source) {
	s.waiting = s.waiting && s.due > now
	for {
		at, ok := s.receiver.Due()
		if !ok || at > now {
			break
		}
		if m, ok := s.Next(); ok {
			e.start(now, h, s, m)
		}
	}
	e.schedule(now, h, s)
}

// emit sends the signals of a source. A signal to its own host takes effect at once.
func (e *Endpoint) emit(now unit.Time, h int32, s *source) {
	self := e.hosts[h].ID
	for {
		to, value, ok := s.signaller.Emit()
		if !ok {
			return
		}
		if to == self {
			s.signaller.Signalled(now, self, value)
			continue
		}
		sig := fabric.Signal{Src: self, Dst: to, Number: s.sent<<groupBits | uint32(s.group), Group: s.group, Value: value}
		s.sent++
		if slices.Contains(s.beside, to) {
			e.d.SignalBeside(now, sig)
		} else {
			e.d.Signal(now, sig)
		}
	}
}

// groupBits is the number of bits of a signal's Number that hold its group.
const groupBits = 6

// Signalled implements fabric.SignalReceiver.
func (e *Endpoint) Signalled(h int32, s fabric.Signal) {
	host := &e.hosts[h]
	host.signals.Push(s)
	e.d.SetTimer(h, host.signals[0].At)
}

// takeSignals applies the signals whose time has come.
func (e *Endpoint) takeSignals(now unit.Time, h int32) {
	host := &e.hosts[h]
	for len(host.signals) > 0 && host.signals[0].At <= now {
		sig, sources := host.signals.Pop(), e.sourcesOf(h)
		s := &sources[sources[sig.Group].hears]
		s.signaller.Signalled(now, sig.Src, sig.Value)
		e.react(now, h, s)
	}
}
