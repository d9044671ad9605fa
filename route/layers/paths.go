package layers

import (
	"slices"

	"weft/topo"
)

// Routing has one path per layer and pair. Tables and forests implement it.
type Routing interface {
	// Layers returns the number of layers.
	Layers() int
	// AppendPath appends the ports of the path in a layer. It returns false if the layer
	// has no route.
	AppendPath(path []topo.PortID, layer, from, to int) ([]topo.PortID, bool)
}

// Enumerate returns a Source of the paths of a pair through all layers of some routings:
// each distinct path once, in order of first appearance. Calls do not allocate once the
// storage has grown large enough.
func Enumerate(routings ...Routing) Source { return &enumerator{routings: routings} }

type enumerator struct {
	routings []Routing
	set      pathSet
}

func (e *enumerator) Paths(from, to int) [][]topo.PortID {
	e.set.clear()
	for _, r := range e.routings {
		for layer := range r.Layers() {
			path, ok := r.AppendPath(e.set.begin(), layer, from, to)
			e.set.end(path, ok)
		}
	}
	return e.set.list()
}

// pathSet holds distinct paths in the order in which they were added.
type pathSet struct {
	ports []topo.PortID
	ends  []int32
	paths [][]topo.PortID
	// table finds paths by hash. An entry is the number of a path, from 1, or 0.
	table []int32
}

func (s *pathSet) clear() {
	s.ports, s.ends = s.ports[:0], s.ends[:0]
	clear(s.table)
}

// begin returns the storage to append the next path to.
func (s *pathSet) begin() []topo.PortID { return s.ports }

// end takes the storage from begin with a path appended. It keeps the path if isPath is set
// and the path is new.
func (s *pathSet) end(ports []topo.PortID, isPath bool) bool {
	begin := len(s.ports)
	s.ports = ports
	if isPath && s.isNew(ports[begin:]) {
		s.ends = append(s.ends, int32(len(ports)))
		return true
	}
	s.ports = ports[:begin]
	return false
}

func (s *pathSet) isNew(path []topo.PortID) bool {
	// Half of the table stays empty.
	if 2*(len(s.ends)+1) > len(s.table) {
		s.table = make([]int32, max(32, 2*len(s.table)))
		for i := range s.ends {
			s.table[s.slot(s.path(i))] = int32(i + 1)
		}
	}
	slot := s.slot(path)
	if s.table[slot] != 0 {
		return false
	}
	s.table[slot] = int32(len(s.ends) + 1)
	return true
}

// slot returns the index in the table where a path is or belongs.
func (s *pathSet) slot(path []topo.PortID) int {
	h := uint64(14695981039346656037)
	for _, p := range path {
		h = (h ^ uint64(p)) * 1099511628211
	}
	mask := len(s.table) - 1
	slot := int(h^h>>32) & mask
	for s.table[slot] != 0 && !slices.Equal(s.path(int(s.table[slot]-1)), path) {
		slot = (slot + 1) & mask
	}
	return slot
}

func (s *pathSet) path(i int) []topo.PortID {
	begin := int32(0)
	if i > 0 {
		begin = s.ends[i-1]
	}
	return s.ports[begin:s.ends[i]:s.ends[i]]
}

func (s *pathSet) list() [][]topo.PortID {
	s.paths = s.paths[:0]
	for i := range s.ends {
		s.paths = append(s.paths, s.path(i))
	}
	return s.paths
}
