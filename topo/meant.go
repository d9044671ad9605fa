package topo

import (
	"regexp"
	"strconv"
	"strings"
)

// otherRange matches a number of a node, or two as a range in another notation: 0-15, host0-host15, host[0:15], 0..15.
var otherRange = regexp.MustCompile(`^([^\d\[\]:]*?)\[?(\d{1,9})(?:\s*(?:-|–|:|\.{2,3}|\bto\b)\s*([^\d\[\]:]*?)(\d{1,9}))?\]?$`)

// meant returns what to write for a number or a range of nodes in another notation; "" if a pattern is neither.
func (g *Graph) meant(pattern string) string {
	parts := otherRange.FindStringSubmatch(strings.TrimSpace(pattern))
	if parts == nil || parts[3] != "" && parts[3] != parts[1] || len(g.Hosts) == 0 {
		return ""
	}
	prefix, first, last := strings.TrimSpace(parts[1]), parts[2], parts[4]
	if last == "" && prefix != "" {
		return "" // a name
	}
	if prefix == "" {
		host := g.Nodes[g.Hosts[0]].Name
		if prefix = strings.TrimRight(host, "0123456789"); prefix == host {
			return "" // hosts have no numbers
		}
	}
	example := g.family(prefix)
	switch {
	case last == "" && g.names(prefix+first):
		return "write " + prefix + first + ", or a range as in " + example
	case last != "" && g.fits(prefix+first+".."+prefix+last):
		return "write " + prefix + first + ".." + prefix + last
	case example != "":
		return "write a range as in " + example
	}
	return ""
}

// names tells whether a node has a name.
func (g *Graph) names(name string) bool {
	for i := range g.Nodes {
		if g.Nodes[i].Name == name {
			return true
		}
	}
	return false
}

// fits tells whether a range names nodes, all of which there are.
func (g *Graph) fits(pattern string) bool {
	first, last, _ := strings.Cut(pattern, "..")
	_, err := g.rangeMatcher(pattern, first, last)
	return err == nil
}

// family names the first and the last of the nodes with a prefix and a number, "" if there are none.
func (g *Graph) family(prefix string) string {
	least, most := -1, -1
	for i := range g.Nodes {
		p, n, err := numbered(g.Nodes[i].Name)
		if err != nil || p != prefix {
			continue
		}
		if least < 0 || n < least {
			least = n
		}
		most = max(most, n)
	}
	if least < 0 {
		return ""
	}
	return prefix + strconv.Itoa(least) + ".." + prefix + strconv.Itoa(most)
}
