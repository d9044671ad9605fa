package sending

import (
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/unit"
)

// goBack takes back all packets in flight of a message whose oldest packet was given up.
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
	// With IRN the window is updated only at the next acknowledgement, as before SACK existed.
	// The rate controls used with IRN are unaffected, but results of window controls would
	// change.
	if r.Kind == end.SACK {
		for seq, p, ok := m.Overtaken(r.Duplicates); ok; seq, p, ok = m.Overtaken(r.Duplicates) {
			s.giveUp(now, m, seq, p, protocol.Loss{Cause: protocol.Missing})
			m.conn.window = m.conn.congestion.Window()
		}
		return
	}
	if r.Kind == end.Order {
		s.giveUpOvertaken(now, m)
		return
	}
	for seq, p, ok := m.Gap(r.Tolerance); ok; seq, p, ok = m.Gap(r.Tolerance) {
		s.giveUp(now, m, seq, p, protocol.Loss{Cause: protocol.Missing})
	}
}

// ofIRN returns IRN's timeout for the packets of a message.
func (s *Side) ofIRN(m *message) unit.Time {
	g := s.group(m.conn)
	if m.Flying() > g.Recovery.Few {
		return g.Recovery.High
	}
	return g.RTO
}
