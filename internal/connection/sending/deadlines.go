package sending

import (
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/unit"
)

// Expire handles a deadline of a host. It returns when to check again, if needed.
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
	case end.DueInquiry:
		return s.inquireSilent(now, local, d)
	}
	return 0, false
}

// overdue handles the deadline of a message slot. It is postponed until the slot is due even if
// its message is complete: whether a host is idle must not depend on which message had the slot.
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

// timeout gives up the overdue packets of m and returns when to check again.
func (s *Side) timeout(now unit.Time, h int32, m *message) (unit.Time, bool) {
	c := m.conn
	rto := s.group(c).RTO
	switch {
	case s.group(c).Recovery.Kind == end.IRN:
		s.expire(now, m, s.ofIRN(m), false)
		s.update(now, h, m)
		at, flying := m.Deadline(s.ofIRN(m))
		return min(at, now+rto), flying // with fewer packets in flight the timeout is shorter
	case c.detects.patience != nil:
		s.expire(now, m, c.detects.patience.Timeout(), false)
		s.update(now, h, m)
		at, flying := m.Deadline(c.detects.patience.Timeout())
		// New samples may shorten the timeout, but not below its minimum.
		return min(at, now+rto), flying
	case c.detects.timer == nil:
		s.expire(now, m, rto, false)
		s.update(now, h, m)
		return m.Deadline(rto)
	}
	if now >= c.detects.timer.Due() {
		s.silence(now, m)
		s.update(now, h, m)
	}
	_, flying := m.Deadline(rto)
	// The timer's end may move either way, but after a future acknowledgement it is at least the
	// minimum timeout away.
	return min(c.detects.timer.Due(), now+rto), flying
}

// expire gives up the packets of m that were sent at least rto ago.
func (s *Side) expire(now unit.Time, m *message, rto unit.Time, silent bool) {
	for {
		seq, p, ok := m.Expire(now, rto)
		if !ok {
			return
		}
		s.Counts.Timeouts++
		if m.tally != nil {
			m.tally.Timeouts++
		}
		if k := m.conn.detects.patience; k != nil {
			began, _ := m.Began(seq)
			k.Expired(now, began)
		}
		s.giveUp(now, m, seq, p, protocol.Loss{Cause: protocol.Timeout, Silent: silent})
		if s.group(m.conn).Recovery.Kind == end.GoBackN {
			s.goBack(now, m)
			return
		}
	}
}

// silence gives up everything that the connection of m has in flight.
func (s *Side) silence(now unit.Time, m *message) {
	c := m.conn
	if g := s.group(c); !g.PerPair && !g.Turns {
		s.expire(now, m, 0, true)
	} else {
		// This is rare enough to scan all messages. A host's messages stand in the order in which
		// it first used their slots, whatever the domain.
		for _, other := range s.messages {
			if other.live && other.conn == c {
				s.expire(now, other, 0, true)
			}
		}
	}
	c.detects.timer.Expired(now)
}

// starved checks a connection that may have waited for credit too long. It returns when to check
// again.
func (s *Side) starved(now unit.Time, h int32, d end.Deadline) (unit.Time, bool) {
	c := s.slots.borrowers[d.Slot]
	k := c.credits
	if k.life != d.Serial {
		return 0, false
	}
	k.starving = false
	if c.active == 0 || k.backlog <= 0 || k.Credit() > 0 {
		return 0, false
	}
	rto := s.group(c).RTO
	if now-k.moved >= rto {
		s.ask(now, h, c, end.Overdue)
	}
	k.starving = true
	return k.moved + rto, true
}

// probeAgain asks a chooser for a probe at the time it set. A connection with nothing to send
// needs no news of its paths.
func (s *Side) probeAgain(now unit.Time, d end.Deadline) {
	c := s.slots.probers[d.Slot]
	p := c.prober
	if p.life != d.Serial || !p.armed || p.due != d.At {
		return
	}
	p.armed = false
	if c.active > 0 {
		s.probe(now, c)
	}
}

// paced ends a connection's gap. It returns when to check again if the gap goes on.
func (s *Side) paced(now unit.Time, h int32, d end.Deadline) (unit.Time, bool) {
	c := s.slots.clocked[d.Slot]
	k := c.clock
	if k.life != d.Serial || k.packet != d.At {
		return 0, false
	}
	if c.held && k.gap.until > now {
		k.packet = k.gap.until
		return k.packet, true
	}
	c.held, k.packet = false, unit.Forever
	s.makeReady(now, &s.hosts[h], c)
	return 0, false
}

// expireControl calls a control whose deadline has come, unless the deadline has moved.
func (s *Side) expireControl(now unit.Time, h int32, d end.Deadline) {
	a := &s.hosts[h].alarms.list[d.Slot]
	if a.at != d.At {
		return
	}
	a.at = unit.Forever
	c := a.conn
	if c == nil || c.active == 0 {
		return
	}
	if k := c.clock; k.timed != nil && k.timed.Deadline() <= now {
		s.ring(now, c)
		c.window = c.congestion.Window()
		if c.credits != nil {
			s.settle(now, h, c)
		}
	}
	s.resumeSending(now, c)
}

// spaced ends a bundle's gap. It returns when to check again if the gap goes on.
func (s *Side) spaced(now unit.Time, h int32, d end.Deadline) (unit.Time, bool) {
	b := s.slots.bundles[d.Slot]
	if b.look != d.At {
		return 0, false
	}
	if b.held && b.gap.until > now {
		b.look = b.gap.until
		return b.look, true
	}
	b.held, b.look = false, unit.Forever
	s.giveTurn(now, h, b)
	return 0, false
}
