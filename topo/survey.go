package topo

import (
	"fmt"
	"strconv"
)

// Facts holds the counts of a graph that do not depend on paths.
type Facts struct {
	Switches, Hosts int
	// EdgeSwitches is the number of switches with hosts.
	EdgeSwitches int
	// Degree is the number of links of a switch to other switches (k'). Radix is the number
	// of all its links (k).
	Degree, Radix Range
	// HostsPerSwitch is the number of hosts of an edge switch (p).
	HostsPerSwitch Range
	// HostLinks, GroupLinks and GlobalLinks count the cables of hosts, between switches of
	// a group, and between groups. Without groups, all cables between switches are
	// GlobalLinks.
	HostLinks, GroupLinks, GlobalLinks int
	// Groups is the number of groups of switches, or 0 without groups.
	Groups int
}

// Range holds the least and the largest value of something.
type Range struct {
	Least int `json:"least"`
	Most  int `json:"most"`
}

// String writes one number if both are the same: 4, or 2 to 4.
func (r Range) String() string {
	if r.regular() {
		return strconv.Itoa(r.Least)
	}
	return fmt.Sprintf("%d to %d", r.Least, r.Most)
}

func (r Range) regular() bool { return r.Least == r.Most }

// Density is the number of cables per host, including the host's own (FatPaths, Appendix
// D-1).
func (f Facts) Density() float64 {
	if f.Hosts == 0 {
		return 0
	}
	return float64(f.HostLinks+f.GroupLinks+f.GlobalLinks) / float64(f.Hosts)
}

// Survey counts the nodes and links of g.
func Survey(g *Graph) Facts {
	f := Facts{Hosts: len(g.Hosts)}
	hosts := make([]int, len(g.Nodes))
	degree := make([]int, len(g.Nodes))
	for i := range g.Links {
		l := &g.Links[i]
		a, b := &g.Nodes[l.A], &g.Nodes[l.B]
		switch {
		case a.Kind == Host || b.Kind == Host:
			f.HostLinks++
			if a.Kind == Switch {
				hosts[l.A]++
			}
			if b.Kind == Switch {
				hosts[l.B]++
			}
			continue
		case a.Group > 0 && a.Group == b.Group:
			f.GroupLinks++
		default:
			f.GlobalLinks++
		}
		degree[l.A]++
		degree[l.B]++
	}
	for n := range g.Nodes {
		if g.Nodes[n].Kind != Switch {
			continue
		}
		f.Groups = max(f.Groups, int(g.Nodes[n].Group))
		f.Degree = f.Degree.with(degree[n], f.Switches == 0)
		f.Radix = f.Radix.with(degree[n]+hosts[n], f.Switches == 0)
		f.Switches++
		if hosts[n] > 0 {
			f.HostsPerSwitch = f.HostsPerSwitch.with(hosts[n], f.EdgeSwitches == 0)
			f.EdgeSwitches++
		}
	}
	return f
}

func (r Range) with(n int, first bool) Range {
	if first {
		return Range{n, n}
	}
	return Range{min(r.Least, n), max(r.Most, n)}
}
