package route

import (
	"math/bits"

	"weft/topo"
)

// batch is how many edge switches one search serves: the bits of a word.
const batch = 64

// search finds next hops backwards from edge switches, breadth first and one batch of them at
// a time. A bit of a word stands for an edge switch of the batch, so that one pass over the
// links advances all of its searches. It pulls: each switch that some search has still to
// reach looks at its neighbours, which finds at once that it is reached, and by which ports.
type search struct {
	mesh *mesh
	// start are the rows of edge switches, in order; edge tells which rows are.
	start []int32
	edge  []bool
	// seen tells which searches have reached a switch; current and next, which did so in the
	// last step and in this one. They have a word more, of nowhere. Frontiers list where
	// the latter are not zero.
	seen, current, next    []uint64
	frontier, nextFrontier []int32
	// beside lists the switches next to the frontier, by touched.
	beside  []int32
	touched []bool
	words   []uint64
	hits    []int32
	// reach is the distance of the farthest edge switch that each search of the last batch reached,
	// far which searches reach one in this step.
	reach [batch]int32
	far   uint64
	// visit is told of each switch that searches reach, once for each distance.
	visit func(*arrival)
}

// arrival is what a step finds at a switch.
type arrival struct {
	row      int32
	distance int32
	// reached are the searches that reach the switch, several those that do so by several ports.
	reached, several uint64
	// words tell for each entry of the switch which searches it leads on; hits are those
	// entries that lead on some.
	words []uint64
	hits  []int32
}

func newSearch(t *Tables, m *mesh, visit func(*arrival)) *search {
	rows := t.rows()
	s := &search{
		mesh: m, visit: visit,
		seen: make([]uint64, rows+1), current: make([]uint64, rows+1), next: make([]uint64, rows+1),
		touched: make([]bool, rows+1), edge: make([]bool, rows),
	}
	for _, n := range t.edges {
		s.start = append(s.start, t.row[n])
		s.edge[t.row[n]] = true
	}
	s.fit(m)
	return s
}

// fit gives the search other links.
func (s *search) fit(m *mesh) {
	s.mesh = m
	if n := m.degree(); n > len(s.words) {
		s.words, s.hits = make([]uint64, n), make([]int32, n)
	}
}

// of returns the bits of a batch of edge switches that begins with first.
func (s *search) of(first int) uint64 { return ^uint64(0) >> (batch - min(batch, len(s.start)-first)) }

// run visits all switches that reach the batch of edge switches that begins with first.
func (s *search) run(first int) {
	all := s.of(first)
	clear(s.seen)
	s.frontier = s.frontier[:0]
	for i := range bits.OnesCount64(all) {
		r := s.start[first+i]
		s.seen[r] = 1 << i
		s.current[r] = 1 << i
		s.frontier = append(s.frontier, r)
	}
	s.reach = [batch]int32{}
	a := arrival{}
	for a.distance = 1; len(s.frontier) > 0; a.distance++ {
		s.nextFrontier = s.nextFrontier[:0]
		if s.few() {
			for _, r := range s.beside {
				s.touched[r] = false
				s.pull(&a, r, all&^s.seen[r])
			}
		} else {
			for r := range int32(len(s.seen) - 1) {
				s.pull(&a, r, all&^s.seen[r])
			}
		}
		for ; s.far != 0; s.far &= s.far - 1 {
			s.reach[bits.TrailingZeros64(s.far)] = a.distance
		}
		for _, r := range s.frontier {
			s.current[r] = 0
		}
		s.current, s.next = s.next, s.current
		s.frontier, s.nextFrontier = s.nextFrontier, s.frontier
	}
}

// few lists the switches beside the frontier, if these are few.
func (s *search) few() bool {
	m, links := s.mesh, 0
	for _, r := range s.frontier {
		links += int(m.offset[r+1] - m.offset[r])
	}
	if 2*links > len(s.seen) {
		return false
	}
	s.beside = s.beside[:0]
	for _, r := range s.frontier {
		for _, to := range m.to[m.offset[r]:m.offset[r+1]] {
			if !s.touched[to] && int(to) < len(s.seen)-1 {
				s.touched[to] = true
				s.beside = append(s.beside, to)
			}
		}
	}
	return true
}

// pull looks which of some searches reach a switch from its neighbours.
func (s *search) pull(a *arrival, r int32, open uint64) {
	if open == 0 {
		return
	}
	to := s.mesh.to[s.mesh.offset[r]:s.mesh.offset[r+1]]
	words := s.words[:len(to)]
	current := s.current
	var reached, several uint64
	for i, n := range to {
		w := current[n] & open
		several |= reached & w
		reached |= w
		words[i] = w
	}
	if reached == 0 {
		return
	}
	s.seen[r] |= reached
	if s.edge[r] {
		s.far |= reached
	}
	s.next[r] = reached
	s.nextFrontier = append(s.nextFrontier, r)
	// No branch depends on the words, of which any may be empty.
	hits, n := s.hits[:len(to)], 0
	for i, w := range words {
		hits[n] = int32(i)
		n += int((w | -w) >> 63)
	}
	a.row, a.reached, a.several, a.words, a.hits = r, reached, several, words, hits[:n]
	s.visit(a)
}

// alike appends the ports that lead on the first of some searches, and tells which of the
// others they lead on, too, and no other port does.
func (a *arrival) alike(set, ports []topo.PortID, left uint64) ([]topo.PortID, uint64) {
	first := left & -left
	for _, i := range a.hits {
		if w := a.words[i]; w&first != 0 {
			left &= w
			set = append(set, ports[i])
		} else {
			left &^= w
		}
	}
	return set, left
}
