// Package histogram counts integers in classes whose width grows with the value, so
// that a percentile of any number of them is known to within a small share of
// itself. Counting takes a few instructions and no memory. (Libraries for this check
// and return an error at every value, and keep several times as many classes: what
// counts once a packet must leave the cache to the simulation.)
package histogram

import (
	"iter"
	"math/bits"
)

const (
	// subBits is the logarithm of the number of classes an octave.
	subBits = 7
	// unitBits is that of the width of the narrowest classes, which begin at 0.
	unitBits = 10
	// topBits is that of the end of the last class; larger values count in it.
	topBits = 46

	classes = (topBits - unitBits - subBits + 1) << subBits
)

// Error bounds how far a percentile is from the true one, as a share of it, for
// values from 2¹⁷ to 2⁴⁶: of picoseconds, 131 ns to 70 s. Below, it is 2⁹ at most.
const Error = 1.0 / (2 << subBits)

// Histogram counts values that are not negative. The zero value is empty.
type Histogram struct {
	max    int64
	counts [classes]uint64
}

// Add counts a value.
func (h *Histogram) Add(v int64) {
	h.max = max(h.max, v)
	h.counts[class(v)]++
}

// AddMany counts a value many times.
func (h *Histogram) AddMany(v int64, n uint64) {
	h.max = max(h.max, v)
	h.counts[class(v)] += n
}

// class returns the class of a value.
func class(v int64) int {
	u := uint64(v) >> unitBits
	octave := max(bits.Len64(u), subBits+1) - (subBits + 1)
	return min(octave<<subBits+int(u>>octave), classes-1)
}

// middle returns the value in the middle of a class.
func middle(c int) int64 {
	octave := max(c>>subBits, 1) - 1
	low := int64(c-octave<<subBits) << (octave + unitBits)
	return low + 1<<(octave+unitBits)>>1
}

// Merge counts what another one has.
func (h *Histogram) Merge(o *Histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.max = max(h.max, o.max)
}

// All yields a value of each class that has any, with how many the class has: the middle, or of the last one the largest value. Another
// histogram that counts these has the same percentiles.
func (h *Histogram) All() iter.Seq2[int64, uint64] {
	return func(yield func(int64, uint64) bool) {
		last := class(h.max)
		for c, n := range h.counts {
			v := middle(c)
			if c == last {
				v = h.max
			}
			if n > 0 && !yield(v, n) {
				return
			}
		}
	}
}

// Sum returns all values together, each as the middle of its class, so that it never falls while values are added.
func (h *Histogram) Sum() (sum float64) {
	for c, n := range h.counts {
		sum += float64(n) * float64(middle(c))
	}
	return sum
}

// Since returns what was counted after an earlier copy was taken. Its largest value is exact if it is larger than all before, and
// otherwise the middle of its class.
func (h *Histogram) Since(before *Histogram) (d Histogram) {
	top := 0
	for c, n := range h.counts {
		if d.counts[c] = n - before.counts[c]; d.counts[c] > 0 {
			top = c
		}
	}
	switch {
	case h.max > before.max:
		d.max = h.max
	case d.counts[top] > 0:
		d.max = min(middle(top), h.max)
	}
	return d
}

// Reset empties it.
func (h *Histogram) Reset() { *h = Histogram{} }

// Count returns the number of values.
func (h *Histogram) Count() (sum uint64) {
	for _, n := range h.counts {
		sum += n
	}
	return sum
}

// Max returns the largest value exactly, 0 if there is none.
func (h *Histogram) Max() int64 { return h.max }

// PerMille returns about the smallest value that at least so many thousandths of all
// do not exceed: the middle of its class, but never more than the largest value. It
// is 0 if there is none.
func (h *Histogram) PerMille(p uint64) int64 {
	hi, lo := bits.Mul64(h.Count(), p)
	rank, rest := bits.Div64(hi, lo, 1000)
	if rest > 0 || rank == 0 {
		rank++
	}
	for c, n := range h.counts {
		if n >= rank {
			return min(middle(c), h.max)
		}
		rank -= n
	}
	return h.max
}
