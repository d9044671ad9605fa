package transport

import (
	"slices"

	"weft/fabric"
	"weft/protocol"
	"weft/sim"
)

// This file has what switches write, on its way: their stamps (protocol.Stamping), on data, from which a receiver copies
// them into the acknowledgement, or on acknowledgements; and fields of data (protocol.Field), which it copies as well.

// trackData gives a data frame of a connection a trail, if switches stamp its data, or it has a field.
func (e *Endpoint) trackData(now sim.Time, g *Group, c *connection, id fabric.FrameID) {
	if g.Congestion.Stamping == protocol.OnData {
		e.d.Track(id, fabric.Forward, 0)
	}
	if c.fielder != nil {
		e.d.PutField(id, c.fielder.Field(now))
	}
}

// trackAck gives an acknowledgement of a group a trail, if switches stamp those.
func (e *Endpoint) trackAck(g *Group, id fabric.FrameID) {
	if g.Congestion.Stamping == protocol.OnAcks {
		e.d.Track(id, fabric.Backward, uint16(g.Congestion.StampBytes))
	}
}

// aux returns what a frame's Aux says, wherever that is.
func (e *Endpoint) aux(id fabric.FrameID) uint32 {
	if f := e.d.Frame(id); !f.Tracked() {
		return f.Aux
	}
	return e.d.Trail(id).Aux
}

// takeTrail hands the stamps of an acknowledgement, and the field, to its congestion control.
func (e *Endpoint) takeTrail(g *Group, id fabric.FrameID, a *protocol.Ack) {
	t := e.d.Trail(id)
	a.Field, a.Fielded = t.Field()
	n, path := t.Stamps(&e.stamps)
	a.Stamps = protocol.Stamps{Path: path, Hops: e.stamps[:n]}
	if g.Congestion.Stamping == protocol.OnAcks { // which met the switch of the receiver first
		slices.Reverse(a.Stamps.Hops)
	}
}
