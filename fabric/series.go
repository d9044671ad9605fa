package fabric

import (
	"math/bits"
	"slices"

	"weft/sim"
)

// Series records a port over time in buckets of equal length. Empty buckets take no
// room, so idle time costs nothing.
type Series struct {
	// Interval is the length of a bucket.
	Interval sim.Time
	// Offered counts the bytes accepted for the port in each bucket, including those
	// sent to it while its link was down.
	Offered Buckets
	// Sent counts the bytes serialised in each bucket. A frame that spans several
	// buckets is divided by time.
	Sent Buckets
	// Queue is the queue in bytes at the start of each bucket.
	Queue Buckets
	// Dropped counts the frames dropped in each bucket, except credits dropped by a limiter.
	Dropped Buckets
	// Paused is the time in each bucket during which some lossless class was paused.
	Paused Buckets

	sampled int64 // bucket at whose start to record the queue next
}

// Bucket is one value of a series. Its bucket begins at Number times the interval.
type Bucket struct{ Number, Value int64 }

// Buckets are the buckets of a series that are not empty, in order. Beyond MostBuckets,
// values are lost and the series is incomplete: the caller must check for that.
type Buckets []Bucket

// MostBuckets is the most buckets of one kind that a series keeps.
const MostBuckets = 1 << 24

// add adds a value to a bucket, which is rarely before the last one.
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

// Buckets returns how many buckets of all kinds the series holds, and whether any kind is full.
func (s *Series) Buckets() (n int, full bool) {
	for _, b := range []Buckets{s.Offered, s.Sent, s.Queue, s.Dropped, s.Paused} {
		n += len(b)
		full = full || len(b) == MostBuckets
	}
	return n, full
}

func (s *Series) offer(now sim.Time, size uint32) { s.Offered.add(int64(now/s.Interval), int64(size)) }

func (s *Series) drop(now sim.Time) { s.Dropped.add(int64(now/s.Interval), 1) }

// send divides a frame serialised during [from, to) among buckets.
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

// shareOut returns size · part / whole, rounded down.
func shareOut(size, part, whole uint64) uint64 {
	hi, lo := bits.Mul64(size, part)
	q, _ := bits.Div64(hi, lo, whole)
	return q
}

// sample records the queue at all bucket starts up to now.
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
