package scenario

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fault"
	"weft/route"
	"weft/topo"
	"weft/unit"
)

// mostFaultsNamed is the number of faults that get a line each.
const mostFaultsNamed = 8

// actedFaults reports faults that no traffic met.
func (v *review) actedFaults() {
	var idle []string
	for i := range v.failing.timeline.Struck {
		idle = append(idle, v.missed(&v.failing.timeline.Struck[i]))
	}
	n, first := 0, ""
	for i, text := range idle {
		if text != "" {
			if n++; first == "" {
				first = fmt.Sprintf("%s, %s: %s", faultPath(i), v.s.Faults[i].Kind, text)
			}
		}
	}
	if n > mostFaultsNamed {
		v.never("faults", "", "%d of %d met no traffic, first %s", n, len(v.s.Faults), first)
		return
	}
	for i, text := range idle {
		if text != "" {
			v.never(faultPath(i), v.s.Faults[i].Kind, "%s", text)
		}
	}
}

// missed describes how the run shows that no traffic met a fault. It returns "" if some
// traffic did.
func (v *review) missed(s *fault.Struck) string {
	if len(s.Ports) == 0 {
		return ""
	}
	if s.From > 0 && s.From >= v.Now {
		return fmt.Sprintf("it begins at %v, and the run ended at %v", s.From, v.end())
	}
	if len(s.Ports) > mostWatched {
		return ""
	}
	if s.Lifts && !v.lifted(s) {
		return fmt.Sprintf("none of its links was down at %v", s.From)
	}
	failing, _ := find[*failures](v.observers)
	for _, p := range s.Ports {
		before := failing.met[meeting{p, s.From}] // 0 if nothing changed at that time: then all frames count
		after, known := failing.met[meeting{p, s.To}]
		if !known || after == unknown {
			after = v.Network.Met(p, v.Now)
		}
		if before == unknown {
			before = 0
		}
		if after > before {
			return ""
		}
	}
	if v.rerouted(s) {
		return ""
	}
	links := "its directed link"
	if n := len(s.Ports); n > 1 {
		links = fmt.Sprintf("any of its %d directed links", n)
	}
	switch {
	case s.To < unit.Forever && s.To < v.Now:
		return fmt.Sprintf("no frame came to %s between %v and %v", links, s.From, s.To)
	case s.From > 0:
		return fmt.Sprintf("no frame came to %s from %v on", links, s.From)
	}
	return fmt.Sprintf("no frame came to %s", links)
}

// lifted reports whether a fault whose only effect is to end other faults ended one.
func (v *review) lifted(s *fault.Struck) bool {
	return slices.ContainsFunc(v.failing.timeline.Changes, func(c fault.Change) bool {
		return c.What == fault.Up && c.At == s.From && slices.Contains(s.Ports, c.Port)
	})
}

// rerouted reports whether routing may have steered around the links of a fault traffic
// that would have met it otherwise.
func (v *review) rerouted(s *fault.Struck) bool {
	missing := v.isMissing(s.Ports[0].Link())
	if v.failing.reconverge == unit.Forever && !missing || !missing && v.Now-s.From < v.failing.reconverge {
		return false
	}
	if v.sum.Drops[fabric.NoRoute] > 0 || v.routes.policy.Wanders() || v.layered() || !v.routes.policy.Minimal {
		return true
	}
	active := make([]bool, v.tables.Edges())
	for h, up := range v.uplinks {
		if edge := v.tables.Edge(v.graph.Hosts[h]); edge >= 0 && v.Network.Met(up, v.Now)+v.Network.Met(up.Reverse(), v.Now) > 0 {
			active[edge] = true
		}
	}
	for _, p := range s.Ports {
		if onShortestPath(v.graph, v.tables, p, active) {
			return true
		}
	}
	return false
}

// onShortestPath reports whether a shortest path between two edge switches with active hosts uses a
// given directed link between switches.
func onShortestPath(g *topo.Graph, t *route.Tables, p topo.PortID, active []bool) bool {
	from, to := g.Ends(p)
	if g.Nodes[from].Kind == topo.Host || g.Nodes[to].Kind == topo.Host {
		return false // the host itself would have met the fault
	}
	adjacency := g.Adjacency()
	for edge := range int32(t.Edges()) {
		if !active[edge] || !slices.Contains(t.Hops(from, edge), p) {
			continue
		}
		seen := map[topo.NodeID]bool{from: true}
		for queue := []topo.NodeID{from}; len(queue) > 0; queue = queue[1:] {
			if at := t.Edge(queue[0]); at >= 0 && at != edge && active[at] {
				return true
			}
			for _, out := range adjacency.Ports(queue[0]) {
				_, before := g.Ends(out)
				if g.Nodes[before].Kind == topo.Switch && !seen[before] && slices.Contains(t.Hops(before, edge), out.Reverse()) {
					seen[before] = true
					queue = append(queue, before)
				}
			}
		}
	}
	return false
}
