package wire

import (
	"time"

	"weft/internal/histogram"
	"weft/unit"
)

// lateness measures how late datagrams leave that waited for the wire.
type lateness struct {
	waiting []unit.Time // due times of the datagrams about to leave
	late    histogram.Histogram
	count   uint64
	sum     unit.Time
}

// leaves notes a datagram that is about to leave and when it was due; due is 0 if it did not
// wait.
func (l *lateness) leaves(due unit.Time) {
	if due != 0 {
		l.waiting = append(l.waiting, due)
	}
}

// waits reports whether any datagram about to leave waited for the wire.
func (l *lateness) waits() bool { return len(l.waiting) > 0 }

// left notes that these datagrams have left.
func (l *lateness) left(now unit.Time) {
	for _, due := range l.waiting {
		late := max(0, now-due)
		l.late.Add(int64(late))
		l.sum += late
	}
	l.count += uint64(len(l.waiting))
	l.waiting = l.waiting[:0]
}

// into writes the measurements into s.
func (l *lateness) into(s *Stats) {
	s.Paced, s.Late = l.count, nanoseconds(l.sum)
	s.LateP50, s.LateP99 = nanoseconds(unit.Time(l.late.PerMille(500))), nanoseconds(unit.Time(l.late.PerMille(990)))
}

// nanoseconds converts a time of the carrier's clock to a duration.
func nanoseconds(t unit.Time) time.Duration { return time.Duration(t / unit.Nanosecond) }
