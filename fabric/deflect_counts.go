package fabric

import (
	"weft/route"
	"weft/sim"
	"weft/topo"
)

// Refusal is why a start packet was not deflected.
type Refusal uint8

const (
	// BelowThreshold: the queue was short enough.
	BelowThreshold Refusal = iota
	// NoTokens: the packet had no tokens left.
	NoTokens
	// TableFull: the table of the switch was full.
	TableFull
	// NoPort: no other port could take the packet.
	NoPort

	Refusals = iota // number of refusals
)

// Deflections counts what switches deflected.
type Deflections struct {
	// Hops counts deflections of frames, Messages deflected start packets.
	Hops, Messages uint64
	// Rows counts rows made. Aged counts rows freed because their messages fell silent.
	Rows, Aged uint64
	// Most is the largest number of rows in one switch. Held sums the lifetimes of rows.
	Most int
	Held sim.Time
	// Links counts the links that frames with tokens took. Extra counts how many of them
	// the minimal routes would have saved, and ExtraBytes the bytes on those. A
	// deflection adds the hop to the wrong switch, and the additional distance from there
	// to the destination (on a detour, by way of its intermediate switch). Other hops add
	// nothing. If no route leads on from the wrong switch, nothing is added.
	Links, Extra, ExtraBytes int64
	// Left counts the rows that still exist.
	Left int
	// Refused counts start packets that were not deflected.
	Refused [Refusals]uint64
}

// Since returns the counts since an earlier reading. Most and Left keep their current values.
func (c Deflections) Since(before Deflections) Deflections {
	c.Hops -= before.Hops
	c.Messages -= before.Messages
	c.Rows -= before.Rows
	c.Aged -= before.Aged
	c.Held -= before.Held
	c.Links -= before.Links
	c.Extra -= before.Extra
	c.ExtraBytes -= before.ExtraBytes
	for i := range c.Refused {
		c.Refused[i] -= before.Refused[i]
	}
	return c
}

// Deflections returns the counts of all switches up to now.
func (n *Network) Deflections(now sim.Time) (sum Deflections) {
	for _, d := range n.domains {
		g := d.deflecting()
		if g == nil {
			return sum
		}
		c := g.counts
		for i := range g.tables {
			for _, r := range g.tables[i].rows {
				if g.Age > 0 && now-r.last > g.Age { // the switch has not checked since
					c.Held += r.last + g.Age - r.since
					c.Aged++
					continue
				}
				c.Held += now - r.since
				c.Left++
			}
		}
		sum.Hops += c.Hops
		sum.Messages += c.Messages
		sum.Rows += c.Rows
		sum.Aged += c.Aged
		sum.Held += c.Held
		sum.Links += c.Links
		sum.Extra += c.Extra
		sum.ExtraBytes += c.ExtraBytes
		sum.Left += c.Left
		sum.Most = max(sum.Most, c.Most)
		for i := range sum.Refused {
			sum.Refused[i] += c.Refused[i]
		}
	}
	return sum
}

// ResetDeflectionMost restarts the search for the fullest table.
func (n *Network) ResetDeflectionMost() {
	for _, d := range n.domains {
		if g := d.deflecting(); g != nil {
			g.counts.Most = 0
			for i := range g.tables {
				g.counts.Most = max(g.counts.Most, len(g.tables[i].rows))
			}
		}
	}
}

// longer returns by how many links the remaining path of a frame is longer over
// port than over its minimal port. ok is false if no route leads on.
func (g *deflecting) longer(t *deflectTable, f *Frame, minimal, port int32) (links int64, ok bool) {
	d := g.d
	edge := d.attached[f.Dst()].edge
	if w := d.walker(); w != nil && outward(f) {
		mid := w.intermediate(f, d.attached[f.Src()].edge, edge, phaseOf(f))
		if w.ByGroup {
			to, onward := w.byEntry(f, port, d, mid, edge)
			to0, onward0 := w.byEntry(f, minimal, d, mid, edge)
			return int64(to + onward - to0 - onward0), max(onward, onward0) < route.Unreached
		}
		edge = mid
	}
	here, there := t.self, topo.NodeID(g.to[port])
	if g.routes.Layered() || g.routes.Paths() != nil {
		k, ok := d.network.linksFrom(there, f)
		k0, ok0 := d.network.linksFrom(here, f)
		return int64(1 + k - k0), ok && ok0
	}
	to := g.links[edge]
	k, k0 := to[g.routes.Row(there)], to[g.routes.Row(here)]
	return 1 + int64(k) - int64(k0), max(k, k0) < route.Unreached
}

// linksFrom returns how many links a hashed frame takes from a switch to the edge
// switch of its destination, where its entropy selects the route.
func (n *Network) linksFrom(sw topo.NodeID, f *Frame) (links int, ok bool) {
	from, to := n.attached[f.Src()].edge, n.attached[f.Dst()].edge
	for ; links < route.Unreached; links++ {
		d := n.domains[n.nodes[sw].domain]
		s := &d.switches[n.nodes[sw].index]
		if s.edge == to {
			return links, true
		}
		port := s.hashed(f, from, to)
		if port < 0 {
			return 0, false
		}
		_, sw = n.graph.Ends(topo.PortID(d.cold[port].id))
	}
	return 0, false
}

// FollowedDeflections returns how often a frame was deflected. It needs a Follower.
func (n *Network) FollowedDeflections(id FrameID) int {
	d := n.domains[0]
	tokens, ok := d.Packets[id].Tokens()
	g := d.deflecting()
	if g == nil || !ok {
		return 0
	}
	return g.Tokens - tokens
}
