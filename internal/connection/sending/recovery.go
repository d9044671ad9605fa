package sending

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// missing handles the report that a packet is missing, of which all before have
// arrived.
func (s *Side) missing(now unit.Time, h int32, m *message, id packet.ID) {
	f := s.Store.At(id)
	missing := s.Store.Aux(f)
	a := protocol.Ack{Now: now, Entropy: f.Entropy, Marked: f.Bits&end.Marked != 0}
	s.Store.Free(id)
	c := m.conn
	s.acked = a
	s.acked.InFlight = c.inflight
	if s.acked.Packets = s.cumulative(m, missing); s.acked.Packets > 0 {
		if a.Marked {
			s.acked.MarkedPackets = 1
		}
		before := c.window
		c.congestion.Acked(&s.acked)
		c.window = c.congestion.Window()
		s.acked.Room, s.acked.Cut = c.window-c.inflight, c.window < before
		c.entropy.Acked(&s.acked)
	}
	if p, ok := m.Lose(missing); ok {
		c.heard(now)
		s.giveUp(now, m, missing, p, protocol.Loss{Cause: protocol.Missing})
		s.goBack(now, m)
	}
	s.update(now, h, m)
}

// goBack takes back all that is in flight of a message whose oldest packet was given up.
func (s *Side) goBack(now unit.Time, m *message) {
	for {
		seq, _, ok := m.Rewind()
		if !ok {
			return
		}
		s.takeBack(now, m, seq, protocol.Missing)
	}
}

// fillGaps gives up the packets of a message that others have overtaken.
func (s *Side) fillGaps(now unit.Time, m *message) {
	r := &s.group(m.conn).Recovery
	// With IRN the window follows with the next acknowledgement, as it did before there was SACK: rates, which go with
	// IRN, do not change here, and results of windows would.
	if r.Kind == end.SACK {
		for seq, p, ok := m.Overtaken(r.Duplicates); ok; seq, p, ok = m.Overtaken(r.Duplicates) {
			s.giveUp(now, m, seq, p, protocol.Loss{Cause: protocol.Missing})
			m.conn.window = m.conn.congestion.Window()
		}
		return
	}
	for seq, p, ok := m.Gap(r.Tolerance); ok; seq, p, ok = m.Gap(r.Tolerance) {
		s.giveUp(now, m, seq, p, protocol.Loss{Cause: protocol.Missing})
	}
}

// ofIRN is IRN's timeout of a packet of a message.
func (s *Side) ofIRN(m *message) unit.Time {
	g := s.group(m.conn)
	if m.Flying() > g.Recovery.Few {
		return g.Recovery.High
	}
	return g.RTO
}
