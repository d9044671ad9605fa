package receiving

import (
	"weft/internal/packet"
	"weft/protocol/reliable"
	"weft/unit"
)

// inbound is a message that is being received.
type inbound struct {
	reliable.Receiver
	// The packet noted last, which a flush on another packet's behalf reports as
	// its trigger.
	seq     uint32
	entropy uint16
	marked  bool

	// order is for a group whose receivers take packets in order only.
	order reliable.InOrder
	// payload is what of it has arrived.
	payload unit.Bytes
	// peer is the number of its connection with the receiving side of the congestion
	// control, if there is one.
	peer int32
	// heard is the same with the receiving end that answers.
	heard int32
	// Whom to answer when no packet prompts it.
	src     int32
	message uint32
	serial  uint32
	group   uint8
	// since is when the first of the pending packets arrived; armed tells that a
	// deadline is set for them, which knows the message by its generation.
	armed      bool
	since      unit.Time
	generation uint32
	// held is the packet noted last, if it brought a trail and keeps, so that an answer that no
	// packet prompts returns it.
	held  packet.ID
	keeps bool
	// backlog tells that a packet of it said that others wait behind it.
	backlog bool
}

// noPeer is the number of no connection.
const noPeer int32 = -1

// incoming returns the entry of the message that a data packet or a request belongs to,
// a new one if it is the first of it, and nil if it is of a message before.
func (s *Side) incoming(now unit.Time, h *host, p *packet.Packet, packets uint32) *entry {
	en, known := h.incoming.at(p.Src(), p.Message)
	if !known || int32(p.Serial-en.serial) > 0 {
		if known && en.inbound != complete { // which was cancelled
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

// begin returns an inbound for a message of the given number of packets.
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
