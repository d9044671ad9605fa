package route

import (
	"math/bits"
	"slices"

	"weft/problem"
	"weft/topo"
	"weft/unit"
)

// maxSets is the number of non-empty sets that 16 bits can number.
const maxSets = 1<<16 - 1

// builder finds the distinct next-hop sets of each switch, and assigns one of them to each
// edge switch.
type builder struct {
	tables  *Tables
	options Options
	search  *search
	// index receives the numbers of sets, len(edges) per switch.
	index []uint16
	sets  []interner
	// alone holds, for each entry of the mesh, the number of the set with only its port, or
	// 0 if there is none yet. It belongs to the mesh of the search.
	alone   []uint16
	room    []int32
	members []topo.PortID
	weigher weigher
	far     *far       // nil if all links have the same length
	taken   unit.Bytes // memory of the sets, if it is limited
	err     error
}

func newBuilder(t *Tables, o Options, m *mesh) *builder {
	b := &builder{tables: t, options: o}
	b.index = make([]uint16, t.rows()*len(t.edges))
	b.sets = make([]interner, t.rows())
	b.search = newSearch(t, m, b.collect)
	if o.Prefers == nil {
		b.search.adjacent = b.setOnly
	}
	b.weigher.rate = o.Rate
	if o.Rate == nil {
		b.weigher.rate = portRate(t.graph)
	}
	if o.Length != nil {
		b.far = newFar(m, o.Length)
	}
	return b
}

// run finds the next hops towards all edge switches over the links of a mesh, and the
// distances of the edge switches.
func (b *builder) run(m *mesh, p *progress) error {
	b.search.fit(m)
	b.alone = make([]uint16, len(m.to))
	b.tables.reach = make([]int32, len(b.tables.edges))
	b.room = make([]int32, m.degree())
	for first := 0; first < len(b.tables.edges); first += batch {
		if b.far != nil {
			b.far.run(b.search.start, first, b.collect)
		} else {
			b.search.run(first)
		}
		if b.err != nil {
			return b.err
		}
		copy(b.tables.reach[first:], b.search.reach[:])
		p.add()
	}
	return nil
}

// setOnly sets the only next hop of a switch towards an adjacent edge switch.
func (b *builder) setOnly(row, entry int32, edge int) {
	b.index[int(row)*len(b.tables.edges)+edge] = b.one(row, entry)
}

// one returns the number of the set with only the port of an entry.
func (b *builder) one(row, entry int32) uint16 {
	id := &b.alone[entry]
	if *id == 0 {
		*id = b.intern(row, b.search.mesh.port[entry:entry+1])
	}
	return *id
}

// collect turns the next hops of a switch into sets.
func (b *builder) collect(a *arrival) {
	t, m := b.tables, b.search.mesh
	if b.err != nil {
		return
	}
	r, begin := int(a.row), m.offset[a.row]
	ports := m.port[begin:m.offset[a.row+1]]
	if b.options.Prefers != nil {
		b.prefer(a, ports)
	}
	row := b.index[r*len(t.edges)+a.first:]
	alone := a.reached &^ a.several
	for _, i := range a.hits(b.room, alone) {
		id := b.one(a.row, begin+i)
		for w := a.words[i] & alone; w != 0; w &= w - 1 {
			row[bits.TrailingZeros64(w)] = id
		}
	}
	if a.several == 0 {
		return
	}
	hits := a.hits(b.room, a.several)
	for left := a.several; left != 0; {
		var same uint64
		b.members, same = a.alike(b.members[:0], hits, ports, left)
		left &^= same
		set := b.members
		if b.options.Weighted {
			set = b.weigher.weigh(set)
		}
		id := b.intern(a.row, set)
		for ; same != 0; same &= same - 1 {
			row[bits.TrailingZeros64(same)] = id
		}
	}
}

// prefer keeps only the preferred next hops of a switch, where there are any.
func (b *builder) prefer(a *arrival, ports []topo.PortID) {
	var reached, several uint64
	for i, p := range ports {
		for w := a.words[i] & a.reached; w != 0; w &= w - 1 {
			k := bits.TrailingZeros64(w)
			if b.options.Prefers(p, b.tables.edges[a.first+k]) {
				several |= reached & (1 << k)
				reached |= 1 << k
			}
		}
	}
	for i, p := range ports {
		for w := a.words[i] & reached; w != 0; w &= w - 1 {
			if k := bits.TrailingZeros64(w); !b.options.Prefers(p, b.tables.edges[a.first+k]) {
				a.words[i] &^= 1 << k
			}
		}
	}
	a.several = a.several&^reached | several
}

// took adds the memory of a set, and returns the memory of all sets.
func (b *builder) took(ports int) unit.Bytes {
	const perPort, perSet = 2 * 4, 16 // ports are copied once, when all sets are known
	b.taken += unit.Bytes(perPort*ports + perSet)
	return b.taken
}

// intern returns the number of a switch's set.
func (b *builder) intern(row int32, set []topo.PortID) uint16 {
	had := len(b.sets[row].ends)
	id, ok := b.sets[row].intern(set)
	if !ok {
		b.err = tooManySets(b.tables.graph, b.tables.nodes[row])
	}
	if most := b.options.Most; most > 0 && len(b.sets[row].ends) > had && b.took(len(set)) > most {
		b.err = problem.New("next hops on all shortest paths take more than %v for %d switches", most, b.tables.rows()).Mend("write routing.policy: {kind: layers, scheme: minimal}, which keeps one next hop for each layer, or simulate a smaller network")
	}
	return id
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

// interner keeps the distinct sets of one switch, and numbers them from 1. Its zero value
// is ready to use.
type interner struct {
	// ports holds the sets one after another. ends holds the end of each.
	ports []topo.PortID
	ends  []uint32
	// table finds sets by hash. An entry is the number of a set, or 0.
	table []uint16
}

// intern returns the number of a set, and adds the set if it is new. ok is false if the
// numbers are exhausted.
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

// slot returns the index in the table where a set is or belongs.
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
