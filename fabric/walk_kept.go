package fabric

import (
	"weft/route"
	"weft/sim"
)

// This file keeps decisions for flowlets (route.Detours.Flowlet). While frames of a
// source, destination and entropy follow each other within the gap, they take the
// path of the first. A switch remembers decisions in a table like LetFlow's (Vanini
// et al., NSDI 2017, §3). Flows that share an entry count as one, unless they go to
// different edge switches: then each replaces the other's decision.

// decideForFlowlet does what decide does, for flowlets. unsaid reports that the sender leaves
// the entropy to the switch, which then also keeps the entropy that it drew.
func (g *walker) decideForFlowlet(s *switchState, at int32, f *Frame, edge int32, p phase, unsaid bool, now sim.Time) (port int32, indirect bool) {
	e := g.decisions[at].entry(pathHash(f, s.salt))
	known := e.set>>1 == uint32(edge)+1 && now-e.last <= g.Flowlet
	e.last = now
	if unsaid {
		if !known {
			e.at = s.anyEntropy()
		}
		f.Entropy = e.at
	}
	if !known {
		port, indirect = g.decide(s, at, f, edge, p, now)
		e.set = (uint32(edge) + 1) << 1
		if indirect {
			e.set |= 1
		}
		return port, indirect
	}
	if e.set&1 != 0 {
		if port = g.around(s, f, edge, p, now); port >= 0 {
			return port, true
		}
	}
	return g.d.pick(s, edge, f, now), false
}

// around returns the next hop to a frame's intermediate switch; negative if there is none.
func (g *walker) around(s *switchState, f *Frame, edge int32, p phase, now sim.Time) int32 {
	mid := g.intermediate(f, g.d.attached[f.Src()].edge, edge, p)
	if mid < 0 || mid == s.edge || g.links[edge][g.tables.Row(g.tables.EdgeSwitch(mid))] == route.Unreached {
		return -1
	}
	return g.d.pick(s, mid, f, now)
}

// forgetDecisions makes switches decide anew after a change of routes.
func (n *Network) forgetDecisions() {
	for _, d := range n.domains {
		for i := range d.walker().decisions {
			d.walker().decisions[i].forget()
		}
	}
}
