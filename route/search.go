package route

import (
	"math/bits"

	"weft/topo"
)

const (
	// batch is the number of edge switches that one search serves. Each has a bit in a few
	// words, so that the words of a switch fit one cache line.
	batch = lanes * laneBits
	lanes = 4
	// laneBits is the number of bits in a word.
	laneBits = 64
	// narrowWords is the most entries of a switch that one byte can number.
	narrowWords = 1 << 8
)

// laneWords holds one bit for each search of a batch.
type laneWords [lanes]uint64

// search finds next hops backwards from edge switches, breadth first, one batch of edge
// switches at a time. Each bit of a lane stands for an edge switch of the batch, so that
// one pass over the links advances all searches of the batch. The search pulls: each switch
// that some search has not reached yet looks at its neighbours. That shows at once that it
// is reached, and by which ports.
type search struct {
	mesh *mesh
	// start lists the rows of edge switches, in order. edge marks these rows.
	start []int32
	edge  []bool
	// seen marks the searches that have reached a switch. current and next mark those that
	// reached it in the last step and in this one. They have one more entry, for no switch.
	// The frontiers list the switches whose entries of current and next are not zero.
	seen, current, next    []laneWords
	frontier, nextFrontier []int32
	// beside lists the switches next to the frontier. touched marks them while the list is
	// built.
	beside  []int32
	touched []bool
	// words holds the words of an arrival for each lane. For a switch with many entries,
	// wide holds the words of one lane at a time.
	words [lanes][narrowWords]uint64
	wide  []uint64
	// reach is the distance of the farthest edge switch that reached each search of the
	// last batch. far marks the searches that reach an edge switch in this step.
	reach [batch]int32
	far   laneWords
	// visit is called for each switch that searches of a lane reach, once per distance. If
	// adjacent is not nil and links are simple, it is called instead for the switches
	// adjacent to an edge switch, with the entry that leads there.
	visit    func(*arrival)
	adjacent func(row int32, entry int32, edge int)
	found    arrival
}

// arrival is the result of a step at a switch, for the searches of one lane.
type arrival struct {
	row      int32
	distance int32
	// first is the edge switch of the lane's first search.
	first int
	// reached marks the searches that reach the switch. several marks those that reach it
	// by several ports.
	reached, several uint64
	// words marks, for each entry of the switch, the searches that it leads on. Bits of
	// searches that do not reach the switch in this step have no meaning.
	words []uint64
}

func newSearch(t *Tables, m *mesh, visit func(*arrival)) *search {
	rows := t.rows()
	s := &search{
		mesh: m, visit: visit,
		seen: make([]laneWords, rows+1), current: make([]laneWords, rows+1), next: make([]laneWords, rows+1),
		touched: make([]bool, rows+1), edge: make([]bool, rows),
	}
	for _, n := range t.edges {
		s.start = append(s.start, t.row[n])
		s.edge[t.row[n]] = true
	}
	s.fit(m)
	return s
}

// fit replaces the links of the search.
func (s *search) fit(m *mesh) {
	s.mesh = m
	if n := m.degree(); n > max(len(s.wide), narrowWords) {
		s.wide = make([]uint64, n)
	}
}

// all returns the bits of the batch of edge switches that begins with first.
func (s *search) all(first int) (all laneWords) {
	for i := range all {
		if left := len(s.start) - first - i*laneBits; left > 0 {
			all[i] = ^uint64(0) >> (laneBits - min(laneBits, left))
		}
	}
	return all
}

// run visits all switches that reach the batch of edge switches that begins with first.
func (s *search) run(first int) {
	all := s.all(first)
	clear(s.seen)
	s.frontier = s.frontier[:0]
	for i, r := range s.start[first:min(first+batch, len(s.start))] {
		s.seen[r][i/laneBits] = 1 << (i % laneBits)
		s.current[r] = s.seen[r]
		s.frontier = append(s.frontier, r)
	}
	s.reach = [batch]int32{}
	for s.found.distance = 1; len(s.frontier) > 0; s.found.distance++ {
		s.nextFrontier = s.nextFrontier[:0]
		if s.found.distance == 1 && s.mesh.simple && s.adjacent != nil {
			s.push(first)
		} else if s.few() {
			for _, r := range s.beside {
				s.touched[r] = false
				s.pull(r, first, &all)
			}
		} else {
			for r := range int32(len(s.edge)) {
				s.pull(r, first, &all)
			}
		}
		for i := range s.far {
			for ; s.far[i] != 0; s.far[i] &= s.far[i] - 1 {
				s.reach[i*laneBits+bits.TrailingZeros64(s.far[i])] = s.found.distance
			}
		}
		for _, r := range s.frontier {
			s.current[r] = laneWords{}
		}
		s.current, s.next = s.next, s.current
		s.frontier, s.nextFrontier = s.nextFrontier, s.frontier
	}
}

// push reaches the switches adjacent to the starts of searches. Only a few searches reach
// each of them, so pulling would look at many neighbours in vain.
func (s *search) push(first int) {
	m := s.mesh
	for i, start := range s.start[first:min(first+batch, len(s.start))] {
		lane, bit := i/laneBits, uint64(1)<<(i%laneBits)
		for e := m.offset[start]; e < m.offset[start+1]; e++ {
			r := m.to[e]
			if int(r) >= len(s.edge) {
				continue
			}
			if s.next[r] == (laneWords{}) {
				s.nextFrontier = append(s.nextFrontier, r)
			}
			s.next[r][lane] |= bit
			s.seen[r][lane] |= bit
			if s.edge[r] {
				s.far[lane] |= bit
			}
			s.adjacent(r, m.back[e], first+i)
		}
	}
}

// few lists the switches next to the frontier, unless there are many. It reports whether it
// did.
func (s *search) few() bool {
	m, links := s.mesh, 0
	for _, r := range s.frontier {
		links += int(m.offset[r+1] - m.offset[r])
	}
	if 2*links > len(s.edge) {
		return false
	}
	s.beside = s.beside[:0]
	for _, r := range s.frontier {
		for _, to := range m.to[m.offset[r]:m.offset[r+1]] {
			if !s.touched[to] && int(to) < len(s.edge) {
				s.touched[to] = true
				s.beside = append(s.beside, to)
			}
		}
	}
	return true
}

// pull finds the searches that reach a switch from its neighbours.
func (s *search) pull(r int32, first int, all *laneWords) {
	var open, reached, several laneWords
	some := uint64(0)
	for i, seen := range &s.seen[r] {
		open[i] = all[i] &^ seen
		some |= open[i]
	}
	if some == 0 {
		return
	}
	to := s.mesh.to[s.mesh.offset[r]:s.mesh.offset[r+1]]
	narrow := len(to) <= narrowWords
	if narrow {
		s.gather(to, &reached, &several)
	}
	for lane := range open {
		words := s.wide
		if narrow {
			words = s.words[lane][:]
		} else {
			reached[lane], several[lane] = s.gatherWide(to, lane)
		}
		if reached[lane] &= open[lane]; reached[lane] == 0 {
			continue
		}
		f := &s.found
		f.row, f.first = r, first+lane*laneBits
		f.reached, f.several, f.words = reached[lane], several[lane]&open[lane], words[:len(to)]
		s.visit(f)
	}
	if reached == (laneWords{}) {
		return
	}
	for i, w := range reached {
		s.seen[r][i] |= w
		if s.edge[r] {
			s.far[i] |= w
		}
	}
	s.next[r] = reached
	s.nextFrontier = append(s.nextFrontier, r)
}

// gather finds the searches that reached some neighbours, and those that reached several, and
// copies the neighbours' words. The words are scattered in memory, so they are read only
// once. Registers hold two lanes.
func (s *search) gather(to []int32, reached, several *laneWords) {
	words, current := &s.words, s.current
	var reached0, reached1, several0, several1 uint64
	for i, n := range to {
		at, c := uint8(i), &current[n]
		words[2][at], words[3][at] = c[2], c[3]
		w0, w1 := c[0], c[1]
		words[0][at], words[1][at] = w0, w1
		several0 |= reached0 & w0
		several1 |= reached1 & w1
		reached0 |= w0
		reached1 |= w1
	}
	reached[0], reached[1], several[0], several[1] = reached0, reached1, several0, several1
	reached[2], several[2] = overlap(words[2][:len(to)])
	reached[3], several[3] = overlap(words[3][:len(to)])
}

// gatherWide does the same for one lane of a switch with more than narrowWords entries.
func (s *search) gatherWide(to []int32, lane int) (reached, several uint64) {
	for i, n := range to {
		s.wide[i] = s.current[n][lane]
	}
	return overlap(s.wide[:len(to)])
}

// overlap returns the bits that any word has, and the bits that several words have.
func overlap(words []uint64) (some, several uint64) {
	for _, w := range words {
		several |= some & w
		some |= w
	}
	return some, several
}

// hits lists in room the entries that lead on any of the given searches.
func (a *arrival) hits(room []int32, of uint64) []int32 {
	n := 0
	room = room[:len(a.words)]
	for i, w := range a.words {
		// Branch-free, since it is unpredictable which words are empty.
		w &= of
		room[n] = int32(i)
		n += int((w | -w) >> 63)
	}
	return room[:n]
}

// alike appends to set the ports of the entries that lead on the first of the given
// searches. It returns the searches that have exactly the same ports.
func (a *arrival) alike(set []topo.PortID, hits []int32, ports []topo.PortID, left uint64) ([]topo.PortID, uint64) {
	first := left & -left
	for _, i := range hits {
		if w := a.words[i]; w&first != 0 {
			left &= w
			set = append(set, ports[i])
		} else {
			left &^= w
		}
	}
	return set, left
}
