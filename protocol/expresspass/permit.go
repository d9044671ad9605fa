package expresspass

import (
	"weft/protocol"
	"weft/unit"
)

// MaySend implements protocol.Permitter: a credit has come whose packet waits for the wire.
func (h *host) MaySend(_ unit.Time, s *protocol.HostMessage) bool {
	for i := range h.packets.Len() {
		p := h.packets.At(i)
		if p.kind == kindData && p.bytes > 0 && s.Is(p.peer, p.group, p.tag) {
			return true
		}
	}
	return false
}
