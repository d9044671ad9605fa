package route

import (
	"fmt"
	"math"

	"weft/topo"
	"weft/unit"
)

// Paths are explicit paths between edge switches, from which senders choose: the entropy of a packet, modulo the number
// of places that the paths of its pair have, is the place of its path. A path has as many places as it weighs.
//
// A frame has no room for a list of ports, nor for how far it has come. Its source, destination and entropy say which
// path it has, and as paths pass a switch once, the switch finds itself on it.
type Paths struct {
	tables *Tables // numbers
	mesh   *mesh   // all links, up or down
	to     []pathsTo
}

// pathsTo are the paths to one edge switch.
type pathsTo struct {
	// first is the first place of each edge switch that paths come from; one more at the end.
	first []uint32
	// places tell where the path of each place begins among hops.
	places []uint32
	// hops are the switches of a path, by row, each with the place of the port that the path leaves it by; behind the
	// last stands endOfPath.
	hops []uint32
}

const (
	endOfPath = math.MaxUint32
	hopShift  = 16
	// MostPaths is the most places that the paths of a pair can have.
	MostPaths = math.MaxInt16
)

// NewPaths returns no paths yet, between the edge switches of a graph. It fails if switches are too many to be told apart.
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

// Edges returns the number of edge switches, and EdgeSwitch and Edge number them as tables do.
func (p *Paths) Edges() int { return len(p.to) }

// EdgeSwitch returns the edge switch of a dense number.
func (p *Paths) EdgeSwitch(edge int32) topo.NodeID { return p.tables.edges[edge] }

// Edge returns the dense number of an edge switch, or -1.
func (p *Paths) Edge(n topo.NodeID) int32 { return p.tables.edge[n] }

// Share returns paths that have as yet those of p, to be changed for some destinations.
func (p *Paths) Share() *Paths {
	q := *p
	q.to = append([]pathsTo(nil), p.to...)
	return &q
}

// SetTo replaces the paths to an edge switch. Of calls each edge switch in order, and is to call add with each path from
// there, as ports, and its weight. Paths must lead from one to the other and pass no switch twice.
// Destinations may be set by several goroutines.
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

// port unpacks it.
func (p *Paths) port(hop uint32) topo.PortID {
	return p.mesh.port[p.mesh.offset[hop>>hopShift]+int32(hop&(1<<hopShift-1))]
}

// Ports returns the ports of a switch to others, up or down, as Next counts them.
func (p *Paths) Ports(sw topo.NodeID) []topo.PortID {
	r := p.tables.row[sw]
	return p.mesh.port[p.mesh.offset[r]:p.mesh.offset[r+1]]
}

// Row returns the number of a switch for Next.
func (p *Paths) Row(sw topo.NodeID) uint32 { return uint32(p.tables.row[sw]) }

// Next returns the place among Ports by which a packet of an entropy leaves a switch on its path from one edge
// switch to another; negative if its path does not pass the switch, or the pair has none.
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

// Places returns how many places the paths of a pair have.
func (p *Paths) Places(from, to int32) int {
	t := &p.to[to]
	return int(t.first[from+1] - t.first[from])
}

// Each calls yield with each path of a pair, in order: the entropy that stands for its first place, its weight and its
// ports, which are valid during the call.
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

// Uses tells whether a path to an edge switch takes a link of which used is true.
func (p *Paths) Uses(to int32, used func(topo.LinkID) bool) bool {
	for _, hop := range p.to[to].hops {
		if hop != endOfPath && used(p.port(hop).Link()) {
			return true
		}
	}
	return false
}

// Most returns the most places of a pair.
func (p *Paths) Most() (most int) {
	for e := range p.to {
		t := &p.to[e]
		for from := range p.to {
			most = max(most, int(t.first[from+1]-t.first[from]))
		}
	}
	return most
}

// Walks measures all paths: each counts as a pair, and Strays are the pairs of edge switches without any.
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

// Bytes returns what the paths take.
func (p *Paths) Bytes() (n unit.Bytes) {
	for e := range p.to {
		t := &p.to[e]
		n += 4 * unit.Bytes(len(t.first)+len(t.places)+len(t.hops))
	}
	return n
}

// PathBytes estimates what so many paths of each pair take, of so many links in the mean, with the tables beside them.
func PathBytes(g *topo.Graph, paths int, links float64) unit.Bytes {
	const minimal, word, growth = 2, 4, 1.25 // slices that grow have room to spare
	t := &Tables{graph: g}
	t.number()
	pairs := unit.Bytes(len(t.edges)) * unit.Bytes(len(t.edges))
	each := unit.Bytes(growth * float64(paths) * (2 + links))
	return minimal*unit.Bytes(t.rows())*unit.Bytes(len(t.edges)) + pairs*word*(1+each)
}

// Prefer has packets follow paths where they have some, and the next hops of the tables elsewhere. Paths and tables are of
// one graph.
func (t *Tables) Prefer(p *Paths) { t.paths = p }

// Paths returns the explicit paths that packets follow; nil if they have none.
func (t *Tables) Paths() *Paths { return t.paths }
