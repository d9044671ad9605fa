package homa

import (
	"weft/protocol"
	"weft/unit"
)

// MaySend implements protocol.Permitter.
func (h *host) MaySend(_ unit.Time, s *protocol.HostMessage) bool {
	for i := range h.outbox {
		m := &h.outbox[i]
		if m.live && s.Is(m.peer, m.group, m.tag) {
			return m.sendable()
		}
	}
	return false
}
