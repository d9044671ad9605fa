package hosted

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// This file carries inquiries, the probes that ask which packets of a message have arrived on a
// path, and their answers (reliable.Order).

// writeInquiry fills in an inquiry about a message. It returns false if the message has ended.
func (h *host) writeInquiry(to *peer, f *packet.Packet, p *protocol.Packet) bool {
	at := h.places[f.Message]
	if at.peer != p.Peer {
		return false
	}
	m := &to.outgoing[at.number]
	if m.state != underWay || m.serial != f.Serial {
		return false
	}
	to.uses(f.Entropy)
	p.Kind, p.Number, p.Extra = kindInquiry, at.number, f.Seq
	p.Offset, p.SentAt = unit.Bytes(h.store.Aux(f)), *h.store.Time(f)
	p.Flags |= m.flag()
	return true
}

// writeAnswer fills in the answer to an inquiry.
func (h *host) writeAnswer(f *packet.Packet, p *protocol.Packet) {
	r := h.store.Report(f)
	p.Kind, p.Extra, p.Offset, p.SentAt = kindAnswer, f.Seq, unit.Bytes(r.Expected), *h.store.Time(f)
	if h.oblivious {
		r.Entropies = 0
	}
	p.More = writeMore(&h.more, r, nil)
}

// onInquiry answers an inquiry about a message.
func (h *host) onInquiry(p *protocol.Packet) {
	if p.Number >= mostNumbers || p.Offset < 1 || p.Offset > mostPackets || unit.Bytes(p.Extra) >= p.Offset || p.SentAt < 0 || h.full() {
		return
	}
	group := groupOf(p)
	if m := h.incoming(p); m.state != none && m.serial == p.Message && (m.state == cancelled || m.group != group || (m.size-1)/h.env.Payload+1 != p.Offset) {
		return
	}
	id, f := h.arrives(p, end.Probe, group)
	f.Size, f.Seq, f.Aux, f.Bits = uint16(h.env.Control), p.Extra, uint32(p.Offset), end.Inquiry
	*h.store.AddTime(f) = p.SentAt
	h.connections.Receiving.Probe(local, id)
}

// onAnswer handles the answer to an inquiry.
func (h *host) onAnswer(now unit.Time, p *protocol.Packet) {
	m := h.find(p, underWay)
	if m == nil || p.Extra >= m.sent || p.Offset < 0 || p.Offset > unit.Bytes(m.sent) || p.SentAt < 0 || p.SentAt > now {
		return
	}
	from, s := h.peers[p.Peer], &h.said
	if !readMore(p.More, s) || !s.reported || s.answered || !from.hasUsed(p.Entropy) || !from.mayReport(&s.report, m) {
		return
	}
	id, f := h.arrives(p, end.Echo, m.group)
	f.Message, f.Seq, f.Bits = m.slot, p.Extra, end.Inquiry
	s.report.Expected = uint32(p.Offset)
	*h.store.AddTime(f) = p.SentAt
	*h.store.AddReport(f) = s.report
	h.connections.Receive(now, local, id)
}
