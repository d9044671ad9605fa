// Package deadlines has sets of deadlines, of which the earliest is known at any time.
package deadlines

import "weft/unit"

// Set holds at most one deadline of each of a number of things, which small numbers name.
// Of equal ones that of the lowest number comes first. The zero value is empty.
type Set struct {
	heap  []int32
	at    []unit.Time // by number
	place []int32     // in heap by number, -1 if it has no deadline
}

// Put gives a thing a deadline, in place of the one that it had.
func (s *Set) Put(i int32, at unit.Time) {
	for int(i) >= len(s.at) {
		s.at = append(s.at, 0)
		s.place = append(s.place, -1)
	}
	if s.place[i] < 0 {
		s.heap = append(s.heap, i)
		s.place[i] = int32(len(s.heap) - 1)
	}
	s.at[i] = at
	s.rise(int(s.place[i]))
	s.sink(int(s.place[i]))
}

// Remove takes the deadline of a thing away, if it has one.
func (s *Set) Remove(i int32) {
	if int(i) >= len(s.place) || s.place[i] < 0 {
		return
	}
	k, last := int(s.place[i]), s.heap[len(s.heap)-1]
	s.heap = s.heap[:len(s.heap)-1]
	s.place[i] = -1
	if last == i {
		return
	}
	s.put(k, last)
	s.rise(k)
	s.sink(int(s.place[last]))
}

// First returns what has the earliest deadline; unit.Forever if nothing has any.
func (s *Set) First() (i int32, at unit.Time) {
	if len(s.heap) == 0 {
		return -1, unit.Forever
	}
	return s.heap[0], s.at[s.heap[0]]
}

// Len is how many deadlines there are.
func (s *Set) Len() int { return len(s.heap) }

func (s *Set) before(a, b int32) bool {
	return s.at[a] < s.at[b] || s.at[a] == s.at[b] && a < b
}

func (s *Set) rise(k int) {
	i := s.heap[k]
	for k > 0 && s.before(i, s.heap[(k-1)/2]) {
		s.put(k, s.heap[(k-1)/2])
		k = (k - 1) / 2
	}
	s.put(k, i)
}

func (s *Set) sink(k int) {
	i := s.heap[k]
	for {
		child := 2*k + 1
		if child+1 < len(s.heap) && s.before(s.heap[child+1], s.heap[child]) {
			child++
		}
		if child >= len(s.heap) || !s.before(s.heap[child], i) {
			break
		}
		s.put(k, s.heap[child])
		k = child
	}
	s.put(k, i)
}

func (s *Set) put(k int, i int32) {
	s.heap[k] = i
	s.place[i] = int32(k)
}
