package main

import (
	"weft/protocol"
	"weft/unit"
)

// from is a host from which messages come: all below base are done, and all below top are known
// of, though the first packets of some may be lost.
type from struct{ base, top uint32 }

// incoming is a message that comes.
type incoming struct {
	key
	group  uint8
	size   unit.Bytes
	left   unit.Bytes // that did not arrive
	flying unit.Bytes // on the wire, granted
	heard  unit.Time
	got    bitmap
	next   int // packet to grant, if it did not arrive
	// turn tells that it is among those that wait for theirs, silent that nothing came for
	// long: it has one packet under way then, so that a dead host does not have the window.
	turn, silent bool
}

// onData takes a packet, which may be the first that comes of its message.
func (h *host) onData(now unit.Time, p *protocol.Packet) (fresh unit.Bytes) {
	k := key{p.Peer, p.Message}
	by := &h.froms[p.Peer]
	if p.Message < by.base {
		return 0 // a late copy
	}
	m := h.incoming[k]
	if m == nil {
		m = &incoming{key: k, group: p.Group, size: p.Size, left: p.Size, got: newBitmap(h.packets(p.Size))}
		h.incoming[k] = m
		by.top = max(by.top, p.Message+1)
		h.watch(now)
	}
	m.heard, m.silent = now, false
	index := int(p.Offset / h.env.Payload)
	switch {
	case m.got.set(index):
		fresh = p.Payload
		m.left -= fresh
		if index > 0 { // which was granted
			h.land(m, min(m.flying, p.Payload+h.env.Header))
		}
	case m.left == 0 && index == 0: // its sender did not hear that it is done
		h.dones.push(m)
	}
	if index == 0 {
		h.forget(p.Peer, p.Number)
	}
	switch {
	case fresh > 0 && m.left == 0:
		h.land(m, m.flying)
		h.dones.push(m)
		h.env.Out.Report(protocol.HostEvent{Kind: protocol.MessageDelivered, Group: p.Group, Peer: p.Peer, Tag: p.Tag, Bytes: p.Size})
	case m.left > 0:
		h.want(m)
	}
	return fresh
}

// forget drops the messages of a peer that it knows to be done.
func (h *host) forget(peer int32, oldest uint32) {
	for by := &h.froms[peer]; by.base < oldest; by.base++ {
		delete(h.incoming, key{peer, by.base})
	}
}

// land takes bytes of a message that are no longer under way.
func (h *host) land(m *incoming, bytes unit.Bytes) {
	m.flying -= bytes
	h.flying -= bytes
}

// want gives a message its turn if any of it is to be granted.
func (h *host) want(m *incoming) {
	if !m.turn && h.grantable(m) {
		m.turn = true
		h.wanting.push(m)
	}
}

// grantable tells whether there is a packet of a message to grant, which is the next.
func (h *host) grantable(m *incoming) bool {
	if m.left == 0 || m.silent && m.flying > 0 {
		return false
	}
	for m.next < h.packets(m.size) && m.got.has(m.next) {
		m.next++
	}
	return m.next < h.packets(m.size)
}

// mayGrant tells whether a grant may go when the time has come.
func (h *host) mayGrant() bool {
	return h.wanting.len() > 0 && h.flying+h.env.Packet <= h.window
}

// sendGrant grants a packet of the message whose turn it is.
func (h *host) sendGrant(now unit.Time, p *protocol.Packet) bool {
	for now >= h.next && h.mayGrant() {
		m := h.wanting.pop()
		m.turn = false
		if !h.grantable(m) { // what was missing came meanwhile
			continue
		}
		p.Kind, p.Class, p.Peer, p.Group, p.Message = kindGrant, h.env.ControlClass, m.peer, m.group, m.number
		p.Offset, p.Wire = unit.Bytes(m.next)*h.env.Payload, h.env.Control
		wire := min(h.env.Payload, m.size-p.Offset) + h.env.Header
		h.land(m, -wire)
		h.next = now + h.env.LineRate.Transmit(wire)
		m.next++
		h.want(m)
		return true
	}
	return false
}

// sendDone tells a sender that its message is done.
func (h *host) sendDone(p *protocol.Packet) bool {
	if h.dones.len() == 0 {
		return false
	}
	m := h.dones.pop()
	p.Kind, p.Class, p.Peer, p.Group, p.Message, p.Wire = kindDone, h.env.ControlClass, m.peer, m.group, m.number, h.env.Control
	return true
}

// grantAgain begins again with messages of which nothing came for long, though something is
// under way: that is taken for lost.
func (h *host) grantAgain(now unit.Time) {
	for peer, by := range h.froms {
		for n := by.base; n < by.top; n++ {
			m := h.incoming[key{int32(peer), n}]
			if m == nil || m.left == 0 {
				continue
			}
			h.watch(now)
			if now-m.heard >= h.silence && (m.flying > 0 || !m.turn) { // or it waits for its turn
				m.heard, m.next, m.silent = now, 0, true
				h.land(m, m.flying)
				h.want(m)
			}
		}
	}
}
