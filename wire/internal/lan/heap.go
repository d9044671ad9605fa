package lan

import (
	"container/heap"

	"weft/unit"
)

// kind is the kind of an event.
type kind uint8

const (
	freed   kind = iota // a station's up link is free
	stirred             // a station's host may have something to send
	reached             // a datagram has reached the fabric
	held                // a datagram has been held back long enough
	left                // a datagram has left its path
	arrived             // a datagram has left its down link
	task                // a function given to At is due
)

// event happens at a time. order breaks ties.
type event struct {
	at     unit.Time
	order  uint64
	kind   kind
	number int32 // of the station, datagram or task
}

func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.order < o.order
}

// events is a 4-ary heap. Unlike container/heap it does not allocate.
type events []event

func (h *events) push(e event) {
	a := append(*h, e)
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(&a[up]) {
			break
		}
		a[i] = a[up]
		i = up
	}
	a[i] = e
	*h = a
}

func (h *events) pop() event {
	a := *h
	top, e := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	if len(a) == 0 {
		return top
	}
	i := 0
	for 4*i+1 < len(a) {
		least := 4*i + 1
		for c := least + 1; c < min(4*i+5, len(a)); c++ {
			if a[c].before(&a[least]) {
				least = c
			}
		}
		if !a[least].before(&e) {
			break
		}
		a[i] = a[least]
		i = least
	}
	a[i] = e
	return top
}

// timers is a heap of the stations whose hosts wait for a time. Each station is in it at most
// once, so changing a timer leaves no stale entry.
type timers []*station

// set sets a station's timer to a time, or removes it for unit.Forever.
func (t *timers) set(s *station, at unit.Time, order uint64) {
	s.wake, s.order = at, order
	switch {
	case at == unit.Forever && s.place >= 0:
		heap.Remove(t, s.place)
	case at == unit.Forever:
	case s.place >= 0:
		heap.Fix(t, s.place)
	default:
		heap.Push(t, s)
	}
}

func (t timers) Len() int { return len(t) }

func (t timers) Less(i, j int) bool {
	return t[i].wake < t[j].wake || t[i].wake == t[j].wake && t[i].order < t[j].order
}

func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].place, t[j].place = i, j
}

func (t *timers) Push(x any) {
	s := x.(*station)
	s.place = len(*t)
	*t = append(*t, s)
}

func (t *timers) Pop() any {
	last := len(*t) - 1
	s := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	s.place = -1
	return s
}
