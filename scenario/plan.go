package scenario

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"weft/fabric"
	"weft/fault"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/record"
	"weft/route"
	"weft/scenario/internal/watch"
	"weft/sim"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// plan is a scenario built to the point where its network can be assembled: a
// graph with tables, and values instead of rules.
type plan struct {
	// tell, if not nil, is told how far building is.
	tell    func(what string, share float64)
	seed    uint64
	graph   *topo.Graph
	uplinks []topo.PortID // of each host, in order
	tables  *route.Tables // minimal, with all links
	present *route.Tables // of the policy, without those that are missing
	missing []bool        // by LinkID; nil if none is
	routing
	timeline *fault.Timeline
	// reconverge is how long after a link went down or up routes change; Forever
	// is never.
	reconverge unit.Time
	groups     []transport.Group
	tenants    map[string]uint8
	sprays     []protocol.Spray // of the groups' balancers
	// hosted is the kind of the transport of hosts as a whole, if any group has it.
	hosted string
	// signals tells that hosts signal to each other.
	signals bool
	// expected is the payload of all groups, if it is known beforehand.
	expected unit.Bytes
	// planned is the number of messages of each group, 0 if it is not known beforehand.
	planned    []int64
	rules      queueRules
	queue      fabric.PortConfig // of ports without rules of their own, at the rate of the hosts
	leastLimit unit.Bytes        // of any queue
	unbounded  bool              // some queue has no limit
	marks      bool              // some port marks
	lacks      protocol.Need     // what parts need and the network does not have
	astray     error             // where data does not retrace the path of what it answers
	frame      unit.Bytes        // the largest of data
	onWire     unit.Bytes        // the largest of all, with all that switches and receivers add
	hops       int               // most switches that a frame passes
	jitter     fabric.Jitter
	inexact    unit.Time           // the most by which hosts are late: fabric.host_jitter
	interrupts unit.Time           // between those of a host
	buffer     fabric.BufferConfig // shared
	pause      fabric.PauseConfig
	held       []unit.Bytes // by switch, what of one class waits in it at most before pauses have effect, if nothing shared ends before
	telemetry  fabric.Telemetry
	deflect    fabric.DeflectConfig
	lanes      fabric.WalkLanes
	laneGroups fabric.LaneGroups
	laneRoom   int        // how many classes every packet can travel in
	short      unit.Bytes // the largest message that is deflected
	ratioOf    string     // the transport whose the ratio of trimmed headers is; empty if the scenario's
	nic        *transport.NICQueue
	until      unit.Time
	from, to   unit.Time // measured
	endless    bool      // messages that count start until the run ends
	ends       bool      // messages count by their end
	since      unit.Time // messages that started before do not count
	stuckAfter unit.Time
	// all records the messages that start outside the measured window too;
	// sample is the share of recorded messages of which a row is kept.
	all     bool
	sample  unit.Ratio
	records watch.Records // that observers keep
	sizes   []unit.Bytes
	aside   []bool // by group: without slowdowns
	derived derived
	notices []string
	onDrops []string // notices that are due once queues dropped frames
	// offered is what groups of traffic offer that have a rate, until load is what links are expected
	// to carry for them; rateless are the others. carried is, by group whose load is not of hosts, what links
	// it is of carry where hosts send at full rate.
	offered  []offer
	rateless []string
	carried  map[string]float64
	load     *record.Load
	noted    []record.Notice // those of them that qualify numbers
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

// telling returns what tells how far a part of building is, nil if nobody wants to know.
func (p *plan) telling(what string) func(share float64) {
	if p.tell == nil {
		return nil
	}
	return func(share float64) { p.tell(what, share) }
}

// longestRTT is the longest round trip of a lone frame that a network may have: times of many of them can still be told.
const longestRTT = 50_000 * unit.Second

// oneWay returns the time that a lone frame takes along a path, store and forward.
func oneWay(g *topo.Graph, path []topo.PortID, size unit.Bytes) (t unit.Time) {
	for _, h := range hops(g, path) {
		t = t.Plus(h.Rate.Transmit(size)).Plus(h.Delay)
	}
	return t
}

// hops returns the links of a path as the transport's closed form wants them.
func hops(g *topo.Graph, path []topo.PortID) []transport.Hop {
	out := make([]transport.Hop, len(path))
	for i, p := range path {
		l := g.Links[p.Link()]
		_, to := g.Ends(p)
		out[i] = transport.Hop{Rate: l.Rate, Delay: l.Delay + g.Nodes[to].Latency}
	}
	return out
}

// derive computes round-trip time and bandwidth-delay product of a fabric: the
// RTT of a full frame and its acknowledgement on the longest minimal path,
// serialisation included, and what a host's link carries in that time.
func derive(g *topo.Graph, t *route.Tables, payload, header, ack unit.Bytes) (derived, error) {
	d := derived{packet: payload + header, payload: payload}
	for id := range topo.PortID(2 * len(g.Links)) {
		if oneWay(g, []topo.PortID{id}, d.packet) > longestRTT {
			return d, fmt.Errorf("a full frame takes more than %v over %s, which is too long to reckon with; write a shorter delay, or a higher rate", longestRTT, g.PortName(id))
		}
	}
	d.path = route.LongestMinimal(g, t)
	if len(d.path) == 0 {
		return d, fmt.Errorf("no host of the topology reaches another")
	}
	back := make([]topo.PortID, len(d.path))
	for i, p := range d.path {
		back[len(back)-1-i] = p.Reverse()
	}
	if d.rtt = oneWay(g, d.path, d.packet).Plus(oneWay(g, back, ack)); d.rtt > longestRTT {
		return d, fmt.Errorf("a full frame and its acknowledgement take more than %v on the longest path, which is too long to reckon with; write shorter delays, or higher rates", longestRTT)
	}
	for _, l := range g.Links {
		if g.Nodes[l.A].Kind == topo.Host || g.Nodes[l.B].Kind == topo.Host {
			d.hosts = max(d.hosts, l.Rate)
		}
	}
	d.bdp = d.hosts.In(d.rtt)
	return d, nil
}

// recovery is how long a network may stand still with a transport before it is stuck: not
// before what was lost, and the question after it, could have gone and come back.
func (p *plan) recovery(o *transport.Params) unit.Time {
	switch {
	case o.Congestion.NewHost != nil:
		host := &o.Congestion.Host
		return max(4*p.derived.rtt, cmp.Or(host.Recovery, protocol.Silences*host.Silence))
	case o.ConnectionTimer || o.Adaptive && !p.unbounded:
		return o.RTO.Times(4 * reliable.TimeoutGrowth)
	}
	return max(o.RTO, o.Recovery.High).Times(4)
}

// env returns what connections of a group know of their path.
func (p *plan) env(payload, header unit.Bytes, rto unit.Time) protocol.Env {
	packet, d := payload+header, &p.derived
	queue := d.limit
	if d.infinite {
		queue = 0
	}
	return protocol.Env{
		Payload: payload, Packet: packet,
		BDP: d.bdp, BDPPackets: int(max(1, (d.bdp+packet-1)/packet)),
		BaseRTT: d.rtt, RTO: rto, LineRate: d.hosts, Queue: queue, Trims: p.queue.Trim != nil,
		Layers: len(p.walks),
	}
}

// lineRate returns the rate of a host's link.
func (p *plan) lineRate(host int32) unit.Rate { return p.graph.Links[p.uplinks[host].Link()].Rate }

// switches returns how many switches a minimal path from a host to another passes.
func (p *plan) switches(src, dst int32) int {
	g, n := p.graph, 0
	edge, next := p.tables.Edge(g.Hosts[dst]), p.uplinks[src]
	for {
		_, to := g.Ends(next)
		if g.Nodes[to].Kind == topo.Host {
			return n
		}
		n++
		if p.tables.Edge(to) == edge {
			return n
		}
		next = p.tables.Hops(to, edge)[0]
	}
}

// rows lists the derived values for the manifest.
func (d *derived) rows(g *topo.Graph) []record.Derived {
	return []record.Derived{
		record.DerivedCount("hosts", float64(len(g.Hosts)), "", "hosts of the topology"),
		record.DerivedCount("switches", float64(len(g.Nodes)-len(g.Hosts)), "", "switches of the topology"),
		record.DerivedCount("cables", float64(len(g.Links)), "", "full-duplex links of the topology"),
		record.DerivedCount("longest_path", float64(len(d.path)), "links", "links on the longest minimal path"),
		record.DerivedRate("host_rate", d.hosts, "rate of the fastest host link"),
		record.DerivedTime("base_rtt", d.rtt, "unloaded round trip of a full frame and its acknowledgement on the longest minimal path"),
		record.DerivedBytes("bdp", d.bdp, "1 BDP: host rate times base RTT"),
		record.DerivedCount("bdp_packets", float64((d.bdp+d.packet-1)/d.packet), "packets", "full packets per BDP, rounded up"),
		record.DerivedTime("rto", d.rto, "retransmission timeout"),
	}
}

// rows lists the derived values of a plan for the manifest.
func (p *plan) rows() []record.Derived {
	rows := p.derived.rows(p.graph)
	rows = append(rows, p.routeRows()...)
	rows = append(rows, p.walkRows()...)
	rows = append(rows, p.queueRows()...)
	rows = append(rows, p.loadRows()...)
	rows = append(rows,
		record.DerivedCount("classes", float64(max(1, p.queue.Classes)), "", "priority classes of a port"),
		record.DerivedTime("stuck_after", p.stuckAfter, "time without progress after which the run is stuck"))
	if p.signals {
		rows = append(rows, record.DerivedTime("trigger_delay", fabric.LeastSignalDelay(p.graph), "delay of a trigger or barrier from one host to another: the least delay at which the network could be cut into domains"))
	}
	for i := range p.groups {
		g := &p.groups[i]
		env := g.Env
		env.Rand = new(rand.PCG)
		if g.Congestion.New != nil {
			control := g.Congestion.New(env)
			window := control.Window()
			if c, ok := control.(protocol.Credited); ok {
				window = min(window, c.Credit())
			}
			rows = append(rows, record.DerivedBytes("initial_window."+g.Name, window, "payload that a new connection of the group may have in flight"))
			if c, ok := control.(protocol.Pacer); ok && c.Pace().Rate > 0 {
				rows = append(rows, record.DerivedRate("initial_rate."+g.Name, c.Pace().Rate, "rate at which a new connection of the group sends"))
			}
		}
		rows = append(rows, p.settings(g)...)
		rows = append(rows,
			record.DerivedTime("rto."+g.Name, g.RTO, "retransmission timeout of the group"),
			record.DerivedCount("class."+g.Name, float64(g.Class), "", "priority class of the group's data"),
			record.DerivedCount("ack_class."+g.Name, float64(g.AckClass), "", "priority class of its acknowledgements"))
	}
	return rows
}

// settings lists what the options of a group's control come to.
func (p *plan) settings(g *transport.Group) []record.Derived {
	if g.Congestion.Settings == nil {
		return nil
	}
	var rows []record.Derived
	for _, s := range g.Congestion.Settings(transport.HostEnv(&g.Params, len(p.graph.Hosts), p.queue.Classes, p.queue.Credit)) {
		name := s.Name + "." + g.Name
		switch v := s.Value.(type) {
		case unit.Bytes:
			rows = append(rows, record.DerivedBytes(name, v, s.Meaning))
		case unit.Time:
			rows = append(rows, record.DerivedTime(name, v, s.Meaning))
		case unit.Rate:
			rows = append(rows, record.DerivedRate(name, v, s.Meaning))
		case float64:
			rows = append(rows, record.DerivedCount(name, v, "", s.Meaning))
		}
	}
	return rows
}

// queueKinds are the words for event queues in scenario files.
var queueKinds = map[string]sim.QueueKind{"sweep": sim.Swept, "calendar": sim.Calendar}
