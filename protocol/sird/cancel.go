package sird

import (
	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/protocol/internal/withdrawn"
	"weft/unit"
)

// This file takes messages back, and forgets hosts, of which the paper says nothing.

// Cancel implements protocol.Canceler. The receiver is told that the message is gone (kindWithdraw), again and again until it
// answers.
func (h *host) Cancel(now unit.Time, c *protocol.HostMessage) bool {
	h.now = now
	for i := range h.outbox {
		m := &h.outbox[i]
		if !m.live || !c.Is(m.peer, m.group, m.tag) {
			continue
		}
		h.gone.Add(now, withdrawn.Message{Peer: m.peer, Number: m.number, Group: m.group})
		h.wakes = min(h.wakes, h.gone.Due())
		h.orders.Push(order{kind: kindWithdraw, peer: m.peer, group: m.group, number: m.number, unpaid: h.unpaid(m)})
		r := h.receivers[m.peer]
		h.drop(r, int32(i))
		h.choose(r)
		return true
	}
	return false
}

// unpaid tells that nothing of a message was sent for credit, nor did the sender give itself any for it.
func (h *host) unpaid(m *outMessage) bool {
	if h.paper {
		return m.sent <= m.prefix
	}
	return m.sent == 0 && m.prefix == 0
}

// withdrawAgain tells receivers that have not answered.
func (h *host) withdrawAgain() {
	for m, ok := h.gone.Again(h.now); ok; m, ok = h.gone.Again(h.now) {
		h.orders.Push(order{kind: kindWithdraw, peer: m.Peer, group: m.Group, number: m.Number})
	}
}

// drop ends a message, however much of it was sent.
func (h *host) drop(r *receiverState, i int32) {
	m := &h.outbox[i]
	if m.sent < m.size || len(m.again) > 0 {
		h.unlist(r, i)
		h.unfinished--
	}
	m.live = false
	h.unconfirmed--
	r.End(m.number)
	h.freeOut = append(h.freeOut, i)
}

// onWithdrawn hears that a receiver knows that a message is gone.
func (h *host) onWithdrawn(p *protocol.Packet) {
	h.onAny(p)
	h.gone.Known(p.Peer, p.Message)
	h.wakes = min(h.tick, h.gone.Due())
	r := h.receiver(p.Peer)
	r.heard = h.now
	if int32(p.Number-r.generation) > 0 {
		h.forfeit(r, p.Number)
		h.choose(r)
	}
}

// onWithdraw hears that a sender took a message back.
func (h *host) onWithdraw(p *protocol.Packet) {
	h.onAny(p)
	s := h.sender(p.Peer)
	unpaid := p.Flags&protocol.Own1 != 0
	switch i := s.Find(p.Message); {
	case i >= 0:
		h.giveUp(s, i, unpaid)
	case i == numbered.Unknown:
		if !s.Near(p.Message) {
			return
		}
		s.Skip(p.Message)
		if !unpaid {
			h.callIn(s)
			s.dead = false
			h.askAll(s)
		}
	}
	h.orders.Push(order{kind: kindWithdrawn, peer: s.peer, group: p.Group, number: p.Message})
}

// giveUp ends a message that its sender took back. Credit of the sender that was granted for the message may go to others,
// which have credit of their own, and credit of others may have gone to the message. So all of it is called in, unless the
// message had none and took none.
func (h *host) giveUp(s *senderState, i int32, unpaid bool) {
	m := &h.inbox[i]
	h.out.Report(protocol.HostEvent{Kind: protocol.MessageWithdrawn, Peer: s.peer, Group: m.group, Tag: uint64(m.number)})
	ungranted := m.granted == 0 || h.paper && m.granted <= m.prefix
	if !unpaid || !ungranted || m.unsynced {
		h.abandon(s, i)
		h.askAll(s)
		return
	}
	h.incomplete--
	s.End(m.number)
	s.owed -= m.size - m.granted
	if m.place >= 0 {
		h.leave(i)
	}
	h.forget(i)
	h.echoAll(s)
}

// onGone hears from a sender that was asked that it has forgotten a message: it took it back, or, where messages are not
// confirmed, has sent it.
func (h *host) onGone(s *senderState, i int32, p *protocol.Packet) {
	switch {
	case i >= 0 && h.confirm:
		h.giveUp(s, i, false)
	case i >= 0:
		h.abandon(s, i)
	}
	if h.confirm {
		h.orders.Push(order{kind: kindDone, gone: true, peer: s.peer, group: p.Group, number: p.Message})
	}
}

// askAll asks how far the messages of a sender were sent, which the next look for silence would do later.
func (h *host) askAll(s *senderState) {
	for i := range h.inbox {
		if m := &h.inbox[i]; m.live && m.unsynced && m.peer == s.peer {
			m.heard = h.now
			h.orders.Push(order{kind: kindQuery, peer: s.peer, group: m.group, number: m.number})
		}
	}
}

// Forget implements protocol.Forgetter.
func (h *host) Forget(now unit.Time, peer int32) {
	h.now = now
	h.gone.Forget(peer)
	h.wakes = min(h.tick, h.gone.Due())
	h.orders.Filter(func(o *order) bool { return o.peer != peer })
	if r := h.receivers[peer]; r != nil {
		for i := range h.outbox {
			if m := &h.outbox[i]; m.live && m.peer == peer {
				h.drop(r, int32(i))
			}
		}
		h.earn(r, -r.credit)
		h.deactivate(r)
		h.receivers[peer] = nil
	}
	if s := h.senders[peer]; s != nil {
		for i := range h.inbox {
			m := &h.inbox[i]
			if !m.live || m.peer != peer {
				continue
			}
			if m.place >= 0 {
				h.leave(int32(i))
			}
			if m.received < m.size {
				h.incomplete--
			}
			h.forget(int32(i))
		}
		h.charge(s, -s.used)
		h.overdraw()
		h.ranks.Remove(peer)
		for k, other := range h.stale {
			if other == s {
				h.stale = append(h.stale[:k], h.stale[k+1:]...)
				break
			}
		}
		h.senders[peer] = nil
	}
}
