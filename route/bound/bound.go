// Package bound says how fast data can get from one host to another at best, whatever
// paths it takes and however many at a time.
package bound

import (
	"weft/internal/ranked"
	"weft/route"
	"weft/topo"
	"weft/unit"
)

// Bound has the bounds of a graph without faults. It computes what it is asked for, and
// keeps the latencies from one switch only: ask for pairs in the order of their senders.
type Bound struct {
	graph  *topo.Graph
	tables *route.Tables
	// uplinks has the port of each host.
	uplinks []topo.PortID
	// fastest is the rate of the fastest link of a host.
	fastest unit.Rate
	// narrow tells that some link between switches is slower than that, so that hosts may
	// share less than their links carry.
	narrow bool
	cuts   *tree // nil until one is needed
	// span is how long each link between switches takes, if that is the same of all.
	span   unit.Time
	uneven bool
	// from is the switch to which latency belongs.
	from    topo.NodeID
	latency []unit.Time
	front   ranked.Heap // of switches that can be reached, by latency
	nodes   *topo.Adjacency
}

// New returns the bounds of a graph. The tables must have all of its links.
func New(g *topo.Graph, t *route.Tables) *Bound {
	b := &Bound{graph: g, tables: t, uplinks: make([]topo.PortID, len(g.Hosts)), from: -1}
	host := make(map[topo.NodeID]int, len(g.Hosts))
	for i, n := range g.Hosts {
		host[n] = i
	}
	slowest, spans := unit.Rate(0), 0
	for p := range topo.PortID(2 * len(g.Links)) {
		from, to := g.Ends(p)
		rate := g.Links[p.Link()].Rate
		if g.Nodes[from].Kind == topo.Host {
			b.uplinks[host[from]] = p
		}
		if g.Nodes[from].Kind == topo.Host || g.Nodes[to].Kind == topo.Host {
			b.fastest = max(b.fastest, rate)
			continue
		}
		if spans == 0 {
			slowest, b.span = rate, b.takes(p)
		}
		spans++
		slowest = min(slowest, rate)
		b.uneven = b.uneven || b.takes(p) != b.span
	}
	b.narrow = spans > 0 && slowest < b.fastest
	return b
}

// takes returns the time from the end of a frame's serialisation on a link until the frame
// is ready at the far node.
func (b *Bound) takes(p topo.PortID) unit.Time {
	_, to := b.graph.Ends(p)
	return b.graph.Links[p.Link()].Delay + b.graph.Nodes[to].Latency
}

// Between returns the least time that a byte spends between two hosts beside its
// serialisation, and the highest rate at which bytes can arrive. Both are over all paths of
// the graph. No message of a number of bytes takes less than delay + rate.Transmit(bytes):
// all of it crosses the narrowest cut between the hosts, whose links carry no more than rate
// together, and what crosses last is still on its way for the time that it had not spent before.
func (b *Bound) Between(src, dst int32) (delay unit.Time, rate unit.Rate) {
	up, down := b.uplinks[src], b.uplinks[dst].Reverse()
	delay = b.takes(up)
	rate = min(b.graph.Links[up.Link()].Rate, b.graph.Links[down.Link()].Rate)
	_, first := b.graph.Ends(up)
	last, _ := b.graph.Ends(down)
	if b.graph.Nodes[first].Kind == topo.Host {
		return delay, rate // a cable from host to host
	}
	delay += b.takes(down)
	if first == last {
		return delay, rate
	}
	if b.narrow {
		if b.cuts == nil {
			b.cuts = newTree(b.graph, b.tables, b.fastest)
		}
		rate = min(rate, b.cuts.between(b.tables.Edge(first), b.tables.Edge(last)))
	}
	return delay + b.across(first, last), rate
}

// across returns the least latency from one edge switch to another.
func (b *Bound) across(first, last topo.NodeID) unit.Time {
	if !b.uneven {
		return b.span * unit.Time(b.tables.Distance(first, b.tables.Edge(last)))
	}
	if b.from != first {
		b.search(first)
	}
	return b.latency[last]
}
