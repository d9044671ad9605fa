package homa

import (
	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

const (
	mostDelays = 6 // doublings of the time between questions
	mostSpans  = 8 // parts of a message that wait to be sent again
)

// lookForSilence asks for what did not come (§3.7), and what became of messages that
// were sent.
func (h *host) lookForSilence() {
	for i := range h.inbox {
		m := &h.inbox[i]
		if !m.live || m.inFlight == 0 || h.now-m.heard < h.resend<<min(m.tries, mostDelays) {
			continue
		}
		m.heard = h.now
		m.tries = min(m.tries+1, mostDelays)
		from, to := h.missing(m)
		h.orders.Push(order{kind: kindResend, peer: m.peer, group: m.group, number: m.number, at: from, to: to, level: uint8(h.askLevel(m))})
	}
	for i := range h.outbox {
		m := &h.outbox[i]
		if !m.live || m.sendable() || h.now-m.heard < 2*h.resend<<min(m.tries, mostDelays) {
			continue
		}
		m.heard = h.now
		m.tries = min(m.tries+1, mostDelays)
		h.orders.Push(order{kind: kindAsk, peer: m.peer, group: m.group, number: m.number})
	}
	h.tick = unit.Forever
	if h.incomplete > 0 || h.unconfirmed > 0 {
		h.tick = h.now + h.resend/2
	}
}

// missing returns the first part of a message that was granted and has not arrived.
func (h *host) missing(m *inMessage) (from, to unit.Bytes) {
	found := false
	for at, k := unit.Bytes(0), 0; at < m.granted; k++ {
		payload, _ := h.segment(m.size, m.first, at)
		switch has := m.packets.Has(k); {
		case !has && !found:
			from, found = at, true
		case has && found:
			return from, at
		}
		at += payload
	}
	return from, m.granted
}

// askLevel is the level of what was never sent and is asked for: that of the last grant.
func (h *host) askLevel(m *inMessage) int {
	return min(h.sender(m.peer).level, h.priorities-1)
}

// onResend sends again what a receiver misses. What was not sent yet is granted with it.
func (h *host) onResend(p *protocol.Packet) {
	i := h.receiver(p.Peer).Find(p.Message)
	if i < 0 {
		return
	}
	m := &h.outbox[i]
	m.heard, m.tries = h.now, 0
	busy := m.sendable()
	if p.Size == 0 { // the receiver knows nothing of the message
		p.Size = m.first
	}
	h.extend(m, p.Size, p.Amount)
	again := span{from: p.Offset, to: min(p.Size, m.sent)}
	_, whole := h.place(m.first, p.Offset)
	if p.Offset >= 0 && whole && again.from < again.to && len(m.again) < mostSpans && !h.covered(m, again) {
		m.again = append(m.again, again)
	}
	h.enqueue(i)
	if busy || h.ready.Len() > 0 && h.ready.First() != i {
		h.orders.Push(order{kind: kindBusy, peer: p.Peer, group: m.group, number: m.number})
	}
}

// covered tells whether a part will be sent again anyway.
func (h *host) covered(m *outMessage, part span) bool {
	for _, other := range m.again {
		if part.from >= other.from && part.to <= other.to {
			return true
		}
	}
	return false
}

// onBusy starts a receiver's wait anew.
func (h *host) onBusy(p *protocol.Packet) {
	if i := h.sender(p.Peer).Find(p.Message); i >= 0 {
		h.inbox[i].heard = h.now
	}
}

// onKnown starts a sender's wait anew: the receiver asks for what it misses.
func (h *host) onKnown(p *protocol.Packet) {
	if i := h.receiver(p.Peer).Find(p.Message); i >= 0 {
		h.outbox[i].heard = h.now
	}
}

// onAsk tells a sender what became of a message.
func (h *host) onAsk(p *protocol.Packet) {
	o := order{peer: p.Peer, group: p.Group, number: p.Message}
	switch i := h.sender(p.Peer).Find(p.Message); {
	case i == numbered.Done:
		o.kind = kindDone
	case i == numbered.Unknown:
		o.kind = kindResend
	default:
		o.kind = kindKnown
	}
	h.orders.Push(o)
}
