package fabric

import (
	"weft/route"
	"weft/sim"
	"weft/topo"
)

// Refusal is why a start packet was not deflected.
type Refusal uint8

const (
	// BelowThreshold: its queue was short enough.
	BelowThreshold Refusal = iota
	// NoTokens: it had none left.
	NoTokens
	// TableFull: the switch remembers as many messages as it can.
	TableFull
	// NoPort: no other port may take it.
	NoPort

	Refusals = iota // their number
)

// Deflections counts what switches deflected.
type Deflections struct {
	// Hops counts deflected frames, once for each time; Messages the start packets among them.
	Hops, Messages uint64
	// Rows counts those that were made, Aged those that were freed since their messages were silent.
	Rows, Aged uint64
	// Most is the most rows of one switch, and Held the sum of the times for which rows stood.
	Most int
	Held sim.Time
	// Links counts the links that frames with tokens took, Extra those of them that their routes would have saved, and
	// ExtraBytes what crossed the latter. Each deflection adds the hop to the wrong switch, and what that is farther from the
	// destination, by the intermediate of a detour; other hops add nothing. Where no route leads from the wrong switch, nothing is added.
	Links, Extra, ExtraBytes int64
	// Left are the rows that stand.
	Left int
	// Refused counts start packets that were not deflected.
	Refused [Refusals]uint64
}

// Since returns what was counted since an earlier count. Most and Left are of now.
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

// Deflections returns what switches have counted by now.
func (n *Network) Deflections(now sim.Time) (sum Deflections) {
	for _, d := range n.domains {
		g := d.deflecting()
		if g == nil {
			return sum
		}
		c := g.counts
		for i := range g.tables {
			for _, r := range g.tables[i].rows {
				if g.Age > 0 && now-r.last > g.Age { // the switch has not looked since
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

// ResetDeflectionMost starts the search for the fullest table anew.
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

// longer returns how many links a frame has more before it by a port than by that of its route. It is false if no route leads on.
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

// linksFrom returns how many links a hashed frame takes from a switch to that of its destination, where its entropy names its route.
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

// FollowedDeflections returns how often a frame was deflected in a network that is followed.
func (n *Network) FollowedDeflections(id FrameID) int {
	d := n.domains[0]
	tokens, ok := d.Packets[id].Tokens()
	g := d.deflecting()
	if g == nil || !ok {
		return 0
	}
	return g.Tokens - tokens
}
