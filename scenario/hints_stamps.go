package scenario

import (
	"fmt"

	"weft/protocol"
	"weft/unit"
)

// hintStamps notes paths with more switches than a packet has room for stamps, or than may
// stamp a packet.
func (p *plan) hintStamps(s *Spec) {
	switches := p.tables.Longest() + p.routes.beyond + 1
	for t, g := range p.transports(s) {
		c := &g.Congestion
		stamped := min(switches, protocol.MostStamps)
		switch {
		case c.Stamping == protocol.NoStamps:
			continue
		case switches > protocol.MostStamps:
			p.notice(fmt.Sprintf("paths have up to %d switches, and only the first %d stamp the packets of %s: it does not hear of queues at the others", switches, protocol.MostStamps, t.Congestion.Kind))
		}
		if c.Stamping != protocol.OnData || c.StampBytes == 0 {
			continue
		}
		if room := int(c.MostStampBytes / c.StampBytes); stamped > room {
			whole := c.MostStampBytes - unit.Bytes(room)*c.StampBytes + unit.Bytes(stamped)*c.StampBytes
			p.notice(fmt.Sprintf("packets of %s have room for %d stamps (int_bytes: %v), and paths have up to %d switches: all of the first %d stamp, in the same room; write int_bytes: %v to give each its bytes on the wire",
				t.Congestion.Kind, room, c.MostStampBytes, switches, stamped, whole))
		}
	}
}
