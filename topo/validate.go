package topo

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Limits on the size of a graph, from identifiers and memory. They are far beyond what a
// packet simulator can run.
const (
	maxNodes = 1 << 25
	maxLinks = 1 << 28
)

// MaxHosts is the most hosts of a graph: packets name their hosts in 24 bits.
const MaxHosts = 1 << 24

func tooManyHosts(n int) string {
	return fmt.Sprintf("%d hosts are too many; packets name hosts in 24 bits, so at most %d are possible", n, MaxHosts)
}

// Validate returns an error if g is not a network. A name must not be empty, repeated or
// unusable in patterns. A link must join two nodes, with a positive rate and no negative
// delay. A host must have exactly one link, and the graph must be connected. The error
// describes the first problem, and names the node or link.
func (g *Graph) Validate() error {
	if p := g.defect(); p != nil {
		return errors.New(p.text)
	}
	return nil
}

// defect is a mistake in a graph, with its node or link. The other of the two is -1.
type defect struct {
	node NodeID
	link LinkID
	text string
}

func nodeDefect(n NodeID, format string, args ...any) *defect {
	return &defect{node: n, link: -1, text: fmt.Sprintf(format, args...)}
}

func linkDefect(l LinkID, format string, args ...any) *defect {
	return &defect{node: -1, link: l, text: fmt.Sprintf(format, args...)}
}

func (g *Graph) defect() *defect {
	if len(g.Nodes) > maxNodes || len(g.Links) > maxLinks {
		return &defect{node: -1, link: -1, text: fmt.Sprintf("the graph has %d nodes and %d links; at most %d and %d are possible", len(g.Nodes), len(g.Links), maxNodes, maxLinks)}
	}
	if n := len(g.Hosts); n > MaxHosts {
		return &defect{node: -1, link: -1, text: tooManyHosts(n)}
	}
	if p := g.nodeDefect(); p != nil {
		return p
	}
	if p := g.linkDefect(); p != nil {
		return p
	}
	return g.hostProblem()
}

func (g *Graph) nodeDefect() *defect {
	seen := make(map[string]struct{}, len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if text := nameProblem(n.Name); text != "" {
			return nodeDefect(NodeID(i), "%s", text)
		}
		if _, twice := seen[n.Name]; twice {
			return nodeDefect(NodeID(i), "two nodes are named %q; names are unique", n.Name)
		}
		seen[n.Name] = struct{}{}
		if n.Latency < 0 {
			return nodeDefect(NodeID(i), "switch %q has the negative latency %v", n.Name, n.Latency)
		}
		if n.Kind == Host && n.Latency != 0 {
			return nodeDefect(NodeID(i), "host %q has a latency of %v; only switches have one", n.Name, n.Latency)
		}
	}
	return nil
}

// nameProblem describes what is wrong with a node's name, or returns "".
func nameProblem(name string) string {
	const (
		reserved = `*?[]#,"'`
		longest  = 128
	)
	switch {
	case name == "":
		return "a node has no name"
	case len(name) > longest:
		return fmt.Sprintf("node name %q has %d bytes; the most is %d", shorten(name), len(name), longest)
	case strings.Contains(name, "->") || strings.Contains(name, ".."):
		return fmt.Sprintf("node name %q contains %q or %q, which patterns use", name, "->", "..")
	case strings.ContainsAny(name, reserved):
		return fmt.Sprintf("node name %q contains one of %s, which patterns use", name, reserved)
	}
	for _, r := range name {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return fmt.Sprintf("node name %q contains %q; use letters, digits and marks such as - and _", name, r)
		}
	}
	return ""
}

func (g *Graph) linkDefect() *defect {
	for i := range g.Links {
		l := &g.Links[i]
		id := LinkID(i)
		if l.A < 0 || int(l.A) >= len(g.Nodes) || l.B < 0 || int(l.B) >= len(g.Nodes) {
			return linkDefect(id, "link %d joins nodes %d and %d of a graph of %d", i, l.A, l.B, len(g.Nodes))
		}
		a, b := &g.Nodes[l.A], &g.Nodes[l.B]
		switch {
		case l.A == l.B:
			return linkDefect(id, "%q is linked to itself; leave the link out", a.Name)
		case l.Rate <= 0:
			return linkDefect(id, "the link of %q and %q has the rate %v; it must be more than 0", a.Name, b.Name, l.Rate)
		case l.Delay < 0:
			return linkDefect(id, "the link of %q and %q has the negative delay %v", a.Name, b.Name, l.Delay)
		case a.Kind == Host && b.Kind == Host && len(g.Nodes) > 2:
			return linkDefect(id, "hosts %q and %q are linked to each other; link each to a switch", a.Name, b.Name)
		}
	}
	return nil
}

// hostProblem checks the list of hosts and their links, and that the graph is connected.
func (g *Graph) hostProblem() *defect {
	listed := make([]bool, len(g.Nodes))
	for i, h := range g.Hosts {
		if h < 0 || int(h) >= len(g.Nodes) || g.Nodes[h].Kind != Host || listed[h] {
			return &defect{node: -1, link: -1, text: fmt.Sprintf("entry %d of the list of hosts is not a host, or is there twice", i)}
		}
		listed[h] = true
	}
	degrees := make([]int, len(g.Nodes))
	for _, l := range g.Links {
		degrees[l.A]++
		degrees[l.B]++
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch {
		case n.Kind == Host && !listed[i]:
			return nodeDefect(NodeID(i), "host %q is not in the list of hosts", n.Name)
		case n.Kind == Host && degrees[i] == 0:
			return nodeDefect(NodeID(i), "host %q has no link; link it to a switch, or leave it out", n.Name)
		case n.Kind == Host && degrees[i] > 1:
			return linkDefect(g.secondLink(NodeID(i)), "host %q has %d links; a host has exactly one: leave the others out, or make each NIC a host of its own", n.Name, degrees[i])
		}
	}
	if len(g.Hosts) == 0 {
		return &defect{node: -1, link: -1, text: "the graph has no hosts"}
	}
	return g.partsProblem()
}

// secondLink returns the second link of a node that has several.
func (g *Graph) secondLink(n NodeID) LinkID {
	first := true
	for i, l := range g.Links {
		switch {
		case l.A != n && l.B != n:
		case first:
			first = false
		default:
			return LinkID(i)
		}
	}
	return -1
}

// partsProblem checks that the graph is connected. Hosts that cannot reach each other
// matter more than an unused switch, so they are reported first.
func (g *Graph) partsProblem() *defect {
	parts := newUnions(len(g.Nodes))
	for _, l := range g.Links {
		parts.join(int32(l.A), int32(l.B))
	}
	first := g.Hosts[0]
	connected := func(n NodeID) bool { return parts.find(int32(n)) == parts.find(int32(first)) }
	count := 0
	for i := range g.Nodes {
		if parts.find(int32(i)) == int32(i) {
			count++
		}
	}
	if count == 1 {
		return nil
	}
	for _, h := range g.Hosts {
		if !connected(h) {
			return nodeDefect(h, "hosts %q and %q cannot reach each other: the graph has %d separate parts; link them, or keep one part", g.Nodes[first].Name, g.Nodes[h].Name, count)
		}
	}
	for i := range g.Nodes {
		if !connected(NodeID(i)) {
			return nodeDefect(NodeID(i), "switch %q is not connected to %q; link it, or leave it out", g.Nodes[i].Name, g.Nodes[first].Name)
		}
	}
	return nil
}
