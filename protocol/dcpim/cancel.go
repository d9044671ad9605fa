package dcpim

import (
	"slices"

	"weft/protocol"
	"weft/unit"
)

// This file takes messages back, and forgets hosts, of which the paper says nothing. Senders take them back in tokens.Host.

// onWithdraw ends a message that its sender took back. Channels from the sender go on with its other messages. If it has
// none, they stay idle until their data phase is over, as when a message ends early.
func (h *host) onWithdraw(p *protocol.Packet) {
	i := h.OnWithdraw(p)
	if i < 0 {
		return
	}
	h.release(i)
	if l := h.running.from(p.Peer); l != nil && l.waits {
		h.give(l)
	}
}

// release gives tokens free that are held back for a message that will not arrive.
func (h *host) release(i int32) {
	if i == h.heldFor && h.Free(h.Message(i).Size) > 0 {
		h.held = 0
	}
}

// Forget implements protocol.Forgetter. What the peer accepted of this host's channels stays promised for the rest of the
// epoch.
func (h *host) Forget(now unit.Time, peer int32) {
	h.Now = now
	h.Part(peer, h.release)
	of := func(o offer) bool { return o.peer == peer }
	h.requests, h.grants = slices.DeleteFunc(h.requests, of), slices.DeleteFunc(h.grants, of)
	for _, e := range []*epoch{&h.matching, &h.running} {
		if l := e.from(peer); l != nil {
			e.unlink(l, l.channels)
		}
	}
}
