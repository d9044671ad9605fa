package sird

import (
	"weft/protocol"
	"weft/unit"
)

// MaySend implements protocol.Permitter. Credit is for all messages to a receiver.
func (h *host) MaySend(_ unit.Time, s *protocol.HostMessage) bool {
	for i := range h.outbox {
		m := &h.outbox[i]
		if m.live && s.Is(m.peer, m.group, m.tag) {
			return len(m.again) > 0 || m.sent < m.size && h.may(h.receiver(m.peer), m)
		}
	}
	return false
}
