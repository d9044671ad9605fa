package tokens

import (
	"slices"

	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/protocol/internal/withdrawn"
	"weft/unit"
)

// This file takes messages back, and forgets hosts.

// Cancel implements protocol.Canceler. The receiver is told (Withdraw), again and again until it answers.
func (h *Host) Cancel(now unit.Time, c *protocol.HostMessage) bool {
	h.Now = now
	for i := range h.outgoing {
		m := &h.outgoing[i]
		if !m.live || !c.Is(m.peer, m.group, m.tag) {
			continue
		}
		h.gone.Add(now, withdrawn.Message{Peer: m.peer, Number: m.number, Group: m.group})
		h.Push(Order{Kind: Withdraw, Peer: m.peer, Group: m.group, Message: m.number})
		h.drop(int32(i))
		return true
	}
	return false
}

// drop ends a message, however much of it was sent.
func (h *Host) drop(i int32) {
	m := &h.outgoing[i]
	h.ready.Remove(i)
	m.live = false
	h.unconfirmed--
	h.receivers[m.peer].End(m.number)
	h.freeOutgoing = append(h.freeOutgoing, i)
}

// withdrawAgain tells receivers that have not answered.
func (h *Host) withdrawAgain() {
	for m, ok := h.gone.Again(h.Now); ok; m, ok = h.gone.Again(h.Now) {
		h.Push(Order{Kind: Withdraw, Peer: m.Peer, Group: m.Group, Message: m.Number})
	}
}

// OnWithdrawn hears that a receiver knows that a message is gone.
func (h *Host) OnWithdrawn(p *protocol.Packet) { h.gone.Known(p.Peer, p.Message) }

// OnWithdraw ends a message that its sender took back, and returns its index, until another one begins; or a negative number
// if it was not arriving.
func (h *Host) OnWithdraw(p *protocol.Packet) (i int32) {
	s := h.From(p.Peer)
	switch i = s.Find(p.Message); {
	case i >= 0:
		m := &h.arriving[i]
		h.Out.Report(protocol.HostEvent{Kind: protocol.MessageWithdrawn, Group: m.Group, Peer: m.Peer, Tag: uint64(m.Number)})
		h.abandon(i)
	case i == numbered.Unknown:
		if !s.Near(p.Message) {
			return i
		}
		s.Skip(p.Message)
	}
	h.Push(Order{Kind: Withdrawn, Peer: p.Peer, Group: p.Group, Message: p.Message})
	return i
}

// abandon ends a message that is being received.
func (h *Host) abandon(i int32) {
	m := &h.arriving[i]
	s := h.senders[m.Peer]
	m.live = false
	h.Incomplete--
	s.End(m.Number)
	s.Messages = without(s.Messages, i)
	if len(s.Messages) == 0 {
		h.Active = without(h.Active, s)
	}
	h.freeArriving = append(h.freeArriving, i)
}

// Part drops all that is known of a peer. Dropped is told the messages that were arriving from there, by their indices.
func (h *Host) Part(peer int32, dropped func(i int32)) {
	h.gone.Forget(peer)
	h.orders.Filter(func(o *Order) bool { return o.Peer != peer })
	for i := range h.outgoing {
		if m := &h.outgoing[i]; m.live && m.peer == peer {
			h.drop(int32(i))
		}
	}
	h.receivers[peer] = nil
	if s := h.senders[peer]; s != nil {
		for _, i := range slices.Clone(s.Messages) {
			h.abandon(i)
			dropped(i)
		}
		h.senders[peer] = nil
	}
}
