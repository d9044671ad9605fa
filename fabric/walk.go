package fabric

import (
	"fmt"

	"weft/protocol"
	"weft/route"
	"weft/sim"
	"weft/topo"
)

// This file sends frames over intermediate switches (route.Detours, docs/design/0013-detours.md).

// phase is the progress of a frame on its detour, stored in its walk above the tokens.
type phase uint8

const (
	direct    phase = iota // on the minimal path until the end
	heading                // towards its intermediate switch
	past                   // from the intermediate switch to its destination
	undecided              // on the minimal path so far (route.Progressively)
	turning                // towards the intermediate switch of its second decision
)

func phaseOf(f *Frame) phase { return phase(f.Phase()) }

func setPhase(f *Frame, p phase) { f.SetPhase(uint8(p)) }

// outward reports whether a frame is on its way to an intermediate switch.
func outward(f *Frame) bool { p := phaseOf(f); return p == heading || p == turning }

// walker is the state of a domain with detours or lanes.
type walker struct {
	*walks
	d         *Domain
	lanes     WalkLanes
	lowest    uint8          // mask of the classes from which frames do not move down
	fromHost  []bool         // per wire
	nodes     []topo.NodeID  // of each switch
	decisions []flowletTable // per switch: remembered decisions; nil if decisions are not kept
	counts    DetourCounts
}

// DetourCounts counts frames that came from their hosts to a switch other than the destination's.
type DetourCounts struct {
	// Frames counts them all, and Detours those sent to an intermediate switch.
	Frames, Detours uint64
	// Turned counts the detours decided at the second switch.
	Turned uint64
	// Laneless counts how often a frame had no further lane.
	Laneless uint64
}

// Since returns the counts since an earlier reading.
func (c DetourCounts) Since(c0 DetourCounts) DetourCounts {
	return DetourCounts{c.Frames - c0.Frames, c.Detours - c0.Detours, c.Turned - c0.Turned, c.Laneless - c0.Laneless}
}

// walks is the state shared by all domains of a network. It changes only between calls of Run.
type walks struct {
	*route.Detours // nil if there are only lanes
	network        *Network
	tables         *route.Tables
	links          [][]uint8 // number of links to each edge switch from each switch, by its row
	// group is the group of each switch. home is the group of each edge switch, numbered
	// among groups with edge switches. members lists the edge switches of each such group.
	group   []int32
	home    []int32
	members [][]int32
	// known holds the queue of each port as of one to two delays ago. fresh holds the last reading.
	known, fresh []uint32
	next         sim.Time // when the queues are next read
}

// walker returns the state of a domain with detours or lanes; nil for other domains.
func (d *Domain) walker() *walker {
	g, _ := d.hooks.router.(*walker)
	return g
}

// walks returns the state shared by all domains.
func (d *Domain) walks() *walks { return d.walker().walks }

// placeWalks prepares switches for detours and lanes.
func (n *Network) placeWalks(config *Config) error {
	c, lanes, t := config.Detours, config.Lanes, config.Tables
	if c == nil && lanes == NoLanes {
		return nil
	}
	lowest := config.LaneGroups.lowest()
	shared := &walks{Detours: c, network: n}
	if c != nil {
		if n := c.Flowlets; c.Flowlet < 0 || c.Flowlet > 0 && (n < 1 || n&(n-1) != 0) {
			return fmt.Errorf("fabric: decisions kept for %v in %d entries; write a gap, and a power of two", c.Flowlet, n)
		}
		if c.Threshold < 0 || c.Delay < 0 {
			return fmt.Errorf("fabric: a threshold of %v and a delay of %v; neither may be negative", c.Threshold, c.Delay)
		}
		var groups int
		if shared.group, groups = route.Groups(n.graph); groups == 0 && (c.ByGroup || c.Decide == route.Progressively) {
			return fmt.Errorf("fabric: detours by groups need switches that stand in groups")
		}
		shared.groupEdges(t, groups)
		if c.Decide == route.ByAllQueues {
			if c.Delay == 0 {
				return fmt.Errorf("fabric: what switches know of others must be of a time before; write a delay")
			}
			shared.known, shared.fresh = make([]uint32, len(n.ports)), make([]uint32, len(n.ports))
			shared.next = c.Delay
		}
	}
	for _, d := range n.domains {
		if len(d.wires) >= maxWires {
			return fmt.Errorf("fabric: %d links into a domain are too many for lanes; cut it into more domains", len(d.wires))
		}
		g := &walker{walks: shared, d: d, lanes: lanes, lowest: lowest, fromHost: make([]bool, len(d.wires)), nodes: make([]topo.NodeID, len(d.switches))}
		d.hooks.router = g
		if c != nil && c.Flowlet > 0 {
			g.decisions = make([]flowletTable, len(d.switches))
			for i := range g.decisions {
				g.decisions[i] = newFlowletTable(c.Flowlets)
			}
		}
	}
	for id, rx := range n.wires {
		from, _ := n.graph.Ends(topo.PortID(id))
		n.domains[rx.domain].walker().fromHost[rx.index] = n.graph.Nodes[from].Kind == topo.Host
	}
	for i, at := range n.nodes {
		if n.graph.Nodes[i].Kind == topo.Switch {
			n.domains[at.domain].walker().nodes[at.index] = topo.NodeID(i)
		}
	}
	n.hooks.tables = append(n.hooks.tables, func(t *route.Tables) {
		shared.setTables(t)
		n.forgetDecisions()
	})
	if c != nil && c.Decide == route.Always {
		n.hooks.path = shared.path
	}
	if shared.known != nil {
		n.hooks.run = n.runInformed
	}
	return nil
}

// groupEdges lists the edge switches of each group.
func (g *walks) groupEdges(t *route.Tables, groups int) {
	if groups == 0 {
		return
	}
	number := make([]int32, groups) // per group, 1 plus its number among groups with edge switches
	for e := range int32(t.Edges()) {
		k := &number[g.group[t.EdgeSwitch(e)]]
		if *k == 0 {
			g.members = append(g.members, nil)
			*k = int32(len(g.members))
		}
		g.home = append(g.home, *k-1)
		g.members[*k-1] = append(g.members[*k-1], e)
	}
}

// setTables takes over new tables.
func (g *walks) setTables(t *route.Tables) {
	g.tables = t
	if g.Detours == nil {
		return
	}
	g.links = t.Links()
}

// next implements router.
func (g *walker) next(s *switchState, f *Frame, from via, now sim.Time) (port int32, updated via) {
	d := g.d
	at := d.attached[f.Dst()]
	switch {
	case at.edge == s.edge:
		return at.port, from
	case from == noIngress: // the switch itself made the frame
		setPhase(f, direct)
		return d.pick(s, at.edge, f, now), from
	case g.fromHost[from.wire()]:
		return g.depart(s, f, at.edge, from, now), from
	}
	was := phaseOf(f)
	port = g.goOn(s, f, at.edge, from, now)
	if g.lanes == LanePerHop || g.lanes == LanePerPhase && phaseOf(f) != was && phaseOf(f) != direct {
		if g.lowest>>(f.Priority())&1 != 0 {
			g.counts.Laneless++
		}
		from = g.demote(f, from)
	}
	return port, from
}

// depart decides at the first switch of a frame.
func (g *walker) depart(s *switchState, f *Frame, edge int32, from via, now sim.Time) (port int32) {
	setPhase(f, direct)
	g.counts.Frames++
	if g.Detours == nil {
		return g.d.pick(s, edge, f, now)
	}
	unsaid := false
	switch g.d.sprays.ways[f.Spray()].Way { // whose frames carry no choice of the sender in the entropy
	case protocol.ByRandom, protocol.ByLoad, protocol.ByRoundRobin:
		unsaid = true
	}
	here := g.at(from)
	var indirect bool
	if g.decisions != nil {
		port, indirect = g.decideForFlowlet(s, here, f, edge, heading, unsaid, now)
	} else {
		if unsaid {
			f.Entropy = s.anyEntropy()
		}
		port, indirect = g.decide(s, here, f, edge, heading, now)
	}
	switch {
	case indirect:
		setPhase(f, heading)
		g.counts.Detours++
	case g.Decide == route.Progressively && !g.inGroupOf(edge, g.nodes[here]):
		setPhase(f, undecided)
	}
	return port
}

// at returns the number, in the domain, of the switch that a frame reached.
func (g *walker) at(from via) int32 { return g.d.wires[from.wire()].node }

// inGroupOf reports whether a switch is in the group of an edge switch.
func (g *walks) inGroupOf(edge int32, sw topo.NodeID) bool {
	return g.group[sw] == g.group[g.tables.EdgeSwitch(edge)]
}

// goOn decides at later switches.
func (g *walker) goOn(s *switchState, f *Frame, edge int32, from via, now sim.Time) (port int32) {
	d := g.d
	switch p := phaseOf(f); p {
	case heading, turning:
		mid := g.intermediate(f, d.attached[f.Src()].edge, edge, p)
		if s.edge != mid && !(g.ByGroup && g.inGroupOf(mid, g.nodes[g.at(from)])) {
			if port = d.pick(s, mid, f, now); port >= 0 {
				return port
			}
		}
		setPhase(f, past) // it is there, or no path leads there any more
	case undecided:
		setPhase(f, direct)
		here := g.at(from)
		if !g.inGroupOf(d.attached[f.Src()].edge, g.nodes[here]) {
			break
		}
		var indirect bool
		if g.decisions != nil {
			port, indirect = g.decideForFlowlet(s, here, f, edge, turning, false, now)
		} else {
			port, indirect = g.decide(s, here, f, edge, turning, now)
		}
		if indirect {
			setPhase(f, turning)
			g.counts.Detours++
			g.counts.Turned++
		}
		return port
	}
	return d.pick(s, edge, f, now)
}

// intermediate returns the intermediate edge switch of a frame, or a negative
// number if there is none.
func (g *walks) intermediate(f *Frame, from, to int32, p phase) int32 {
	key := sim.Mix(sim.Mix(uint64(uint32(f.Src()))<<32|uint64(uint32(f.Dst()))) + uint64(f.Entropy)<<8 + uint64(p))
	if !g.ByGroup {
		return except(key>>32, int32(g.tables.Edges()), from, to)
	}
	if g.home[from] == g.home[to] {
		return -1
	}
	k := except(key>>32, int32(len(g.members)), g.home[from], g.home[to])
	if k < 0 {
		return -1
	}
	members := g.members[k]
	return members[key&0xffffffff*uint64(len(members))>>32]
}

// except maps 32 random bits to a number below n other than a and b. It is negative
// if there is none.
func except(random uint64, n, a, b int32) int32 {
	if n <= 2 {
		return -1
	}
	k := int32(random * uint64(n-2) >> 32)
	if k >= min(a, b) {
		k++
	}
	if k >= max(a, b) {
		k++
	}
	return k
}

// decide returns the next hop of a frame from switch number at, and whether that
// leads to the intermediate switch of phase p.
func (g *walker) decide(s *switchState, at int32, f *Frame, edge int32, p phase, now sim.Time) (port int32, indirect bool) {
	d := g.d
	minimal := d.pick(s, edge, f, now)
	mid := g.intermediate(f, d.attached[f.Src()].edge, edge, p)
	if mid < 0 || mid == s.edge || minimal < 0 {
		return minimal, false
	}
	other := d.pick(s, mid, f, now)
	here, through := g.tables.Row(g.nodes[at]), g.tables.Row(g.tables.EdgeSwitch(mid))
	if other < 0 || g.links[edge][through] == route.Unreached {
		return minimal, false
	}
	if g.Decide == route.Always {
		return other, true
	}
	first, second := uint64(g.queueAt(minimal, now)), uint64(g.queueAt(other, now))
	if g.Decide == route.ByAllQueues {
		_, toEnd := g.along(f, minimal, d, edge, false)
		enters, toMid := g.along(f, other, d, mid, g.ByGroup)
		_, onward := g.follow(f, enters, edge, false)
		first, second = first+toEnd, second+toMid+onward
	} else {
		toMid, onward := int(g.links[mid][here]), int(g.links[edge][through])
		if g.ByGroup {
			toMid, onward = g.byEntry(f, other, d, mid, edge)
		}
		first *= uint64(g.links[edge][here])
		second *= uint64(toMid + onward)
	}
	if first > second+uint64(g.Threshold) {
		return other, true
	}
	return minimal, false
}

// queueAt returns the bytes queued at a port of the domain. If the link is down, it
// returns the queue that a switch would see that does not know of the failure.
func (g *walker) queueAt(i int32, now sim.Time) sim.Time {
	return g.d.load(&protocol.Spray{}, i, now)
}

// Detoured returns the counts so far.
func (n *Network) Detoured() (sum DetourCounts) {
	for _, d := range n.domains {
		if g := d.walker(); g != nil {
			sum.Frames += g.counts.Frames
			sum.Detours += g.counts.Detours
			sum.Turned += g.counts.Turned
			sum.Laneless += g.counts.Laneless
		}
	}
	return sum
}
