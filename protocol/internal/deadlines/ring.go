package deadlines

import "math/bits"

// ring has the buckets of a wheel.
type ring struct {
	buckets [buckets][]deadline // by the last digits of its number
	filled  [buckets / 64]uint64
}

// The buckets' width, as a power of two of picoseconds, is about the time in which a busy
// receiver meets some tens of deadlines; their number reaches over several round trips.
const (
	width   = 15
	buckets = 2048
)

// add puts an entry into the bucket of a number.
func (r *ring) add(number int64, d deadline) {
	slot := number & (buckets - 1)
	r.buckets[slot] = append(r.buckets[slot], d)
	r.filled[slot/64] |= 1 << (slot % 64)
}

// clear empties a bucket.
func (r *ring) clear(slot int) {
	r.buckets[slot] = r.buckets[slot][:0]
	r.filled[slot/64] &^= 1 << (slot % 64)
}

// seek finds the first bucket from that of a number on that has anything.
func (r *ring) seek(number int64) (slot int, ok bool) {
	from := int(number & (buckets - 1))
	for k := 0; k <= len(r.filled); k++ {
		word := (from/64 + k) % len(r.filled)
		set := r.filled[word]
		switch k {
		case 0:
			set &= ^uint64(0) << (from % 64)
		case len(r.filled): // the rest of the word with which it began
			set &^= ^uint64(0) << (from % 64)
		}
		if set != 0 {
			return word*64 + bits.TrailingZeros64(set), true
		}
	}
	return 0, false
}
