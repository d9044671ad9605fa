// Package bound computes how fast data can get from one host to another at best, over any
// paths and any number of them at a time.
package bound

import (
	"weft/internal/ranked"
	"weft/route"
	"weft/topo"
	"weft/unit"
)

// Bound computes the bounds of a graph without faults on demand. It caches latencies from
// one switch only, so ask for pairs in the order of their senders.
type Bound struct {
	graph  *topo.Graph
	tables *route.Tables
	// uplinks holds the port of each host.
	uplinks []topo.PortID
	// fastest is the rate of the fastest host link.
	fastest unit.Rate
	// narrow: some link between switches is slower than that, so the network may carry less
	// than the hosts' links.
	narrow bool
	cuts   *tree // nil until one is needed
	// span is the latency of a link between switches, if it is the same for all.
	span   unit.Time
	uneven bool
	// from is the switch that latency was computed for.
	from    topo.NodeID
	latency []unit.Time
	front   ranked.Heap // of reachable switches, by latency
	nodes   *topo.Adjacency
}

// New returns the bounds of a graph. The tables must use all of its links.
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

// Between returns the least time that a byte spends between two hosts in addition to its
// serialisation, and the highest rate at which bytes can arrive. Both apply to all paths of
// the graph. A message of a number of bytes takes at least delay + rate.Transmit(bytes).
// All of it crosses the narrowest cut between the hosts, whose links together carry at most
// rate. The last byte to cross then still spends the rest of its delay.
func (b *Bound) Between(src, dst int32) (delay unit.Time, rate unit.Rate) {
	up, down := b.uplinks[src], b.uplinks[dst].Reverse()
	delay = b.takes(up)
	rate = min(b.graph.Links[up.Link()].Rate, b.graph.Links[down.Link()].Rate)
	_, first := b.graph.Ends(up)
	last, _ := b.graph.Ends(down)
	if b.graph.Nodes[first].Kind == topo.Host {
		return delay, rate // a cable between two hosts
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
