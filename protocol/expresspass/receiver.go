package expresspass

import (
	"slices"

	"weft/protocol"
	"weft/protocol/internal/deadlines"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// receiving is the receiving side of a host.
type receiving struct {
	senders []*senderState // by host
	inbox   []inMessage
	freeIn  []int32
	pacing  deadlines.Wheel // of the next credits of the inbox
}

// senderState is what a receiver knows of a sender.
type senderState struct {
	numbered.Window
	open int // messages that did not arrive in full
	// known are the connections over which it was answered, if they outlast messages.
	known []connection
}

// connection is what a receiver remembers of one between messages: the round-trip time that
// the last answer found, 0 before there was one.
type connection struct {
	entropy uint16
	rtt     unit.Time
}

// recall returns the memory of a connection, of which there are so many at most, a new one if there is none.
func (s *senderState) recall(entropy uint16, most int) *connection {
	for i := range s.known {
		if k := &s.known[i]; k.entropy == entropy {
			return k
		}
	}
	if len(s.known) >= most { // as no host has them that keeps to its pool
		s.known = s.known[:0]
	}
	s.known = append(s.known, connection{entropy: entropy})
	return &s.known[len(s.known)-1]
}

// inMessage is a message that is being received. What making a credit asks for comes first,
// on one cache line: with thousands of messages most credits are made only to be refused.
type inMessage struct {
	feedback
	credit  uint32 // number of the next one
	peer    int32
	number  uint32
	answers uint32
	entropy uint16
	group   uint8
	live    bool
	reply   bool
	asked   bool // for what is missing, and it has not come
	size    unit.Bytes
	arrived unit.Bytes // without gap
	last    unit.Bytes // offset of the last packet
	_       [32]byte   // two cache lines
}

// sender returns what is known of a sender.
func (h *host) sender(peer int32) *senderState {
	s := h.senders[peer]
	if s == nil {
		s = &senderState{}
		h.senders[peer] = s
	}
	return s
}

// onRequest begins to send credits for a message.
func (h *host) onRequest(p *protocol.Packet) {
	s := h.sender(p.Peer)
	i := s.Find(p.Message)
	switch {
	case i == numbered.Done:
		if p.Flags&isReply == 0 && !h.answering(p) {
			h.respond(kindDone, p, 0)
		}
		return
	case i == numbered.Unknown:
		if !s.Near(p.Message) || p.Size < 1 || h.largest > 0 && (p.Size > h.largest || s.open >= h.mostOpen()) {
			return
		}
		i = numbered.Take(&h.inbox, &h.freeIn)
		s.Set(p.Message, i)
		h.inbox[i] = inMessage{
			peer: p.Peer, number: p.Message, group: p.Group, live: true, reply: p.Flags&isReply != 0,
			entropy: p.Entropy, answers: p.Extra, size: p.Size, last: -1,
		}
		h.inbox[i].held = h.sird
		s.open++
		if h.remembers() && p.Flags&isReply == 0 {
			h.inbox[i].rtt = s.recall(p.Entropy, h.pool).rtt
		}
	}
	m := &h.inbox[i]
	if m.rate > 0 { // one that was sent again
		return
	}
	packets := (p.Size - p.Offset + h.payload - 1) / h.payload
	m.start(h.config, h.now, int64(max(1, packets)))
	if !h.sird {
		// Credits that came after the last CREDIT_STOP were not lost.
		m.next = m.credit
	}
	h.sendCredit(i)
}

// sendCredit sends a credit and decides when the next one goes.
func (h *host) sendCredit(i int32) {
	m := &h.inbox[i]
	m.update(h.config, h.now)
	wire := h.creditMin
	if n := h.creditMax - h.creditMin; n > 0 {
		wire += unit.Bytes(h.rng.Uint64() >> 32 * uint64(n+1) >> 32)
	}
	h.offer(credit{
		group: m.group, entropy: m.entropy, wire: uint16(wire), peer: m.peer,
		message: m.number, number: m.credit, made: h.now,
	})
	m.credit++
	pause := float64(m.pause(h.config))
	if h.jitter > 0 {
		u := float64(h.rng.Uint64()>>11) / (1 << 53)
		pause *= 1 + float64(h.jitter*(2*u-1))
	}
	h.pacing.Put(i, h.now+max(1, unit.Time(pause)))
}

// remembers tells that a host has one round-trip time for a connection, whichever way it
// sends over it, and that it outlasts a message.
func (h *host) remembers() bool { return h.sird && h.pool > 0 }

// answering tells whether the answer to a message that arrived is under way.
func (h *host) answering(p *protocol.Packet) bool {
	r := h.receivers[p.Peer]
	return r != nil && slices.Contains(r.answering, p.Message)
}

// stop ends the credits of a message.
func (h *host) stop(i int32) {
	h.inbox[i].rate = 0
	h.pacing.Remove(i)
}

// respond answers a packet of a message's sender.
func (h *host) respond(kind uint8, p *protocol.Packet, at unit.Bytes) {
	h.packets.Push(packet{kind: kind, group: p.Group, entropy: p.Entropy, peer: p.Peer, message: p.Message, at: at})
}

// onData takes a packet of a message.
func (h *host) onData(p *protocol.Packet) (fresh unit.Bytes) {
	i := h.sender(p.Peer).Find(p.Message)
	if i < 0 {
		return 0
	}
	m := &h.inbox[i]
	bytes := p.Payload
	if m.reply {
		bytes = m.size
	}
	if p.Size != m.size || p.Offset < 0 || bytes < 1 || bytes > m.size-p.Offset {
		return 0
	}
	if int32(m.credit-p.Number) > 0 && p.EchoAt >= 0 && p.EchoAt <= h.now { // a credit that was sent
		m.answered(h.now, p.Number, p.EchoAt)
	}
	switch {
	case p.Offset > m.arrived:
		h.missing(m, p)
		m.last = p.Offset
		return 0
	case p.Offset < m.arrived:
		m.last = p.Offset
		return 0
	}
	m.asked = false
	m.last = p.Offset
	m.arrived += bytes
	if !m.reply {
		fresh = bytes
	}
	if m.arrived == m.size {
		h.deliver(i, p)
	}
	return fresh
}

// missing asks for what is missing, unless that was done and the sender has not gone back
// since. Paths keep the order, so that a gap is a loss.
func (h *host) missing(m *inMessage, p *protocol.Packet) {
	if m.asked && p.Offset > m.last {
		return
	}
	m.asked = true
	h.respond(kindNack, p, m.arrived)
}

// deliver ends a message that arrived in full.
func (h *host) deliver(i int32, p *protocol.Packet) {
	m := &h.inbox[i]
	if m.reply {
		if a := h.receiver(m.peer).Find(m.answers); a >= 0 {
			h.arrivedAt(a)
		}
		h.forget(i)
		return
	}
	h.out.Report(protocol.HostEvent{Kind: protocol.MessageDelivered, Group: m.group, Peer: m.peer, Tag: p.Tag, Bytes: m.size})
	if h.reply && (h.largest == 0 || len(h.receiver(m.peer).answering) < h.mostAnswers()) {
		h.answer(m.peer, m.group, m.number, m.entropy)
	} else {
		h.respond(kindDone, p, 0)
	}
	h.forget(i)
}

// forget ends what is known of a message.
func (h *host) forget(i int32) {
	m := &h.inbox[i]
	h.stop(i)
	m.live = false
	s := h.senders[m.peer]
	s.End(m.number)
	s.open--
	h.freeIn = append(h.freeIn, i)
}

// onStop ends the credits of a message, and asks for what is missing if all was sent.
func (h *host) onStop(p *protocol.Packet) {
	asks := p.Flags&protocol.Resent != 0
	i := h.sender(p.Peer).Find(p.Message)
	if i < 0 {
		switch {
		case asks && i == numbered.Done:
			if !h.answering(p) {
				h.respond(kindDone, p, 0)
			}
		case asks: // nothing of it is known
			h.respond(kindNack, p, 0)
		}
		return
	}
	m := &h.inbox[i]
	if m.reply { // the sender of the message asks if it misses the answer
		h.forget(i)
		return
	}
	h.stop(i)
	if p.Offset == m.size && m.arrived < m.size {
		h.respond(kindNack, p, m.arrived)
	}
}
