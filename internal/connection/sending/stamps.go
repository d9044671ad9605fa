package sending

import (
	"slices"

	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// This file has what switches write on packets, on their way: stamps (protocol.Stamping) and fields (protocol.Field). They come back with
// acknowledgements.

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
