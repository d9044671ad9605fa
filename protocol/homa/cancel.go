package homa

import (
	"slices"

	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/protocol/internal/withdrawn"
	"weft/unit"
)

// This file takes messages back, and forgets hosts, of which the paper says nothing.

// Cancel implements protocol.Canceler. The receiver is told (kindWithdraw), again and again until it answers.
func (h *host) Cancel(now unit.Time, c *protocol.HostMessage) bool {
	h.now = now
	for i := range h.outbox {
		m := &h.outbox[i]
		if !m.live || !c.Is(m.peer, m.group, m.tag) {
			continue
		}
		h.gone.Add(now, withdrawn.Message{Peer: m.peer, Number: m.number, Group: m.group})
		h.orders.Push(order{kind: kindWithdraw, peer: m.peer, group: m.group, number: m.number})
		h.drop(int32(i))
		return true
	}
	return false
}

// withdrawAgain tells receivers that have not answered.
func (h *host) withdrawAgain() {
	for m, ok := h.gone.Again(h.now); ok; m, ok = h.gone.Again(h.now) {
		h.orders.Push(order{kind: kindWithdraw, peer: m.Peer, group: m.Group, number: m.Number})
	}
}

// onWithdraw ends a message that its sender took back. Others are granted to in its place at once.
func (h *host) onWithdraw(p *protocol.Packet) {
	s := h.sender(p.Peer)
	switch i := s.Find(p.Message); {
	case i >= 0:
		m := &h.inbox[i]
		h.out.Report(protocol.HostEvent{Kind: protocol.MessageWithdrawn, Group: m.group, Peer: m.peer, Tag: uint64(m.number)})
		h.unrank(s)
		h.abandon(s, i)
		h.grantTo(s)
		h.grantNext()
	case i == numbered.Unknown:
		if !s.Near(p.Message) {
			return
		}
		s.Skip(p.Message)
	}
	h.orders.Push(order{kind: kindWithdrawn, peer: p.Peer, group: p.Group, number: p.Message})
}

// abandon ends a message that will not arrive, of a sender that is not in the ranking.
func (h *host) abandon(s *senderState, i int32) {
	m := &h.inbox[i]
	h.outstanding -= m.scheduled
	if k := slices.Index(s.wanting, i); k >= 0 {
		s.wanting = slices.Delete(s.wanting, k, k+1)
	}
	h.end(s, i)
}

// grantNext grants to the last of those that are granted to, which may have come in the place of one that left.
func (h *host) grantNext() {
	if len(h.ranked) >= h.overcommit {
		s := h.ranked[h.overcommit-1]
		h.remove(h.overcommit - 1)
		h.grantTo(s)
	}
}

// Forget implements protocol.Forgetter.
func (h *host) Forget(now unit.Time, peer int32) {
	h.now = now
	h.gone.Forget(peer)
	h.orders.Filter(func(o *order) bool { return o.peer != peer })
	for i := range h.outbox {
		if m := &h.outbox[i]; m.live && m.peer == peer {
			h.drop(int32(i))
		}
	}
	h.receivers[peer] = nil
	s := h.senders[peer]
	if s == nil {
		return
	}
	h.unrank(s)
	h.stop(s)
	for i := range h.inbox {
		if m := &h.inbox[i]; m.live && m.peer == peer {
			h.abandon(s, int32(i))
		}
	}
	h.senders[peer] = nil
	h.grantNext()
}
