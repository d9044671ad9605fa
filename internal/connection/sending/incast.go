package sending

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// This file handles the lists of senders in the first packets of incasts, for controls with
// CongestionControl.ListBytes.

// list notes which incast a message belongs to.
func (m *message) list(g *end.Group, w *Message) {
	if m.incast != nil {
		m.incast.number = 0
	}
	if w.Incast == 0 || g.Congestion.ListBytes == 0 {
		return
	}
	if m.incast == nil {
		m.incast = &listed{}
	}
	m.incast.number = w.Incast
	m.incast.senders = append(m.incast.senders[:0], w.Senders[:min(len(w.Senders), protocol.MostListed)]...)
}

// writeList puts a message's list into its first packet.
func (s *Side) writeList(g *end.Group, m *message, p *packet.Packet) {
	l := s.Store.AddList(p)
	l.Number, l.Length = m.incast.number, uint32(len(m.incast.senders))
	copy(l.Senders[:], m.incast.senders)
	p.Size += uint16(g.Congestion.ListBytes * unit.Bytes(l.Length))
}
