package fault

import (
	"fmt"
	"strings"

	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// cutOff returns a notice if changes leave hosts without a path to the rest
// whose links all work in both directions. That is allowed, but seldom meant.
func cutOff(g *topo.Graph, changes []Change) []string {
	down := make([]uint8, len(g.Links)) // how many of a link's directions
	var first []topo.NodeID
	var firstAt unit.Time
	last := 0
	// The same links fail again and again where they flap: a sum of hashes tells
	// states that were looked at already.
	seen := map[uint64]int{}
	hash := uint64(0)
	for i := 0; i < len(changes); {
		at := changes[i].At
		for ; i < len(changes) && changes[i].At == at; i++ {
			c := changes[i]
			switch c.What {
			case Down:
				down[c.Port.Link()]++
				hash += sim.Mix(uint64(c.Port))
			case Up:
				down[c.Port.Link()]--
				hash -= sim.Mix(uint64(c.Port))
			}
		}
		// As long as links only fail, the last of the states cuts off the most.
		if i < len(changes) && onlyDowns(changes, i) {
			continue
		}
		n, ok := seen[hash]
		if !ok {
			hosts := isolated(g, down)
			n = len(hosts)
			seen[hash] = n
			if n > 0 && first == nil {
				first, firstAt = hosts, at
			}
		}
		last = n
	}
	if first == nil {
		return nil
	}
	const most = 4
	var names []string
	for _, h := range first[:min(most, len(first))] {
		names = append(names, g.Nodes[h].Name)
	}
	if len(first) > most {
		names = append(names, fmt.Sprintf("and %d more", len(first)-most))
	}
	text := fmt.Sprintf("at %v faults cut off %s: no path to the other hosts has links that all work both ways", firstAt, strings.Join(names, ", "))
	if last > 0 {
		text += "; hosts stay cut off to the end, and messages from and to them cannot finish"
	}
	return []string{text}
}

// onlyDowns tells whether at the instant of changes[i] no port comes up.
func onlyDowns(changes []Change, i int) bool {
	for at := changes[i].At; i < len(changes) && changes[i].At == at; i++ {
		if changes[i].What == Up {
			return false
		}
	}
	return true
}

// isolated returns the hosts outside the part of the network with the most
// hosts, in order of their indices.
func isolated(g *topo.Graph, down []uint8) []topo.NodeID {
	parent := make([]topo.NodeID, len(g.Nodes))
	for i := range parent {
		parent[i] = topo.NodeID(i)
	}
	root := func(n topo.NodeID) topo.NodeID {
		for parent[n] != n {
			parent[n] = parent[parent[n]]
			n = parent[n]
		}
		return n
	}
	for l := range g.Links {
		if down[l] == 0 {
			a, b := root(g.Links[l].A), root(g.Links[l].B)
			parent[max(a, b)] = min(a, b)
		}
	}
	hosts := make([]int32, len(g.Nodes))
	var largest topo.NodeID
	for _, h := range g.Hosts {
		r := root(h)
		hosts[r]++
		if hosts[r] > hosts[largest] {
			largest = r
		}
	}
	var out []topo.NodeID
	for _, h := range g.Hosts {
		if root(h) != largest {
			out = append(out, h)
		}
	}
	return out
}
