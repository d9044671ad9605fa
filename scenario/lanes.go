package scenario

import (
	"errors"
	"fmt"
	"strings"

	"weft/fabric"
	"weft/problem"
	"weft/protocol"
	"weft/record"
	"weft/route"
	"weft/topo"
)

// walkLanes maps the words of routing.lanes to lanes of walks.
var walkLanes = map[string]fabric.WalkLanes{"none": fabric.NoLanes, "hop": fabric.LanePerHop, "phase": fabric.LanePerPhase}

// laneOrders maps the words of fabric.lane_order to the order in which switches serve the
// lanes of a priority.
var laneOrders = map[string]fabric.LaneOrder{byArrival: fabric.ByArrival, "turns": fabric.InTurns}

const byArrival = "arrival"

var laneFeature = feature{
	name: "routing.lanes: hop, phase",
	conflicts: []conflict{
		{
			with: "fabric.scheduler", at: "fabric.scheduler",
			why: "packets travel in lanes (routing.lanes), which ports serve as one queue in the order of arrival", remedy: "remove scheduler, or write lanes: none",
			planned: func(p *plan, f *Fabric) bool { return f.Scheduler != nil && p.changesLanes() },
		},
		{
			with: "fabric.overflow: trim", at: "routing.lanes",
			why:     "headers of trimmed packets have class 0 to themselves, and lanes lead down to it",
			ways:    []way{{"write lanes: none", 0}, {"write fabric: {overflow: drop}", protocol.Trimming}},
			planned: func(p *plan, _ *Fabric) bool { return p.changesLanes() && p.queues.port.Trim != nil },
		},
		{
			with: "fabric.pfc.of: egress, switch", at: "fabric.pfc.of", due: []string{"routing.lanes"},
			why: "packets change their class (routing.lanes), so links are paused by what came over them in each class", remedy: "write of: ingress",
			planned: func(p *plan, f *Fabric) bool { return p.changesLanes() && f.PFC != nil && f.PFC.Of != "ingress" },
		},
		{
			with: "fabric.pfc.classes", at: "fabric.pfc.classes", due: []string{"routing.lanes"},
			why: "packets change their class (routing.lanes), but only {lossless} {are} lossless", remedy: "leave classes out, so that all are",
			fabricWords: (*Fabric).losslessWords,
			planned: func(p *plan, f *Fabric) bool {
				return p.changesLanes() && f.PFC != nil && p.queues.lossless != f.allClasses()
			},
		},
		{
			with: controllerFeature.name, at: ".congestion", due: []string{"routing.lanes"},
			why: "switches compute the rates of {control} for the queues of one class, but packets change theirs (routing.lanes)", remedy: "choose another control, such as dcqcn",
			carried: func(p *plan, c *carrier) bool { return p.changesLanes() && c.congestion.Controller.On() },
		},
	},
	settle: (*plan).chooseLanes,
	finish: (*plan).planLanes,
	build:  func(p *plan, c *fabric.Config) { c.Lanes, c.LaneGroups = p.lanes.walk, p.lanes.groups },
	rows:   (*plan).laneRows, reroute: (*plan).laneNotice,
}

// allClasses returns a bit for each class of a port.
func (f *Fabric) allClasses() uint8 { return uint8(1<<max(1, f.Classes) - 1) }

// changesLanes reports whether packets change their class from link to link or from phase
// to phase.
func (p *plan) changesLanes() bool { return p.lanes.walk != fabric.NoLanes }

// chooseLanes decides whether packets travel in lanes, and in which kind of lanes. If the
// file leaves the kind open, planLanes decides later: it depends on cycles in the routes.
func (p *plan) chooseLanes(s *Spec) {
	p.lanes.walk, p.lanes.groups.Order = walkLanes[s.Routing.Lanes], laneOrders[s.Fabric.LaneOrder]
	p.lanes.none = s.Routing.Lanes == "none"
	if p.opensLanes(s) {
		p.lanes.walk = fabric.LanePerHop
	}
}

// opensLanes reports whether packets travel in lanes although the file does not ask for
// them. Features that bring their own lanes exclude it, since their packets take more links
// than these lanes allow for.
func (p *plan) opensLanes(s *Spec) bool {
	return s.Routing.Lanes == "auto" && p.routes.policy.Wanders() && p.queues.lossless != 0 && p.lanes.taken == ""
}

// planLanes decides which packets share lanes. It refuses lossless classes if there are too
// few lanes.
func (p *plan) planLanes(s *Spec) error {
	const path = "routing.lanes"
	if !p.changesLanes() {
		if len(p.lanes.groups.Masks) == 0 && s.Fabric.LaneOrder != byArrival {
			p.notice(fmt.Sprintf("fabric.lane_order: %s has no effect, since packets travel in one lane each; leave it out, or write routing: {lanes: hop}", s.Fabric.LaneOrder))
		}
		return nil
	}
	wanders := p.routes.policy.Wanders()
	if p.lanes.walk == fabric.LanePerPhase && !wanders {
		return at(path, problem.New("packets of routing.policy: %s have no intermediate where they could change the lane", s.Routing.Policy.Kind).Mend("write lanes: hop").Due("routing.policy"))
	}
	var circle []topo.PortID // a cycle of minimal paths, on which the packets of one phase could block each other
	open := p.opensLanes(s)
	if open || p.lanes.walk == fabric.LanePerPhase && wanders && p.queues.lossless != 0 {
		circle = p.circleOf(p.routes.present)
	}
	if open && circle == nil {
		p.lanes.walk = fabric.LanePerPhase
	}
	if p.lanes.walk == fabric.LanePerPhase && circle != nil {
		return at(path, problem.New("minimal paths of this topology can wait for each other in a circle within a phase: %s", p.namePorts(circle)).Mend("write lanes: hop"))
	}
	return p.checkLanes(s)
}

// checkLanes refuses transports whose class is too low to leave room for their lanes.
func (p *plan) checkLanes(s *Spec) error {
	needed := p.neededLanes()
	p.groupLanes(needed)
	var wrong []error
	i := 0
	for path, t := range s.carriers() {
		g := &p.groups[i]
		i++
		lowest, key := g.Class-g.Ahead, "class"
		if g.Ahead > 0 {
			key = "recovery.class"
		}
		if g.AckClass < lowest {
			lowest, key = g.AckClass, "ack.class"
		}
		class := int(lowest)
		if class+1 >= needed || p.queues.lossless == 0 {
			continue
		}
		wrong = append(wrong, at(path+"."+key, problem.New("packets take %d classes from that of their transport down, acknowledgements included (routing.lanes: %s%s), but %s is %d",
			needed, p.laneWord(), p.laneReason(), key, class).
			Mend("%s", p.laneRemedy(s, g.Congestion.Needs.Classes, needed, t.Ack.Class != nil)).Due("routing.lanes", key)))
	}
	return errors.Join(wrong...)
}

// groupLanes makes one priority of the lanes below the class of each transport. Transports
// whose lanes overlap share a priority. Each priority extends down to the next one, so that
// walks that become longer have room.
func (p *plan) groupLanes(needed int) {
	begin := [mostClasses]bool{}
	for i := range p.groups {
		g := &p.groups[i]
		begin[g.Class], begin[g.Class-g.Ahead], begin[g.AckClass] = true, true, true
		if g.Congestion.NewHost != nil {
			for k := range g.Congestion.Needs.Classes {
				begin[min(int(g.Class)+k, max(1, p.queues.port.Classes)-1)] = true
			}
		}
	}
	least := p.queues.first
	p.lanes.room = mostClasses
	shared := uint8(0) // classes in which packets start, of priorities with more than one such class
	for k := mostClasses - 1; k >= least; {
		if !begin[k] {
			k--
			continue
		}
		last, starts := k, uint8(1)<<k
		low := k // the lowest class in which packets of the priority start
		for k--; k >= least && (!begin[k] || k > low-needed); k-- {
			if begin[k] {
				starts, low = starts|1<<k, k
			}
		}
		if k+1 < last {
			p.lanes.groups.Masks = append(p.lanes.groups.Masks, classRun(k+1, last))
		}
		p.lanes.room = min(p.lanes.room, low-k)
		if low < last {
			shared |= starts
		}
	}
	if shared != 0 {
		p.notice(fmt.Sprintf("packets begin in %s and share lanes (routing.lanes), so that switches serve them as one priority; for priorities write classes that are %d apart", listClasses(shared), needed))
	}
}

// classRun returns a bit for each class from first to last.
func classRun(first, last int) uint8 { return uint8(1<<(last+1) - 1<<max(0, first)) }

// laneReason explains the number of lanes.
func (p *plan) laneReason() string {
	if p.lanes.walk != fabric.LanePerHop {
		return ""
	}
	return fmt.Sprintf(", and walks have up to %d links between switches", p.longestWalk(p.routes.present))
}

// laneRemedy describes what to write to get enough lanes.
func (p *plan) laneRemedy(s *Spec, classes, needed int, ack bool) string {
	classes = max(1, classes)
	if n := needed + classes - 1; n <= mostClasses {
		remedy := fmt.Sprintf("write fabric: {classes: %d}, transport: {class: %d}", max(n, s.Fabric.Classes), needed-1)
		if ack {
			remedy = strings.TrimSuffix(remedy, "}") + fmt.Sprintf(", ack: {class: %d}}", needed-1)
		}
		return remedy
	}
	remedy := fmt.Sprintf("ports have %d at most: ", mostClasses)
	return remedy + p.shorterWalks() + "remove fabric.pfc, or write routing: {lanes: none}, with which weft finds deadlocks"
}

func (p *plan) laneWord() string {
	for word, lanes := range walkLanes {
		if lanes == p.lanes.walk {
			return word
		}
	}
	return ""
}

// namePorts names the first few links.
func (p *plan) namePorts(ids []topo.PortID) string {
	var names []string
	for _, id := range ids {
		names = append(names, p.graph.PortName(id))
	}
	if len(names) > mostNamed {
		names = append(names[:mostNamed], "…")
	}
	return strings.Join(names, ", ")
}

// noticeCircles warns that paused links may form a cycle in a scenario that declines lanes.
// refused returns the conflicts of a plan.
func (p *plan) noticeCircles(s *Spec, refused func(*plan, *Spec) []error) {
	if !p.lanes.none || p.queues.lossless == 0 || p.lanes.taken != "" {
		return
	}
	const stuck = "paused links can come to wait for each other in a circle, which ends the run as stuck"
	if p.routes.policy.Wanders() {
		p.notice("with routing.lanes: none " + stuck + "; " + p.autoRemedy(s, refused))
	} else if which := p.circling(); which != "" {
		p.notice(fmt.Sprintf("%s, so that %s; %s", which, stuck, p.hopRemedy()))
	}
}

// circling describes the cycle that paused links of the routes can form without lanes. It
// returns "" if there is none.
func (p *plan) circling() string {
	if p.queues.lossless == 0 || p.lanes.taken != "" || p.changesLanes() || p.routes.policy.Wanders() {
		return ""
	}
	large := p.routes.present.Layers()*p.routes.present.Edges()*len(p.graph.Links) > mostLooked
	switch {
	case p.explicit(), large && p.longestWalk(p.routes.present) > p.tables.Longest():
		return "paths that are longer than minimal may have a circle"
	case large:
		return ""
	}
	if circle := p.circleOf(p.routes.present); circle != nil {
		return "routes have a circle of links: " + p.namePorts(circle)
	}
	return ""
}

// circleOf returns links of routes that can wait for each other in a cycle, or nil. It
// caches the result, since the search takes long.
func (p *plan) circleOf(t *route.Tables) []topo.PortID {
	if circle, known := p.lanes.circles[t]; known {
		return circle
	}
	_, circle := fabric.LinkLayers(p.graph, t)
	if p.lanes.circles == nil {
		p.lanes.circles = map[*route.Tables][]topo.PortID{}
	}
	p.lanes.circles[t] = circle
	return circle
}

// hopRemedy describes what to write if routes have a cycle.
func (p *plan) hopRemedy() string {
	n := p.longestWalk(p.routes.present)
	if room := p.roomFor(n); room != "" {
		return "write routing: {lanes: hop}, " + room
	}
	return fmt.Sprintf("lanes: hop takes %d classes%s, and ports have %d at most: remove fabric.pfc", n, p.besidesLanes(), mostClasses)
}

// autoRemedy describes what to write instead of lanes: none, where packets go through
// intermediates.
func (p *plan) autoRemedy(s *Spec, refused func(*plan, *Spec) []error) string {
	q, other := *p, *s
	q.notes, q.lanes.groups.Masks, other.Routing.Lanes = planNotices{}, nil, "auto"
	q.chooseLanes(&other)
	if len(refused(&q, &other)) == 0 {
		if q.planLanes(&other) == nil {
			return "write lanes: auto"
		}
		if room := q.roomFor(q.neededLanes()); room != "" {
			return "write routing: {lanes: auto}, " + room
		}
	}
	return "remove fabric.pfc"
}

// neededLanes returns the number of classes that a packet travels in.
func (p *plan) neededLanes() int {
	return p.lanes.walk.Needed(p.routes.policy.Phases(), p.longestWalk(p.routes.present))
}

// ownClasses returns the most classes that a transport uses.
func (p *plan) ownClasses() (most int) {
	most = 1
	for i := range p.groups {
		most = max(most, p.groups[i].Congestion.Needs.Classes)
	}
	return most
}

// besidesLanes describes the classes that transports use for themselves, if one uses
// several.
func (p *plan) besidesLanes() string {
	if own := p.ownClasses(); own > 1 {
		return fmt.Sprintf(" before the %d of the transport", own)
	}
	return ""
}

// roomFor returns the options that make room for a number of lanes, or "" if ports have too
// few classes.
func (p *plan) roomFor(lanes int) string {
	n := lanes + p.ownClasses() - 1
	if n > mostClasses {
		return ""
	}
	return fmt.Sprintf("fabric: {classes: %d}, transport: {class: %d}", n, lanes-1)
}

// mostLooked is the size of the largest network that is searched for cycles, in links times
// edge switches times layers.
const mostLooked = 1 << 21

// laneNotice reports that walks of new routes are longer than the lanes allow for.
func (p *plan) laneNotice(t *route.Tables) string {
	if p.lanes.walk != fabric.LanePerHop || p.queues.lossless == 0 {
		return ""
	}
	longest := p.longestWalk(t)
	if longest <= p.lanes.room {
		return ""
	}
	return fmt.Sprintf("new routes have walks of up to %d links between switches, and lanes are for %d (routing.lanes); packets keep the last one, in which pauses can wait for each other in a circle", longest, p.lanes.room)
}

// laneRows lists the number of lanes for the manifest, if packets change lanes.
func (p *plan) laneRows() []record.Derived {
	if !p.changesLanes() {
		return nil
	}
	return []record.Derived{record.DerivedCount("lanes", float64(p.neededLanes()), "", "classes that a packet travels in")}
}

// walksInClasses explains why the planned walks are impossible for packets that must stay
// in one class. It returns nil if they are possible.
func (p *plan) walksInClasses() error {
	if !p.changesLanes() {
		return nil
	}
	return at("routing.lanes", problem.New("endpoints send all packets in one priority class, and each lane takes one").Mend("write lanes: none, or choose another policy, such as ecmp"))
}
