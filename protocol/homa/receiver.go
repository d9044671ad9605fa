package homa

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
	arrived uint64 // messages of which something arrived
	// incomplete counts messages that did not arrive in full.
	incomplete int
	// outstanding is what was granted and has not arrived, in wire bytes.
	outstanding unit.Bytes
	ranking
}

// senderState is what a receiver knows of a sender.
type senderState struct {
	peer int32
	// wanting are the messages that are not granted in full, the best first.
	wanting []int32
	// timer is when it may be granted to again without an arrival; Forever if only with one.
	timer unit.Time
	// level is that of its last grant, slot the one that it had when it last left the ranking.
	level, slot int
	// open counts its messages that did not arrive in full.
	open int
	numbered.Window
}

// inMessage is a message that is being received.
type inMessage struct {
	peer   int32
	number uint32
	group  uint8
	live   bool
	tries  uint8 // RESENDs since something came
	age    uint64
	size   unit.Bytes
	first  unit.Bytes // payload that needed no grant
	// granted is up to where it is granted, unscheduled payload included.
	granted  unit.Bytes
	received unit.Bytes
	// inFlight is what was granted or unscheduled and has not arrived, scheduled the part
	// of it that was granted, in wire bytes.
	inFlight, scheduled unit.Bytes
	heard               unit.Time
	packets             numbered.Bits
}

func (r *receiving) start(c *config) {
	r.senders = make([]*senderState, c.hosts)
	r.ranking.start(c)
}

// sender returns what is known of a sender.
func (h *host) sender(peer int32) *senderState {
	s := h.senders[peer]
	if s == nil {
		s = &senderState{peer: peer, timer: unit.Forever, level: h.priorities, slot: h.slots}
		h.senders[peer] = s
	}
	return s
}

// onData takes a packet with payload, and grants to its sender.
func (h *host) onData(p *protocol.Packet) (fresh unit.Bytes) {
	s := h.sender(p.Peer)
	echo := order{kind: kindEcho, peer: p.Peer, group: p.Group, echo: true, entropy: p.Entropy, marked: p.Flags&protocol.Marked != 0}
	before := h.orders.Len()
	h.unrank(s)
	if i := h.incoming(s, p); i >= 0 {
		fresh = h.take(s, i, p)
	}
	h.grantTo(s)
	if h.echo.Has(p.Group) {
		h.returnEcho(before, echo)
	}
	return fresh
}

// incoming returns the index of a packet's message, a new one if it is the first of it.
func (h *host) incoming(s *senderState, p *protocol.Packet) int32 {
	i := s.Find(p.Message)
	if i == numbered.Done && h.confirm && p.Flags&protocol.Resent != 0 {
		h.orders.Push(order{kind: kindDone, peer: s.peer, group: p.Group, number: p.Message})
	}
	if i != numbered.Unknown {
		return i
	}
	if !s.Near(p.Message) || p.Amount < 1 || p.Amount > p.Size || h.largest > 0 && (p.Size > h.largest || s.open >= numbered.MostOpen) {
		return numbered.Unknown
	}
	i = numbered.Take(&h.inbox, &h.freeIn)
	s.Set(p.Message, i)
	m := &h.inbox[i]
	memory := m.packets
	*m = inMessage{
		peer: s.peer, number: p.Message, group: p.Group, live: true, age: h.arrived,
		size: p.Size, first: p.Amount, granted: p.Amount, inFlight: h.wire(p.Amount),
		packets: memory, heard: h.now,
	}
	h.arrived++
	s.open++
	m.packets.Reset(h.count(m.size, m.first))
	h.incomplete++
	h.wait()
	if m.granted < m.size {
		h.want(s, i)
	}
	return i
}

// take takes the payload of a packet.
func (h *host) take(s *senderState, i int32, p *protocol.Packet) (fresh unit.Bytes) {
	m := &h.inbox[i]
	if p.Flags&protocol.WasTrimmed != 0 { // lost, as silence will tell
		return 0
	}
	m.heard, m.tries = h.now, 0
	if p.Offset < 0 || p.Offset >= m.granted {
		return 0
	}
	payload, scheduled := h.segment(m.size, m.first, p.Offset)
	k, ok := h.place(m.first, p.Offset)
	if !ok || p.Payload != payload || m.packets.Has(k) {
		return 0
	}
	m.packets.Add(k)
	m.received += payload
	wire := h.frame(payload, scheduled)
	m.inFlight -= wire
	if scheduled {
		m.scheduled -= wire
		h.outstanding -= wire
	}
	if m.received == m.size {
		h.deliver(s, i, p)
	}
	return payload
}

// deliver reports that a message arrived in full.
func (h *host) deliver(s *senderState, i int32, p *protocol.Packet) {
	m := &h.inbox[i]
	h.end(s, i)
	h.out.Report(protocol.HostEvent{Kind: protocol.MessageDelivered, Group: m.group, Peer: s.peer, Tag: p.Tag, Bytes: m.size})
	if h.confirm {
		h.orders.Push(order{kind: kindDone, peer: s.peer, group: m.group, number: m.number})
	}
}

// end ends a message of which nothing more is to arrive.
func (h *host) end(s *senderState, i int32) {
	m := &h.inbox[i]
	h.incomplete--
	s.open--
	m.live = false
	s.End(m.number)
	h.freeIn = append(h.freeIn, i)
}

// returnEcho returns the entropy of a data packet to its sender, with a control packet
// that goes there anyway if there is one among those queued since.
func (h *host) returnEcho(since int, echo order) {
	for k := since; k < h.orders.Len(); k++ {
		o := h.orders.At(k)
		if o.peer == echo.peer && o.group == echo.group && !o.echo {
			o.echo, o.entropy, o.marked = true, echo.entropy, echo.marked
			return
		}
	}
	h.orders.Push(echo)
}
