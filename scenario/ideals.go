package scenario

import (
	"weft/topo"
	"weft/transport"
)

// ideals finds the path of a message in the network without faults: at every switch it
// takes the first next hop.
type ideals struct {
	*plan
	out   []transport.Hop
	ports []topo.PortID // of the last path
}

// path returns the links from one host to another. The result is valid until the next call.
func (d *ideals) path(src, dst int32) []transport.Hop {
	g := d.graph
	d.out, d.ports = d.out[:0], d.ports[:0]
	target := g.Hosts[dst]
	edge := d.tables.Edge(target)
	next := d.uplinks[src]
	for {
		_, to := g.Ends(next)
		l := g.Links[next.Link()]
		d.ports = append(d.ports, next)
		d.out = append(d.out, transport.Hop{Rate: l.Rate, Delay: l.Delay + g.Nodes[to].Latency})
		if to == target || g.Nodes[to].Kind == topo.Host {
			return d.out
		}
		if d.tables.Edge(to) == edge {
			next = d.uplinks[dst].Reverse()
			continue
		}
		next = d.tables.Hops(to, edge)[0]
	}
}
