package sim

import "slices"

// ladder is a ladder queue (Tang, Goh and Thng, ToMACS 2005): far events lie
// unsorted on top; when their time comes they are spread over the buckets of a
// rung, a crowded bucket over a finer rung, and a thin one is sorted at the bottom.
type ladder struct {
	top      []event
	topStart Time // events from here on go on top
	rungs    []rung
	spare    [][]event // emptied buckets, for reuse
	bottom   sorted
	pos      int // what precedes it in bottom was taken
}

// rung spreads a span of time over buckets of equal width.
type rung struct {
	start, width Time
	buckets      [][]event
	next         int // first bucket that was not taken
}

// crowded is the size from which a bucket is spread over another rung.
const crowded = 50

// left returns where the buckets that were not taken begin.
func (r *rung) left() Time { return r.start + Time(r.next)*r.width }

func (l *ladder) push(at Time, k key) {
	if at >= l.topStart {
		l.top = append(l.top, event{at, k})
		return
	}
	for i := range l.rungs {
		if r := &l.rungs[i]; at >= r.left() {
			b := int((at - r.start) / r.width)
			r.buckets[b] = append(r.buckets[b], event{at, k})
			return
		}
	}
	if l.pos == len(l.bottom) {
		l.bottom, l.pos = l.bottom[:0], 0
	}
	l.bottom = append(l.bottom, event{})
	l.bottom[l.pos:].insert(at, k)
}

// first returns the first event, or false if there is none.
func (l *ladder) first() (event, bool) {
	for l.pos == len(l.bottom) {
		if !l.refill() {
			return event{}, false
		}
	}
	return l.bottom[l.pos], true
}

// refill takes one step towards a bottom that is not empty.
func (l *ladder) refill() bool {
	if len(l.rungs) == 0 {
		if len(l.top) == 0 {
			l.topStart = 0
			return false
		}
		first, last := l.top[0].at, l.top[0].at
		for _, ev := range l.top {
			first, last = min(first, ev.at), max(last, ev.at)
		}
		l.climb(first, last-first+1, l.top)
		r := &l.rungs[0]
		l.topStart = r.start + Time(len(r.buckets))*r.width
		l.top = l.top[:0]
		return true
	}
	r := &l.rungs[len(l.rungs)-1]
	for r.next < len(r.buckets) && len(r.buckets[r.next]) == 0 {
		r.next++
	}
	if r.next == len(r.buckets) {
		for _, b := range r.buckets {
			l.spare = append(l.spare, b[:0])
		}
		l.rungs = l.rungs[:len(l.rungs)-1]
		return true
	}
	start, width, b := r.left(), r.width, r.buckets[r.next]
	r.buckets[r.next] = b[:0]
	r.next++
	if len(b) > crowded && width > 1 {
		l.climb(start, width, slices.Clone(b))
		return true
	}
	l.bottom, l.pos = append(l.bottom[:0], b...), 0
	l.bottom.sort()
	return true
}

// climb adds a rung for the events of a span, about one a bucket.
func (l *ladder) climb(start, span Time, events []event) {
	n := Time(len(events))
	r := rung{start: start, width: (span + n - 1) / n}
	count := int((span + r.width - 1) / r.width)
	r.buckets = make([][]event, count)
	for i := range r.buckets {
		if k := len(l.spare); k > 0 {
			r.buckets[i] = l.spare[k-1]
			l.spare = l.spare[:k-1]
		}
	}
	for _, ev := range events {
		b := (ev.at - start) / r.width
		r.buckets[b] = append(r.buckets[b], ev)
	}
	l.rungs = append(l.rungs, r)
}
