package route

import (
	"fmt"

	"weft/problem"
	"weft/topo"
	"weft/unit"
)

// Detours defines when packets leave the minimal paths of tables for an intermediate
// switch. They reach it, and continue from it, on minimal paths.
// docs/design/0013-detours.md describes how switches decide.
type Detours struct {
	Decide Decision
	// ByGroup makes groups of switches the intermediates. A detour then ends where it
	// enters the group, and there are no detours within a group. Otherwise intermediates
	// are switches with hosts.
	ByGroup bool
	// Threshold is how much longer the queues of the minimal path must be than the
	// detour's. With local information, queues are weighted by the links of their path. A
	// negative value means one frame per link of the longest minimal path.
	Threshold unit.Bytes
	// Delay is, for ByAllQueues, the least age of a switch's information about other
	// switches' queues, and the interval of its updates.
	Delay unit.Time
	// Flowlet, if not 0, is the pause of a flow after which a switch decides again. Without
	// such a pause it keeps its decision, in a table of Flowlets entries.
	Flowlet  unit.Time
	Flowlets int
}

// Decision is the rule by which the first switch decides whether a packet takes a detour.
type Decision uint8

// Decisions.
const (
	// Always takes a detour (Valiant).
	Always Decision = iota
	// ByLocalQueues compares the switch's own queues, multiplied by path lengths (UGAL-L).
	ByLocalQueues
	// ByAllQueues compares the sums of queues along both paths. That is UGAL-G of Slim Fly
	// (SC 2014), with one candidate. Departure from Kim et al. (ISCA 2008): they compare
	// q·H, as ByLocalQueues does, with the queues of the global channels of the source's
	// group, which are known without delay.
	ByAllQueues
	// Progressively decides like ByLocalQueues, and again at the second switch in the
	// source's group (PAR). Jiang et al. (ISCA 2009) decide again at each hop in that
	// group. If groups are cliques, there is only one such hop.
	Progressively
)

// defaultDelay is the delay of a few hops with usual links, and short compared with the
// time in which a queue fills.
const defaultDelay = unit.Microsecond

// byGroup selects groups as intermediates, or paths by groups.
const (
	byGroup   = "group"
	autoPaths = "auto"
	// byDimensions selects paths by dimensions.
	byDimensions = "dimensions"
)

// Intermediates holds the options that all detours share.
type Intermediates struct {
	Intermediate string `yaml:"intermediate" default:"switch" enum:"switch,group" doc:"What is drawn: a switch with hosts; or a group, where the detour ends as soon as it is entered, and packets within a group take none." source:"Kim et al., ISCA 2008, §4.1 (group)"`
	Paths        string `yaml:"paths" default:"auto" enum:"auto,links,groups,dimensions" doc:"What minimal paths have fewest of: links, or links between groups first. auto: groups, where any two switches of a group are linked, and any two groups (Dragonfly); links elsewhere. dimensions: links, and of these paths those that correct one coordinate after another, as dor does." source:"Kim et al., ISCA 2008, §4.1 (groups); BookSim 2's flatfly (dimensions)"`
}

// Threshold is an option of detours that queues decide.
type Threshold struct {
	Threshold *unit.Bytes `yaml:"threshold" doc:"What speaks for the minimal path beside queues, in bytes; with local information in bytes times links (default: a full frame for each link of the longest minimal path)." source:"weft" max:"4GB"`
}

// Kept holds further options of detours that queues decide.
type Kept struct {
	Flowlet  *unit.Time `yaml:"flowlet" doc:"Pause of a flow after which a switch decides anew whether its packets take the detour; as long as they follow each other, it keeps its decision (default: it decides for each packet)." source:"weft" min:"1ps"`
	Flowlets *int       `yaml:"flowlets" min:"1" max:"1048576" doc:"Entries of the table of flows that each switch then has, a power of two (default: 65536)." source:"CONGA (SIGCOMM 2014), as letflow has it"`
}

// defaultFlowlets is the size of the table in LetFlow's switches.
const defaultFlowlets = 65536

// add copies the options to detours.
func (o Kept) add(d *Detours) error {
	if o.Flowlet == nil {
		if o.Flowlets != nil {
			return problem.At("flowlets", "flowlets is the size of a table of flows, and without flowlet there is none").Mend("remove it, or write flowlet: 50us")
		}
		return nil
	}
	d.Flowlet, d.Flowlets = *o.Flowlet, defaultFlowlets
	if o.Flowlets != nil {
		d.Flowlets = *o.Flowlets
	}
	if d.Flowlets&(d.Flowlets-1) != 0 {
		return problem.At("flowlets", "flowlets is %d", d.Flowlets).Mend("write a power of two, such as %d", defaultFlowlets)
	}
	return nil
}

func (o Threshold) value() unit.Bytes {
	if o.Threshold == nil {
		return -1
	}
	return *o.Threshold
}

type valiant struct{ Intermediates }

func (o valiant) build() (Policy, error) {
	return detoured(&Detours{Decide: Always, ByGroup: o.Intermediate == byGroup}, o.Paths)
}

type ugal struct {
	Information string     `yaml:"information" default:"local" enum:"local,global" doc:"Queues that the first switch compares: local: its own, times the links of the paths (UGAL-L). global: the sums along both paths, as they were delay ago (UGAL-G)." source:"local: Singh 2005; Kim et al., ISCA 2008, §4.1. global: Slim Fly, SC 2014, with one candidate"`
	Delay       *unit.Time `yaml:"delay" doc:"How old what a switch knows of others is at least; it is renewed as often, so at most twice as old. With information: global only (default: 1us)." source:"weft" min:"1ns"`
	Threshold
	Kept
	Intermediates
}

func (o ugal) build() (Policy, error) {
	d := Detours{Decide: ByLocalQueues, ByGroup: o.Intermediate == byGroup, Threshold: o.value()}
	switch {
	case o.Information == "global":
		d.Decide, d.Delay = ByAllQueues, defaultDelay
		if o.Delay != nil {
			d.Delay = *o.Delay
		}
	case o.Delay != nil:
		return Policy{}, problem.At("delay", "delay is that of information: global, and a switch knows its own queues at once").Mend("remove delay, or write information: global")
	}
	if err := o.add(&d); err != nil {
		return Policy{}, err
	}
	return detoured(&d, o.Paths)
}

type par struct {
	Threshold
	Kept
	Intermediates
}

func (o par) build() (Policy, error) {
	d := Detours{Decide: Progressively, ByGroup: o.Intermediate == byGroup, Threshold: o.value()}
	if err := o.add(&d); err != nil {
		return Policy{}, err
	}
	return detoured(&d, o.Paths)
}

// detoured returns a policy with minimal tables, with detours unless d is nil.
func detoured(d *Detours, paths string) (Policy, error) {
	return Policy{Detours: d, Bytes: linksBytes, Prepare: func(g *topo.Graph, _ uint64) (Router, error) {
		of, groups, err := groupOf(g)
		length := func(topo.LinkID) int { return 1 }
		switch {
		case err != nil && (paths == "groups" || d != nil && (d.ByGroup || d.Decide == Progressively)):
			return nil, fmt.Errorf("%w; %s", err, groupless(d, paths))
		case d != nil && d.ByGroup && groups < 3:
			return nil, problem.New("there are %d groups, and an intermediate one is neither the source's nor the destination's", groups).Mend("write intermediate: switch")
		case paths == "groups" || err == nil && paths == autoPaths && hierarchical(g, of, groups):
			length = byGroups(g, of)
		}
		var prefers func(topo.PortID, topo.NodeID) bool
		if paths == byDimensions {
			c, err := newGrid(g)
			if err != nil {
				return nil, err
			}
			prefers = c.inOrder(g)
		}
		return func(o Options) (*Tables, error) {
			o.Weighted, o.Length, o.Prefers = false, length, prefers
			return Minimal(g, o)
		}, nil
	}}, nil
}

// groupless describes what to write if switches have no groups.
func groupless(d *Detours, paths string) string {
	switch {
	case d == nil || d.Decide == Progressively:
		return "choose a policy without groups, such as ecmp, valiant or ugal"
	case d.ByGroup && paths == "groups":
		return "write intermediate: switch, paths: auto"
	case d.ByGroup:
		return "write intermediate: switch"
	}
	return "write paths: auto"
}

// linksBytes estimates the memory of the tables, of the minimal tables, and of the lengths
// of all paths.
func linksBytes(g *topo.Graph) unit.Bytes {
	const minimal, lengths = 2, 1
	return minimalBytes(g) / minimal * (2*minimal + lengths)
}

// Groups returns the group of each switch, from 0, and the number of groups. It returns
// none if a switch has no group.
func Groups(g *topo.Graph) (of []int32, groups int) {
	of, groups, err := groupOf(g)
	if err != nil {
		return nil, 0
	}
	return of, groups
}

// Phases returns the most minimal paths that a packet follows in sequence. It is one if d
// is nil.
func (d *Detours) Phases() int {
	switch {
	case d == nil:
		return 1
	case d.Decide == Progressively:
		return 3
	}
	return 2
}

// LongestWalk returns the most links that a packet passes between switches, with detours d,
// or without if d is nil.
func (d *Detours) LongestWalk(t *Tables) int {
	direct := t.Longest()
	if d == nil {
		return direct
	}
	of, _ := Groups(t.graph)
	walk := 0
	for e := range t.edges {
		if d.ByGroup {
			walk = max(walk, t.longestInto(of, int32(e))+direct)
			continue
		}
		to := t.Links()[e]
		// From one switch to this one, and on to another.
		first, second := 0, 0
		for k, n := range t.edges {
			links := int(to[t.row[n]])
			if k == e || links == Unreached {
				continue
			}
			if links > first {
				first, links = links, first
			}
			second = max(second, links)
		}
		walk = max(walk, first+second)
	}
	if d.Decide == Progressively {
		walk++
	}
	return max(walk, direct)
}

// longestInto returns the most links of a minimal path from a switch in another group to an
// edge switch, counted up to the switch where it enters the edge switch's group.
func (t *Tables) longestInto(of []int32, edge int32) (longest int) {
	group := of[t.edges[edge]]
	links := make([]int, len(t.graph.Nodes)) // one more than a switch's links; 0 while unknown
	var walk func(sw topo.NodeID) int
	walk = func(sw topo.NodeID) int {
		if of[sw] == group {
			return 0
		}
		if links[sw] == 0 {
			for _, p := range t.Hops(sw, edge) {
				_, next := t.graph.Ends(p)
				links[sw] = max(links[sw], 1+walk(next))
			}
			links[sw]++
		}
		return links[sw] - 1
	}
	for _, n := range t.edges {
		longest = max(longest, walk(n))
	}
	return longest
}
