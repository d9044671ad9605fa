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

// plan is a scenario built so far that its network can be assembled: a graph with tables,
// and values where the file has rules. Each topic has a struct.
type plan struct {
	// tell, if not nil, receives the progress of building.
	tell     func(what string, share float64)
	seed     uint64
	graph    *topo.Graph
	uplinks  []topo.PortID // from each host, in order
	tables   *route.Tables // minimal routes with all links
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
	records  watch.Records // what observers record
	parts    []any         // the state of features, one value per type
	derived  derived
	notes    planNotices
}

// routing holds the routes of a plan.
type routing struct {
	policy  route.Policy
	router  route.Router
	present *route.Tables // the policy's routes, without missing links
	walks   []route.Walks // of each layer with all links, or of all explicit paths; nil without either
	// beyond is how many more links between switches a walk can have than the longest
	// minimal path.
	beyond int
	// longest is the result of longestWalk for the tables in walked.
	walked  *route.Tables
	longest int
}

// failing holds the faults of links.
type failing struct {
	timeline *fault.Timeline
	missing  []bool // by LinkID; nil if no link is missing
	// reconverge is the time from a change of a link to new routes; Forever means that
	// routes never change.
	reconverge unit.Time
}

// grouped holds what the plan knows of the groups of traffic beyond their transports.
type grouped struct {
	tenants map[string]uint8
	sprays  []protocol.Spray // of the groups' balancers
	// hosted is the host transport's kind, if any group has one.
	hosted string
	// signals: hosts signal to each other.
	signals bool
	// sharedDomain lists groups of hosts that signal to each other without delay, and so must
	// share a domain.
	sharedDomain [][]int32
	// expected is the payload of all groups, if it is known beforehand.
	expected unit.Bytes
	// planned is the number of messages of each group, or 0 if it is not known beforehand.
	planned          []int64
	withoutSlowdowns []bool // by group
}

// offering holds the load that groups of traffic offer. offered lists groups with a rate,
// rateless the others; load is the load that links are expected to carry. If the load of a
// group refers to links instead of hosts, carried holds the load of these links when hosts
// send at full rate.
type offering struct {
	offered  []offer
	rateless []string
	carried  map[string]float64
	load     *record.Load
}

// queues holds the queues of ports.
type queues struct {
	rules      queueRules
	port       fabric.PortConfig   // of ports without rules of their own, at the rate of the hosts' links
	buffer     fabric.BufferConfig // shared
	leastLimit unit.Bytes          // smallest limit of any queue
	first      int                 // first class for data: 1 where class 0 is for headers or credits
	unbounded  bool                // some queue has no limit
	lossless   uint8               // a bit for each class whose frames wait instead of being dropped
	// by switch: the most bytes of a lossless class that can queue before pauses take
	// effect, if the shared buffer is large enough
	held []unit.Bytes
	// by class: how many full queues a scheduler sends while one of the class drains; 0
	// without a scheduler
	ahead   [mostClasses]int
	marks   bool   // some port marks
	ratioOf string // the transport that sets the ratio of trimmed headers; empty if the scenario does
}

// frameSizes holds the sizes of the largest frames.
type frameSizes struct {
	data   unit.Bytes
	onWire unit.Bytes // of any frame, with everything that switches and receivers add
	hops   int        // most switches that a frame passes
}

// hostEnds holds the behaviour of hosts when they send and receive frames.
type hostEnds struct {
	held    unit.Time // the most that a host delays a frame that it sends, or one that it receives
	late    unit.Time // the most that both hosts of a frame delay it together
	unequal bool      // NICs or clocks differ, so that equal senders do not stay in step
	nic     *transport.NICQueue
	slow    map[int32]unit.Rate // receive rates of hosts that receive more slowly than their links
}

// laning holds the classes in which packets travel.
type laning struct {
	walk   fabric.WalkLanes
	groups fabric.LaneGroups
	room   int    // the number of classes that every packet can travel in
	taken  string // key of a feature whose packets travel in lanes of their own
	none   bool   // the file declines lanes
	// circles caches the results of circleOf.
	circles map[*route.Tables][]topo.PortID
}

// shortcomings holds the needs of parts that the network does not meet.
type shortcomings struct {
	needs  protocol.Need
	astray error // the reason why data and its answers can take different paths
}

// times holds the end of a run, and the part of it that is measured.
type times struct {
	until    unit.Time
	from, to unit.Time // the measured window
	since    unit.Time // messages that started earlier do not count
	ends     bool      // messages count by their end
	endless  bool      // messages that count keep starting until the run ends
	// stuckAfter is the longest time that a run may go without progress.
	stuckAfter unit.Time
}

// recorded decides which messages get rows. all includes those that start outside the
// measured window. sample is the share of messages that get a row. sizes are the size
// classes of the sums.
type recorded struct {
	all    bool
	sample unit.Ratio
	sizes  []unit.Bytes
}

// planNotices holds the notices for the user.
type planNotices struct {
	notices []string
	onDrops []string        // notices that apply only if queues dropped frames
	noted   []record.Notice // the notices that qualify numbers
}

// derived holds the values that follow from a scenario before the first event.
type derived struct {
	path  []topo.PortID // the longest minimal path
	rtt   unit.Time
	bdp   unit.Bytes
	hosts unit.Rate
	limit unit.Bytes // of a queue at the rate of the hosts' links
	// infinite: the scenario gives queues no limit.
	infinite bool
	rto      unit.Time
	packet   unit.Bytes
	payload  unit.Bytes
	// For the switch with the most links: kept is what it reserves for them, pool is what
	// it shares.
	kept, pool unit.Bytes
}

// notice adds a notice that is not there yet.
func (p *plan) notice(text string) {
	if !slices.Contains(p.notes.notices, text) {
		p.notes.notices = append(p.notes.notices, text)
	}
}

// qualify adds a notice that qualifies the numbers of the run. It appears next to the
// numbers wherever they are shown. Some kinds exclude the run from rankings.
func (p *plan) qualify(kind record.NoticeKind, text string) {
	p.notice(text)
	if n := (record.Notice{Kind: kind, Text: text}); !slices.Contains(p.notes.noted, n) {
		p.notes.noted = append(p.notes.noted, n)
	}
}

// offering and offer describe the traffic offered to links before anything runs (package
// route/load).

// offer is what a group of traffic offers while it lasts.
type offer struct {
	name        string
	start, stop unit.Time
	demands     []workload.Demand
	answers     bool    // these are the replies to the demands
	header      float64 // bits per packet
	packets     float64 // per message
	size        float64 // bytes per message, if they differ from the demands
	ends        bool    // it ends after a number of messages
}
