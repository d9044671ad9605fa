package topo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"weft/problem"
)

// This file interprets what sources leave open or write in their own ways, and adds notes
// about it.

// hostName matches names that only hosts have, for sources without kinds.
var hostName = regexp.MustCompile(`(?i)^(h|srv|server|pc)[_-]?[0-9]+$`)

// note adds a note about a guess, for the user.
func (a *assembly) note(format string, args ...any) {
	a.graph.Notes = append(a.graph.Notes, fmt.Sprintf(format, args...))
}

// spaceless replaces spaces in a name by underscores, since patterns cannot contain spaces.
func (a *assembly) spaceless(name string) string {
	if !strings.ContainsFunc(name, unicode.IsSpace) {
		return name
	}
	plain := strings.Join(strings.Fields(name), "_")
	if a.spaced == nil {
		a.spaced = map[string]string{}
	}
	a.spaced[plain] = name
	return plain
}

// noteSpaces adds a note about names that had spaces.
func (a *assembly) noteSpaces() {
	if len(a.spaced) == 0 {
		return
	}
	for i := range a.graph.Nodes {
		name := a.graph.Nodes[i].Name
		was, ok := a.spaced[name]
		if !ok {
			continue
		}
		if n := len(a.spaced); n > 1 {
			a.note("%d names have spaces, which are _ here: %q is %s, and so on", n, was, name)
		} else {
			a.note("a name has spaces, which are _ here: %q is %s", was, name)
		}
		return
	}
}

// findHosts guesses the hosts of a graph without hosts. Hosts must have one link and no
// stated kind. If some of these nodes have the name of a host, only they become hosts;
// otherwise all do.
func (a *assembly) findHosts() {
	g := &a.graph
	if len(g.Hosts) > 0 || a.defaults.HostsPerSwitch != 0 || len(a.noKind) != len(g.Nodes) {
		return
	}
	degrees := make([]int, len(g.Nodes))
	for _, l := range g.Links {
		degrees[l.A]++
		degrees[l.B]++
	}
	var named, leaves []NodeID
	for i := range g.Nodes {
		if !a.noKind[i] || g.Nodes[i].Tier != 0 || degrees[i] != 1 {
			continue
		}
		leaves = append(leaves, NodeID(i))
		if hostName.MatchString(g.Nodes[i].Name) {
			named = append(named, NodeID(i))
		}
	}
	hosts, by := named, "by their names"
	if len(hosts) == 0 && len(leaves) < len(g.Nodes) {
		hosts, by = leaves, "since they have one link"
	}
	if len(hosts) < 2 {
		return
	}
	for _, h := range hosts {
		g.Nodes[h] = Node{Name: g.Nodes[h].Name, Kind: Host, Latency: g.Nodes[h].Latency}
		a.open[h] = false
	}
	g.Hosts = hosts
	for _, l := range a.atUplinkRate {
		if link := &g.Links[l]; g.Nodes[link.A].Kind == Host || g.Nodes[link.B].Kind == Host {
			link.Rate = a.defaults.Rate
		}
	}
	a.note("%d nodes are taken as hosts %s: %s; give nodes the kind host or switch to say otherwise", len(hosts), by, g.someNames(hosts))
}

// someNames lists the names of nodes. If there are many, it leaves out the middle ones.
func (g *Graph) someNames(nodes []NodeID) string {
	const most = 4
	names := make([]string, 0, most)
	for _, n := range nodes[:min(len(nodes), most)] {
		names = append(names, g.Nodes[n].Name)
	}
	if len(nodes) > most {
		names = append(names[:most-1], "…", g.Nodes[nodes[len(nodes)-1]].Name)
	}
	return strings.Join(names, ", ")
}

// arrows makes links from directed edges. Two edges in opposite directions are one link.
type arrows struct {
	assembly *assembly
	// opposites holds the edges whose opposite has not been read yet.
	opposites    map[[2]string]linkText
	edges, pairs int
}

func newArrows(a *assembly) *arrows {
	return &arrows{assembly: a, opposites: map[[2]string]linkText{}}
}

// isOpposite reports whether an edge is the opposite of an earlier one.
func (x *arrows) isOpposite(l linkText) (there bool, err error) {
	x.edges++
	other, ok := x.opposites[[2]string{l.b, l.a}]
	if !ok {
		x.opposites[[2]string{l.a, l.b}] = l
		return false, nil
	}
	delete(x.opposites, [2]string{l.b, l.a})
	if !same(l.rate, other.rate) || !same(l.delay, other.delay) {
		return true, unlikeDirections()
	}
	x.pairs++
	return true, nil
}

func unlikeDirections() error {
	return problem.New("its two directions differ in rate or delay, but links are full duplex").Mend("write the same for both")
}

// note adds a note about directed edges.
func (x *arrows) note() {
	switch {
	case x.edges == 0:
	case x.pairs == 0:
		x.assembly.note("%d edges are directed; each is a full-duplex link here", x.edges)
	default:
		x.assembly.note("%d edges are directed; they are %d full-duplex links here, %d of them by two edges in opposite directions", x.edges, x.edges-x.pairs, x.pairs)
	}
}

func same[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// lonePair refuses two hosts that are linked to each other.
func (a *assembly) lonePair() error {
	g := &a.graph
	i := slices.IndexFunc(g.Links, func(l Link) bool { return g.Nodes[l.A].Kind == Host && g.Nodes[l.B].Kind == Host })
	if a.inline || i < 0 {
		return nil
	}
	l := &g.Links[i]
	return a.errorf(a.linkAt[i], "%w", problem.New("hosts %q and %q are linked to each other", g.Nodes[l.A].Name, g.Nodes[l.B].Name).Mend("put a switch between them"))
}
