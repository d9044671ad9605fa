package homa

import (
	"weft/internal/ranked"
	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// sending is the sending side of a host.
type sending struct {
	receivers []*receiverState // by host
	outbox    []outMessage
	freeOut   []int32
	// ready are the messages of which a packet can go now: the one with the fewest
	// bytes left first, then the oldest.
	ready ranked.Heap
	age   uint64 // messages submitted
	// unconfirmed counts messages that are not done.
	unconfirmed int
	// held is what was granted and not yet sent, own what needs no grant and was not yet
	// sent, in wire bytes.
	held, own unit.Bytes
}

// receiverState is what a sender knows of a receiver.
type receiverState struct {
	next uint32 // number of the next message
	numbered.Window
}

// outMessage is a message that is being sent.
type outMessage struct {
	peer   int32
	number uint32
	group  uint8
	live   bool
	tries  uint8 // how often the receiver was asked in vain
	age    uint64
	tag    uint64
	size   unit.Bytes
	first  unit.Bytes // payload that needs no grant
	sent   unit.Bytes // up to where it was sent
	may    unit.Bytes // up to where it may be sent
	held   unit.Bytes
	own    unit.Bytes
	heard  unit.Time // when something about it last came or went
	levels []level   // of what is granted and not sent, in order
	again  []span    // what is to be sent once more
}

// level is that of scheduled packets up to an offset.
type level struct {
	to    unit.Bytes
	class uint8
}

// span is a part of a message, at a level.
type span struct {
	from, to unit.Bytes
	class    uint8
}

// receiver returns what is known of a receiver.
func (h *host) receiver(peer int32) *receiverState {
	r := h.receivers[peer]
	if r == nil {
		r = &receiverState{}
		h.receivers[peer] = r
	}
	return r
}

// Submit implements protocol.HostTransport.
func (h *host) Submit(now unit.Time, s *protocol.HostMessage) {
	h.now = now
	r := h.receiver(s.Peer)
	i := numbered.Take(&h.outbox, &h.freeOut)
	m := &h.outbox[i]
	first := min(s.Bytes, h.unscheduled)
	*m = outMessage{
		peer: s.Peer, number: r.next, group: s.Group, live: true, age: h.age, tag: s.Tag,
		size: s.Bytes, first: first, may: first, own: h.wire(first), heard: now,
		levels: m.levels[:0], again: m.again[:0],
	}
	r.next++
	h.age++
	h.own += m.own
	r.Set(m.number, i)
	h.unconfirmed++
	h.wait()
	h.enqueue(i)
}

// onGrant takes a grant: the sender may send up to an offset.
func (h *host) onGrant(p *protocol.Packet) {
	if i := h.receiver(p.Peer).Find(p.Message); i >= 0 {
		m := &h.outbox[i]
		m.heard, m.tries = h.now, 0
		h.extend(m, p.Offset, p.Amount)
		h.enqueue(i)
	}
}

// extend lets a message be sent up to an offset, where a packet ends, at a level.
func (h *host) extend(m *outMessage, to, at unit.Bytes) {
	to = min(to, m.size)
	if to <= m.may || to < m.size && (to-m.first)%h.schedPayload != 0 {
		return
	}
	class := uint8(max(0, min(at, unit.Bytes(h.priorities-1))))
	granted := to - m.may
	wire := granted + (granted+h.schedPayload-1)/h.schedPayload*h.schedHeader
	m.held += wire
	h.held += wire
	m.may = to
	if n := len(m.levels); n > 0 && m.levels[n-1].class == class {
		m.levels[n-1].to = to
		return
	}
	m.levels = append(m.levels, level{to, class})
}

// sendData sends the next packet of the message with the fewest bytes left.
func (h *host) sendData(p *protocol.Packet) bool {
	if h.ready.Len() == 0 {
		return false
	}
	i := h.ready.First()
	m := &h.outbox[i]
	p.Kind, p.Peer, p.Group, p.Tag, p.Message = kindUnscheduled, m.peer, m.group, m.tag, m.number
	p.Size, p.Amount = m.size, m.first
	scheduled := false
	if len(m.again) > 0 {
		part := &m.again[0]
		p.Offset, p.Class, p.Flags = part.from, h.class+part.class, protocol.Resent
		p.Payload, scheduled = h.segment(m.size, m.first, part.from)
		if part.from += p.Payload; part.from >= part.to {
			m.again = append(m.again[:0], m.again[1:]...)
		}
		h.out.Report(protocol.HostEvent{
			Kind: protocol.PacketLost, Cause: protocol.Timeout, Group: m.group, Peer: m.peer, Tag: m.tag, Bytes: h.frame(p.Payload, scheduled),
		})
	} else {
		p.Offset = m.sent
		p.Payload, scheduled = h.segment(m.size, m.first, m.sent)
		wire := h.frame(p.Payload, scheduled)
		if scheduled {
			p.Class = h.class + m.levels[0].class
			m.held -= wire
			h.held -= wire
		} else {
			p.Class = h.class + uint8(h.levelOf(m.size, m.sent))
			m.own -= wire
			h.own -= wire
		}
		m.sent += p.Payload
		if scheduled && m.sent >= m.levels[0].to {
			m.levels = append(m.levels[:0], m.levels[1:]...)
		}
	}
	if scheduled {
		p.Kind = kindScheduled
	}
	p.Wire = h.frame(p.Payload, scheduled)
	m.heard = h.now
	if !m.sendable() {
		h.ready.Remove(i)
		if m.sent == m.size && !h.confirm {
			h.complete(i)
		}
	}
	return true
}

// sendable tells whether a packet of a message can go now.
func (m *outMessage) sendable() bool { return len(m.again) > 0 || m.sent < m.may }

// enqueue puts a message of which a packet can go among those that are ready.
func (h *host) enqueue(i int32) {
	if !h.ready.Has(i) && h.outbox[i].sendable() {
		h.ready.Put(i)
	}
}

// before tells whether a message goes before another one: SRPT. The bytes left of a
// message change only when it is the first, which it then remains.
func (h *host) before(a, b int32) bool {
	x, y := &h.outbox[a], &h.outbox[b]
	if p, q := x.size-x.sent, y.size-y.sent; p != q {
		return p < q
	}
	return x.age < y.age
}

// complete ends a message that needs nothing more.
func (h *host) complete(i int32) {
	m := &h.outbox[i]
	h.drop(i) // copies of what arrived may be left to send
	h.out.Report(protocol.HostEvent{Kind: protocol.MessageCompleted, Group: m.group, Unconfirmed: !h.confirm, Peer: m.peer, Tag: m.tag, Bytes: m.size})
}

// drop ends a message, however much of it was sent.
func (h *host) drop(i int32) {
	m := &h.outbox[i]
	h.ready.Remove(i)
	h.held -= m.held
	h.own -= m.own
	m.live = false
	h.unconfirmed--
	h.receivers[m.peer].End(m.number)
	h.freeOut = append(h.freeOut, i)
}

// onDone handles the receiver's word that a message arrived in full.
func (h *host) onDone(p *protocol.Packet) {
	if i := h.receiver(p.Peer).Find(p.Message); i >= 0 {
		h.complete(i)
	}
}
