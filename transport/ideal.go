package transport

import "weft/unit"

// Hop is a directed link on a path. Delay is the time from the end of a frame's
// serialisation until the frame is ready at the next node.
type Hop struct {
	Rate  unit.Rate
	Delay unit.Time
}

// Ideal returns how long a message of the given size takes alone over a fault-free
// path with store and forward, from the start of its first packet to the delivery
// of its last byte. Every link serialises its packets back to back. All packets but
// the last carry payload bytes; each also has header bytes.
func Ideal(path []Hop, size, payload, header unit.Bytes) unit.Time {
	packets := max(1, (size+payload-1)/payload)
	last := size - (packets-1)*payload + header
	// Departures, at each hop, of the last full packet and of the last packet. In a
	// train of equal packets the slowest link so far sets the spacing.
	var full, slowest, short unit.Time
	for _, h := range path {
		if packets > 1 {
			t := h.Rate.Transmit(payload + header)
			slowest = max(slowest, t)
			full += t
		}
		departs := full
		if packets > 1 {
			departs += unit.Time(packets-2) * slowest
		}
		short = max(short, departs) + h.Rate.Transmit(last)
		full += h.Delay
		short += h.Delay
	}
	return short
}
