// Package topo describes networks as graphs of hosts, switches and full-duplex links. It
// builds the usual families of networks, and reads and writes graph files. It knows nothing
// of packets or time.
package topo

import (
	"strings"

	"weft/problem"
	"weft/unit"
)

// NodeID numbers the nodes of a graph, hosts and switches together, from 0.
type NodeID int32

// LinkID numbers the links of a graph from 0.
type LinkID int32

// PortID numbers directed links: of link l, port 2·l sends from A to B, and port 2·l+1 from
// B to A.
type PortID int32

// Kind distinguishes hosts from switches.
type Kind uint8

// The kinds of node.
const (
	Switch Kind = iota
	Host
)

// Node is a host or a switch.
type Node struct {
	// Name is unique in the graph, such as "tor3".
	Name string
	Kind Kind
	// Group is the group, pod or rack of a switch, counted from 1. It is 0 if there is
	// none, and for hosts.
	Group int32
	// Tier is 0 for hosts, 1 for switches with hosts, and rises upward. In flat graphs all
	// switches have tier 1.
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

// Graph is a network. Host i of the scenario is node Hosts[i]. Every host has exactly one
// link.
type Graph struct {
	Nodes []Node
	Links []Link
	Hosts []NodeID
	// Notes describe what was guessed when the graph was read from a file.
	Notes []string
}

// Port returns the direction of link l that sends from a node.
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

// Ends returns the node that sends on p, and the node that receives.
func (g *Graph) Ends(p PortID) (from, to NodeID) {
	l := &g.Links[p.Link()]
	if p&1 == 0 {
		return l.A, l.B
	}
	return l.B, l.A
}

// Node returns the named node.
func (g *Graph) Node(name string) (NodeID, bool) {
	for i := range g.Nodes {
		if g.Nodes[i].Name == name {
			return NodeID(i), true
		}
	}
	return 0, false
}

// Adjacency lists, for every node, the ports that send from it.
type Adjacency struct {
	offsets []int32
	ports   []PortID
}

// Adjacency returns the ports of every node.
func (g *Graph) Adjacency() Adjacency {
	a := Adjacency{
		offsets: make([]int32, len(g.Nodes)+1),
		ports:   make([]PortID, 2*len(g.Links)),
	}
	for _, l := range g.Links {
		a.offsets[l.A+1]++
		a.offsets[l.B+1]++
	}
	for i := range g.Nodes {
		a.offsets[i+1] += a.offsets[i]
	}
	next := make([]int32, len(g.Nodes))
	copy(next, a.offsets)
	for p := range PortID(2 * len(g.Links)) {
		from, _ := g.Ends(p)
		a.ports[next[from]] = p
		next[from]++
	}
	return a
}

// Ports returns the ports that send from n, in order of PortID. The caller must
// not change them.
func (a Adjacency) Ports(n NodeID) []PortID {
	return a.ports[a.offsets[n]:a.offsets[n+1]]
}

// String returns "switch" or "host".
func (k Kind) String() string {
	if k == Host {
		return "host"
	}
	return "switch"
}

// MarshalText returns the text of String.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads "host" or "switch"; "server" and "router" are synonyms.
func (k *Kind) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "host", "server":
		*k = Host
	case "switch", "router":
		*k = Switch
	default:
		return problem.New("unknown kind of node %q", shorten(string(text))).Mend("use host or switch")
	}
	return nil
}
