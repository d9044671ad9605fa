package fabric

import (
	"weft/route"
	"weft/topo"
)

// along follows a minimal path from the far end of a port of domain d: see follow.
func (g *walks) along(f *Frame, port int32, d *Domain, edge int32, enter bool) (end topo.NodeID, queued uint64) {
	_, next := g.network.graph.Ends(topo.PortID(d.cold[port].id))
	return g.follow(f, next, edge, enter)
}

// follow traces a hashed frame from a switch to an edge switch, or only until it enters that
// switch's group. It returns the last switch and the sum of the known queues on the way.
func (g *walks) follow(f *Frame, sw topo.NodeID, edge int32, enter bool) (end topo.NodeID, queued uint64) {
	end = g.tables.EdgeSwitch(edge)
	for sw != end && !(enter && g.inGroupOf(edge, sw)) {
		id, ok := g.hop(f, sw, edge)
		if !ok {
			break
		}
		queued += uint64(g.known[id])
		_, sw = g.network.graph.Ends(id)
	}
	return sw, queued
}

// hop returns the next hop of a hashed frame at any switch.
func (g *walks) hop(f *Frame, sw topo.NodeID, edge int32) (topo.PortID, bool) {
	hops := g.tables.Hops(sw, edge)
	switch len(hops) {
	case 0:
		return 0, false
	case 1:
		return hops[0], true
	}
	at := g.network.nodes[sw]
	salt := g.network.domains[at.domain].switches[at.index].salt
	return among(hops, pathHash(f, salt)), true
}

// byEntry returns the number of links to the switch where a detour by group ends,
// and from there to the destination.
func (g *walks) byEntry(f *Frame, port int32, d *Domain, mid, edge int32) (toMid, onward int) {
	_, sw := g.network.graph.Ends(topo.PortID(d.cold[port].id))
	for toMid = 1; !g.inGroupOf(mid, sw); toMid++ {
		id, ok := g.hop(f, sw, mid)
		if !ok {
			break
		}
		_, sw = g.network.graph.Ends(id)
	}
	return toMid, int(g.links[edge][g.tables.Row(sw)])
}

// path returns the links of a hashed frame that always takes a detour; ok is false
// if there is no detour for it.
func (g *walks) path(f *Frame) (path []topo.PortID, reached, ok bool) {
	n := g.network
	from, to := n.attached[f.Src()], n.attached[f.Dst()]
	if from.edge == to.edge {
		return nil, false, false
	}
	mid := g.intermediate(f, from.edge, to.edge, heading)
	if mid < 0 || g.links[to.edge][g.tables.Row(g.tables.EdgeSwitch(mid))] == route.Unreached {
		return nil, false, false
	}
	first := g.tables.EdgeSwitch(from.edge)
	last := topo.PortID(n.domains[n.nodes[g.tables.EdgeSwitch(to.edge)].domain].cold[to.port].id)
	path = append(path, topo.PortID(n.domains[n.nodes[first].domain].cold[from.port].id).Reverse())
	for sw, edge := first, mid; ; {
		if edge == mid && (sw == g.tables.EdgeSwitch(mid) || g.ByGroup && g.inGroupOf(mid, sw)) {
			edge = to.edge
		}
		if sw == g.tables.EdgeSwitch(to.edge) {
			return append(path, last), true, true
		}
		id, leads := g.hop(f, sw, edge)
		if !leads {
			return path, false, true
		}
		path = append(path, id)
		_, sw = n.graph.Ends(id)
	}
}
