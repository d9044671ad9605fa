package transport

import (
	"slices"

	"weft/fabric"
	"weft/protocol"
)

// This file has the stamps of switches on their way (protocol.Stamping): on data, from which a receiver copies them into
// the acknowledgement, or on acknowledgements.

// trackData gives a data frame of a group a trail, if switches stamp its data.
func (e *Endpoint) trackData(g *Group, id fabric.FrameID) {
	if g.Congestion.Stamping == protocol.OnData {
		e.d.Track(id, fabric.Forward, 0)
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

// takeStamps hands the stamps of an acknowledgement to its congestion control.
func (e *Endpoint) takeStamps(g *Group, id fabric.FrameID, a *protocol.Ack) {
	n, path := e.d.Trail(id).Stamps(&e.stamps)
	a.Stamps = protocol.Stamps{Path: path, Hops: e.stamps[:n]}
	if g.Congestion.Stamping == protocol.OnAcks { // which met the switch of the receiver first
		slices.Reverse(a.Stamps.Hops)
	}
}
