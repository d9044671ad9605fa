package protocol

import "weft/unit"

// MaxRun is the most packets of a [Run].
const MaxRun = 64

// Run is data packets in a row that have one entropy, as if a kernel or an adapter cut them from one burst: a burst has
// one source port. The zero value is one that is over.
type Run struct {
	left    int32
	entropy uint16
}

// Next returns the entropy of the next data packet: that of the packet before, or, after n packets, one that the chooser
// chooses. With n of 1 or less it chooses each.
func (r *Run) Next(now unit.Time, chooser Entropy, n int) uint16 {
	if n <= 1 {
		return chooser.Next(now)
	}
	if r.left == 0 {
		r.left, r.entropy = int32(n), chooser.Next(now)
	}
	r.left--
	return r.entropy
}
