package sending

import (
	"slices"

	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// This file handles what switches write on packets: stamps (protocol.Stamping) and fields
// (protocol.Field). Acknowledgements bring both back.

// track gives a data packet a trail if switches stamp the group's data or the connection's
// packets carry a field.
func (s *Side) track(now unit.Time, g *end.Group, c *connection, id packet.ID) {
	if g.Congestion.Stamping == protocol.OnData {
		s.Store.Track(id, packet.Forward, 0)
	}
	if c.fielder != nil {
		s.Store.PutField(id, c.fielder.Field(now))
	}
}

// takeTrail copies the stamps and the field of an acknowledgement for the congestion control.
func (s *Side) takeTrail(g *end.Group, id packet.ID, a *protocol.Ack) {
	t := s.Store.Trail(id)
	a.Field, a.Fielded = t.Field()
	n, path := t.Stamps(&s.stamps)
	a.Stamps = protocol.Stamps{Path: path, Hops: s.stamps[:n]}
	if g.Congestion.Stamping == protocol.OnAcks { // the receiver's switch stamped first
		slices.Reverse(a.Stamps.Hops)
	}
}
