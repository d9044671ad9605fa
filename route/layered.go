package route

import (
	"fmt"
	"math"
	"math/bits"

	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// Layering says which layers tables have.
type Layering struct {
	// Layers is how many, at least 1.
	Layers int
	// Has tells whether a layer has a link, which it uses in both directions.
	Has func(layer int, l topo.LinkID) bool
	// All keeps every minimal next hop of a layer. Otherwise one is drawn for each layer,
	// switch and edge switch, each as likely.
	All bool
	// Seed is that of the draws.
	Seed uint64
}

// wholeNetwork stands for the layer with all links that are up.
const wholeNetwork = -1

// Layered returns tables of shortest paths within each of several layers (FatPaths, SC 2020,
// §V-C and Listing 3). Where a layer does not lead from a switch to an edge switch, the switch
// goes on as if the layer had all links. Walks end: each such hop comes nearer in the whole
// network, and a switch of which the layer leads on hands over to switches of which it does, too.
//
// Departures: the listing's Floyd-Warshall is replaced by a search from each destination. The
// sender of the paper tries another layer where one has no route; here the switch makes good.
func Layered(g *topo.Graph, o Options, l Layering) (*Tables, error) {
	if l.Layers < 1 {
		return nil, fmt.Errorf("%d layers; there must be at least 1", l.Layers)
	}
	t := &Tables{graph: g, layers: l.Layers, strays: make([]int64, l.Layers)}
	t.number()
	o.Length = nil
	b := newBuilder(t, o)
	layer := wholeNetwork
	if !l.All {
		b.pick = func(row, edge int, set []topo.PortID) topo.PortID {
			return l.pick(layer, row*len(t.edges)+edge, set)
		}
	}
	if err := b.run(); err != nil {
		return nil, err
	}
	whole, reach := b.index, t.reach
	size := len(whole) * l.Layers
	if !l.All && b.narrow() {
		t.narrow = make([]uint8, size)
	} else {
		t.index = make([]uint16, size)
	}
	b.index, t.reach = make([]uint16, len(whole)), make([]int32, len(reach))
	for layer = range l.Layers {
		b.link(func(k topo.LinkID) bool { return o.Down != nil && o.Down(k) || !l.Has(layer, k) })
		clear(b.index)
		if err := b.run(); err != nil {
			return nil, err
		}
		b.keep(layer, whole)
	}
	t.reach = reach
	b.pack()
	return t, nil
}

// narrow tells that no switch has more sets of one port than a byte can number.
func (b *builder) narrow() bool {
	for r := range b.nodes {
		if b.offset[r+1]-b.offset[r] > math.MaxUint8 {
			return false
		}
	}
	return true
}

// keep adds what was found of a layer to the tables.
func (b *builder) keep(layer int, whole []uint16) {
	t := b.tables
	edges := len(t.edges)
	for r, node := range b.nodes {
		from := (r*t.layers + layer) * edges
		for e, set := range b.index[r*edges:][:edges] {
			if set == 0 {
				if set = whole[r*edges+e]; set != 0 && t.edge[node] >= 0 {
					t.strays[layer]++
				}
			}
			if t.narrow != nil {
				t.narrow[from+e] = uint8(set)
			} else {
				t.index[from+e] = set
			}
		}
	}
}

// pickEach gives each of some edge switches, which share the members, a set of one of them.
func (b *builder) pickEach(r, first int, same uint64) error {
	edges := len(b.tables.edges)
	for ; same != 0; same &= same - 1 {
		edge := first + bits.TrailingZeros64(same)
		one := [1]topo.PortID{b.pick(r, edge, b.members)}
		id, ok := b.sets[r].intern(one[:])
		if !ok {
			return tooManySets(b.tables.graph, b.nodes[r])
		}
		b.index[r*edges+edge] = id
	}
	return nil
}

// pick takes the port of a set that ranks first for a pair in a layer. If that port is lost,
// the next one takes its place; if another is, nothing changes.
func (l *Layering) pick(layer, pair int, set []topo.PortID) (first topo.PortID) {
	if len(set) == 1 {
		return set[0]
	}
	key := sim.Mix(sim.Mix(l.Seed+uint64(int64(layer))) + uint64(pair))
	least := uint64(math.MaxUint64)
	for _, p := range set {
		if rank := sim.Mix(key + uint64(p)); rank <= least {
			first, least = p, rank
		}
	}
	return first
}

// Layered tells whether tables came from Layered, and so may lead along paths that are not minimal.
func (t *Tables) Layered() bool { return t.strays != nil }

// Bytes estimates what tables take that are layered so.
func (l *Layering) Bytes(g *topo.Graph) unit.Bytes {
	t := &Tables{graph: g}
	t.number()
	entries := unit.Bytes(len(g.Nodes)-len(g.Hosts)) * unit.Bytes(len(t.edges))
	const scratch = 4 // two indices of one layer
	entry := unit.Bytes(1)
	if l.All {
		entry = 2
	}
	return entries * (unit.Bytes(l.Layers)*entry + scratch)
}

// Walks is what ways in a layer come to, over ordered pairs of different edge switches of
// which one reaches the other.
type Walks struct {
	Pairs int64
	// Links is the sum of their lengths in links between switches, of the longest way of each.
	Links int64
	// Longest is the longest of all.
	Longest int
	// Strays counts the pairs that the layer itself does not connect.
	Strays int64
}

// Mean returns the mean length, 0 without any.
func (w Walks) Mean() float64 {
	if w.Pairs == 0 {
		return 0
	}
	return float64(w.Links) / float64(w.Pairs)
}

// Walks measures all ways in a layer.
func (t *Tables) Walks(layer int) Walks {
	var w Walks
	if t.strays != nil {
		w.Strays = t.strays[layer]
	}
	length := make([]int32, len(t.graph.Nodes))
	for e := range int32(len(t.edges)) {
		clear(length)
		for _, from := range t.edges {
			if n := t.walk(layer, from, e, length); n > 0 {
				w.Pairs++
				w.Links += int64(n)
				w.Longest = max(w.Longest, int(n))
			}
		}
	}
	return w
}

// walk returns the length of the longest way from a switch to an edge switch, -1 if none
// leads there. It notes lengths of what it passes.
func (t *Tables) walk(layer int, sw topo.NodeID, edge int32, length []int32) int32 {
	if sw == t.edges[edge] {
		return 0
	}
	if length[sw] != 0 {
		return length[sw]
	}
	longest := int32(-1)
	for _, p := range t.HopsIn(layer, sw, edge) {
		_, next := t.graph.Ends(p)
		longest = max(longest, 1+t.walk(layer, next, edge, length))
	}
	length[sw] = longest
	return longest
}
