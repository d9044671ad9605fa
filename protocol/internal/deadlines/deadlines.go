// Package deadlines has sets of deadlines, of which the earliest is known at any time.
package deadlines

import "weft/unit"

// Set holds at most one deadline of each of a number of things, which small numbers name.
// Of equal ones that of the lowest number comes first. The zero value is empty.
type Set struct {
	heap  []deadline // each before its arity children
	place []int32    // in heap, plus 1, by number; 0 without a deadline
}

// deadline has its time beside its number: a receiver has thousands, and to look each time
// up elsewhere would cost a cache miss a comparison.
type deadline struct {
	at unit.Time
	of int32
}

// arity is how many children an entry has: as many as a cache line holds.
const arity = 4

func (d deadline) before(other deadline) bool {
	return d.at < other.at || d.at == other.at && d.of < other.of
}

// Put gives a thing a deadline, in place of the one that it had.
func (s *Set) Put(i int32, at unit.Time) {
	for int(i) >= len(s.place) {
		s.place = append(s.place, 0)
	}
	if s.place[i] == 0 {
		s.heap = append(s.heap, deadline{})
		s.place[i] = int32(len(s.heap))
	}
	s.settle(int(s.place[i])-1, deadline{at, i})
}

// Remove takes the deadline of a thing away, if it has one.
func (s *Set) Remove(i int32) {
	if int(i) >= len(s.place) || s.place[i] == 0 {
		return
	}
	k, n := int(s.place[i])-1, len(s.heap)-1
	last := s.heap[n]
	s.heap = s.heap[:n]
	s.place[i] = 0
	if k < n {
		s.settle(k, last)
	}
}

// First returns what has the earliest deadline; unit.Forever if nothing has any.
func (s *Set) First() (i int32, at unit.Time) {
	if len(s.heap) == 0 {
		return -1, unit.Forever
	}
	return s.heap[0].of, s.heap[0].at
}

// Len is how many deadlines there are.
func (s *Set) Len() int { return len(s.heap) }

// settle puts an entry where it belongs, beginning with a place that is free.
func (s *Set) settle(k int, d deadline) {
	for k > 0 {
		parent := (k - 1) / arity
		if !d.before(s.heap[parent]) {
			break
		}
		s.set(k, s.heap[parent])
		k = parent
	}
	for {
		first := arity*k + 1
		if first >= len(s.heap) {
			break
		}
		least := first
		for child := first + 1; child < min(first+arity, len(s.heap)); child++ {
			if s.heap[child].before(s.heap[least]) {
				least = child
			}
		}
		if !s.heap[least].before(d) {
			break
		}
		s.set(k, s.heap[least])
		k = least
	}
	s.set(k, d)
}

func (s *Set) set(k int, d deadline) {
	s.heap[k] = d
	s.place[d.of] = int32(k) + 1
}
