package scenario

import (
	"slices"

	"weft/fabric"
	"weft/fault"
	"weft/protocol"
	"weft/record"
	"weft/route"
	"weft/scenario/internal/watch"
	"weft/topo"
	"weft/transport"
	"weft/unit"
	"weft/workload"
)

// plan is a scenario built to the point where its network can be assembled: a
// graph with tables, and values instead of rules. Each part has a struct of its own.
type plan struct {
	// tell, if not nil, is told how far building is.
	tell     func(what string, share float64)
	seed     uint64
	graph    *topo.Graph
	uplinks  []topo.PortID // of each host, in order
	tables   *route.Tables // minimal, with all links
	routes   routing
	failing  failing
	groups   []transport.Group
	grouped  grouped
	offering offering
	queues   queues
	frames   frameSizes
	ends     hostEnds
	lanes    laning
	lacking  shortcomings
	times    times
	recorded recorded
	records  watch.Records // that observers keep
	parts    []any         // of features, by their types
	derived  derived
	said     sayings
}

// routing is how a plan routes.
type routing struct {
	policy  route.Policy
	router  route.Router
	present *route.Tables // of the policy, without those links that are missing
	walks   []route.Walks // of each layer with all links, or of all explicit paths; nil without either
	// detour is how many links between switches a walk may have more than the longest
	// minimal path.
	beyond int
	// longest is longestWalk of the tables walked.
	walked  *route.Tables
	longest int
}

// failing is what goes wrong with links.
type failing struct {
	timeline *fault.Timeline
	missing  []bool // by LinkID; nil if none is
	// reconverge is how long after a link went down or up routes change; Forever
	// is never.
	reconverge unit.Time
}

// grouped is what groups of traffic come to, beside what transports know of them.
type grouped struct {
	tenants map[string]uint8
	sprays  []protocol.Spray // of the groups' balancers
	// hosted is the kind of the transport of hosts as a whole, if any group has it.
	hosted string
	// signals tells that hosts signal to each other.
	signals bool
	// together are groups of hosts that signal to each other without delay, and have a domain together.
	together [][]int32
	// expected is the payload of all groups, if it is known beforehand.
	expected unit.Bytes
	// planned is the number of messages of each group, 0 if it is not known beforehand.
	planned []int64
	aside   []bool // by group: without slowdowns
}

// offering is what groups of traffic offer that have a rate, until load is what links are expected
// to carry for them; rateless are the others. carried is, by group whose load is not of hosts, what links
// it is of carry where hosts send at full rate.
type offering struct {
	offered  []offer
	rateless []string
	carried  map[string]float64
	load     *record.Load
}

// queues are those of ports.
type queues struct {
	rules      queueRules
	port       fabric.PortConfig   // of ports without rules of their own, at the rate of the hosts
	buffer     fabric.BufferConfig // shared
	leastLimit unit.Bytes          // of any queue
	first      int                 // class that data may have: 1 where class 0 is for headers or credits
	unbounded  bool                // some queue has no limit
	lossless   uint8               // a bit for each class whose frames wait in place of being dropped for want of room
	held       []unit.Bytes        // by switch, what of such a class waits in it at most, if nothing shared ends before
	ahead      [mostClasses]int    // by class, how many full queues a scheduler sends while one of the class drains; 0 without one
	marks      bool                // some port marks
	ratioOf    string              // the transport whose the ratio of trimmed headers is; empty if the scenario's
}

// frameSizes are of the largest frames.
type frameSizes struct {
	data   unit.Bytes
	onWire unit.Bytes // of all, with all that switches and receivers add
	hops   int        // most switches that a frame passes
}

// hostEnds are how hosts take and send frames.
type hostEnds struct {
	held  unit.Time // the most by which a host is late with a frame that it sends, and with one that it takes
	late  unit.Time // the most by which the hosts of a frame are late with it, at both ends
	apart bool      // NICs or clocks differ, so that equal senders do not keep step
	nic   *transport.NICQueue
	slow  map[int32]unit.Rate // at which hosts take frames that do not take them at the rate of their link
}

// laning is in which classes packets travel.
type laning struct {
	walk   fabric.WalkLanes
	groups fabric.LaneGroups
	room   int    // how many classes every packet can travel in
	taken  string // the key of a feature whose packets travel in lanes of their own
	none   bool   // the file says that there are no lanes
	// circles are what circleOf found.
	circles map[*route.Tables][]topo.PortID
}

// shortcomings are what parts need and the network does not have.
type shortcomings struct {
	needs  protocol.Need
	astray error // where data does not retrace the path of what it answers
}

// times are when a run ends, and what of it is measured.
type times struct {
	until    unit.Time
	from, to unit.Time // measured
	since    unit.Time // messages that started before do not count
	ends     bool      // messages count by their end
	endless  bool      // messages that count start until the run ends
	// stuckAfter is how long a run may go without progress.
	stuckAfter unit.Time
}

// recorded says of which messages there are rows: all has those that start outside the measured window too, sample is
// the share of which a row is kept. sizes are the classes of sums.
type recorded struct {
	all    bool
	sample unit.Ratio
	sizes  []unit.Bytes
}

// sayings are what the user should know.
type sayings struct {
	notices []string
	onDrops []string        // notices that are due once queues dropped frames
	noted   []record.Notice // those of them that qualify numbers
}

// derived is what follows from a scenario before the first event.
type derived struct {
	path  []topo.PortID // the longest minimal path
	rtt   unit.Time
	bdp   unit.Bytes
	hosts unit.Rate
	limit unit.Bytes // of a queue at the rate of the hosts
	// infinite tells that the scenario gives queues no limit.
	infinite bool
	rto      unit.Time
	packet   unit.Bytes
	payload  unit.Bytes
	// kept is what the switch with most links keeps apart for them, pool what it shares.
	kept, pool unit.Bytes
}

// notice adds a notice unless it is there.
func (p *plan) notice(text string) {
	if !slices.Contains(p.said.notices, text) {
		p.said.notices = append(p.said.notices, text)
	}
}

// qualify adds a notice that qualifies the numbers of the run: it stands beside them wherever
// they are shown, and some kinds keep the run from being ranked.
func (p *plan) qualify(kind record.NoticeKind, text string) {
	p.notice(text)
	if n := (record.Notice{Kind: kind, Text: text}); !slices.Contains(p.said.noted, n) {
		p.said.noted = append(p.said.noted, n)
	}
}

// This file says what traffic offers to links before anything runs (package route/load).

// offer is what a group of traffic offers while it lasts.
type offer struct {
	name        string
	start, stop unit.Time
	demands     []workload.Demand
	answers     bool    // it replies to the demands
	header      float64 // bits for each packet
	packets     float64 // of a message
	size        float64 // of a message, if not as the demands have it
	ends        bool    // after a number of messages
}
