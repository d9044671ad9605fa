package topo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/problem"
	"weft/unit"
)

// Attributes of nodes and links in formats that have named ones. Where a meaning
// has several names, the first of them is written and counts before the others.
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

// attributes are what a source says of a node or of a link. There are never more
// than a few, so that a list is smaller and quicker than a map.
type attributes []attribute

type attribute struct{ name, value string }

// knownAttribute returns the name of an attribute as weft has it, whatever the
// case, and whether weft knows it at all.
func knownAttribute(name string) (string, bool) {
	name = strings.ToLower(name)
	switch name {
	case attributeKind, attributeTier, attributeLatency, attributeGroup, attributeHostNumber, attributeRate, attributeDelay, attributeKey,
		"role", "switch_latency", "capacity", "bandwidth":
		return name, true
	}
	return "", false
}

// set keeps a value if weft knows its name, in place of an earlier one.
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

// readAttribute reads the first of the names that a has, or returns nil.
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

// node reads the attributes of a node.
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
	// Others give groups names, or number them from 0.
	if group, notOurs := readAttribute(a, parseGroup, attributeGroup); notOurs == nil && group != nil {
		n.group = *group
	}
	return n, err
}

// link reads the attributes of a link of two nodes.
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

// nodeAttributes returns what is written of a node. The number of a host is, if
// the hosts are not in the order of the nodes.
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

// hostNumbers returns the number of every host by its node, or nil if hosts are
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
