// Package topo describes networks as graphs of hosts, switches and full-duplex
// links, builds the usual families of them, and reads and writes graph files.
// It knows nothing of packets or of the passing of time.
package topo

import "weft/unit"

// NodeID numbers the nodes of a graph: hosts and switches together, from 0.
type NodeID int32

// LinkID numbers the links of a graph from 0.
type LinkID int32

// PortID numbers directed links: PortID 2·l sends from A to B of link l and
// 2·l+1 from B to A.
type PortID int32

// Kind tells hosts from switches.
type Kind uint8

// Kinds of node.
const (
	Switch Kind = iota
	Host
)

// Node is a host or a switch.
type Node struct {
	// Name is unique in the graph, such as "tor3".
	Name string
	Kind Kind
	// Tier is 0 for hosts, 1 for the switches that hosts hang on, and so on
	// upward; in flat graphs all switches have tier 1.
	Tier int
	// Latency is the traversal time of a switch; 0 for hosts.
	Latency unit.Time
}

// Link is a full-duplex cable. Both directions have the same rate and delay.
type Link struct {
	A, B  NodeID
	Rate  unit.Rate
	Delay unit.Time
}

// Graph is a network. Host i of the scenario is node Hosts[i]; every host has
// exactly one link.
type Graph struct {
	Nodes []Node
	Links []Link
	Hosts []NodeID
}

// Port returns the directed link of l that sends from node from.
func (g *Graph) Port(l LinkID, from NodeID) PortID {
	if g.Links[l].A == from {
		return PortID(2 * l)
	}
	return PortID(2*l + 1)
}

// Link returns the link that p is a direction of.
func (p PortID) Link() LinkID { return LinkID(p / 2) }

// Reverse returns the other direction of p's link.
func (p PortID) Reverse() PortID { return p ^ 1 }

// Ends returns the node that sends on p and the one that receives.
func (g *Graph) Ends(p PortID) (from, to NodeID) {
	l := &g.Links[p.Link()]
	if p&1 == 0 {
		return l.A, l.B
	}
	return l.B, l.A
}
