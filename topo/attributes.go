package topo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/problem"
	"weft/unit"
)

// The attributes of nodes and links in formats with named attributes. If a meaning has
// several names, the first is written and takes precedence.
const (
	attributeKind       = "kind"
	attributeTier       = "tier"
	attributeLatency    = "latency"
	attributeGroup      = "group"
	attributeHostNumber = "host_number"
	attributeRate       = "rate"
	attributeDelay      = "delay"
	attributeKey        = "key"
)

func kindNames() []string    { return []string{attributeKind, "role"} }
func latencyNames() []string { return []string{attributeLatency, "switch_latency"} }
func rateNames() []string    { return []string{attributeRate, "capacity", "bandwidth"} }
func delayNames() []string   { return []string{attributeDelay, "latency"} }

// attributes are the attributes of a node or link in a source. There are never more than a
// few, so a list is smaller and faster than a map.
type attributes []attribute

type attribute struct{ name, value string }

// knownAttribute returns weft's name of an attribute, ignoring case, and reports whether
// weft knows it.
func knownAttribute(name string) (string, bool) {
	name = strings.ToLower(name)
	switch name {
	case attributeKind, attributeTier, attributeLatency, attributeGroup, attributeHostNumber, attributeRate, attributeDelay, attributeKey,
		"role", "switch_latency", "capacity", "bandwidth":
		return name, true
	}
	return "", false
}

// set sets a value if weft knows its name, replacing an earlier one.
func (a *attributes) set(name, value string) {
	name, known := knownAttribute(name)
	if !known {
		return
	}
	for i := range *a {
		if (*a)[i].name == name {
			(*a)[i].value = value
			return
		}
	}
	*a = append(*a, attribute{name, value})
}

// readAttribute parses the first of the names that a has. It returns nil if there is none.
func readAttribute[T any](a attributes, parse func(string) (T, error), names ...string) (*T, error) {
	for _, name := range names {
		i := slices.IndexFunc(a, func(x attribute) bool { return x.name == name })
		if i < 0 {
			continue
		}
		v, err := parse(strings.TrimSpace(a[i].value))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return &v, nil
	}
	return nil, nil
}

// node interprets the attributes of a node.
func (a attributes) node(name string) (n nodeText, err error) {
	n.name = name
	if n.kind, err = readAttribute(a, parseKind, kindNames()...); err != nil {
		return n, err
	}
	if n.latency, err = readAttribute(a, unit.ParseTime, latencyNames()...); err != nil {
		return n, err
	}
	if n.hostNumber, err = readAttribute(a, parseHostNumber, attributeHostNumber); err != nil {
		return n, err
	}
	tier, err := readAttribute(a, parseTier, attributeTier)
	if tier != nil {
		n.tier = *tier
	}
	// Other programs name groups, or number them from 0.
	if group, notOurs := readAttribute(a, parseGroup, attributeGroup); notOurs == nil && group != nil {
		n.group = *group
	}
	return n, err
}

// link interprets the attributes of a link between two nodes.
func (a attributes) link(x, y string) (l linkText, err error) {
	l.a, l.b = x, y
	if l.rate, err = readAttribute(a, unit.ParseRate, rateNames()...); err != nil {
		return l, err
	}
	if l.delay, err = readAttribute(a, unit.ParseTime, delayNames()...); err != nil {
		return l, err
	}
	key, err := readAttribute(a, func(s string) (string, error) { return s, nil }, attributeKey)
	if key != nil {
		l.key = *key
	}
	return l, err
}

func parseKind(text string) (k Kind, err error) {
	err = k.UnmarshalText([]byte(text))
	return k, err
}

func parseTier(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxNodes {
		return 0, problem.New("%q is not a tier", shorten(text)).Mend("write a whole number from 1")
	}
	return n, nil
}

func parseGroup(text string) (int32, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return 0, problem.New("%q is not a group", shorten(text)).Mend("write a whole number from 1")
	}
	return int32(n), nil
}

func parseHostNumber(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= maxNodes {
		return 0, problem.New("%q is not a host number", shorten(text)).Mend("write a whole number from 0")
	}
	return n, nil
}

// nodeAttributes returns the attributes to write for a node. They include the number of a
// host if the hosts are not in the order of the nodes.
func (g *Graph) nodeAttributes(id NodeID, hostNumbers []int) attributes {
	n := &g.Nodes[id]
	a := attributes{{attributeKind, n.Kind.String()}}
	switch {
	case n.Kind == Switch:
		a = append(a, attribute{attributeTier, strconv.Itoa(n.Tier)}, attribute{attributeLatency, n.Latency.String()})
		if n.Group > 0 {
			a = append(a, attribute{attributeGroup, strconv.Itoa(int(n.Group))})
		}
	case hostNumbers != nil:
		a = append(a, attribute{attributeHostNumber, strconv.Itoa(hostNumbers[id])})
	}
	return a
}

// hostNumbers returns the number of each host by its node. It returns nil if hosts are
// numbered in the order of the nodes.
func (g *Graph) hostNumbers() []int {
	if slices.IsSorted(g.Hosts) {
		return nil
	}
	numbers := make([]int, len(g.Nodes))
	for i, h := range g.Hosts {
		numbers[h] = i
	}
	return numbers
}
