package pagetest

import (
	"fmt"

	"weft/record"
	"weft/unit"
)

// Fabric is a made-up topology.
type Fabric struct {
	Nodes []record.Node
	Ports []record.Port
}

func (f *Fabric) node(tier int32, format string, numbers ...any) string {
	n := record.Node{Name: fmt.Sprintf(format, numbers...), Kind: "switch", Tier: tier}
	if tier == 0 {
		n.Kind = "host"
	}
	f.Nodes = append(f.Nodes, n)
	return n.Name
}

func (f *Fabric) link(a, b string) {
	for _, ends := range [][2]string{{a, b}, {b, a}} {
		f.Ports = append(f.Ports, record.Port{Name: ends[0] + "->" + ends[1], From: ends[0], To: ends[1], Rate: 400 * unit.Gbps})
	}
}

// LeafSpine is a tree of two tiers.
func LeafSpine(tors, hosts, spines int) *Fabric {
	f := &Fabric{}
	for t := range tors {
		tor := f.node(1, "tor%d", t)
		for s := range spines {
			if t == 0 {
				f.node(2, "spine%d", s)
			}
			f.link(tor, fmt.Sprintf("spine%d", s))
		}
		for h := range hosts {
			f.link(f.node(0, "host%d", t*hosts+h), tor)
		}
	}
	return f
}

// FatTree is a tree of three tiers of switches with k ports.
func FatTree(k int) *Fabric {
	f := &Fabric{}
	half := k / 2
	for c := range half * half {
		f.node(3, "core%d", c)
	}
	for p := range k {
		for a := range half {
			agg := f.node(2, "agg%d", p*half+a)
			for c := range half {
				f.link(agg, fmt.Sprintf("core%d", a*half+c))
			}
		}
		for e := range half {
			edge := f.node(1, "edge%d", p*half+e)
			for a := range half {
				f.link(edge, fmt.Sprintf("agg%d", p*half+a))
			}
			for h := range half {
				f.link(f.node(0, "host%d", (p*half+e)*half+h), edge)
			}
		}
	}
	return f
}

// Dragonfly has groups of routers that all know each other, and a link between each two
// groups; every router has hosts.
func Dragonfly(groups, routers, hosts int) *Fabric {
	f := &Fabric{}
	name := func(g, r int) string { return fmt.Sprintf("router%d", g*routers+r) }
	for g := range groups {
		for r := range routers {
			f.node(1, "router%d", g*routers+r)
			for o := range r {
				f.link(name(g, r), name(g, o))
			}
			for h := range hosts {
				f.link(f.node(0, "host%d", (g*routers+r)*hosts+h), name(g, r))
			}
		}
		for o := range g {
			f.link(name(g, o%routers), name(o, (g-1)%routers))
		}
	}
	return f
}
