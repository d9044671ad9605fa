package dcpim

import (
	"weft/protocol"
	"weft/protocol/internal/tokens"
	"weft/unit"
)

// onData takes a packet with payload or one that announces a message.
func (h *host) onData(p *protocol.Packet) (fresh unit.Bytes) {
	before := h.Pending()
	i, begins := h.Learn(p)
	if i >= 0 {
		if free := h.Free(p.Size); begins && free > 0 {
			h.held, h.heldFor = free, i
		}
		if p.Kind == tokens.Data {
			fresh = h.Take(i, p)
		}
		if l := h.running.from(p.Peer); l != nil && l.waits {
			h.give(l)
		}
	}
	if p.Kind == tokens.Data {
		h.Answer(before, p)
	}
	return fresh
}

// give gives a sender that the host is matched with the next token, and decides when the one
// after it is due.
func (h *host) give(l *link) {
	next := h.Now + h.Packet*unit.Time(h.channels)/unit.Time(l.channels)
	if h.held > 0 {
		h.held--
		l.due, l.waits = next, false
		return
	}
	// If the sender's messages are all held, nothing wakes the link when that is over, as in
	// the public simulator.
	l.due, l.waits = unit.Forever, true
	i := h.Best(h.From(l.peer))
	if i < 0 {
		return
	}
	m := h.Message(i)
	if most := h.window * l.channels / h.channels; m.Unanswered() > most {
		if until := m.Last + h.windowTimeout; h.Now < until {
			l.due = until
			return
		}
		m.Forget(max(0, most-1))
	}
	h.Give(i, uint32(h.running.number))
	l.due, l.waits = next, false
}

// void returns when tokens of an epoch are void.
func (h *host) void(number uint32) unit.Time {
	end := unit.Time(h.near(number)+1)*h.period + unit.Time(h.rounds)*h.round
	return end + h.controlRTT/2 + h.Packet*unit.Time(h.channels)
}
