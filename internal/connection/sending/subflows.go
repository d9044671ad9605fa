package sending

import (
	"weft/unit"
)

// splits are the messages that are sent in parts, of which some are not acknowledged.
type splits struct {
	list []uint8 // how many parts are left
	free []int32
}

// startParts hands the parts of a message to their connections. Their
// packets differ by one at most, the first parts having more.
func (s *Side) startParts(now unit.Time, local int32, m *Message, packets uint32) {
	g := &s.Network.Groups[m.Group]
	n := min(uint32(g.Balancer.Subflows), packets)
	i := s.splits.begin(uint8(n))
	rest := m.Size
	for k := range n {
		p := part{number: int32(k), packets: packets / n, split: i, parts: uint8(n)}
		if k < packets%n {
			p.packets++
		}
		p.size = min(rest, unit.Bytes(p.packets)*g.Payload)
		rest -= p.size
		s.startPart(now, local, m, p)
	}
}

func (l *splits) begin(parts uint8) int32 {
	i := int32(len(l.list))
	if n := len(l.free); n > 0 {
		i = l.free[n-1]
		l.free = l.free[:n-1]
	} else {
		l.list = append(l.list, 0)
	}
	l.list[i] = parts
	return i
}

// last notes that a part of a message is acknowledged and tells whether it was the last.
func (l *splits) last(i int32) bool {
	if l.list[i]--; l.list[i] > 0 {
		return false
	}
	l.free = append(l.free, i)
	return true
}
