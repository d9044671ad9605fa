package hosted

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// Kinds of packet between hosts.
const (
	kindData uint8 = iota
	kindAck
	kindProbe
	kindEcho
	kindWithdrawal
	kindWithdrawn
	kindInquiry
	kindAnswer
)

// withdrawn is a kind of packet that connections do not have. ours marks withdrawals that this
// package created, as opposed to ones that the connections created.
const (
	withdrawn = end.Kinds
	ours      = 1
)

// Flags of packets.
const (
	asksAck   = protocol.Own1
	isLong    = protocol.Own2
	wasMarked = protocol.Own3
	wasThere  = protocol.Own4
	confirms  = protocol.Own3 // in data; wasMarked is in other kinds
	backlog   = protocol.Own4 // in data and withdrawals; wasThere is in acknowledgements
)

// mostAnswers limits the packets waiting to be sent, without data. Beyond it, packets that ask
// for an answer are dropped.
const mostAnswers = 4096

// write translates a connection's packet into a host transport's. It returns false if the packet
// must not be sent.
func (h *host) write(f *packet.Packet, p *protocol.Packet) bool {
	to := h.peers[f.Dst()]
	if to == nil { // the peer was forgotten
		return false
	}
	p.Peer, p.Wire = f.Dst(), unit.Bytes(f.Size)
	p.Message, p.Number = f.Serial, f.Message
	p.Entropy, p.Flags = f.Entropy, protocol.Pinned
	switch f.Kind {
	case end.Data:
		h.writeData(to, f, p)
	case end.Ack:
		h.writeAck(f, p)
	case end.Probe:
		if f.Bits&end.Inquiry != 0 {
			return h.writeInquiry(to, f, p)
		}
		p.Kind = kindProbe
		to.uses(f.Entropy)
		for uint32(len(h.probes)) <= f.Message {
			h.probes = append(h.probes, 0)
		}
		h.probes[f.Message] = p.Peer + 1
	case end.Echo:
		if f.Bits&end.Inquiry != 0 {
			h.writeAnswer(f, p)
			return true
		}
		p.Kind = kindEcho
		if f.Bits&end.Marked != 0 {
			p.Flags |= wasMarked
		}
	case end.Withdrawal, withdrawn:
		p.Kind, p.Entropy, p.Flags = kindWithdrawal, 0, 0
		if f.Kind == withdrawn {
			p.Kind = kindWithdrawn
		}
		if f.Group() == long {
			p.Flags |= isLong
		}
		if f.Flags&end.Backlog != 0 {
			p.Flags |= backlog
		}
		return f.Seq == ours // connections name messages by other numbers and send this once; withdrawals here repeat
	default:
		return false
	}
	return true
}

func (h *host) writeData(to *peer, f *packet.Packet, p *protocol.Packet) {
	p.Number = h.places[f.Message].number
	m := &to.outgoing[p.Number]
	m.sent = max(m.sent, f.Seq+1)
	to.uses(f.Entropy)
	p.Kind, p.Tag, p.Size = kindData, m.tag, m.size
	p.Offset, p.Payload = unit.Bytes(f.Seq)*h.env.Payload, unit.Bytes(f.Size)-h.env.Header
	if f.Bits&end.AskAck != 0 {
		p.Flags |= asksAck
	}
	if f.Bits&end.Again != 0 {
		p.Flags |= protocol.Resent
	}
	if f.Bits&end.Confirms != 0 {
		p.Flags |= confirms
	}
	if f.Flags&end.Backlog != 0 || h.followed(to, m, f) {
		p.Flags |= backlog
	}
	p.Flags |= m.flag()
}

// followed reports whether a data packet must announce that other messages wait behind its own.
// Here these are messages that wait for a number.
func (h *host) followed(to *peer, m *outgoing, f *packet.Packet) bool {
	if !h.announcesBacklog || to.waiting[m.group].Empty() {
		return false
	}
	last := uint32((m.size - 1) / h.env.Payload)
	return f.Seq == last || f.Bits&end.Again != 0
}

// flag encodes a message's group for the receiver.
func (m *outgoing) flag() protocol.PacketFlags {
	if m.group == long {
		return isLong
	}
	return 0
}

// groupOf decodes what flag encoded.
func groupOf(p *protocol.Packet) uint8 {
	if p.Flags&isLong != 0 {
		return long
	}
	return short
}

func (h *host) writeAck(f *packet.Packet, p *protocol.Packet) {
	p.Kind, p.Extra, p.Offset = kindAck, f.Seq, unit.Bytes(h.store.Aux(f))
	if f.Bits&end.Marked != 0 {
		p.Flags |= wasMarked
	}
	if f.Bits&end.Again != 0 {
		p.Flags |= protocol.Resent
	}
	if f.Bits&end.Copied != 0 {
		p.Flags |= wasThere
	}
	report := h.store.Report(f)
	if report != nil {
		p.Offset = unit.Bytes(report.Expected)
		if h.oblivious {
			report.Entropies = 0
		}
	}
	p.More = writeMore(&h.more, report, h.store.Answer(f))
}

// arrives returns a new packet of the connections, of a kind and group, that comes from another
// host.
func (h *host) arrives(p *protocol.Packet, kind, group uint8) (packet.ID, *packet.Packet) {
	id := h.store.Alloc()
	f := h.store.At(id)
	f.Address(p.Peer, h.env.Host, group)
	f.Kind, f.Message, f.Serial, f.Entropy = kind, p.Number, p.Message, p.Entropy
	if p.Flags&protocol.Marked != 0 {
		f.Flags |= packet.Marked
	}
	return id, f
}

// full reports whether no more answers may be queued.
func (h *host) full() bool { return h.outbox().Len() >= mostAnswers }

// onData handles a data packet and returns the payload that arrived for the first time.
func (h *host) onData(now unit.Time, p *protocol.Packet) (fresh unit.Bytes) {
	full := h.env.Payload
	switch {
	case p.Number >= mostNumbers || p.Size < 1 || h.env.Largest > 0 && p.Size > h.env.Largest || (p.Size-1)/full >= mostPackets:
		return 0
	case p.Offset < 0 || p.Offset >= p.Size || p.Offset%full != 0 || p.Payload != min(full, p.Size-p.Offset) || p.More != nil || h.full():
		return 0
	}
	group := groupOf(p)
	m := h.incoming(p)
	switch newer := int32(p.Message - m.serial); {
	case m.state == none || newer > 0:
		if h.peers[p.Peer].isArriving(p.Message) {
			return 0
		}
		h.abandon(now, p.Peer, p.Number, 0)
		*m = incoming{state: underWay, group: group, serial: p.Message, tag: p.Tag, size: p.Size}
	case newer < 0 || m.state == cancelled || m.tag != p.Tag || m.size != p.Size || m.group != group:
		return 0
	}
	id, f := h.arrives(p, end.Data, group)
	f.Seq, f.Aux = uint32(p.Offset/full), uint32((p.Size-1)/full)+1
	f.Size = uint16(p.Payload + h.env.Header)
	if p.Flags&asksAck != 0 {
		f.Bits |= end.AskAck
	}
	if p.Flags&protocol.Resent != 0 {
		f.Bits |= end.Again
	}
	if p.Flags&confirms != 0 {
		f.Bits |= end.Confirms
	}
	if p.Flags&backlog != 0 {
		f.Flags |= end.Backlog
	}
	count := &h.connections.Receiving.Packets[group].Payload
	before := *count
	h.delivered = false
	h.connections.ReceiveData(now, local, id)
	if h.delivered {
		m.state = delivered
		h.env.Out.Report(protocol.HostEvent{Kind: protocol.MessageDelivered, Peer: p.Peer, Tag: m.tag, Bytes: m.size})
	}
	return *count - before
}

// incoming returns the last message that had the packet's number.
func (h *host) incoming(p *protocol.Packet) *incoming {
	from := h.peer(p.Peer)
	for uint32(len(from.incoming)) <= p.Number {
		from.incoming = append(from.incoming, incoming{})
	}
	return &from.incoming[p.Number]
}

// isArriving reports whether a part of the message has arrived, under any number.
func (p *peer) isArriving(serial uint32) bool {
	for i := range p.incoming {
		if m := &p.incoming[i]; m.state == underWay && m.serial == serial {
			return true
		}
	}
	return false
}

// onAck handles an acknowledgement.
func (h *host) onAck(now unit.Time, p *protocol.Packet) {
	m := h.find(p, underWay)
	if m == nil || p.Extra >= m.sent || p.Offset < 0 || p.Offset > unit.Bytes(m.sent) {
		return
	}
	from := h.peers[p.Peer]
	s := &h.said
	if !readMore(p.More, s) || !from.hasUsed(p.Entropy) || s.answered && h.net.Groups[m.group].Congestion.NewAnswerer == nil ||
		s.reported && (s.report.Packets == 0 || !from.mayReport(&s.report, m)) {
		return
	}
	id, f := h.arrives(p, end.Ack, m.group)
	f.Message, f.Seq, f.Aux = m.slot, p.Extra, uint32(p.Offset)
	if p.Flags&wasMarked != 0 {
		f.Bits |= end.Marked
	}
	if p.Flags&protocol.Resent != 0 {
		f.Bits |= end.Again
	}
	if p.Flags&wasThere != 0 {
		f.Bits |= end.Copied
	}
	if s.reported {
		s.report.Expected = uint32(p.Offset)
		*h.store.AddReport(f) = s.report
	}
	if s.answered {
		*h.store.AddAnswer(f) = s.answer
	}
	h.connections.Receive(now, local, id)
}

// mayReport reports whether a report covers only packets and entropies that were sent.
func (p *peer) mayReport(r *packet.Report, m *outgoing) bool {
	last := uint64(0) // last packet in the report, plus 1
	for i, w := range r.Bitmap {
		for ; w != 0; w &= w - 1 {
			last = uint64(r.Base) + uint64(64*i) + lowest(w) + 1
		}
	}
	if last > uint64(m.sent) {
		return false
	}
	for _, e := range r.Returned[:r.Entropies] {
		if !p.hasUsed(e) {
			return false
		}
	}
	return true
}

// onProbe returns a probe to its sender.
func (h *host) onProbe(p *protocol.Packet) {
	if h.full() {
		return
	}
	h.peer(p.Peer)
	id, f := h.arrives(p, end.Probe, short)
	f.Size = uint16(h.env.Control)
	h.connections.Receiving.Probe(local, id)
}

// onEcho handles a probe that came back.
func (h *host) onEcho(now unit.Time, p *protocol.Packet) {
	if p.Number >= uint32(len(h.probes)) || h.probes[p.Number] != p.Peer+1 || !h.peers[p.Peer].hasUsed(p.Entropy) {
		return
	}
	id, f := h.arrives(p, end.Echo, short)
	if p.Flags&wasMarked != 0 {
		f.Bits |= end.Marked
	}
	h.connections.Receive(now, local, id)
}
