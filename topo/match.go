package topo

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"weft/internal/nearest"
	"weft/problem"
)

// MatchNodes returns the nodes that match a pattern, in order of NodeID:
//
//	tor3            the node with that name
//	tor*, tor?      all nodes with matching names; * stands for any characters
//	                and ? for one
//	host0..host7    the nodes host0, host1 and so on up to host7; host0..7 is
//	                the same
//
// A pattern without a match is an error that suggests the most similar node.
func (g *Graph) MatchNodes(pattern string) ([]NodeID, error) {
	match, err := g.nodeMatcher(pattern)
	if err != nil {
		return nil, err
	}
	var nodes []NodeID
	for i := range g.Nodes {
		if match[i] {
			nodes = append(nodes, NodeID(i))
		}
	}
	return nodes, nil
}

// dashed splits a pattern that may be two nodes with a dash between them.
func (g *Graph) dashed(pattern string) (from, to string, ok bool) {
	for i, c := range pattern {
		if c != '-' {
			continue
		}
		from, to = strings.TrimSpace(pattern[:i]), strings.TrimSpace(pattern[i+1:])
		_, wrong := g.nodeMatcher(from)
		if _, err := g.nodeMatcher(to); err == nil && wrong == nil {
			return from, to, true
		}
	}
	return "", "", false
}

// MatchPorts returns the ports that match a pattern, in order of PortID. The pattern
// consists of one for the sending nodes, an arrow, and one for the receiving nodes, each as
// for MatchNodes: "tor0->spine*", "*->host0..host7". It matches all parallel links, unless
// a number from 0 selects one: "tor0->spine3#1". A pattern without a match is an error that
// suggests the most similar node, or lists linked nodes.
func (g *Graph) MatchPorts(pattern string) ([]PortID, error) {
	left, right, ok := strings.Cut(pattern, arrow)
	if !ok {
		all, one := pattern+arrow+"*", "tor0->spine1"
		if from, to, ok := g.dashed(pattern); ok {
			all, one = from+arrow+"*", from+arrow+to
		}
		return nil, problem.New("port pattern %q has no arrow", pattern).Mend("write %q for all ports of a switch or %q for one", all, one)
	}
	right, place, placed := strings.Cut(right, hash)
	number := -1
	if placed && place != "*" {
		n, err := strconv.Atoi(place)
		if err != nil || n < 0 {
			return nil, problem.New("port pattern %q ends in %q", pattern, hash+place).Mend("write the number among parallel links as in %q", hash+"1")
		}
		number = n
	}
	from, err := g.nodeMatcher(strings.TrimSpace(left))
	if err != nil {
		return nil, fmt.Errorf("port pattern %q: %w", pattern, err)
	}
	to, err := g.nodeMatcher(strings.TrimSpace(right))
	if err != nil {
		return nil, fmt.Errorf("port pattern %q: %w", pattern, err)
	}
	var parallels []int32
	if number >= 0 {
		parallels = g.parallels()
	}
	var ports []PortID
	linked := false
	for p := range PortID(2 * len(g.Links)) {
		a, b := g.Ends(p)
		if !from[a] || !to[b] {
			continue
		}
		linked = true
		if number < 0 || int(parallels[p.Link()]) == number {
			ports = append(ports, p)
		}
	}
	switch {
	case ports != nil:
		return ports, nil
	case linked:
		return nil, fmt.Errorf("port pattern %q: there are no %d parallel links; they are counted from %s0", pattern, number+1, hash)
	}
	return nil, fmt.Errorf("port pattern %q: no link goes from %s to %s; %s", pattern, strings.TrimSpace(left), strings.TrimSpace(right), g.neighbours(from))
}

// neighbours describes what the first of the given nodes is linked to.
func (g *Graph) neighbours(nodes []bool) string {
	const most = 8
	n := 0
	for !nodes[n] {
		n++
	}
	var names []string
	more := 0
	for p := range PortID(2 * len(g.Links)) {
		from, to := g.Ends(p)
		switch {
		case from != NodeID(n):
		case len(names) < most:
			names = append(names, g.Nodes[to].Name)
		default:
			more++
		}
	}
	text := g.Nodes[n].Name + " is linked to " + strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// nodeMatcher reports for each node whether the pattern matches it. It fails if the pattern
// matches none.
func (g *Graph) nodeMatcher(pattern string) ([]bool, error) {
	if first, last, ok := strings.Cut(pattern, ".."); ok {
		if prefix, _, _, _ := bounds(first, last); prefix == "" || strings.HasPrefix(last, ".") {
			if form := g.meant(pattern); form != "" {
				return nil, problem.New("the range %q names no nodes", shorten(pattern)).Mend("%s", form)
			}
		}
		return g.rangeMatcher(pattern, first, last)
	}
	match := make([]bool, len(g.Nodes))
	found := false
	for i := range g.Nodes {
		if glob(pattern, g.Nodes[i].Name) {
			match[i], found = true, true
		}
	}
	if !found {
		if form := g.meant(pattern); form != "" {
			return nil, problem.New("no node is named %q", pattern).Mend("%s", form)
		}
		return nil, g.noNode(pattern)
	}
	return match, nil
}

func (g *Graph) rangeMatcher(pattern, first, last string) ([]bool, error) {
	prefix, from, to, err := bounds(first, last)
	if err != nil {
		return nil, rangeError(pattern)
	}
	match := make([]bool, len(g.Nodes))
	// A range longer than the number of nodes has a missing member among the first ones.
	there := make([]bool, min(to-from, len(g.Nodes))+1)
	for i := range g.Nodes {
		p, n, err := numbered(g.Nodes[i].Name)
		if err != nil || p != prefix || n < from || n > to {
			continue
		}
		match[i] = true
		if n-from < len(there) {
			there[n-from] = true
		}
	}
	for i, ok := range there {
		if !ok {
			return nil, fmt.Errorf("the range %q: %w", pattern, g.noNode(prefix+strconv.Itoa(from+i)))
		}
	}
	return match, nil
}

func rangeError(pattern string) error {
	return problem.New("%q is not a range of nodes", shorten(pattern)).Mend("write it as in %q", "host0..host7")
}

// bounds parses the first and the last name of a range, which have the same prefix. The
// last may be a bare number.
func bounds(first, last string) (prefix string, from, to int, err error) {
	prefix, from, err = numbered(first)
	if err != nil {
		return "", 0, 0, err
	}
	lastPrefix, to, err := numbered(last)
	if err == nil && (from > to || lastPrefix != "" && lastPrefix != prefix) {
		err = errors.New("no range")
	}
	return prefix, from, to, err
}

// numbered splits a name into a prefix and the number at its end.
func numbered(name string) (prefix string, number int, err error) {
	prefix = strings.TrimRight(name, "0123456789")
	number, err = strconv.Atoi(name[len(prefix):])
	return prefix, number, err
}

func (g *Graph) noNode(pattern string) error {
	names := make([]string, len(g.Nodes))
	for i := range g.Nodes {
		names[i] = g.Nodes[i].Name
	}
	verb := "is named"
	if strings.ContainsAny(pattern, "*?") {
		verb = "fits"
	}
	if text := g.numbers(pattern); text != "" {
		return problem.New("no node %s %q", verb, pattern).Mend("there are %s", text)
	}
	literal := strings.NewReplacer("*", "", "?", "").Replace(pattern)
	if near, ok := nearest.Name(literal, names); ok {
		return problem.New("no node %s %q", verb, pattern).Mend("did you mean %q?", near)
	}
	return problem.New("no node %s %q", verb, pattern).Mend("there are %s", g.families())
}

// numbers returns the range of nodes with the prefix of a name whose number is out of
// range, such as "host0..host7" for host9. It returns "" if there are no such nodes.
func (g *Graph) numbers(name string) string {
	prefix, number, err := numbered(name)
	if err != nil || prefix == "" {
		return ""
	}
	least, most := -1, -1
	var first, last string
	for i := range g.Nodes {
		p, n, err := numbered(g.Nodes[i].Name)
		if err != nil || p != prefix {
			continue
		}
		if least < 0 || n < least {
			least, first = n, g.Nodes[i].Name
		}
		if n > most {
			most, last = n, g.Nodes[i].Name
		}
	}
	if least == most || number >= least && number <= most {
		return ""
	}
	return first + ".." + last
}

// families lists the prefixes of the nodes' names as ranges, such as "host0..host127,
// tor0..tor15".
func (g *Graph) families() string {
	const most = 6
	type family struct{ first, last string }
	var families []family
	index := map[string]int{}
	for i := range g.Nodes {
		name := g.Nodes[i].Name
		prefix := strings.TrimRight(name, "0123456789")
		f, ok := index[prefix]
		if !ok {
			index[prefix] = len(families)
			families = append(families, family{first: name, last: name})
			continue
		}
		families[f].last = name
	}
	var texts []string
	for _, f := range families[:min(most, len(families))] {
		if f.first == f.last {
			texts = append(texts, f.first)
		} else {
			texts = append(texts, f.first+".."+f.last)
		}
	}
	if len(families) > most {
		texts = append(texts, "and more")
	}
	return strings.Join(texts, ", ")
}

// glob reports whether name matches pattern, where * stands for any characters and ? for
// one.
func glob(pattern, name string) bool {
	// On a mismatch, the last star takes one more character. Earlier stars need no second
	// try.
	star, restart := -1, 0
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, restart = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			restart++
			p, n = star+1, restart
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
