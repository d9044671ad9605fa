// Package route computes next-hop tables over a graph. For every switch, and every edge
// switch as a destination, they hold the ports that lead nearer; an edge switch is a switch
// with hosts. The package knows nothing of packets. If a switch has several next hops, the
// forwarding code chooses among them.
package route

import (
	"fmt"
	"slices"
	"sync"

	"weft/topo"
	"weft/unit"
)

// Options change which tables are computed. The zero value routes over all links, and gives
// all ports equal weights.
type Options struct {
	// Down reports whether a link must not be used. nil means that all links may be used.
	Down func(topo.LinkID) bool
	// Rate returns the rate of a port for Weighted. nil means the rate in the graph.
	Rate func(topo.PortID) unit.Rate
	// Weighted repeats the ports of a next-hop set in proportion to their rates, so that a
	// uniform choice among the entries is weighted ECMP.
	Weighted bool
	// Length returns the length of a link, from 1 to 255, for finding shortest paths. nil
	// means 1 for all links. Layered ignores it.
	Length func(topo.LinkID) int
	// Prefers, if not nil, reports whether switches prefer a port towards an edge switch. A
	// switch takes only its preferred ports on shortest paths, if it has any, and otherwise
	// all. Layered ignores it.
	Prefers func(p topo.PortID, edge topo.NodeID) bool
	// Most, if positive, limits the memory of next-hop sets, in addition to one number per
	// switch and edge switch. Random networks need much: if most pairs have many shortest
	// paths, hardly two have the same set.
	Most unit.Bytes
	// Progress, if not nil, is called with the share that is done, from 0 to 1, by one
	// goroutine at a time.
	Progress func(share float64)
}

// Tables holds the next hops of every switch towards every edge switch. Edge switches are
// numbered densely, in order of NodeID.
//
// For every switch, the tables hold its distinct next-hop sets, starting with the empty
// set, and the number of the set that belongs to each edge switch.
type Tables struct {
	graph *topo.Graph
	// edges lists the edge switches. edge holds the dense number of each edge switch and of
	// each host's switch, or -1.
	edges []topo.NodeID
	edge  []int32
	// row holds the number of each switch, from 0, or -1 for hosts. nodes lists the
	// switches.
	row   []int32
	nodes []topo.NodeID
	// layers is the number of layers; minimal tables have one.
	layers int
	// index holds len(edges) set numbers per switch. Tables from Layered have numbers
	// instead.
	index   []uint16
	numbers *numbers
	strays  []int64 // see Walks
	walks   []Walks // by layer, if one next hop is drawn
	paths   *Paths  // see Prefer
	// minimal: the first of several layers has all links that are up.
	minimal bool
	// first holds the index at which the offsets of each switch begin. Offsets count from
	// the start of the switch's ports, at base.
	first   []uint32
	offsets []uint32
	base    []uint32
	ports   []topo.PortID
	// reach holds, for each edge switch, the distance of the farthest edge switch that
	// reaches it.
	reach []int32

	// links holds the result of Links, once it is measured.
	links    [][]uint8
	measured sync.Once
}

// Minimal returns the tables of all shortest paths, counted in links or by their lengths.
// The ports of a next-hop set are in order of PortID. The graph must be valid. Minimal
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

// size returns the number of set numbers for which tables with layers have room.
func (t *Tables) size() int { return t.layers * t.batches() * batch * t.rows() }

// batches returns the number of batches of edge switches.
func (t *Tables) batches() int { return (len(t.edges) + batch - 1) / batch }

// Edge returns the dense number of an edge switch, or of a host's switch. It is -1 for
// switches without hosts.
func (t *Tables) Edge(n topo.NodeID) int32 { return t.edge[n] }

// Edges returns the number of edge switches.
func (t *Tables) Edges() int { return len(t.edges) }

// EdgeSwitch returns the edge switch with a dense number.
func (t *Tables) EdgeSwitch(edge int32) topo.NodeID { return t.edges[edge] }

// Hops returns the next hops of switch sw towards an edge switch, in order of PortID;
// weighted tables repeat them. With layers, it returns the next hops in the first layer.
// The result is empty if the edge switch cannot be reached, or is sw itself. The caller
// must not change it.
func (t *Tables) Hops(sw topo.NodeID, edge int32) []topo.PortID { return t.HopsIn(0, sw, edge) }

// HopsIn returns the next hops in a layer.
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

// Index returns the number of switch sw's next-hop set for each edge switch, for direct
// look-ups. The tables must not come from Layered. The caller must not change the result.
func (t *Tables) Index(sw topo.NodeID) []uint16 {
	n := len(t.edges)
	row := int(t.row[sw])
	return t.index[row*n : (row+1)*n]
}

// Numbers returns the set numbers of switch sw for tables that come from Layered.
func (t *Tables) Numbers(sw topo.NodeID) Numbers { return Numbers{t.numbers, int(t.row[sw])} }

// Sets returns the next-hop sets of switch sw. Set s is ports[offsets[s]:offsets[s+1]]; set
// 0 is empty. The caller must not change them.
func (t *Tables) Sets(sw topo.NodeID) (offsets []uint32, ports []topo.PortID) {
	row := int(t.row[sw])
	return t.offsets[t.first[row]:t.first[row+1]], t.ports[t.base[row]:t.base[row+1]]
}

// Distance returns the number of links from switch sw to an edge switch, or -1 if it cannot
// be reached.
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

// Row returns the dense number of a switch among all switches, which Links uses.
func (t *Tables) Row(sw topo.NodeID) int32 { return t.row[sw] }

// Unreached is the length of a path that does not exist.
const Unreached = 255

// Links returns the length, in links, of the longest path in the first layer to each edge
// switch from each switch, by Row. It is at most 254, or Unreached. The first call measures
// the lengths. The caller must not change them.
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
