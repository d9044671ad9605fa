package arcane

import "math/rand/v2"

// randSource is a stream that tells how many numbers were drawn from it, and
// which entropy a draw would give.
type randSource struct {
	rand.PCG
	seen rand.PCG
}

func newRand(seed uint64) *randSource {
	r := &randSource{}
	r.Seed(seed, 7)
	r.seen = r.PCG
	return r
}

// drawn tells how many numbers were drawn since the last call, at most two.
func (r *randSource) drawn() int {
	p := r.seen
	r.seen = r.PCG
	for n := range 2 {
		if p == r.PCG {
			return n
		}
		p.Uint64()
	}
	return 2
}

// next returns the entropy that a draw from 65536 values gives now.
func (r *randSource) next() uint16 {
	p := r.PCG
	return uint16(p.Uint64() >> 48)
}
