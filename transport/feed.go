package transport

import (
	"weft/fabric"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
	"weft/workload"
)

// The functions of this file feed a host by hand, without a source and a network
// (package transport/solo). Call them between two calls of the network's Run.

// Submit submits a message in addition to the host's own traffic. The host must have a source.
func (e *Endpoint) Submit(now unit.Time, h int32, group int, m workload.Message) {
	e.start(now, h, &e.sourcesOf(h)[group], m)
	e.d.SetTimer(h, now)
}

// Arrival returns a frame that brings a host a packet from its peer, for Receive.
// It sets the marks that a network would set.
func (e *Endpoint) Arrival(h int32, p *protocol.Packet) fabric.FrameID {
	sent := *p
	sent.Peer = e.hosts[h].ID
	sent.Flags &^= protocol.Marked | protocol.WasTrimmed
	id := e.writePacket(p.Peer, &sent)
	f := e.d.Frame(id)
	if p.Flags&protocol.Marked != 0 {
		f.Flags |= packet.Marked
	}
	if p.Flags&protocol.WasTrimmed != 0 {
		f.Flags |= packet.Trimmed
	}
	return id
}

// Departure reads the packet in a frame that Pull returned. Peer is the destination.
func (e *Endpoint) Departure(id fabric.FrameID) protocol.Packet {
	var p hostedPacket
	e.readPacket(id, &p)
	f := e.d.Frame(id)
	p.Peer, p.Class = f.Dst(), f.Priority()
	return p.Packet
}
