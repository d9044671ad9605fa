package main

import (
	"weft/protocol"
	"weft/unit"
)

// peer is a host to which messages go.
type peer struct {
	next   uint32 // number of the next message
	oldest uint32 // of those that are not complete
}

// outgoing is a message to send.
type outgoing struct {
	protocol.HostMessage
	number uint32
	heard  unit.Time // from its receiver
	sent   bitmap
	done   bool
}

// packet is one that may be sent.
type packet struct {
	of    *outgoing
	index int
}

// Submit implements protocol.HostTransport.
func (h *host) Submit(now unit.Time, s *protocol.HostMessage) {
	to := &h.peers[s.Peer]
	m := &outgoing{HostMessage: *s, number: to.next, heard: now, sent: newBitmap(h.packets(s.Bytes))}
	to.next++
	h.outgoing[key{m.Peer, m.number}] = m
	h.granted.push(packet{m, 0})
	h.watch(now)
}

// onGrant lets a packet go.
func (h *host) onGrant(now unit.Time, p *protocol.Packet) {
	if m := h.outgoing[key{p.Peer, p.Message}]; m != nil {
		m.heard = now
		h.granted.push(packet{m, int(p.Offset / h.env.Payload)})
	}
}

// onDone completes a message.
func (h *host) onDone(p *protocol.Packet) {
	m := h.outgoing[key{p.Peer, p.Message}]
	if m == nil {
		return
	}
	m.done = true
	delete(h.outgoing, key{m.Peer, m.number})
	to := &h.peers[m.Peer]
	for to.oldest < to.next && h.outgoing[key{m.Peer, to.oldest}] == nil {
		to.oldest++
	}
	h.env.Out.Report(protocol.HostEvent{Kind: protocol.MessageCompleted, Group: m.Group, Peer: m.Peer, Tag: m.Tag, Bytes: m.Bytes})
}

// sendData sends the packet that may go for the longest time.
func (h *host) sendData(p *protocol.Packet) bool {
	for h.granted.len() > 0 {
		g := h.granted.pop()
		m := g.of
		if m.done { // and was granted twice
			continue
		}
		p.Kind, p.Class, p.Peer, p.Group, p.Tag = kindData, h.env.Class, m.Peer, m.Group, m.Tag
		p.Message, p.Size, p.Offset = m.number, m.Bytes, unit.Bytes(g.index)*h.env.Payload
		p.Payload = min(h.env.Payload, m.Bytes-p.Offset)
		p.Wire = p.Payload + h.env.Header
		if g.index == 0 {
			p.Number = h.peers[m.Peer].oldest
		}
		if !m.sent.set(g.index) {
			p.Flags |= protocol.Resent
			h.env.Out.Report(protocol.HostEvent{
				Kind: protocol.PacketLost, Cause: protocol.Timeout, Group: m.Group, Peer: m.Peer, Tag: m.Tag, Bytes: p.Wire,
			})
		}
		return true
	}
	return false
}

// askAgain sends the first packet of messages whose receivers are silent.
func (h *host) askAgain(now unit.Time) {
	for peer := range h.peers { // and not over the map, whose order is not the same in every run
		to := &h.peers[peer]
		for n := to.oldest; n < to.next; n++ {
			m := h.outgoing[key{int32(peer), n}]
			if m == nil {
				continue
			}
			h.watch(now)
			if now-m.heard >= h.silence {
				m.heard = now
				h.granted.push(packet{m, 0})
			}
		}
	}
}
