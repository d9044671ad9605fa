package topo

import "strconv"

// The name of a port joins the names of its two nodes with an arrow. Parallel links are
// numbered from 0 after a hash mark; 0 is left out.
const (
	arrow = "->"
	hash  = "#"
)

// PortName returns the name of a port, such as "tor0->spine3". The second and third of
// parallel links are "tor0->spine3#1" and "tor0->spine3#2". It looks at all links, so
// PortNames is faster for the names of many ports.
func (g *Graph) PortName(p PortID) string {
	pair := g.pair(p.Link())
	n := 0
	for l := range p.Link() {
		if g.pair(l) == pair {
			n++
		}
	}
	return g.portName(p, n)
}

// PortNames returns the names of all ports, indexed by PortID.
func (g *Graph) PortNames() []string {
	names := make([]string, 2*len(g.Links))
	for l, n := range g.parallels() {
		p := PortID(2 * l)
		names[p] = g.portName(p, int(n))
		names[p.Reverse()] = g.portName(p.Reverse(), int(n))
	}
	return names
}

func (g *Graph) portName(p PortID, n int) string {
	from, to := g.Ends(p)
	name := g.Nodes[from].Name + arrow + g.Nodes[to].Name
	if n > 0 {
		name += hash + strconv.Itoa(n)
	}
	return name
}

// parallels returns, for each link, the number of earlier links between the same two nodes.
func (g *Graph) parallels() []int32 {
	n := make([]int32, len(g.Links))
	seen := make(map[[2]NodeID]int32, len(g.Links))
	for l := range g.Links {
		pair := g.pair(LinkID(l))
		n[l] = seen[pair]
		seen[pair]++
	}
	return n
}

// pair returns the two nodes of l, the lower one first.
func (g *Graph) pair(l LinkID) [2]NodeID {
	k := &g.Links[l]
	return [2]NodeID{min(k.A, k.B), max(k.A, k.B)}
}
