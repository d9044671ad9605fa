package fabric

import "math"

// spells has the number, among the frames of each class, of the last one that found the
// queue above the threshold.
type spells [8]uint64

// noFrame is followed by none.
const noFrame = math.MaxUint64 - 1

// goesOn notes that frame n of a class found the queue above the threshold, and tells
// whether the frame before it did.
func (s *spells) goesOn(class uint8, n uint64) bool {
	last := s[class]
	s[class] = n
	return last+1 == n
}

// markByQueue applies RED to a frame that finds q bytes queued: never up to
// Kmin, always from Kmax, and with a probability that rises linearly to Pmax
// between. A threshold is Kmin equal to Kmax. The frame is number n of a class.
func (d *Domain) markByQueue(p *port, i int32, f *Frame, q uint32, class uint8, n uint64) {
	c := &d.cold[i]
	if c.spells != nil && !c.spells.goesOn(class, n) {
		return
	}
	if q < c.kmax {
		share := uint64(q-p.kmin) * uint64(c.pmax) / uint64(c.kmax-p.kmin)
		if c.mark.Uint64()>>32 >= share {
			return
		}
	}
	d.mark(i, f)
}
