package sird

import (
	"weft/internal/fifo"
	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// This file takes messages back, and forgets hosts, of which the paper says nothing.

// Cancel implements protocol.Canceler. The receiver is told that the message is gone (kindStatus), again and again until it
// answers. It calls in the credit of the sender then, which may have been spent on the message, and forgets its number.
// Where messages are not confirmed it is told once, and asks if it misses the message.
func (h *host) Cancel(now unit.Time, c *protocol.HostMessage) bool {
	h.now = now
	for i := range h.outbox {
		m := &h.outbox[i]
		if !m.live || m.cancelled || !c.Is(m.peer, m.group, m.tag) {
			continue
		}
		r := h.receivers[m.peer]
		if m.sent < m.size || len(m.again) > 0 {
			h.unlist(r, int32(i))
			h.unfinished--
		}
		m.cancelled, m.again = true, m.again[:0]
		m.asked, m.tries = now, 0
		h.disown(m)
		if !h.confirm {
			h.drop(r, int32(i))
		}
		h.choose(r)
		return true
	}
	return false
}

// disown tells the receiver of a message that it is gone.
func (h *host) disown(m *outMessage) {
	h.orders.Push(order{kind: kindStatus, gone: true, peer: m.peer, group: m.group, number: m.number})
}

// drop ends a message that was cancelled.
func (h *host) drop(r *receiverState, i int32) {
	m := &h.outbox[i]
	m.live, m.cancelled = false, false
	h.unconfirmed--
	r.End(m.number)
	h.freeOut = append(h.freeOut, i)
}

// onGone hears that a sender has forgotten a message. Where messages are confirmed it was cancelled.
func (h *host) onGone(s *senderState, i int32, p *protocol.Packet) {
	switch {
	case i >= 0:
		if h.confirm {
			h.out.Report(protocol.HostEvent{Kind: protocol.MessageWithdrawn, Peer: s.peer, Group: p.Group, Tag: uint64(p.Message)})
		}
		h.abandon(s, i)
	case i == numbered.Unknown && h.confirm && s.Near(p.Message):
		s.Set(p.Message, 0) // so that numbers before those of later messages are all done
		s.End(p.Message)
		h.callIn(s) // what it gave itself for the message may have gone to others
		s.dead = false
	}
	if h.confirm {
		h.orders.Push(order{kind: kindDone, gone: true, peer: s.peer, group: p.Group, number: p.Message})
	}
}

// Forget implements protocol.Forgetter.
func (h *host) Forget(now unit.Time, peer int32) {
	h.now = now
	var kept fifo.Queue[order]
	for ; !h.orders.Empty(); h.orders.Pop() {
		if o := h.orders.First(); o.peer != peer {
			kept.Push(o)
		}
	}
	h.orders = kept
	if r := h.receivers[peer]; r != nil {
		for i := range h.outbox {
			m := &h.outbox[i]
			if !m.live || m.peer != peer {
				continue
			}
			if !m.cancelled && (m.sent < m.size || len(m.again) > 0) {
				h.unfinished--
			}
			h.drop(r, int32(i))
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
