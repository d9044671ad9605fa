package sending

import (
	"weft/internal/connection/end"
	"weft/unit"
)

// Expire acts on a deadline of a host, and returns when to look again, if need be.
func (s *Side) Expire(now unit.Time, local int32, d end.Deadline) (at unit.Time, again bool) {
	switch d.What {
	case end.OverduePacket:
		return s.overdue(now, local, d)
	case end.OverdueCredit:
		return s.starved(now, local, d)
	case end.DueProbe:
		s.probeAgain(now, d)
	case end.DuePacket:
		return s.paced(now, local, d)
	case end.DueControl:
		s.expireControl(now, local, d)
	case end.DueBundle:
		return s.spaced(now, local, d)
	}
	return 0, false
}

// arm asks for attention to a message. The deadline that its slot may have in the heap is no
// later: that was set before, for a message of the same source and so with the same timeout.
func (s *Side) arm(h *host, m *message, at unit.Time) {
	m.armed, m.due = true, at
	if !m.waits {
		m.waits = true
		h.Await(end.Deadline{At: at, Slot: m.slot, Serial: m.life, What: end.OverduePacket})
	}
}

// longTimeout is how many round trips a timeout lasts of whose messages far more may end
// within it than are under way at a time.
const longTimeout = 100

// disarm ends what a complete message waits for. With a long timeout its deadline is left to the
// slot's next message. Others get one of their own: which of several that come at once a host
// looks at first depends on all that are in its heap, and shows where packets are given up. With
// credit, or a timer for a whole connection, such deadlines come at once by their nature.
func (s *Side) disarm(h *host, m *message) {
	m.armed = false
	g := s.group(m.conn)
	if g.RTO <= longTimeout*g.Env.BaseRTT || g.ConnectionTimer || h.Grants {
		m.waits = false
		m.life++
	}
}

// overdue acts on the deadline of a slot. It is put off until the slot is due also when its
// message is complete: when nothing is left to happen must not depend on who had the slot.
func (s *Side) overdue(now unit.Time, local int32, d end.Deadline) (unit.Time, bool) {
	m := s.messages[d.Slot]
	if m.life != d.Serial {
		return 0, false
	}
	if m.due <= now {
		m.waits = false
		if m.live && m.armed {
			m.due, m.armed = s.timeout(now, local, m)
			m.waits = m.armed
		}
	}
	return m.due, m.waits
}
