package tokens

import (
	"weft/protocol"
	"weft/unit"
)

// MaySend implements protocol.Permitter: a token is left that is not void.
func (h *Host) MaySend(now unit.Time, s *protocol.HostMessage) bool {
	for i := range h.outgoing {
		m := &h.outgoing[i]
		if !m.live || !s.Is(m.peer, m.group, m.tag) {
			continue
		}
		if m.free > 0 && now <= h.freeUntil(m) {
			return true
		}
		for k := range m.tokens.Len() {
			if m.tokens.At(k).until >= now {
				return true
			}
		}
		return false
	}
	return false
}

// freeUntil returns until when free tokens of a message can be used.
func (h *Host) freeUntil(m *outgoing) unit.Time {
	if h.FreeLife == unit.Forever {
		return unit.Forever
	}
	return m.start + unit.Time(h.Free(m.size))*h.Packet + h.FreeLife
}
