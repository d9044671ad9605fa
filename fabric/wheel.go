package fabric

import (
	"cmp"
	"math/bits"
	"slices"

	"weft/sim"
)

// flight is a frame on its way to the switch, or to the domain, at the end of a wire.
type flight struct {
	arrives sim.Time
	wire    int32 // in the receiving domain
	// port is the port by which the frame goes on, once it is routed. It is negative
	// if that is decided on arrival. Before routing, with inexact hosts, it is the
	// picoseconds by which the sending host delayed the frame.
	port  int32
	frame Frame
}

// wheel holds the frames on their way to the switches of a swept domain, by time of arrival. A
// bucket of its first level is no longer than a window. A bucket of a higher level is as long
// as the whole level below, and is spread over that level when its time comes.
//
// The wheel stores frames by value, in the order in which they were sent. So a window
// reads a few blocks of memory from end to end, however many wires there are.
type wheel struct {
	shift uint  // bits of picoseconds below the number of a first-level bucket
	now   int64 // number of a first-level bucket that no frame under way precedes
	near  level
	above []level
	free  *chunk
	read  *chunk // blocks of the current window
}

const (
	levelBits = 6
	levelMask = 1<<levelBits - 1
)

type level struct {
	occupied uint64 // one bit per bucket, set if it is not empty
	buckets  [1 << levelBits]bucket
}

type bucket struct{ first, last *chunk }

// chunk is a block of flights that nearly fills an allocation of 1536 bytes.
type chunk struct {
	next    *chunk
	n       int
	flights [31]flight
}

// newWheel returns a wheel for windows of a given length.
func newWheel(window sim.Time) wheel {
	return wheel{shift: uint(bits.Len64(uint64(window)) - 1)}
}

// put adds a flight with its time of arrival. The caller fills in the other fields.
func (w *wheel) put(arrives sim.Time) *flight {
	number := int64(arrives) >> w.shift
	at, k := &w.near, number&levelMask
	if apart := uint64(number ^ w.now); apart > levelMask {
		l := (bits.Len64(apart) - 1) / levelBits
		at, k = w.level(l), number>>(l*levelBits)&levelMask
	}
	c := at.buckets[k].last
	if c == nil || c.n == len(c.flights) {
		c = w.extend(at, k)
	}
	f := &c.flights[c.n]
	c.n++
	f.arrives = arrives
	return f
}

// level returns level l and makes it if needed.
func (w *wheel) level(l int) *level {
	if l == 0 {
		return &w.near
	}
	for l > len(w.above) {
		w.above = append(w.above, level{})
	}
	return &w.above[l-1]
}

// extend appends a block to a bucket.
func (w *wheel) extend(at *level, k int64) *chunk {
	c := w.free
	if c == nil {
		c = new(chunk)
	} else {
		w.free = c.next
		c.next, c.n = nil, 0
	}
	b := &at.buckets[k]
	if b.last == nil {
		at.occupied |= 1 << k
		b.first = c
	} else {
		b.last.next = c
	}
	b.last = c
	return c
}

// detach empties a bucket and returns its blocks.
func (at *level) detach(k int64) (first, last *chunk) {
	b := at.buckets[k]
	at.buckets[k] = bucket{}
	at.occupied &^= 1 << k
	return b.first, b.last
}

// open makes a first-level bucket the current one. No frame under way may precede it.
func (w *wheel) open(number int64) {
	was := w.now
	w.now = number
	for l := len(w.above); l > 0; l-- {
		k := number >> (l * levelBits)
		if k == was>>(l*levelBits) || w.level(l).occupied>>(k&levelMask)&1 == 0 {
			continue
		}
		first, last := w.level(l).detach(k & levelMask)
		for c := first; c != nil; c = c.next {
			for i := range c.n {
				f := &c.flights[i]
				*w.put(f.arrives) = *f
			}
		}
		w.recycle(first, last)
	}
}

// recycle frees blocks that were detached.
func (w *wheel) recycle(first, last *chunk) {
	if last != nil {
		last.next = w.free
		w.free = first
	}
}

// take appends to list the flights that arrive within a window, in no order. No frame
// under way may precede the window. The flights are valid until done is called.
func (w *wheel) take(list []*flight, from, to sim.Time) []*flight {
	end := int64(to-1) >> w.shift
	for number := int64(from) >> w.shift; number <= end; number++ {
		w.open(number)
		k := number & levelMask
		if w.near.occupied>>k&1 == 0 {
			continue
		}
		whole := sim.Time(number+1)<<w.shift <= to
		first, last := w.near.detach(k)
		for c := first; c != nil; c = c.next {
			for i := range c.n {
				f := &c.flights[i]
				if whole || f.arrives < to {
					list = append(list, f)
				} else {
					*w.put(f.arrives) = *f
				}
			}
		}
		last.next = w.read
		w.read = first
	}
	return list
}

// done releases the flights returned by take.
func (w *wheel) done() {
	for c := w.read; c != nil; {
		next := c.next
		c.next = w.free
		w.free = c
		c = next
	}
	w.read = nil
}

// bound returns a time that no flight precedes, given that none precedes now. It is the time of the
// first flight, or now if that flight lies in the bucket of now. It is Forever if there is none.
func (w *wheel) bound(now sim.Time) sim.Time {
	for l := range len(w.above) + 1 {
		at := w.level(l)
		if at.occupied == 0 {
			continue
		}
		k := bits.TrailingZeros64(at.occupied)
		if l == 0 && int64(now)>>w.shift&levelMask == int64(k) {
			return now
		}
		least := sim.Forever
		for c := at.buckets[k].first; c != nil; c = c.next {
			for i := range c.n {
				least = min(least, c.flights[i].arrives)
			}
		}
		return least
	}
	return sim.Forever
}

// all yields every flight, in no order.
func (w *wheel) all(yield func(*flight) bool) {
	for l := range len(w.above) + 1 {
		for _, b := range w.level(l).buckets {
			for c := b.first; c != nil; c = c.next {
				for i := range c.n {
					if !yield(&c.flights[i]) {
						return
					}
				}
			}
		}
	}
}

// lift removes the flights on one wire and returns them in order of arrival. It
// scans the whole wheel and is meant for faults.
func (w *wheel) lift(wire int32) (lifted []flight) {
	for l := range len(w.above) + 1 {
		for k := range w.level(l).buckets {
			first, last := w.level(l).detach(int64(k))
			for c := first; c != nil; c = c.next {
				for i := range c.n {
					if f := &c.flights[i]; f.wire == wire {
						lifted = append(lifted, *f)
					} else {
						*w.put(f.arrives) = *f
					}
				}
			}
			w.recycle(first, last)
		}
	}
	slices.SortStableFunc(lifted, func(a, b flight) int { return cmp.Compare(a.arrives, b.arrives) })
	return lifted
}

// batch is what arrives at the switches of a domain within a window.
type batch struct {
	sim.Batch
	arrivals []*flight
	noticed  []int32 // ports with notices, numbered after the arrivals
}
