package scenario

import (
	"cmp"
	"fmt"

	"weft/problem"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/record"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// telling returns a function that reports the progress of a step of building, or nil if
// nobody listens.
func (p *plan) telling(what string) func(share float64) {
	if p.tell == nil {
		return nil
	}
	return func(share float64) { p.tell(what, share) }
}

// longestRTT is the longest round trip of a lone frame that a network may have. It leaves
// room to represent many round trips.
const longestRTT = 50_000 * unit.Second

// oneWay returns the time of a lone frame along a path, store and forward.
func oneWay(g *topo.Graph, path []topo.PortID, size unit.Bytes) (t unit.Time) {
	for _, h := range hops(g, path) {
		t = t.Plus(h.Rate.Transmit(size)).Plus(h.Delay)
	}
	return t
}

// hops returns the links of a path in the form that transport.Ideal takes.
func hops(g *topo.Graph, path []topo.PortID) []transport.Hop {
	out := make([]transport.Hop, len(path))
	for i, p := range path {
		l := g.Links[p.Link()]
		_, to := g.Ends(p)
		out[i] = transport.Hop{Rate: l.Rate, Delay: l.Delay + g.Nodes[to].Latency}
	}
	return out
}

// derive computes the base RTT and the bandwidth-delay product of a fabric. The RTT is the
// time of a full frame and its acknowledgement on the longest minimal path, serialisation
// included. The BDP is what a host's link carries in that time.
func derive(g *topo.Graph, t *route.Tables, payload, header, ack unit.Bytes) (derived, error) {
	d := derived{packet: payload + header, payload: payload}
	for id := range topo.PortID(2 * len(g.Links)) {
		if oneWay(g, []topo.PortID{id}, d.packet) > longestRTT {
			return d, problem.New("a full frame takes more than %v over %s, which is too long to reckon with", longestRTT, g.PortName(id)).Mend("write a shorter delay, or a higher rate")
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
		return d, problem.New("a full frame and its acknowledgement take more than %v on the longest path, which is too long to reckon with", longestRTT).Mend("write shorter delays, or higher rates")
	}
	for _, l := range g.Links {
		if g.Nodes[l.A].Kind == topo.Host || g.Nodes[l.B].Kind == topo.Host {
			d.hosts = max(d.hosts, l.Rate)
		}
	}
	d.bdp = d.hosts.In(d.rtt)
	return d, nil
}

// recovery returns how long a network may make no progress with a transport before it
// counts as stuck: long enough for a lost packet, and for the probe after it, to be sent
// again and answered.
func (p *plan) recovery(o *transport.Params) unit.Time {
	switch {
	case o.Congestion.NewHost != nil:
		host := &o.Congestion.Host
		return max(4*p.derived.rtt, cmp.Or(host.Recovery, protocol.Silences*host.Silence))
	case o.ConnectionTimer || o.Adaptive && !p.queues.unbounded:
		return o.RTO.Times(4 * reliable.TimeoutGrowth)
	}
	return max(o.RTO, o.Recovery.High).Times(4)
}

// env returns what connections of a group know about their path.
func (p *plan) env(payload, header unit.Bytes, rto unit.Time) protocol.Env {
	packet, d := payload+header, &p.derived
	queue := d.limit
	if d.infinite {
		queue = 0
	}
	return protocol.Env{
		Payload: payload, Packet: packet,
		BDP: d.bdp, BDPPackets: int(max(1, (d.bdp+packet-1)/packet)),
		BaseRTT: d.rtt, RTO: rto, LineRate: d.hosts, Queue: queue, Trims: p.queues.port.Trim != nil,
		Layers: len(p.routes.walks),
	}
}

// lineRate returns the rate of a host's link.
func (p *plan) lineRate(host int32) unit.Rate { return p.graph.Links[p.uplinks[host].Link()].Rate }

// switches returns the number of switches on a minimal path between two hosts.
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

// queueKinds maps the words of scenario files to event queues.
var queueKinds = map[string]sim.QueueKind{"sweep": sim.Swept, "calendar": sim.Calendar}

// micros writes a time in the form of an explanation's tables.
func micros(t unit.Time) string {
	return fmt.Sprintf("%.3f µs", float64(t)/float64(unit.Microsecond))
}

func (p *plan) hostName(h int32) string { return p.graph.Nodes[p.graph.Hosts[h]].Name }

// hosts returns the hosts that match patterns, in order. It returns nil, for all hosts,
// without patterns.
func (p *plan) hosts(patterns []string) ([]int32, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	chosen := map[topo.NodeID]bool{}
	for _, pattern := range patterns {
		nodes, err := p.graph.MatchNodes(pattern)
		if err != nil {
			return nil, err
		}
		for _, n := range nodes {
			if p.graph.Nodes[n].Kind != topo.Host {
				return nil, fmt.Errorf("%q names %s, which is a switch; only hosts send traffic", pattern, p.graph.Nodes[n].Name)
			}
			chosen[n] = true
		}
	}
	var hosts []int32
	for i, n := range p.graph.Hosts {
		if chosen[n] {
			hosts = append(hosts, int32(i))
		}
	}
	return hosts, nil
}
