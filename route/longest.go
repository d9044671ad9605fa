package route

import (
	"weft/topo"
	"weft/unit"
)

// reference is the size of the frame whose travel time orders paths with equally many
// links.
const reference unit.Bytes = 4096

// LongestMinimal returns the ports along a longest path among the shortest paths between
// hosts. It has the most links and, among such paths, the longest travel time of a lone
// frame of 4096 bytes with store and forward at every switch. If there are several, the
// path leads to the first possible edge switch, and from the first possible one.
// LongestMinimal returns nil if no host reaches another.
//
// It takes one search for each edge switch that has a longest path, but only one search in
// total if all links between switches are alike.
func LongestMinimal(g *topo.Graph, t *Tables) []topo.PortID {
	if len(t.edges) == 0 {
		return backToBack(g)
	}
	l := newLongest(g, t)
	hops := int32(0)
	for _, r := range t.reach {
		hops = max(hops, r)
	}
	if hops == 0 {
		return l.withinSwitch()
	}
	return l.betweenSwitches(int(hops))
}

// backToBack returns the link between two hosts without a switch.
func backToBack(g *topo.Graph) []topo.PortID {
	if len(g.Links) == 0 {
		return nil
	}
	return []topo.PortID{g.Port(0, g.Hosts[0])}
}

type longest struct {
	graph  *topo.Graph
	tables *Tables
	// slowest and second hold, for each edge switch, the ports of the hosts with the
	// slowest and second slowest links.
	slowest, second []topo.PortID
	// best holds the slowest path from a switch to the current edge switch, if it was found
	// in this round.
	best  []way
	round int32
}

type way struct {
	round int32
	hop   topo.PortID
	time  unit.Time
}

const none topo.PortID = -1

func newLongest(g *topo.Graph, t *Tables) *longest {
	l := &longest{
		graph: g, tables: t,
		slowest: make([]topo.PortID, len(t.edges)),
		second:  make([]topo.PortID, len(t.edges)),
		best:    make([]way, len(g.Nodes)),
	}
	for e := range t.edges {
		l.slowest[e], l.second[e] = none, none
	}
	// The links are in any order, so the first host need not come first.
	port := make([]topo.PortID, len(g.Nodes))
	for i, k := range g.Links {
		if g.Nodes[k.A].Kind == topo.Host {
			port[k.A] = g.Port(topo.LinkID(i), k.A)
		} else if g.Nodes[k.B].Kind == topo.Host {
			port[k.B] = g.Port(topo.LinkID(i), k.B)
		}
	}
	for _, h := range g.Hosts {
		e, p := t.edge[h], port[h]
		switch {
		case l.slowest[e] == none || l.time(p) > l.time(l.slowest[e]):
			l.slowest[e], l.second[e] = p, l.slowest[e]
		case l.second[e] == none || l.time(p) > l.time(l.second[e]):
			l.second[e] = p
		}
	}
	return l
}

// time returns the travel time of the reference frame over a port, including the latency of
// the switch that it reaches.
func (l *longest) time(p topo.PortID) unit.Time {
	k := &l.graph.Links[p.Link()]
	_, to := l.graph.Ends(p)
	return k.Rate.Transmit(reference) + k.Delay + l.graph.Nodes[to].Latency
}

func (l *longest) withinSwitch() []topo.PortID {
	var path []topo.PortID
	longest := unit.Time(-1)
	for e := range l.tables.edges {
		from, to := l.slowest[e], l.second[e]
		if to == none {
			continue
		}
		if t := l.time(from) + l.time(to.Reverse()); t > longest {
			longest, path = t, []topo.PortID{from, to.Reverse()}
		}
	}
	return path
}

func (l *longest) betweenSwitches(hops int) []topo.PortID {
	var from, to int32
	longest, bound := unit.Time(-1), l.bound(hops)
	for e := range int32(len(l.tables.edges)) {
		if int(l.tables.reach[e]) != hops {
			continue
		}
		l.round++
		end := l.time(l.slowest[e].Reverse())
		for s := range int32(len(l.tables.edges)) {
			if l.tables.Distance(l.tables.edges[s], e) != hops {
				continue
			}
			if t := l.time(l.slowest[s]) + l.way(l.tables.edges[s], e).time + end; t > longest {
				longest, from, to = t, s, e
			}
			if longest == bound {
				return l.path(from, to)
			}
		}
	}
	return l.path(from, to)
}

// bound returns a time that no path over the given number of links between switches
// exceeds.
func (l *longest) bound(hops int) unit.Time {
	var between, up, down unit.Time
	for p := range topo.PortID(2 * len(l.graph.Links)) {
		from, to := l.graph.Ends(p)
		switch t := l.time(p); {
		case l.graph.Nodes[from].Kind == topo.Host:
			up = max(up, t)
		case l.graph.Nodes[to].Kind == topo.Host:
			down = max(down, t)
		default:
			between = max(between, t)
		}
	}
	return up + unit.Time(hops)*between + down
}

// way returns the slowest of the shortest paths from a switch to an edge switch.
func (l *longest) way(sw topo.NodeID, edge int32) way {
	if sw == l.tables.edges[edge] {
		return way{}
	}
	w := &l.best[sw]
	if w.round == l.round {
		return *w
	}
	*w = way{round: l.round, time: -1}
	for _, p := range l.tables.Hops(sw, edge) {
		_, next := l.graph.Ends(p)
		if t := l.time(p) + l.way(next, edge).time; t > w.time {
			w.hop, w.time = p, t
		}
	}
	return *w
}

func (l *longest) path(from, to int32) []topo.PortID {
	path := []topo.PortID{l.slowest[from]}
	l.round++
	end := l.tables.edges[to]
	for sw := l.tables.edges[from]; sw != end; {
		p := l.way(sw, to).hop
		path = append(path, p)
		_, sw = l.graph.Ends(p)
	}
	return append(path, l.slowest[to].Reverse())
}
