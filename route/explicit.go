package route

import (
	"fmt"
	"math"

	"weft/topo"
	"weft/unit"
)

// Paths holds explicit paths between edge switches, among which senders choose. Each path
// of a pair has as many places as its weight. A packet takes the path whose place is its
// entropy modulo the number of places of the pair.
//
// A frame has no room for a list of ports, nor for its progress along it. Its source,
// destination and entropy identify its path. A path passes each switch at most once, so a
// switch can find itself on it.
type Paths struct {
	tables *Tables // for numbering switches
	mesh   *mesh   // all links, up or down
	to     []pathsTo
}

// pathsTo holds the paths to one edge switch.
type pathsTo struct {
	// first holds, for each edge switch, the first place of its paths, and one more at the
	// end.
	first []uint32
	// places holds the index in hops at which the path of each place begins.
	places []uint32
	// hops lists the switches of a path, by row, each with the index of the port by which
	// the path leaves it. endOfPath follows the last one.
	hops []uint32
}

const (
	endOfPath = math.MaxUint32
	hopShift  = 16
	// MostPaths is the most places that the paths of a pair can have.
	MostPaths = math.MaxInt16
)

// NewPaths returns an empty Paths for the edge switches of a graph. It fails if there are
// too many switches to number.
func NewPaths(g *topo.Graph) (*Paths, error) {
	t := &Tables{graph: g}
	t.number()
	if t.rows() >= endOfPath>>hopShift {
		return nil, fmt.Errorf("%d switches are too many for explicit paths, which tell %d apart", t.rows(), endOfPath>>hopShift)
	}
	p := &Paths{tables: t, mesh: newMesh(t, nil), to: make([]pathsTo, len(t.edges))}
	if d := p.mesh.degree(); d > 1<<hopShift {
		return nil, fmt.Errorf("a switch has %d ports to others; explicit paths tell %d apart", d, 1<<hopShift)
	}
	for e := range p.to {
		p.to[e].first = make([]uint32, len(t.edges)+1)
	}
	return p, nil
}

// Edges returns the number of edge switches. EdgeSwitch and Edge number them as tables do.
func (p *Paths) Edges() int { return len(p.to) }

// EdgeSwitch returns the edge switch with a dense number.
func (p *Paths) EdgeSwitch(edge int32) topo.NodeID { return p.tables.edges[edge] }

// Edge returns the dense number of an edge switch, or -1.
func (p *Paths) Edge(n topo.NodeID) int32 { return p.tables.edge[n] }

// Share returns a copy of p that shares its paths, for changes to some destinations.
func (p *Paths) Share() *Paths {
	q := *p
	q.to = append([]pathsTo(nil), p.to...)
	return &q
}

// SetTo replaces the paths to an edge switch. It calls of for each edge switch in order. of
// must call add for each path from there, with its ports and its weight. Paths must lead
// from one switch to the other, and must not pass a switch twice. Several goroutines may
// set different destinations.
func (p *Paths) SetTo(edge int32, of func(from int32, add func(path []topo.PortID, weight int))) {
	t := pathsTo{first: make([]uint32, 0, len(p.to)+1)}
	for from := range int32(len(p.to)) {
		t.first = append(t.first, uint32(len(t.places)))
		of(from, func(path []topo.PortID, weight int) {
			begin := uint32(len(t.hops))
			for _, id := range path {
				t.hops = append(t.hops, p.hop(id))
			}
			t.hops = append(t.hops, endOfPath)
			for range weight {
				t.places = append(t.places, begin)
			}
		})
	}
	t.first = append(t.first, uint32(len(t.places)))
	p.to[edge] = t
}

// hop packs a port.
func (p *Paths) hop(id topo.PortID) uint32 {
	from, _ := p.tables.graph.Ends(id)
	row := p.tables.row[from]
	for at, q := range p.Ports(from) {
		if q == id {
			return uint32(row)<<hopShift | uint32(at)
		}
	}
	panic("route: a path takes a port that leads to no switch")
}

// port unpacks a port.
func (p *Paths) port(hop uint32) topo.PortID {
	return p.mesh.port[p.mesh.offset[hop>>hopShift]+int32(hop&(1<<hopShift-1))]
}

// Ports returns the ports of a switch to other switches, up or down. Next returns indices
// into them.
func (p *Paths) Ports(sw topo.NodeID) []topo.PortID {
	r := p.tables.row[sw]
	return p.mesh.port[p.mesh.offset[r]:p.mesh.offset[r+1]]
}

// Row returns the number of a switch for Next.
func (p *Paths) Row(sw topo.NodeID) uint32 { return uint32(p.tables.row[sw]) }

// Next returns the index in Ports of the port by which a packet leaves a switch, on the
// path from one edge switch to another that its entropy selects. The index is negative if
// that path does not pass the switch, or if the pair has no paths.
func (p *Paths) Next(from, to int32, entropy uint16, row uint32) int {
	t := &p.to[to]
	lo := t.first[from]
	n := t.first[from+1] - lo
	if n == 0 {
		return -1
	}
	for _, hop := range t.hops[t.places[lo+uint32(entropy)%n]:] {
		if hop>>hopShift == row {
			return int(hop & (1<<hopShift - 1))
		}
		if hop == endOfPath {
			break
		}
	}
	return -1
}

// Places returns the number of places of a pair's paths.
func (p *Paths) Places(from, to int32) int {
	t := &p.to[to]
	return int(t.first[from+1] - t.first[from])
}

// Each calls yield for each path of a pair, in order, with the entropy of its first place,
// its weight and its ports. The ports are valid during the call.
func (p *Paths) Each(from, to int32, yield func(entropy uint16, weight int, path []topo.PortID)) {
	t := &p.to[to]
	lo, hi := t.first[from], t.first[from+1]
	path := make([]topo.PortID, 0, 16)
	for at := lo; at < hi; {
		begin := t.places[at]
		next := at + 1
		for next < hi && t.places[next] == begin {
			next++
		}
		path = path[:0]
		for _, hop := range t.hops[begin:] {
			if hop == endOfPath {
				break
			}
			path = append(path, p.port(hop))
		}
		yield(uint16(at-lo), int(next-at), path)
		at = next
	}
}

// Uses reports whether a path to an edge switch takes a link for which used returns true.
func (p *Paths) Uses(to int32, used func(topo.LinkID) bool) bool {
	for _, hop := range p.to[to].hops {
		if hop != endOfPath && used(p.port(hop).Link()) {
			return true
		}
	}
	return false
}

// Most returns the most places of any pair.
func (p *Paths) Most() (most int) {
	for e := range p.to {
		t := &p.to[e]
		for from := range p.to {
			most = max(most, int(t.first[from+1]-t.first[from]))
		}
	}
	return most
}

// Walks measures all paths. Each path counts as a pair. Strays are pairs of edge switches
// without a path.
func (p *Paths) Walks() (w Walks) {
	for to := range int32(len(p.to)) {
		for from := range int32(len(p.to)) {
			if from != to && p.Places(from, to) == 0 {
				w.Strays++
			}
			p.Each(from, to, func(_ uint16, _ int, path []topo.PortID) {
				w.Pairs++
				w.Links += int64(len(path))
				w.Longest = max(w.Longest, len(path))
			})
		}
	}
	return w
}

// Bytes returns the memory of the paths.
func (p *Paths) Bytes() (n unit.Bytes) {
	for e := range p.to {
		t := &p.to[e]
		n += 4 * unit.Bytes(len(t.first)+len(t.places)+len(t.hops))
	}
	return n
}

// PathBytes estimates the memory of explicit paths with their tables, given the number of
// paths per pair and their mean number of links.
func PathBytes(g *topo.Graph, paths int, links float64) unit.Bytes {
	const minimal, word, growth = 2, 4, 1.25 // slices that grow have room to spare
	t := &Tables{graph: g}
	t.number()
	pairs := unit.Bytes(len(t.edges)) * unit.Bytes(len(t.edges))
	each := unit.Bytes(growth * float64(paths) * (2 + links))
	return minimal*unit.Bytes(t.rows())*unit.Bytes(len(t.edges)) + pairs*word*(1+each)
}

// Prefer makes packets follow explicit paths where their pair has some, and the next hops
// of the tables elsewhere. Paths and tables must belong to one graph.
func (t *Tables) Prefer(p *Paths) { t.paths = p }

// Paths returns the explicit paths that packets follow, or nil.
func (t *Tables) Paths() *Paths { return t.paths }
