package expresspass

import (
	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/protocol/internal/withdrawn"
	"weft/unit"
)

// This file takes messages back, and forgets hosts, of which the paper says nothing.

// Cancel implements protocol.Canceler. What waits for the wire of the message is dropped, and its connection is free for
// another one at once. The receiver is told (kindWithdraw), again and again until it answers. Credits that still come bring
// nothing.
func (h *host) Cancel(now unit.Time, c *protocol.HostMessage) bool {
	h.begin(now)
	for i := range h.outbox {
		m := &h.outbox[i]
		if !m.live || m.reply || m.known || !c.Is(m.peer, m.group, m.tag) {
			continue
		}
		h.unsend(m, func(kind uint8) bool { return kind == kindRequest || kind == kindData || kind == kindStop })
		h.gone.Add(now, withdrawn.Message{Peer: m.peer, Number: m.number, Group: m.group})
		h.withdraw(m.peer, m.group, m.number)
		if m.state == queued {
			r := h.receivers[m.peer]
			r.waiting.Filter(func(k *int32) bool { return *k != int32(i) })
			h.drop(int32(i))
		} else {
			h.end(int32(i))
		}
		return true
	}
	return false
}

// withdraw tells the receiver of a message that it is gone, over any path.
func (h *host) withdraw(peer int32, group uint8, number uint32) {
	h.packets.Push(packet{kind: kindWithdraw, group: group, entropy: h.draw(), peer: peer, message: number})
}

// withdrawAgain tells receivers that have not answered.
func (h *host) withdrawAgain() {
	for m, ok := h.gone.Again(h.now); ok; m, ok = h.gone.Again(h.now) {
		h.withdraw(m.Peer, m.Group, m.Number)
	}
}

// onWithdraw ends a message that its sender took back, and its credits.
func (h *host) onWithdraw(p *protocol.Packet) {
	s := h.sender(p.Peer)
	switch i := s.Find(p.Message); {
	case i >= 0:
		if m := &h.inbox[i]; !m.reply {
			h.out.Report(protocol.HostEvent{Kind: protocol.MessageWithdrawn, Group: m.group, Peer: m.peer, Tag: uint64(m.number)})
		}
		h.forget(i)
		h.revoke(func(peer int32, message uint32) bool { return peer == p.Peer && message == p.Message })
	case i == numbered.Unknown:
		if !s.Near(p.Message) {
			return
		}
		s.Skip(p.Message)
	}
	h.respond(kindWithdrawn, p, 0)
}

// Forget implements protocol.Forgetter.
func (h *host) Forget(now unit.Time, peer int32) {
	h.begin(now)
	h.gone.Forget(peer)
	h.packets.Filter(func(o *packet) bool { return o.peer != peer })
	h.revoke(func(of int32, _ uint32) bool { return of == peer })
	for i := range h.outbox {
		if m := &h.outbox[i]; m.live && m.peer == peer {
			h.drop(int32(i))
		}
	}
	for i := range h.inbox {
		if m := &h.inbox[i]; m.live && m.peer == peer {
			h.forget(int32(i))
		}
	}
	h.receivers[peer], h.senders[peer] = nil, nil
}
