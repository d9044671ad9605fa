package fault

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// cut describes the first time at which hosts are cut off.
type cut struct {
	at    unit.Time
	hosts []string
	// last reports whether hosts are still cut off when the changes end.
	last bool
}

// String names the cut-off hosts.
func (c *cut) String() string {
	const most = 4
	names := slices.Clone(c.hosts[:min(most, len(c.hosts))])
	if len(c.hosts) > most {
		names = append(names, fmt.Sprintf("and %d more", len(c.hosts)-most))
	}
	text := fmt.Sprintf("at %v faults cut off %s: no path to the other hosts has links that all work both ways", c.at, strings.Join(names, ", "))
	if c.last {
		text += "; hosts stay cut off to the end, so messages from and to them cannot finish"
	}
	return text
}

// links records which directions of links are dead: down, or losing every frame.
type links struct {
	dead []uint8 // number of dead directions, per link
	why  []uint8 // reasons why a port is dead, per port
	hash uint64  // sum over the dead ports
}

// Reasons why a port is dead.
const (
	isDown uint8 = 1 << iota
	losesAll
)

func noneDead(g *topo.Graph) links {
	return links{dead: make([]uint8, len(g.Links)), why: make([]uint8, 2*len(g.Links))}
}

func (s *links) clone() links {
	return links{slices.Clone(s.dead), slices.Clone(s.why), s.hash}
}

func (s *links) apply(c Change) {
	was := s.why[c.Port]
	is := was
	switch {
	case c.What == Down:
		is |= isDown
	case c.What == Up:
		is &^= isDown
	case c.What == SetLoss && c.Loss >= 1:
		is |= losesAll
	case c.What == SetLoss:
		is &^= losesAll
	}
	s.why[c.Port] = is
	switch {
	case was == 0 && is != 0:
		s.dead[c.Port.Link()]++
		s.hash += sim.Mix(uint64(c.Port))
	case was != 0 && is == 0:
		s.dead[c.Port.Link()]--
		s.hash -= sim.Mix(uint64(c.Port))
	}
}

// cutOff reports whether, and when first, changes leave hosts without a path to the
// other hosts on which every link works in both directions.
func cutOff(g *topo.Graph, changes []Change) (first cut, found bool) {
	now := noneDead(g)
	before := noneDead(g) // the state that was checked last
	last := 0
	// Flapping links fail again and again: check each set of dead links once.
	seen := map[uint64]int{}
	looked := 0 // changes up to the state that was checked last
	for i := 0; i < len(changes); {
		at := changes[i].At
		for ; i < len(changes) && changes[i].At == at; i++ {
			now.apply(changes[i])
		}
		// While links only fail, the last state cuts off the most hosts.
		if i < len(changes) && onlyDowns(changes, i) {
			continue
		}
		n, ok := seen[now.hash]
		if !ok {
			hosts := isolated(g, now.dead)
			n = len(hosts)
			seen[now.hash] = n
			if n > 0 && !found {
				found = true
				first = firstCut(g, before, changes[looked:i])
			}
		}
		last = n
		for ; looked < i; looked++ {
			before.apply(changes[looked])
		}
	}
	first.last = last > 0
	return first, found
}

// firstCut returns the first cut in a run of changes whose last state has one. At
// all instants but the first, links only fail.
func firstCut(g *topo.Graph, from links, run []Change) cut {
	var ends []int // of the changes of each instant
	for i := range run {
		if i+1 == len(run) || run[i+1].At != run[i].At {
			ends = append(ends, i+1)
		}
	}
	after := func(instant int) []topo.NodeID {
		state := from.clone()
		for _, c := range run[:ends[instant]] {
			state.apply(c)
		}
		return isolated(g, state.dead)
	}
	i := sort.Search(len(ends)-1, func(i int) bool { return len(after(i)) > 0 })
	c := cut{at: run[ends[i]-1].At}
	for _, h := range after(i) {
		c.hosts = append(c.hosts, g.Nodes[h].Name)
	}
	return c
}

// onlyDowns reports whether no port can recover at the instant of changes[i].
func onlyDowns(changes []Change, i int) bool {
	for at := changes[i].At; i < len(changes) && changes[i].At == at; i++ {
		if c := &changes[i]; c.What == Up || c.What == SetLoss && c.Loss < 1 {
			return false
		}
	}
	return true
}

// isolated returns the hosts outside the component with the most hosts, ordered by index.
func isolated(g *topo.Graph, dead []uint8) []topo.NodeID {
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
		if dead[l] == 0 {
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
