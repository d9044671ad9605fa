package sending

import (
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/unit"
)

// This file implements what a sender does when it considers a packet lost.

// restartTimeout restarts the timeout after feedback that has no round-trip time.
func (c *connection) restartTimeout(now unit.Time) {
	if c.detects.timer != nil {
		c.detects.timer.Heard(now, 0)
	} else if c.detects.patience != nil {
		c.detects.patience.Heard(now, 0)
	}
}

// giveUp takes a lost packet out of flight and tells the control and the chooser. l says how it
// was lost.
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
