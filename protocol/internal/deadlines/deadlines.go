// Package deadlines has sets of deadlines, of which the earliest is known at any time.
package deadlines

import (
	"weft/protocol/internal/ranked"
	"weft/unit"
)

// Set holds at most one deadline of each of a number of things, which small numbers name.
// Of equal ones that of the lowest number comes first. The zero value is empty.
type Set struct {
	heap ranked.Heap
	at   []unit.Time // by number
}

// Put gives a thing a deadline, in place of the one that it had.
func (s *Set) Put(i int32, at unit.Time) {
	if s.heap.Before == nil {
		s.heap.Before = s.before
	}
	for int(i) >= len(s.at) {
		s.at = append(s.at, 0)
	}
	s.at[i] = at
	s.heap.Put(i)
}

// Remove takes the deadline of a thing away, if it has one.
func (s *Set) Remove(i int32) { s.heap.Remove(i) }

// First returns what has the earliest deadline; unit.Forever if nothing has any.
func (s *Set) First() (i int32, at unit.Time) {
	if s.heap.Len() == 0 {
		return -1, unit.Forever
	}
	i = s.heap.First()
	return i, s.at[i]
}

// Len is how many deadlines there are.
func (s *Set) Len() int { return s.heap.Len() }

func (s *Set) before(a, b int32) bool {
	return s.at[a] < s.at[b] || s.at[a] == s.at[b] && a < b
}
