package sim

import (
	"math/bits"
	"slices"
)

// calendar buckets events by time. Bucket b covers [b<<shift, (b+1)<<shift). The buckets now+1 …
// now+mask lie in a ring. Each is a linked list through the entities' slots, so an insertion writes
// one slot and one list head. Bucket now is open: its events are sorted in Scheduler.current.
type calendar struct {
	heads    []int32
	occupied []uint64 // one bit per bucket, set if the bucket is not empty
	shift    uint
	mask     int64
	now      int64 // the open bucket
	count    int   // events in the ring

	// Density of events since the last adjustment.
	served   int
	since    Time
	adaptAt  int
	resizing []event
}

const (
	minBuckets   = 256
	maxBuckets   = 1 << 21
	initialShift = 12 // buckets of 4096 ps until the density is known
	// adaptEvery is how many events are served between adjustments.
	adaptEvery = 4096
	// sortCutoff is the bucket size from which insertion sort loses.
	sortCutoff = 24
	// splitAbove is the size of an open bucket that triggers narrower buckets.
	splitAbove = 128
)

func (c *calendar) init(entities int) {
	c.shift = initialShift
	c.setBuckets(bucketsFor(entities))
	c.now = -1
	c.adaptAt = adaptEvery
}

func (c *calendar) setBuckets(n int) {
	c.heads = make([]int32, n)
	for i := range c.heads {
		c.heads[i] = endOfList
	}
	c.occupied = make([]uint64, n/64)
	c.mask = int64(n) - 1
}

// bucketsFor returns how many buckets keep a typical event within the ring when n
// events are pending. With two events per bucket, four buckets per event reach
// eight times the mean distance between events.
func bucketsFor(n int) int {
	b := minBuckets
	for b < 4*n && b < maxBuckets {
		b *= 2
	}
	return b
}

// nextBucket returns the first occupied bucket after now. The ring must not be empty.
func (c *calendar) nextBucket() int64 {
	start := (c.now + 1) & c.mask
	w := start >> 6
	word := c.occupied[w] &^ (1<<(start&63) - 1)
	for word == 0 {
		w++
		if w == int64(len(c.occupied)) {
			w = 0
		}
		word = c.occupied[w]
	}
	i := w<<6 + int64(bits.TrailingZeros64(word))
	return c.now + 1 + (i-start)&c.mask
}

// unlink removes e from its bucket's list.
func (c *calendar) unlink(slots []slot, e Entity) {
	i := int64(slots[e].at) >> c.shift & c.mask
	at := &c.heads[i]
	for *at != int32(e) {
		at = &slots[*at].next
	}
	*at = slots[e].next
	if c.heads[i] == endOfList {
		c.occupied[i>>6] &^= 1 << (i & 63)
	}
	c.count--
}

// open opens the next bucket that starts before limit and reports whether there was one.
func (s *Scheduler) open(limit Time) bool {
	c := &s.cal
	if c.served >= c.adaptAt {
		s.adapt()
		if s.pos < len(s.current) {
			return true
		}
	}
	next := int64(1)<<62 - 1
	if c.count > 0 {
		next = c.nextBucket()
	}
	for len(s.far) > 0 {
		if !s.live(s.far[0]) {
			s.far.pop()
			continue
		}
		if b := int64(s.far[0].at) >> c.shift; b < next {
			next = b
		}
		break
	}
	if next<<c.shift >= int64(limit) || next == 1<<62-1 {
		return false
	}
	s.current, s.pos = s.current[:0], 0
	if i := next & c.mask; c.count > 0 && next-c.now <= c.mask {
		for e := c.heads[i]; e != endOfList; {
			sl := &s.slots[e]
			s.current = append(s.current, event{sl.at, makeKey(sl.rank, Entity(e))})
			e, sl.next = sl.next, inCurrent
			c.count--
		}
		c.heads[i] = endOfList
		c.occupied[i>>6] &^= 1 << (i & 63)
	}
	c.now = next
	s.pullFar()
	c.served += len(s.current)
	if len(s.current) > splitAbove {
		s.split()
	}
	s.current.sort()
	return true
}

// split narrows the buckets when a burst has filled the open one, so that later
// insertions into it stay short. It cannot separate events of the same instant.
func (s *Scheduler) split() {
	c := &s.cal
	first, last := s.current[0].at, s.current[0].at
	for _, ev := range s.current {
		first, last = min(first, ev.at), max(last, ev.at)
	}
	shift := uint(bits.Len64(uint64(int64(last-first) / int64(len(s.current)))))
	if last == first || shift+1 >= c.shift {
		return
	}
	burst := slices.Clone(s.current)
	s.current, s.pos = s.current[:0], 0
	s.rebuild(shift, max(len(c.heads), bucketsFor(c.count+len(burst))), first, burst)
}

// pullFar moves the events that have come within reach from the far heap into the
// ring or into the open bucket. The caller sorts the open bucket afterwards.
func (s *Scheduler) pullFar() {
	c := &s.cal
	for len(s.far) > 0 {
		b := int64(s.far[0].at) >> c.shift
		if b-c.now > c.mask {
			return
		}
		ev := s.far.pop()
		if !s.live(ev) {
			continue
		}
		e := ev.key.entity()
		sl := &s.slots[e]
		if b <= c.now {
			sl.next = inCurrent
			s.current = append(s.current, ev)
			continue
		}
		i := b & c.mask
		sl.next = c.heads[i]
		c.heads[i] = int32(e)
		c.occupied[i>>6] |= 1 << (i & 63)
		c.count++
	}
}

// adapt fits the width and number of buckets to the events served since the last
// call. A bucket should hold about two events, and the ring most pending ones.
func (s *Scheduler) adapt() {
	c := &s.cal
	nowTime := Time(c.now << c.shift)
	elapsed := int64(nowTime - c.since)
	perEvent := elapsed / int64(c.served)
	c.since, c.served = nowTime, 0
	shift := uint(bits.Len64(uint64(perEvent)))
	pending := c.count + len(s.far)
	buckets := bucketsFor(pending)
	if buckets < len(c.heads) && buckets*8 > len(c.heads) {
		buckets = len(c.heads)
	}
	c.adaptAt = max(adaptEvery, 2*buckets)
	if buckets == len(c.heads) && shift+1 >= c.shift && shift <= c.shift+1 {
		return
	}
	// The open bucket is used up. Pending events lie after its end.
	s.rebuild(shift, buckets, Time((c.now+1)<<c.shift-1), nil)
}

// rebuild puts all events of the ring, and those in burst, into buckets of another
// width or number. No event precedes start, whose bucket becomes the open one.
func (s *Scheduler) rebuild(shift uint, buckets int, start Time, burst []event) {
	c := &s.cal
	held := append(c.resizing[:0], burst...)
	for w, word := range c.occupied {
		for ; word != 0; word &= word - 1 {
			i := w<<6 + bits.TrailingZeros64(word)
			for e := c.heads[i]; e != endOfList; e = s.slots[e].next {
				sl := &s.slots[e]
				held = append(held, event{sl.at, makeKey(sl.rank, Entity(e))})
			}
			c.heads[i] = endOfList
		}
		c.occupied[w] = 0
	}
	if len(c.heads) != buckets {
		c.setBuckets(buckets)
	}
	c.shift, c.now, c.count = shift, int64(start)>>shift, 0
	for _, ev := range held {
		e := ev.key.entity()
		s.slots[e].at = idle
		s.Schedule(e, ev.at)
	}
	c.resizing = held
	// Wider buckets reach further, and the open one can now cover events beyond the old ring.
	s.pullFar()
	s.current[s.pos:].sort()
}

// sorted is a list of events ordered by (time, key). Code moves its elements word
// by word, because loading an event right after its two halves were stored is slow.
type sorted []event

// insert inserts an event into a list whose last element is free.
func (a sorted) insert(at Time, k key) {
	i := len(a) - 1
	for i > 0 && (at < a[i-1].at || at == a[i-1].at && k < a[i-1].key) {
		a[i].at, a[i].key = a[i-1].at, a[i-1].key
		i--
	}
	a[i].at, a[i].key = at, k
}

func (a sorted) sort() {
	if len(a) > sortCutoff {
		slices.SortFunc(a, func(x, y event) int {
			if x.before(y) {
				return -1
			}
			return 1
		})
		return
	}
	for i := 1; i < len(a); i++ {
		a[:i+1].insert(a[i].at, a[i].key)
	}
}
