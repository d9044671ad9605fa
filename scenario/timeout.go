package scenario

import (
	"maps"
	"slices"

	"weft/fault"
	"weft/protocol/reliable"
	"weft/topo"
	"weft/unit"
)

// timeout returns the retransmission timeout for the classes of data and acknowledgements.
// adapts reports whether it is only the minimum of an adaptive timeout.
func (p *plan) timeout(t *Transport, data, ack uint8) (rto unit.Time, adapts bool) {
	switch {
	case t.Recovery.kind() == irn && t.RTO == nil:
		rto = t.Recovery.rtoLow()
	case t.RTO == nil:
		rto, adapts = p.boundTimeout(t, data, ack, p.drain), true
	case t.RTO.Path:
		rto = p.pathTimeout(data)
	default:
		rto = t.RTO.Fixed
	}
	return min(rto, longestTimeout), adapts
}

// longestTimeout is the longest timeout: a quarter of the longest time that can be
// represented, so that a few of them can follow each other.
const longestTimeout = unit.Forever >> 2

// pathTimeout returns the base RTT plus the time in which the switch ports of the longest
// path drain full queues of the frame's class and the classes served before it (ARCANE
// §4.1, with one class). The longest path is the longest minimal one, or the longest in a
// layer.
func (p *plan) pathTimeout(class uint8) unit.Time {
	t := p.derived.rtt
	for _, id := range p.derived.path {
		if from, _ := p.graph.Ends(id); p.graph.Nodes[from].Kind == topo.Switch {
			t = t.Plus(p.drain(id, class))
		}
	}
	if p.routes.beyond > 0 {
		_, across := p.slowestPorts(class, p.drain)
		t = t.Plus(p.timeBeyond(across))
	}
	return t
}

// boundTimeout returns the longest time until a packet is acknowledged, on the longest path
// that routes allow while no link fails. It adds the base RTT, full queues in both
// directions, each at the slowest port of its kind, the jitter of hosts, the waits for
// interrupts, and the wait for an acknowledgement of several packets.
func (p *plan) boundTimeout(t *Transport, data, ack uint8, drain drained) unit.Time {
	down, across := p.slowestPorts(data, drain)
	downBack, acrossBack := p.slowestPorts(ack, drain)
	bound := p.derived.rtt
	for i, id := range p.derived.path {
		from, _ := p.graph.Ends(id)
		switch {
		case p.graph.Nodes[from].Kind != topo.Switch:
		case i == len(p.derived.path)-1:
			bound = bound.Plus(down).Plus(downBack)
		default:
			bound = bound.Plus(across).Plus(acrossBack)
		}
	}
	bound = bound.Plus(p.timeBeyond(across.Plus(acrossBack))).Plus(2 * p.ends.late) // late for data and for the acknowledgement
	if t.Ack.Every > 1 {
		bound = bound.Plus(p.ackDelay(t))
	}
	return bound
}

// slowestPorts returns the longest time that a frame of a class waits in full queues, at a
// switch port towards a host and at one towards a switch.
func (p *plan) slowestPorts(class uint8, drain drained) (down, across unit.Time) {
	for id := range topo.PortID(2 * len(p.graph.Links)) {
		from, to := p.graph.Ends(id)
		switch {
		case p.graph.Nodes[from].Kind != topo.Switch:
		case p.graph.Nodes[to].Kind == topo.Host:
			down = max(down, drain(id, class))
		default:
			across = max(across, drain(id, class))
		}
	}
	return down, across
}

// drained returns the time that a port needs for everything that may go before a frame of a
// class.
type drained func(id topo.PortID, class uint8) unit.Time

// drain returns the time that a port needs for full queues of a class and of the classes
// served before it.
func (p *plan) drain(id topo.PortID, class uint8) unit.Time {
	return p.graph.Links[id.Link()].Rate.Transmit(p.bytesAhead(id, class))
}

// ackDelay returns the longest wait of a packet for an acknowledgement of several packets.
func (p *plan) ackDelay(t *Transport) unit.Time {
	if t.Ack.Delay != nil {
		return *t.Ack.Delay
	}
	return p.derived.rtt
}

// planPatience lengthens the timeouts of connections where frames can wait longer than full
// queues at link rate explain. That is so at links that faults slow down, for slow hosts,
// and behind the NIC queue of the host that answers. It never exceeds the timeout after all
// doublings, so that a stuck run is found no later.
func (p *plan) planPatience(s *Spec) {
	rates := p.leastRates()
	for t, g := range p.transports(s) {
		if !g.Adaptive || p.queues.unbounded {
			continue
		}
		most := min(g.RTO.Times(reliable.TimeoutGrowth), longestTimeout)
		if rates != nil {
			slow := func(id topo.PortID, class uint8) unit.Time { return rates(id, class).Transmit(p.bytesAhead(id, class)) }
			g.FirstRTO = min(p.boundTimeout(t, g.Class, g.AckClass, slow), most)
			if p.queues.lossless>>g.Class&1 != 0 { // in other classes, round trips show the delay, and losses should be found soon
				g.LeastRTO = g.FirstRTO
			}
		}
		if p.ends.nic != nil {
			g.FirstRTO = most
		}
	}
}

// leastRates returns a function for the slowest rate at which a port serves a class; nil if
// ports always serve at the rate of their links. For lossless classes it is the slowest
// rate of any port, since pauses spread.
func (p *plan) leastRates() func(id topo.PortID, class uint8) unit.Rate {
	slow := map[topo.PortID]unit.Rate{}
	slower := func(id topo.PortID, rate unit.Rate) {
		if was, ok := slow[id]; rate > 0 && rate < p.graph.Links[id.Link()].Rate && (!ok || rate < was) {
			slow[id] = rate
		}
	}
	for _, c := range p.failing.timeline.Changes {
		if c.What == fault.SetRate {
			slower(c.Port, c.Rate)
		}
	}
	for host, rate := range p.ends.slow {
		slower(p.uplinks[host].Reverse(), rate)
	}
	if len(slow) == 0 {
		return nil
	}
	least := slices.Min(slices.Collect(maps.Values(slow)))
	return func(id topo.PortID, class uint8) unit.Rate {
		rate := p.graph.Links[id.Link()].Rate
		if p.queues.lossless>>class&1 != 0 {
			return min(rate, least)
		}
		if r, ok := slow[id]; ok {
			return r
		}
		return rate
	}
}
