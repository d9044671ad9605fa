// Package route computes next-hop tables over a graph: for every switch and
// every edge switch, which is one that hosts hang on, the ports that lead
// nearer. It knows nothing of packets: a switch that has several next hops
// leaves the choice to whoever forwards.
package route

import (
	"fmt"
	"slices"
	"sync"

	"weft/topo"
	"weft/unit"
)

// Options change which tables are computed. The zero value routes over all
// links and weighs all ports alike.
type Options struct {
	// Down tells which links are not to be used; nil is none.
	Down func(topo.LinkID) bool
	// Rate is the rate of a port for Weighted; nil is that of the graph.
	Rate func(topo.PortID) unit.Rate
	// Weighted repeats the ports of a next-hop set in proportion to their rates,
	// so that a uniform choice among the entries is weighted ECMP.
	Weighted bool
	// Length is how long a link counts, from 1 to 255, where paths are to be shortest; nil
	// is 1 for all. Layered has no use for it.
	Length func(topo.LinkID) int
	// Prefers, if not nil, says which ports switches take towards an edge switch, where some port on a shortest path is
	// one of these; elsewhere they take all. Layered has no use for it.
	Prefers func(p topo.PortID, edge topo.NodeID) bool
	// Most, if positive, is the most memory that next-hop sets may take beside a number for each switch
	// and edge switch. Random networks have many: where most pairs have many shortest paths, hardly two have the same.
	Most unit.Bytes
	// Progress, if not nil, is told which share is done, from 0 to 1, by one goroutine at a time.
	Progress func(share float64)
}

// Tables are the next hops of every switch towards every edge switch. Edge
// switches are numbered densely, in order of NodeID.
//
// For every switch the tables hold its distinct next-hop sets, of which the
// first is empty, and which of them each edge switch has.
type Tables struct {
	graph *topo.Graph
	// edges are the edge switches; edge is the dense number of every switch that
	// is one and of every host's switch, or -1.
	edges []topo.NodeID
	edge  []int32
	// row is the number of every switch, from 0, or -1 for hosts; nodes are the switches.
	row   []int32
	nodes []topo.NodeID
	// layers is how many layers there are; minimal tables have one.
	layers int
	// index holds len(edges) set numbers for every switch. Tables from Layered have numbers instead.
	index   []uint16
	numbers *numbers
	strays  []int64 // see Walks
	walks   []Walks // of each layer, where one next hop is drawn
	paths   *Paths  // see Prefer
	// minimal tells that the first of several layers has all links that are up.
	minimal bool
	// first is where the offsets of every switch begin; offsets count from the
	// start of the switch's ports, which begin at base.
	first   []uint32
	offsets []uint32
	base    []uint32
	ports   []topo.PortID
	// reach is the distance from every edge switch to the farthest that reaches it.
	reach []int32

	// links are what Links returns, once they are measured.
	links    [][]uint8
	measured sync.Once
}

// Minimal returns the tables of all shortest paths, counted in links, or by their lengths. The ports
// of a next-hop set are in order of PortID. The graph must be valid. Minimal
// fails if a switch needs more than 65535 different next-hop sets.
func Minimal(g *topo.Graph, o Options) (*Tables, error) {
	t := &Tables{graph: g, layers: 1}
	t.number()
	m := newMesh(t, o.Down)
	b := newBuilder(t, o, m)
	if err := b.run(m, o.progress(t.batches())); err != nil {
		return nil, err
	}
	t.index = b.index
	b.pack()
	if o.Length != nil {
		t.measureReach()
	}
	return t, nil
}

// number numbers switches and edge switches.
func (t *Tables) number() {
	g := t.graph
	t.edge = slices.Repeat([]int32{-1}, len(g.Nodes))
	t.row = slices.Repeat([]int32{-1}, len(g.Nodes))
	const isEdge = 0
	for _, l := range g.Links {
		a, b := l.A, l.B
		if g.Nodes[b].Kind == topo.Host {
			a, b = b, a
		}
		if g.Nodes[a].Kind == topo.Host && g.Nodes[b].Kind == topo.Switch {
			t.edge[b] = isEdge
		}
	}
	for n := range g.Nodes {
		if g.Nodes[n].Kind != topo.Switch {
			continue
		}
		t.row[n] = int32(len(t.nodes))
		t.nodes = append(t.nodes, topo.NodeID(n))
		if t.edge[n] == isEdge {
			t.edge[n] = int32(len(t.edges))
			t.edges = append(t.edges, topo.NodeID(n))
		}
	}
	for _, l := range g.Links {
		switch {
		case g.Nodes[l.A].Kind == topo.Host:
			t.edge[l.A] = t.edge[l.B]
		case g.Nodes[l.B].Kind == topo.Host:
			t.edge[l.B] = t.edge[l.A]
		}
	}
}

// rows returns the number of switches.
func (t *Tables) rows() int { return len(t.nodes) }

// size returns how many numbers tables with layers have room for.
func (t *Tables) size() int { return t.layers * t.batches() * batch * t.rows() }

// batches returns how many batches of edge switches there are.
func (t *Tables) batches() int { return (len(t.edges) + batch - 1) / batch }

// Edge returns the dense number of an edge switch, or of the one that a host
// hangs on. It is -1 for switches without hosts.
func (t *Tables) Edge(n topo.NodeID) int32 { return t.edge[n] }

// Edges returns the number of edge switches.
func (t *Tables) Edges() int { return len(t.edges) }

// EdgeSwitch returns the edge switch of a dense number.
func (t *Tables) EdgeSwitch(edge int32) topo.NodeID { return t.edges[edge] }

// Hops returns the next hops of switch sw towards an edge switch, in order of
// PortID and, if the tables are weighted, repeated; with layers, those of the first.
// It is empty if the edge switch cannot be reached, or is sw itself. The caller must
// not change it.
func (t *Tables) Hops(sw topo.NodeID, edge int32) []topo.PortID { return t.HopsIn(0, sw, edge) }

// HopsIn returns the next hops of a layer.
func (t *Tables) HopsIn(layer int, sw topo.NodeID, edge int32) []topo.PortID {
	var s uint16
	if t.numbers != nil {
		s = t.Numbers(sw).At(layer, int(edge))
	} else {
		s = t.Index(sw)[edge]
	}
	offsets, ports := t.Sets(sw)
	return ports[offsets[s]:offsets[s+1]]
}

// Layers returns the number of layers, 1 for minimal tables.
func (t *Tables) Layers() int { return t.layers }

// Index returns which next-hop set of switch sw belongs to each edge switch, for look-ups in place, of tables that
// are not from Layered. The caller must not change it.
func (t *Tables) Index(sw topo.NodeID) []uint16 {
	n := len(t.edges)
	row := int(t.row[sw])
	return t.index[row*n : (row+1)*n]
}

// Numbers returns the same of tables that are from Layered.
func (t *Tables) Numbers(sw topo.NodeID) Numbers { return Numbers{t.numbers, int(t.row[sw])} }

// Sets returns the next-hop sets of switch sw: that of number s is
// ports[offsets[s]:offsets[s+1]]. Set 0 is empty. The caller must not change them.
func (t *Tables) Sets(sw topo.NodeID) (offsets []uint32, ports []topo.PortID) {
	row := int(t.row[sw])
	return t.offsets[t.first[row]:t.first[row+1]], t.ports[t.base[row]:t.base[row+1]]
}

// Distance returns the number of links from switch sw to an edge switch, or -1
// if it cannot be reached.
func (t *Tables) Distance(sw topo.NodeID, edge int32) int {
	d := 0
	for sw != t.edges[edge] {
		hops := t.Hops(sw, edge)
		if len(hops) == 0 {
			return -1
		}
		_, sw = t.graph.Ends(hops[0])
		d++
	}
	return d
}

// Row returns the dense number of a switch among all, as Links counts them.
func (t *Tables) Row(sw topo.NodeID) int32 { return t.row[sw] }

// Unreached is the length of a path that there is not.
const Unreached = 255

// Links returns how many links the longest path of the first layer has to each edge switch from each switch, by Row:
// at most 254, or Unreached. They are measured at the first call. The caller must not change them.
func (t *Tables) Links() [][]uint8 {
	t.measured.Do(t.measureLinks)
	return t.links
}

func (t *Tables) measureLinks() {
	t.links = make([][]uint8, len(t.edges))
	length := make([]int32, len(t.graph.Nodes))
	for e := range t.links {
		clear(length)
		t.links[e] = make([]uint8, t.rows())
		for r, n := range t.nodes {
			t.links[e][r] = Unreached
			if k := t.walk(0, n, int32(e), length); k >= 0 {
				t.links[e][r] = uint8(min(k, Unreached-1))
			}
		}
	}
}

// Longest returns the most links of a shortest path between two edge switches.
func (t *Tables) Longest() int {
	longest := int32(0)
	for _, r := range t.reach {
		longest = max(longest, r)
	}
	return int(longest)
}

func tooManySets(g *topo.Graph, n topo.NodeID) error {
	return fmt.Errorf("switch %q needs more than %d next-hop sets; the network is too irregular for its size", g.Nodes[n].Name, maxSets)
}
