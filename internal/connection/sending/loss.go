package sending

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/unit"
)

// This file has how a sender learns of losses, and what it then does.

// Nack handles the report that a packet arrived trimmed, or is missing.
func (s *Side) Nack(now unit.Time, h int32, id packet.ID) {
	f := s.Store.At(id)
	m := s.of(f)
	if m != nil && s.group(m.conn).Recovery.Kind == end.GoBackN {
		s.missing(now, h, m, id)
		return
	}
	seq := f.Seq
	s.Store.Free(id)
	if m == nil {
		return
	}
	p, ok := m.Lose(seq)
	if !ok {
		return
	}
	m.conn.heard(now)
	s.Counts.Trims++
	if m.tally != nil {
		m.tally.Trims++
	}
	s.giveUp(now, m, seq, p, protocol.Loss{Cause: protocol.Trimmed})
	s.update(now, h, m)
}

// heard restarts what waits for an answer after a report that has no round-trip time.
func (c *connection) heard(now unit.Time) {
	if c.timer != nil {
		c.timer.Heard(now, 0)
	} else if c.patience != nil {
		c.patience.Heard(now, 0)
	}
}

// giveUp takes a lost packet out of flight and tells the cores; l says how it was lost.
func (s *Side) giveUp(now unit.Time, m *message, seq uint32, p reliable.Packet, l protocol.Loss) {
	c := m.conn
	s.takeBack(now, m, seq, l.Cause)
	l.Now, l.Entropy, l.SentAt, l.Wire = now, p.Entropy, p.SentAt, s.wire(m, seq)
	if c.credits != nil {
		c.credits.backlog += l.Wire
	}
	s.lost = l
	before := c.congestion.Window()
	c.congestion.Lost(&s.lost)
	s.lost.Cut = c.congestion.Window() < before
	c.entropy.Lost(&s.lost)
	if c.prober != nil {
		s.probe(now, c)
	}
}

// takeBack takes a packet out of flight, to be sent again.
func (s *Side) takeBack(now unit.Time, m *message, seq uint32, cause protocol.LossCause) {
	c := m.conn
	if s.Observer != nil {
		s.Observer.GaveUp(now, c.group, s.hosts[c.src].ID, Named{s.number(m), m.serial, seq}, cause)
	}
	c.inflight -= s.payload(m, seq)
	if !m.queued {
		c.queue.pushFront(m)
	}
}

// timeout gives up what of m is overdue and returns when to look again.
func (s *Side) timeout(now unit.Time, h int32, m *message) (unit.Time, bool) {
	c := m.conn
	rto := s.group(c).RTO
	switch {
	case s.group(c).Recovery.Kind == end.IRN:
		s.expire(now, m, s.ofIRN(m), false)
		s.update(now, h, m)
		at, flying := m.Deadline(s.ofIRN(m))
		return min(at, now+rto), flying // with fewer packets in flight it is earlier
	case c.patience != nil:
		s.expire(now, m, c.patience.Timeout(), false)
		s.update(now, h, m)
		at, flying := m.Deadline(c.patience.Timeout())
		// What is heard meanwhile may shorten the timeout, but not below its least.
		return min(at, now+rto), flying
	case c.timer == nil:
		s.expire(now, m, rto, false)
		s.update(now, h, m)
		return m.Deadline(rto)
	}
	if now >= c.timer.Due() {
		s.silence(now, m)
		s.update(now, h, m)
	}
	_, flying := m.Deadline(rto)
	// The timer's end may move to and fro, but not to less than the least timeout after
	// an acknowledgement that is still to come.
	return min(c.timer.Due(), now+rto), flying
}

// expire gives up the packets of m that were sent rto or longer ago.
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
		if k := m.conn.patience; k != nil {
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

// silence gives up all that the connection of m has in flight.
func (s *Side) silence(now unit.Time, m *message) {
	c := m.conn
	if g := s.group(c); !g.PerPair && !g.Turns {
		s.expire(now, m, 0, true)
	} else {
		// Seldom enough to look through all; those of a host stand in the order in
		// which it began with their slots, whatever the domain.
		for _, other := range s.messages {
			if other.live && other.conn == c {
				s.expire(now, other, 0, true)
			}
		}
	}
	c.timer.Expired(now)
}
