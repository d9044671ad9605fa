package tokens

import (
	"weft/internal/fifo"
	"weft/internal/ranked"
	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// outbox is the messages that a host sends.
type outbox struct {
	receivers    []*receiver // by host
	outgoing     []outgoing
	freeOutgoing []int32
	// ready are those of which a packet can go, if its tokens are not void by now.
	ready       ranked.Heap
	submitted   uint64
	unconfirmed int
}

// receiver is what a sender knows of a receiver.
type receiver struct {
	next uint32 // number of the next message
	numbered.Window
}

// outgoing is a message that is being sent.
type outgoing struct {
	peer   int32
	number uint32
	group  uint8
	live   bool
	tries  uint8 // notices that were repeated since something was heard
	age    uint64
	tag    uint64
	size   unit.Bytes
	left   unit.Bytes // payload that was never sent
	free   int32      // free tokens left
	start  unit.Time
	heard  unit.Time // when something about it last came or went
	sent   numbered.Bits
	tokens fifo.Queue[token]
}

// token lets a packet go until some time.
type token struct {
	packet int32
	number uint32
	until  unit.Time
}

// Submit implements protocol.HostTransport.
func (h *Host) Submit(now unit.Time, s *protocol.HostMessage) {
	h.Now = now
	r := h.receiver(s.Peer)
	i := numbered.Take(&h.outgoing, &h.freeOutgoing)
	m := &h.outgoing[i]
	sent, tokens := m.sent, m.tokens
	tokens.Reset()
	*m = outgoing{
		peer: s.Peer, number: r.next, group: s.Group, live: true, age: h.submitted, tag: s.Tag,
		size: s.Bytes, left: s.Bytes, free: h.Free(s.Bytes), start: now, heard: now, sent: sent, tokens: tokens,
	}
	m.sent.Reset(int(h.Packets(m.size)))
	h.submitted++
	r.next++
	r.Set(m.number, i)
	h.unconfirmed++
	if h.tick == unit.Forever {
		h.tick = now + h.Silence/2
	}
	h.Push(Order{Kind: Notice, Peer: m.peer, Group: m.group, Message: m.number, index: i})
	if m.free > 0 {
		h.ready.Put(i)
	}
}

func (h *Host) receiver(peer int32) *receiver {
	r := h.receivers[peer]
	if r == nil {
		r = &receiver{}
		h.receivers[peer] = r
	}
	return r
}

// Hear notes that a packet about a message to a peer came, and tells whether it is under
// way.
func (h *Host) Hear(p *protocol.Packet) bool {
	i := h.receiver(p.Peer).Find(p.Message)
	if i < 0 {
		return false
	}
	m := &h.outgoing[i]
	m.heard, m.tries = h.Now, 0
	return true
}

// mostTokens is how many tokens of a message wait, so that a receiver that gives more than there is time for takes no more
// memory. Receivers that keep to their windows stay far below it.
const mostTokens = 1 << 16

// OnToken takes a token, which is void from some time on.
func (h *Host) OnToken(p *protocol.Packet, until unit.Time) {
	if !h.Hear(p) {
		return
	}
	i := h.receiver(p.Peer).Find(p.Message)
	m := &h.outgoing[i]
	if p.Offset < 0 || p.Offset >= m.size || p.Offset%h.Payload != 0 {
		return
	}
	if m.tokens.Len() >= mostTokens {
		return
	}
	m.tokens.Push(token{packet: int32(p.Offset / h.Payload), number: uint32(p.Amount), until: until})
	h.ready.Put(i)
}

// OnDone takes the receiver's word that a message arrived in full.
func (h *Host) OnDone(p *protocol.Packet) {
	i := h.receiver(p.Peer).Find(p.Message)
	if i < 0 {
		return
	}
	m := &h.outgoing[i]
	h.drop(i)
	h.Out.Report(protocol.HostEvent{Kind: protocol.MessageCompleted, Group: m.group, Peer: m.peer, Tag: m.tag, Bytes: m.size})
}

// before tells whether a message goes before another one.
func (h *Host) before(a, b int32) bool {
	x, y := &h.outgoing[a], &h.outgoing[b]
	if h.FreeFirst && (x.free > 0) != (y.free > 0) {
		return x.free > 0
	}
	if x.left != y.left {
		return x.left < y.left
	}
	return x.age < y.age
}

// usable drops tokens that are void, and tells whether one is left.
func (h *Host) usable(m *outgoing) bool {
	if m.free > 0 && h.Now > h.freeUntil(m) {
		m.free = 0
	}
	for !m.tokens.Empty() && m.tokens.First().until < h.Now {
		m.tokens.Pop()
	}
	return m.free > 0 || !m.tokens.Empty()
}

// sendData sends the next packet that has a token.
func (h *Host) sendData(p *protocol.Packet) bool {
	for h.ready.Len() > 0 {
		i := h.ready.First()
		m := &h.outgoing[i]
		free := m.free
		switch {
		case !h.usable(m):
			h.ready.Remove(i)
		case m.free != free:
			h.ready.Put(i) // without free tokens others may go first
		default:
			h.send(m, p)
			if h.usable(m) {
				h.ready.Put(i)
			} else {
				h.ready.Remove(i)
			}
			return true
		}
	}
	return false
}

// send fills a packet of a message that has a token.
func (h *Host) send(m *outgoing, p *protocol.Packet) {
	var t token
	if m.free > 0 {
		first := h.Free(m.size) - m.free
		t = token{packet: first, number: uint32(first)}
		m.free--
	} else {
		t = m.tokens.First()
		m.tokens.Pop()
	}
	p.Kind, p.Peer, p.Group, p.Tag, p.Message = Data, m.peer, m.group, m.tag, m.number
	p.Size, p.Offset, p.Amount = m.size, unit.Bytes(t.packet)*h.Payload, unit.Bytes(t.number)
	p.Payload = h.payload(m.size, t.packet)
	p.Wire, p.Class = p.Payload+h.Header, h.class(m.size)
	if h.Padded {
		p.Wire = h.Payload + h.Header
	}
	m.heard = h.Now
	if m.sent.Has(int(t.packet)) {
		p.Flags |= protocol.Resent
		h.Out.Report(protocol.HostEvent{
			Kind: protocol.PacketLost, Cause: protocol.Timeout, Group: m.group, Peer: m.peer, Tag: m.tag, Bytes: p.Wire,
		})
		return
	}
	m.sent.Add(int(t.packet))
	m.left -= p.Payload
}
