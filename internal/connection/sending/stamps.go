package sending

import (
	"slices"

	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// This file has what switches write, on its way: their stamps (protocol.Stamping), on data, from which a receiver copies
// them into the acknowledgement, or on acknowledgements; fields of data (protocol.Field), which it copies as well; and
// notices (protocol.Controller).

// track gives a data packet of a connection a trail, if switches stamp its data, or it has a field.
func (s *Side) track(now unit.Time, g *end.Group, c *connection, id packet.ID) {
	if g.Congestion.Stamping == protocol.OnData {
		s.Store.Track(id, packet.Forward, 0)
	}
	if c.fielder != nil {
		s.Store.PutField(id, c.fielder.Field(now))
	}
}

// takeTrail hands the stamps of an acknowledgement, and the field, to its congestion control.
func (s *Side) takeTrail(g *end.Group, id packet.ID, a *protocol.Ack) {
	t := s.Store.Trail(id)
	a.Field, a.Fielded = t.Field()
	n, path := t.Stamps(&s.stamps)
	a.Stamps = protocol.Stamps{Path: path, Hops: s.stamps[:n]}
	if g.Congestion.Stamping == protocol.OnAcks { // which met the switch of the receiver first
		slices.Reverse(a.Stamps.Hops)
	}
}

// Notice hands what a switch tells to the control of its message, unless that is complete.
func (s *Side) Notice(now unit.Time, local int32, id packet.ID) {
	s.Counts.Notices++
	p := s.Store.At(id)
	m, n := s.of(p), *s.Store.Notice(p)
	s.Store.Free(id)
	if m == nil {
		return
	}
	if c, ok := m.conn.congestion.(protocol.Notified); ok {
		c.Notify(now, n.From, n.Notice)
		s.update(now, local, m)
	}
}
