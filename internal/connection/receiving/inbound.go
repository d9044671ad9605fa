package receiving

import (
	"weft/internal/packet"
	"weft/protocol/reliable"
	"weft/unit"
)

// inbound is a message that is being received.
type inbound struct {
	reliable.Receiver
	// The packet noted last. If another packet causes a flush, the acknowledgement names this one
	// as its trigger.
	seq     uint32
	entropy uint16
	marked  bool

	// order is for groups whose receivers take packets in order only.
	order reliable.InOrder
	// payload is the number of bytes that have arrived.
	payload unit.Bytes
	// peer is the number of its connection in the congestion control's receiving side, or noPeer.
	peer int32
	// heard is the number of its connection in the receiving end that answers, or noPeer.
	heard int32
	// Where to send an acknowledgement that no packet prompts.
	src     int32
	message uint32
	serial  uint32
	group   uint8
	// since is when the first pending packet arrived. armed is set while a deadline exists for
	// the pending packets. The deadline identifies the message by its generation.
	armed      bool
	since      unit.Time
	generation uint32
	// held is the packet noted last, if keeps is set. It is kept when it brought a trail, so that
	// an acknowledgement that no packet prompts can return the trail.
	held  packet.ID
	keeps bool
	// backlog is set once a packet of it has said that others wait behind it.
	backlog bool
}

// noPeer is the number of no connection.
const noPeer int32 = -1

// incoming returns the entry of the message that a data packet or request belongs to, with a new
// inbound if the packet is the first. It returns nil if the packet belongs to an earlier message
// with the same number.
func (s *Side) incoming(now unit.Time, h *host, p *packet.Packet, packets uint32) *entry {
	en, known := h.incoming.at(p.Src(), p.Message)
	if !known || int32(p.Serial-en.serial) > 0 {
		if known && en.inbound != complete { // the earlier message was cancelled
			s.abandon(now, h, en, false)
		}
		en.serial = p.Serial
		en.inbound = s.begin(packets)
		in := &s.inbound[en.inbound]
		in.peer, in.heard, in.group = noPeer, noPeer, p.Group()
	} else if en.serial != p.Serial {
		return nil
	}
	return en
}

// begin returns an inbound for a message with the given number of packets.
func (s *Side) begin(packets uint32) int32 {
	var i int32
	if n := len(s.spare); n > 0 {
		i = s.spare[n-1]
		s.spare = s.spare[:n-1]
	} else {
		i = int32(len(s.inbound))
		s.inbound = append(s.inbound, inbound{})
	}
	in := &s.inbound[i]
	in.Reset(packets)
	in.payload = 0
	in.order.Reset()
	in.armed, in.backlog = false, false
	in.generation++
	return i
}
