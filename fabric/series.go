package fabric

import (
	"math/bits"
	"slices"

	"weft/sim"
)

// Series records a port over time in buckets of equal length. Buckets in which there is nothing take no room, so that idle time costs
// nothing.
type Series struct {
	// Interval is the length of a bucket.
	Interval sim.Time
	// Offered is the bytes accepted for the port in each bucket, those sent to
	// it while its link was down included.
	Offered Buckets
	// Sent is the bytes serialised in each bucket; a frame that spans several
	// is shared out by time.
	Sent Buckets
	// Queue is the queue in bytes at the start of each bucket.
	Queue Buckets
	// Dropped is the frames dropped in each bucket, without credits that are limited.
	Dropped Buckets
	// Paused is the time of each bucket in which some lossless class was paused.
	Paused Buckets

	sampled int64 // the bucket at whose start the queue is to be noted next
}

// Bucket is what a series has of one bucket, which begins at Number times the interval.
type Bucket struct{ Number, Value int64 }

// Buckets are those of a series in which there is something, in order. What comes when there are MostBuckets is lost, and the last of
// them is there in vain: whoever records looks for that.
type Buckets []Bucket

// MostBuckets is how many buckets of a kind a series keeps.
const MostBuckets = 1 << 24

// add adds to a bucket, which is seldom before the last one.
func (b *Buckets) add(number, value int64) {
	list := *b
	k := len(list)
	for k > 0 && list[k-1].Number > number {
		k--
	}
	switch {
	case value == 0:
	case k > 0 && list[k-1].Number == number:
		list[k-1].Value += value
	case len(list) < MostBuckets:
		*b = slices.Insert(list, k, Bucket{number, value})
	}
}

// Buckets returns how many buckets the series keeps, of all kinds, and whether some kind has no room for more.
func (s *Series) Buckets() (n int, full bool) {
	for _, b := range []Buckets{s.Offered, s.Sent, s.Queue, s.Dropped, s.Paused} {
		n += len(b)
		full = full || len(b) == MostBuckets
	}
	return n, full
}

func (s *Series) offer(now sim.Time, size uint32) { s.Offered.add(int64(now/s.Interval), int64(size)) }

func (s *Series) drop(now sim.Time) { s.Dropped.add(int64(now/s.Interval), 1) }

// send shares out a frame serialised during [from, to).
func (s *Series) send(from, to sim.Time, size uint64) {
	first, last := int64(from/s.Interval), int64((to-1)/s.Interval)
	done := uint64(0)
	for b := first; b < last; b++ {
		end := sim.Time(b+1) * s.Interval
		upTo := shareOut(size, uint64(end-from), uint64(to-from))
		s.Sent.add(b, int64(upTo-done))
		done = upTo
	}
	s.Sent.add(last, int64(size-done))
}

// shareOut returns the part of a size that a part of a time makes, rounded down.
func shareOut(size, part, whole uint64) uint64 {
	hi, lo := bits.Mul64(size, part)
	q, _ := bits.Div64(hi, lo, whole)
	return q
}

// sample notes the queue at all bucket starts up to now.
func (s *Series) sample(now sim.Time, queued uint32) {
	next := int64(now/s.Interval) + 1
	if queued > 0 {
		for b := s.sampled; b < next && len(s.Queue) < MostBuckets; b++ {
			s.Queue = append(s.Queue, Bucket{b, int64(queued)})
		}
	}
	s.sampled = max(s.sampled, next)
}

// hold adds the paused time [from, to) to its buckets.
func (s *Series) hold(from, to sim.Time) {
	for from < to {
		b := int64(from / s.Interval)
		end := min(to, sim.Time(b+1)*s.Interval)
		s.Paused.add(b, int64(end-from))
		if len(s.Paused) == MostBuckets {
			return
		}
		from = end
	}
}
