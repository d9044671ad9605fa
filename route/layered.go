package route

import (
	"fmt"
	"math"
	"slices"

	"weft/topo"
	"weft/unit"
)

// Layering defines the layers of tables.
type Layering struct {
	// Layers is the number of layers, at least 1.
	Layers int
	// Has reports whether a layer has a link. The layer uses the link in both directions.
	Has func(layer int, l topo.LinkID) bool
	// All keeps every minimal next hop of a layer. Otherwise one is drawn for each layer,
	// switch and edge switch, all with the same probability.
	All bool
	// Seed is the seed of the draws.
	Seed uint64
}

// wholeNetwork stands for the layer with all links that are up.
const wholeNetwork = -1

// Layered returns tables of shortest paths within each of several layers (FatPaths, SC
// 2020, §V-C and Listing 3). If a layer does not lead from a switch to an edge switch, the
// switch forwards as if the layer had all links. Walks end: each such hop comes nearer in
// the whole network, and once a switch can use the layer, all later ones can.
//
// Departures: a search from each destination replaces the listing's Floyd-Warshall. In the
// paper, the sender tries another layer if one has no route; here, the switch handles it.
func Layered(g *topo.Graph, o Options, l Layering) (*Tables, error) {
	if l.Layers < 1 {
		return nil, fmt.Errorf("%d layers; there must be at least 1", l.Layers)
	}
	t := &Tables{graph: g, layers: l.Layers, strays: make([]int64, l.Layers)}
	t.number()
	t.numbers = &numbers{batches: t.batches(), rows: t.rows()}
	o.Length = nil
	whole := newMesh(t, o.Down)
	if !l.All {
		return t, drawAll(t, whole, o, &l)
	}
	b := newBuilder(t, o, whole)
	p := o.progress((1 + l.Layers) * t.batches())
	if err := b.run(whole, p); err != nil {
		return nil, err
	}
	index, reach := b.index, t.reach
	t.numbers.wide = make([]uint16, t.size())
	b.index = make([]uint16, len(index))
	for layer := range l.Layers {
		clear(b.index)
		if err := b.run(l.part(whole, layer), p); err != nil {
			return nil, err
		}
		b.keep(layer, index)
	}
	t.reach = reach
	b.pack()
	return t, nil
}

// part returns the links of a layer.
func (l *Layering) part(whole *mesh, layer int) *mesh {
	return whole.part(func(k topo.LinkID) bool { return l.Has(layer, k) })
}

// keep adds the results for a layer to the tables.
func (b *builder) keep(layer int, whole []uint16) {
	t := b.tables
	edges := len(t.edges)
	for r, node := range t.nodes {
		for e, set := range b.index[r*edges:][:edges] {
			if set == 0 {
				if set = whole[r*edges+e]; set != 0 && t.edge[node] >= 0 {
					t.strays[layer]++
				}
			}
			t.numbers.wide[t.numbers.at(layer, r, e)] = set
		}
	}
}

// Layered reports whether Layered made the tables, so that paths may not be minimal.
func (t *Tables) Layered() bool { return t.numbers != nil }

// FirstIsMinimal reports whether the first of several layers has all links, so that its
// paths are shortest ones.
func (t *Tables) FirstIsMinimal() bool { return t.minimal }

// Bytes estimates the memory of tables with this layering.
func (l *Layering) Bytes(g *topo.Graph) unit.Bytes {
	t := &Tables{graph: g}
	t.number()
	t.layers = l.Layers
	if l.All {
		const scratch = 4 // two indices of one layer
		return 2*unit.Bytes(t.size()) + scratch*unit.Bytes(t.rows()*len(t.edges))
	}
	links, degree := unit.Bytes(0), make([]int, t.rows())
	for _, k := range g.Links {
		if a, b := t.row[k.A], t.row[k.B]; a >= 0 && b >= 0 {
			links++
			degree[a]++
			degree[b]++
		}
	}
	entry := unit.Bytes(1)
	if slices.Max(append(degree, 0)) > math.MaxUint8 {
		entry = 2
	}
	const perLink = 64 // the links of all layers and of one layer, and sets of one port
	return unit.Bytes(t.size())*entry + links*perLink
}

// Walks summarises the paths of a layer over all ordered pairs of different edge switches
// that are connected in it.
type Walks struct {
	Pairs int64
	// Links is the sum of the lengths, in links between switches, of each pair's longest
	// path.
	Links int64
	// Longest is the largest of these lengths.
	Longest int
	// Strays counts the pairs that the layer itself does not connect.
	Strays int64
}

// Mean returns the mean length, or 0 without pairs.
func (w Walks) Mean() float64 {
	if w.Pairs == 0 {
		return 0
	}
	return float64(w.Links) / float64(w.Pairs)
}

// Walks measures all paths of a layer.
func (t *Tables) Walks(layer int) Walks {
	if t.walks != nil {
		return t.walks[layer]
	}
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

// walk returns the length of the longest path from a switch to an edge switch, or -1 if
// there is none. It stores the lengths of the switches that it passes.
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
