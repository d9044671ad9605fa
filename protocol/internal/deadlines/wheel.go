package deadlines

import (
	"math/bits"
	"slices"

	"weft/unit"
)

// Wheel holds what a Set holds, in the same order, for thousands of deadlines that are met and
// put again all the time, most of them soon: to put one and to meet it takes the same time
// however many there are. The zero value is empty.
type Wheel struct {
	due []unit.Time // by number; 0 without a deadline
	n   int
	// open holds what is due before the bucket after the one that was opened last, the
	// latest first. An entry whose deadline is another one by now is stale, here and in the
	// buckets.
	open []deadline
	// next is the number of the bucket after that one: times over the width.
	next    int64
	buckets [buckets][]deadline // by the last digits of its number
	filled  [buckets / 64]uint64
	far     Set // beyond the buckets
}

// The buckets' width, as a power of two of picoseconds, is about the time in which a busy
// receiver meets some tens of deadlines; their number reaches over several round trips.
const (
	width   = 15
	buckets = 2048
)

// Put gives a thing a deadline, which is not negative, in place of the one that it had.
func (w *Wheel) Put(i int32, at unit.Time) {
	for int(i) >= len(w.due) {
		w.due = append(w.due, 0)
	}
	if w.due[i] == 0 {
		w.n++
	}
	w.due[i] = at + 1
	w.file(deadline{at, i})
}

// file puts an entry where its time belongs.
func (w *Wheel) file(d deadline) {
	switch b := int64(d.at) >> width; {
	case b < w.next:
		k, _ := slices.BinarySearchFunc(w.open, d, latestFirst)
		w.open = slices.Insert(w.open, k, d)
	case b < w.next+buckets:
		slot := b & (buckets - 1)
		w.buckets[slot] = append(w.buckets[slot], d)
		w.filled[slot/64] |= 1 << (slot % 64)
	default:
		w.far.Put(d.of, d.at)
	}
}

// Remove takes the deadline of a thing away, if it has one.
func (w *Wheel) Remove(i int32) {
	if int(i) < len(w.due) && w.due[i] != 0 {
		w.due[i] = 0
		w.n--
	}
}

// First returns what has the earliest deadline; unit.Forever if nothing has any.
func (w *Wheel) First() (i int32, at unit.Time) {
	if w.n == 0 {
		return -1, unit.Forever
	}
	for {
		for k := len(w.open) - 1; k >= 0; k-- {
			if d := w.open[k]; w.current(d) {
				return d.of, d.at
			}
			w.open = w.open[:k]
		}
		w.advance()
	}
}

// Len is how many deadlines there are.
func (w *Wheel) Len() int { return w.n }

// current tells whether an entry is of the deadline that its thing has.
func (w *Wheel) current(d deadline) bool { return w.due[d.of] == d.at+1 }

// advance opens the next bucket that has anything, or if there is none moves to where the
// far deadlines begin.
func (w *Wheel) advance() {
	slot, ok := w.seek()
	if !ok {
		_, at := w.far.First()
		w.next = int64(at) >> width
		w.admit()
		return
	}
	w.next += int64((slot-int(w.next))&(buckets-1)) + 1
	for _, d := range w.buckets[slot] {
		if w.current(d) {
			w.open = append(w.open, d)
		}
	}
	w.buckets[slot] = w.buckets[slot][:0]
	w.filled[slot/64] &^= 1 << (slot % 64)
	slices.SortFunc(w.open, latestFirst)
	w.admit()
}

// seek finds the first bucket from the next one on that has anything.
func (w *Wheel) seek() (slot int, ok bool) {
	from := int(w.next & (buckets - 1))
	for k := 0; k <= len(w.filled); k++ {
		word := (from/64 + k) % len(w.filled)
		set := w.filled[word]
		switch k {
		case 0:
			set &= ^uint64(0) << (from % 64)
		case len(w.filled): // the rest of the word with which it began
			set &^= ^uint64(0) << (from % 64)
		}
		if set != 0 {
			return word*64 + bits.TrailingZeros64(set), true
		}
	}
	return 0, false
}

// latestFirst orders deadlines for sorting.
func latestFirst(a, b deadline) int {
	switch {
	case b.before(a):
		return -1
	case a.before(b):
		return 1
	}
	return 0
}

// admit moves far deadlines into buckets that reach them by now.
func (w *Wheel) admit() {
	for {
		i, at := w.far.First()
		if i < 0 || int64(at)>>width >= w.next+buckets {
			return
		}
		w.far.Remove(i)
		if d := (deadline{at, i}); w.current(d) {
			w.file(d)
		}
	}
}
