package sird

import (
	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// receiving is the receiving side of a host.
type receiving struct {
	senders []*senderState // by host
	inbox   []inMessage
	freeIn  []int32
	// wanting are the messages that are not granted in full.
	wanting []want
	// used is b, the credit that is consumed from the global bucket.
	used unit.Bytes
	// beyond is how much more than B may be outstanding until the next credit goes, since the
	// credit of a sender was called in that had returned more than it was granted.
	beyond unit.Bytes
	// paid is when the pacer has sent what was granted so far; since is from when on there
	// was always a message to grant to, Forever if there is none.
	paid, since unit.Time
	// next is the message to grant to next, noMessage if there is none, and undecided if
	// that must be found out.
	next int32
	// turn counts grants, for policies that take turns.
	turn uint64
	tenants
	ranking
	// incomplete counts messages that did not arrive in full.
	incomplete int
}

const (
	noMessage int32 = -1
	undecided int32 = -2
)

// senderState is what a receiver knows of a sender.
type senderState struct {
	peer int32
	// used is sb_i, the credit consumed from the sender's bucket.
	used unit.Bytes
	loops
	// granted is the total granted to it, modulo totals, since the generation began.
	granted uint32
	// generation counts how often credit was called in; dead tells that nothing came from
	// the sender since.
	generation uint32
	dead       bool
	// served is the turn in which it was granted to last.
	served uint64
	// owed is the payload of its messages that is not granted yet.
	owed unit.Bytes
	// heard is when a packet last came from it, and doubted when it first said that it had
	// spent credit whose data had not come, and none has come since; 0 if it has not.
	heard, doubted unit.Time
	// echoes wait for a credit to carry them.
	echoes echoes
	rank
	numbered.Window
}

// want is a message to grant to.
type want struct {
	// left is the payload that has not arrived, the key of SRPT.
	left    unit.Bytes
	message int32
	peer    int32
}

// inMessage is a message that is being received.
type inMessage struct {
	peer   int32
	number uint32
	group  uint8
	live   bool
	// unsynced tells that it is not known yet what of it was sent when credit was called in;
	// it counts as granted in full until then.
	unsynced bool
	short    bool  // in wanting, and its next credit is less than that of a full packet
	asked    uint8 // queries since something came
	size     unit.Bytes
	prefix   unit.Bytes // that is unscheduled
	boundary unit.Bytes // as of the sender
	// reclaimed is up to where the credit of what has not come was taken back.
	reclaimed unit.Bytes
	received  unit.Bytes
	granted   unit.Bytes // payload; unscheduled included
	place     int32      // in wanting, -1 if it isn't there
	among     int32      // place among its sender's there
	heard     unit.Time
	packets   numbered.Bits
}

func (r *receiving) start(c *config) {
	r.senders = make([]*senderState, c.hosts)
	r.next, r.since = noMessage, unit.Forever
	r.ranks.Before = func(a, b int32) bool { return r.senders[a].before(&r.senders[b].rank) }
}

// sender returns what is known of a sender.
func (h *host) sender(peer int32) *senderState {
	if s := h.senders[peer]; s != nil {
		return s
	}
	s := &senderState{peer: peer}
	s.loops.start(h.config)
	h.senders[peer] = s
	return s
}

// onAny notes that a packet of a host arrived. In the public simulator the control loops
// run for each.
func (h *host) onAny(p *protocol.Packet) {
	s := h.sender(p.Peer)
	if !h.paper {
		h.observe(s, p)
	}
	h.hear(s)
}

func (h *host) observe(s *senderState, p *protocol.Packet) {
	before := s.bucket
	lifted := p.Kind == kindData && p.Flags&protocol.Own1 != 0
	s.loops.arrived(h.config, p.Wire, p.Flags&protocol.Congested != 0, p.Flags&protocol.Marked != 0, lifted)
	if s.bucket != before {
		h.change(s)
	}
}

// onData is Algorithm 1, onDataPacket.
func (h *host) onData(p *protocol.Packet) (fresh unit.Bytes) {
	s := h.sender(p.Peer)
	h.hear(s)
	s.doubted = 0
	if !h.paper {
		h.observe(s, p)
	}
	i := h.incoming(s, p)
	if i >= 0 {
		fresh = h.arrived(s, i, p)
	}
	if h.paper {
		h.observe(s, p) // lines 5 and 6
	}
	if h.echo.Has(p.Group) {
		h.echoBack(s, p)
	}
	return fresh
}

// incoming returns the index of a packet's message, a new one if it is the first of it.
func (h *host) incoming(s *senderState, p *protocol.Packet) int32 {
	i := s.Find(p.Message)
	if i != numbered.Unknown {
		if i == numbered.Done && h.confirm && (asks(p) || p.Flags&protocol.Resent != 0) {
			h.orders.Push(order{kind: kindDone, peer: s.peer, group: p.Group, number: p.Message})
		}
		if i >= 0 && h.inbox[i].unsynced && p.Number == s.generation {
			h.sync(s, i, h.boundary(p))
		}
		return i
	}
	if !s.Near(p.Message) || p.Size < 1 || p.Size > h.largest || p.Offset < 0 || p.Offset > p.Size || p.Amount < 0 || p.Amount > p.Size {
		return numbered.Unknown
	}
	i = numbered.Take(&h.inbox, &h.freeIn)
	s.Set(p.Message, i)
	m := &h.inbox[i]
	memory := m.packets
	*m = inMessage{
		peer: s.peer, number: p.Message, group: p.Group, live: true,
		size: p.Size, prefix: p.Amount, granted: p.Amount, place: -1, packets: memory, heard: h.now,
	}
	m.packets.Reset(int((m.size + h.payload - 1) / h.payload))
	h.incomplete++
	h.wait()
	m.boundary = min(m.size, h.boundary(p))
	switch {
	case p.Number != s.generation: // sent before credit was called in
		m.unsynced, m.granted = true, m.size
	case !h.paper:
		h.charge(s, h.total(max(m.prefix, m.boundary))-h.total(m.boundary))
	}
	if p.Number == s.generation && m.boundary > m.granted {
		m.granted = m.boundary
	}
	s.owed += m.size - m.granted
	h.list(i)
	return i
}

// charge takes credit from both buckets, or with a negative amount returns it.
func (h *host) charge(s *senderState, credit unit.Bytes) {
	s.used += credit
	h.used += credit
	h.change(s)
}

// arrived takes the payload of a packet.
func (h *host) arrived(s *senderState, i int32, p *protocol.Packet) (fresh unit.Bytes) {
	m := &h.inbox[i]
	m.asked = 0
	if p.Flags&protocol.WasTrimmed != 0 { // lost, as silence will tell
		return 0
	}
	m.heard = h.now
	k := int(p.Offset / h.payload)
	if p.Offset%h.payload != 0 || p.Payload != min(h.payload, m.size-p.Offset) || m.packets.Has(k) {
		return 0
	}
	m.packets.Add(k)
	m.received += p.Payload
	if p.Number == s.generation && p.Offset >= max(unit.Bytes(p.Extra)*h.payload, m.reclaimed) && !(h.paper && p.Offset < m.prefix) {
		h.credited(s, h.cost(p.Payload)) // lines 3 and 4
	}
	if m.place >= 0 {
		h.wanting[m.place].left = m.size - m.received
		h.change(s)
	}
	if m.received == m.size {
		h.deliver(s, i, p)
	}
	return p.Payload
}

// credited takes credit back that a sender returned. With the paper's rule a sender owes less than that of a packet at any
// time, and one that says more keeps to no rule.
func (h *host) credited(s *senderState, credit unit.Bytes) {
	if h.paper {
		credit = min(credit, s.used+h.packet-1)
	}
	h.charge(s, -credit)
}

// deliver reports that a message arrived in full. Its state stays until it was granted in
// full, since other messages of its sender may have spent its credit.
func (h *host) deliver(s *senderState, i int32, p *protocol.Packet) {
	m := &h.inbox[i]
	h.incomplete--
	h.out.Report(protocol.HostEvent{Kind: protocol.MessageDelivered, Group: m.group, Peer: s.peer, Tag: p.Tag, Bytes: m.size})
	if h.confirm {
		h.orders.Push(order{kind: kindDone, peer: s.peer, group: m.group, number: m.number})
	}
	s.End(m.number)
	if m.granted == m.size {
		h.forget(i)
	}
}

func (h *host) forget(i int32) {
	h.inbox[i].live = false
	h.freeIn = append(h.freeIn, i)
}

// list notes whether a message wants to be granted to.
func (h *host) list(i int32) {
	m := &h.inbox[i]
	switch wants := m.granted < m.size && !m.unsynced; {
	case wants && m.place < 0:
		h.join(i)
	case !wants && m.place >= 0:
		h.leave(i)
	}
}

// onRequest handles a packet that announces a message.
func (h *host) onRequest(p *protocol.Packet) {
	s := h.sender(p.Peer)
	h.hear(s)
	h.observe(s, p)
	known := s.Find(p.Message) >= 0
	if i := h.incoming(s, p); known && i >= 0 && asks(p) {
		// It is named, so that its sender knows and waits. A first announcement that data
		// has overtaken asks nothing.
		h.orders.Push(order{kind: kindQuery, peer: s.peer, group: p.Group, number: p.Message})
	}
}

// due is when the pacer lets the next credit go.
func (h *host) due() unit.Time { return h.paid - h.ahead }

// candidate returns the message to grant to next.
func (h *host) candidate() int32 {
	if h.next == undecided {
		h.next = h.selectSender()
		if h.next < 0 {
			h.since = unit.Forever
		} else if h.since == unit.Forever {
			h.since = h.now
		}
	}
	return h.next
}

// sendCredit is Algorithm 1, onSendCreditTick.
func (h *host) sendCredit(p *protocol.Packet) bool {
	i := h.candidate()
	if i < 0 || h.now < h.due() {
		return false
	}
	m := &h.inbox[i]
	s := h.senders[m.peer]
	payload := min(h.payload, m.size-m.granted)
	credit := h.cost(payload) // line 11
	if s.used <= 0 {
		s.heard = h.now // that it was silent before means nothing
	}
	h.charge(s, credit) // line 13
	h.beyond = 0        // since this fits
	m.granted += payload
	h.shorten(m)
	s.owed -= payload
	s.granted = (s.granted + uint32(credit)) % totals
	// A credit that waited for the uplink counts from when it could have gone, so that its
	// wait does not slow the credits after it down.
	h.paid = max(h.paid, h.since) + h.rate.Transmit(credit)
	h.turn++
	s.served = h.turn
	h.spend(m.group, credit, h.weight[m.group])
	// Line 12.
	p.Kind, p.Peer, p.Group, p.Message = kindCredit, m.peer, m.group, m.number
	p.Amount, p.Offset = credit, unit.Bytes(s.granted)
	p.Wire, p.Class = h.control, h.controlClass
	p.Number = s.generation
	if m.heard < h.now && m.received < m.size {
		m.heard = h.now
	}
	if m.granted == m.size {
		h.list(i)
		if m.received == m.size {
			h.forget(i)
		}
	}
	if h.echo != 0 {
		h.carryEcho(s, p)
	}
	return true
}
