package transport

import (
	"weft/fabric"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// split is a message that is sent in parts, of which some are not acknowledged.
type split struct{ parts, left uint8 }

// startParts hands the parts of a source's next message to their connections. Their
// packets differ by one at most, the first parts having more.
func (e *Endpoint) startParts(now sim.Time, h int32, s *source, w workload.Message, packets uint32, record int32) {
	g := &e.t.groups[s.group]
	n := min(uint32(g.Balancer.Subflows), packets)
	i := e.newSplit(uint8(n))
	rest := w.Size
	for k := range n {
		p := part{dst: w.Dst, packets: packets / n, record: record, split: i}
		if k < packets%n {
			p.packets++
		}
		p.size = min(rest, unit.Bytes(p.packets)*g.Payload)
		rest -= p.size
		e.startPart(now, h, s, int32(k), p)
	}
}

func (e *Endpoint) newSplit(parts uint8) int32 {
	i := int32(len(e.splits))
	if n := len(e.freeSplits); n > 0 {
		i = e.freeSplits[n-1]
		e.freeSplits = e.freeSplits[:n-1]
	} else {
		e.splits = append(e.splits, split{})
	}
	e.splits[i] = split{parts, parts}
	return i
}

// lastPart notes that a part of a message is acknowledged and tells whether it was the last.
func (e *Endpoint) lastPart(i int32) bool {
	s := &e.splits[i]
	if s.left--; s.left > 0 {
		return false
	}
	e.freeSplits = append(e.freeSplits, i)
	return true
}

// allArrived notes that the part of a message that a data frame belongs to arrived in
// full, and tells whether all parts have.
func (e *Endpoint) allArrived(h *host, f *fabric.Frame) bool {
	if h.arrived == nil {
		h.arrived = map[uint64]uint8{}
	}
	name := identify(int32(f.Group()), f.Src(), f.Serial)
	n := h.arrived[name]
	if n < f.Bits>>partsShift {
		h.arrived[name] = n + 1
		return false
	}
	delete(h.arrived, name)
	return true
}
