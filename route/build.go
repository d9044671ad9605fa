package route

import (
	"math/bits"
	"slices"

	"weft/topo"
)

const (
	// batch is how many edge switches one search serves: the bits of a word.
	batch = 64
	// maxSets is how many sets besides the empty one a 16-bit number tells apart.
	maxSets = 1<<16 - 1
)

// builder searches backwards from the edge switches, breadth first and one
// batch of them at a time. A bit of a word stands for an edge switch of the
// batch, so that one pass over the links advances all of its searches.
type builder struct {
	tables  *Tables
	options Options
	// index gets the numbers of sets: len(edges) for every switch.
	index []uint16
	// pick, if not nil, takes one port of a set for a switch and an edge switch.
	pick func(row int, edge int, set []topo.PortID) topo.PortID
	// The links between switches that are up: entries offset[r] to offset[r+1]
	// are the ports of the switch numbered r, in order, and where they lead.
	offset []int32
	to     []int32
	port   []topo.PortID
	// hop tells for which edge switches an entry's port is a next hop.
	hop []uint64
	// seen tells which searches have reached a switch; current and next, which
	// did so in this and the next step. Frontiers list where these are not zero.
	seen, current, next    []uint64
	frontier, nextFrontier []int32
	sets                   []interner
	members                []topo.PortID
	weigher                weigher
	nodes                  []topo.NodeID
	far                    *far // nil where all links are as long
}

func newBuilder(t *Tables, o Options) *builder {
	g := t.graph
	b := &builder{tables: t, options: o}
	for n := range g.Nodes {
		if t.row[n] >= 0 {
			b.nodes = append(b.nodes, topo.NodeID(n))
		}
	}
	rows := len(b.nodes)
	b.index = make([]uint16, rows*len(t.edges))
	b.link(o.Down)
	b.seen = make([]uint64, rows)
	b.current = make([]uint64, rows)
	b.next = make([]uint64, rows)
	b.sets = make([]interner, rows)
	b.weigher.rate = o.Rate
	if o.Rate == nil {
		b.weigher.rate = portRate(g)
	}
	t.reach = make([]int32, len(t.edges))
	if o.Length != nil {
		b.lengthen()
	}
	return b
}

// link notes the links between switches that may be used; a nil down forbids none.
func (b *builder) link(down func(topo.LinkID) bool) {
	t := b.tables
	g, rows := t.graph, len(b.nodes)
	b.offset = make([]int32, rows+1)
	up := make([]bool, len(g.Links))
	for l := range g.Links {
		x, y := t.row[g.Links[l].A], t.row[g.Links[l].B]
		up[l] = x >= 0 && y >= 0 && (down == nil || !down(topo.LinkID(l)))
		if up[l] {
			b.offset[x+1]++
			b.offset[y+1]++
		}
	}
	for r := range rows {
		b.offset[r+1] += b.offset[r]
	}
	entries := b.offset[rows]
	b.to = make([]int32, entries)
	b.port = make([]topo.PortID, entries)
	b.hop = make([]uint64, entries)
	free := slices.Clone(b.offset[:rows])
	for p := range topo.PortID(2 * len(g.Links)) {
		if !up[p.Link()] {
			continue
		}
		from, to := g.Ends(p)
		r := t.row[from]
		b.to[free[r]], b.port[free[r]] = t.row[to], p
		free[r]++
	}
}

// run finds the next hops towards all edge switches.
func (b *builder) run() error {
	for first := 0; first < len(b.tables.edges); first += batch {
		if b.far != nil {
			b.searchFar(first)
		} else {
			b.search(first)
		}
		if err := b.collect(first); err != nil {
			return err
		}
	}
	return nil
}

// search finds the next hops towards the batch of edge switches that begins
// with first.
func (b *builder) search(first int) {
	t := b.tables
	clear(b.seen)
	clear(b.hop)
	b.frontier = b.frontier[:0]
	for i, n := range t.edges[first:min(first+batch, len(t.edges))] {
		r := t.row[n]
		b.seen[r] = 1 << i
		b.current[r] = 1 << i
		b.frontier = append(b.frontier, r)
	}
	for distance := int32(1); len(b.frontier) > 0; distance++ {
		b.advance()
		var far uint64
		for _, r := range b.nextFrontier {
			reached := b.next[r]
			b.seen[r] |= reached
			if t.edge[b.nodes[r]] >= 0 {
				far |= reached
			}
			for i := b.offset[r]; i < b.offset[r+1]; i++ {
				b.hop[i] |= reached & b.current[b.to[i]]
			}
		}
		for ; far != 0; far &= far - 1 {
			t.reach[first+bits.TrailingZeros64(far)] = distance
		}
		for _, r := range b.frontier {
			b.current[r] = 0
		}
		b.current, b.next = b.next, b.current
		b.frontier, b.nextFrontier = b.nextFrontier, b.frontier
	}
}

// advance fills next with the searches that reach a switch one step further on.
func (b *builder) advance() {
	b.nextFrontier = b.nextFrontier[:0]
	for _, r := range b.frontier {
		for _, to := range b.to[b.offset[r]:b.offset[r+1]] {
			reached := b.current[r] &^ b.seen[to]
			if reached == 0 {
				continue
			}
			if b.next[to] == 0 {
				b.nextFrontier = append(b.nextFrontier, to)
			}
			b.next[to] |= reached
		}
	}
}

// collect turns the next hops of the batch that begins with first into sets:
// the edge switches that share a set are told apart word by word.
func (b *builder) collect(first int) error {
	t := b.tables
	for r := range b.nodes {
		begin, end := b.offset[r], b.offset[r+1]
		var left uint64
		for _, h := range b.hop[begin:end] {
			left |= h
		}
		for left != 0 {
			lowest := left & -left
			same := left
			b.members = b.members[:0]
			for i := begin; i < end; i++ {
				if b.hop[i]&lowest != 0 {
					same &= b.hop[i]
					b.members = append(b.members, b.port[i])
				} else {
					same &^= b.hop[i]
				}
			}
			left &^= same
			if b.pick != nil {
				if err := b.pickEach(r, first, same); err != nil {
					return err
				}
				continue
			}
			set := b.members
			if b.options.Weighted && len(set) > 1 {
				set = b.weigher.weigh(set)
			}
			id, ok := b.sets[r].intern(set)
			if !ok {
				return tooManySets(t.graph, b.nodes[r])
			}
			row := b.index[r*len(t.edges)+first:]
			for ; same != 0; same &= same - 1 {
				row[bits.TrailingZeros64(same)] = id
			}
		}
	}
	return nil
}

// pack moves the sets of all switches into shared storage.
func (b *builder) pack() {
	t := b.tables
	ports, offsets := 0, 0
	for r := range b.sets {
		ports += len(b.sets[r].ports)
		offsets += len(b.sets[r].ends) + 2
	}
	t.ports = make([]topo.PortID, 0, ports)
	t.offsets = make([]uint32, 0, offsets)
	t.base = make([]uint32, 1, len(b.sets)+1)
	t.first = make([]uint32, 1, len(b.sets)+1)
	for r := range b.sets {
		s := &b.sets[r]
		// The empty set begins and ends at 0.
		t.offsets = append(t.offsets, 0, 0)
		t.offsets = append(t.offsets, s.ends...)
		t.ports = append(t.ports, s.ports...)
		t.base = append(t.base, uint32(len(t.ports)))
		t.first = append(t.first, uint32(len(t.offsets)))
	}
}

// interner keeps the distinct sets of one switch and numbers them from 1. Its
// zero value is ready.
type interner struct {
	// ports holds the sets one after another; ends, where each ends.
	ports []topo.PortID
	ends  []uint32
	// table finds sets by hash: an entry is a set's number, or 0.
	table []uint16
}

// intern returns the number of a set, adding it if it is new, or false if there
// are as many sets as numbers.
func (s *interner) intern(set []topo.PortID) (uint16, bool) {
	// Half of the table stays empty.
	if 2*(len(s.ends)+1) > len(s.table) {
		s.grow()
	}
	slot := s.slot(set)
	if id := s.table[slot]; id != 0 {
		return id, true
	}
	if len(s.ends) == maxSets {
		return 0, false
	}
	s.ports = append(s.ports, set...)
	s.ends = append(s.ends, uint32(len(s.ports)))
	id := uint16(len(s.ends))
	s.table[slot] = id
	return id, true
}

// slot returns where in the table a set is or belongs.
func (s *interner) slot(set []topo.PortID) int {
	mask := len(s.table) - 1
	slot := int(hash(set)) & mask
	for s.table[slot] != 0 && !slices.Equal(s.set(s.table[slot]), set) {
		slot = (slot + 1) & mask
	}
	return slot
}

func (s *interner) set(id uint16) []topo.PortID {
	begin := uint32(0)
	if id > 1 {
		begin = s.ends[id-2]
	}
	return s.ports[begin:s.ends[id-1]]
}

func (s *interner) grow() {
	s.table = make([]uint16, max(8, 2*len(s.table)))
	for i := range s.ends {
		id := uint16(i + 1)
		s.table[s.slot(s.set(id))] = id
	}
}

// hash mixes the ports of a set (FNV-1a by words, folded).
func hash(set []topo.PortID) uint32 {
	h := uint64(14695981039346656037)
	for _, p := range set {
		h = (h ^ uint64(p)) * 1099511628211
	}
	return uint32(h ^ h>>32)
}
