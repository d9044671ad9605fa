package layers

import (
	"math/bits"

	"weft/sim"
)

// shuffle is a random order of the numbers below n that takes no memory. A Feistel network
// of four rounds permutes the numbers below a power of four. It is applied repeatedly until
// the result is in range.
type shuffle struct {
	n    uint64
	half uint
	mask uint64
	keys [4]uint64
}

func newShuffle(n uint64, s *stream) *shuffle {
	half := uint(bits.Len64(max(n, 2)-1)+1) / 2
	f := &shuffle{n: n, half: half, mask: 1<<half - 1}
	for i := range f.keys {
		f.keys[i] = s.Uint64()
	}
	return f
}

// at returns the number at place i of the order.
func (f *shuffle) at(i uint64) uint64 {
	for {
		left, right := i>>f.half, i&f.mask
		for _, key := range f.keys {
			left, right = right, left^sim.Mix(right^key)&f.mask
		}
		if i = left<<f.half | right; i < f.n {
			return i
		}
	}
}
