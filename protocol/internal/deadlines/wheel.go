package deadlines

import (
	"slices"

	"weft/unit"
)

// Wheel holds what a Set holds, in the same order, for thousands of deadlines that are met and
// put again all the time, most of them soon: to put one and to meet it takes the same time
// however many there are. Until there are more than a few it holds them as a Set does, in
// little memory. The zero value is empty.
type Wheel struct {
	due []unit.Time // by number; 0 without a deadline
	n   int
	// open holds what is due before the bucket after the one that was opened last, the
	// latest first. An entry whose deadline is another one by now is stale, here and in the
	// buckets.
	open []deadline
	// next is the number of the bucket after that one: times over the width.
	next int64
	near *ring // the buckets; nil until there are more than a few deadlines
	far  Set   // beyond the buckets; while there are none all, and none is stale
}

// few is how many deadlines need no buckets: a ring takes 48 kB, of which thousands of hosts
// with a few messages each would make hundreds of megabytes. More messages than that take
// about as much themselves.
const few = 64

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
	if w.near == nil && w.n > few {
		w.near = new(ring)
		w.skip()
	}
}

// file puts an entry where its time belongs.
func (w *Wheel) file(d deadline) {
	switch b := int64(d.at) >> width; {
	case b < w.next: // only with buckets
		k, _ := slices.BinarySearchFunc(w.open, d, latestFirst)
		w.open = slices.Insert(w.open, k, d)
	case w.near != nil && b < w.next+buckets:
		w.near.add(b, d)
	default:
		w.far.Put(d.of, d.at)
	}
}

// Remove takes the deadline of a thing away, if it has one.
func (w *Wheel) Remove(i int32) {
	if int(i) >= len(w.due) || w.due[i] == 0 {
		return
	}
	w.due[i] = 0
	w.n--
	if w.near == nil {
		w.far.Remove(i)
	}
}

// First returns what has the earliest deadline; unit.Forever if nothing has any.
func (w *Wheel) First() (i int32, at unit.Time) {
	if w.near == nil {
		return w.far.First()
	}
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
	slot, ok := w.near.seek(w.next)
	if !ok {
		w.skip()
		return
	}
	w.next += int64((slot-int(w.next))&(buckets-1)) + 1
	for _, d := range w.near.buckets[slot] {
		if w.current(d) {
			w.open = append(w.open, d)
		}
	}
	w.near.clear(slot)
	slices.SortFunc(w.open, latestFirst)
	w.admit()
}

// skip moves to where the far deadlines begin, of which there are some.
func (w *Wheel) skip() {
	_, at := w.far.First()
	w.next = int64(at) >> width
	w.admit()
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
