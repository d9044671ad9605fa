package phost

import (
	"weft/protocol"
	"weft/unit"
)

// This file takes messages back, and forgets hosts, of which the paper says nothing. Senders take them back in tokens.Host.

// onWithdraw ends a message that its sender took back. Others have its tokens from now on.
func (h *host) onWithdraw(p *protocol.Packet) {
	if i := h.OnWithdraw(p); i >= 0 {
		h.drop(i)
		h.hasten()
	}
}

// drop forgets a message that will not arrive, and gives the time back that was set aside for its packets with free tokens.
func (h *host) drop(i int32) {
	h.open.Remove(i)
	h.held.Remove(i)
	m := h.Message(i)
	h.busy = max(h.busy-unit.Time(m.Absent(h.Free(m.Size)))*h.gap, h.gave+h.gap)
}

// Forget implements protocol.Forgetter.
func (h *host) Forget(now unit.Time, peer int32) {
	h.Now = now
	h.Part(peer, h.drop)
	h.hasten()
}
