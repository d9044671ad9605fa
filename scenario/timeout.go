package scenario

import (
	"maps"
	"slices"

	"weft/fault"
	"weft/protocol/reliable"
	"weft/topo"
	"weft/unit"
)

// timeout returns the retransmission timeout of packets of some classes, and whether it is
// only the least of one that adapts.
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

// longestTimeout is the longest timeout: a quarter of the time that can be told, so that a few of them after each other can be.
const longestTimeout = unit.Forever >> 2

// pathTimeout is how long a data frame takes through the switch ports of the longest minimal
// path, or of the longest in a layer, if the queues of its class and of those served before it are
// full, and the base RTT (ARCANE §4.1, where there is one class).
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

// boundTimeout is the longest that the answer to a packet takes on the longest path that routes
// allow while no link fails: base RTT, full queues in both directions, each at the slowest port of
// its kind, the delays of inexact hosts and the waits for interrupts, and the wait for an acknowledgement of several packets.
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
	bound = bound.Plus(p.timeBeyond(across.Plus(acrossBack))).Plus(2 * p.ends.late) // of data and of its answer
	if t.Ack.Every > 1 {
		bound = bound.Plus(p.ackDelay(t))
	}
	return bound
}

// slowestPorts returns the longest time that a frame of a class waits at a port of a switch
// towards a host, and at one towards a switch, if queues are full.
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

// drained tells how long a port takes for all that may go before a frame of a class.
type drained func(id topo.PortID, class uint8) unit.Time

// drain returns how long a port takes for its full queues of a class and of those served
// before it.
func (p *plan) drain(id topo.PortID, class uint8) unit.Time {
	return p.graph.Links[id.Link()].Rate.Transmit(p.ahead(id, class))
}

// ackDelay is how long a packet waits at most for an acknowledgement of several.
func (p *plan) ackDelay(t *Transport) unit.Time {
	if t.Ack.Delay != nil {
		return *t.Ack.Delay
	}
	return p.derived.rtt
}

// planPatience has connections wait longer where frames wait longer than at full queues of ports that send at their rates: at links that
// faults slow down, for slow hosts, and behind the queue at the NIC of the host that answers. They do not wait longer than they would
// after all doublings, so that a run is found stuck no later.
func (p *plan) planPatience(s *Spec) {
	rates := p.leastRates()
	for t, g := range p.transports(s) {
		if !g.Adaptive || p.queues.unbounded {
			continue
		}
		most := min(g.RTO.Times(reliable.TimeoutGrowth), longestTimeout)
		if rates != nil {
			slow := func(id topo.PortID, class uint8) unit.Time { return rates(id, class).Transmit(p.ahead(id, class)) }
			g.FirstRTO = min(p.boundTimeout(t, g.Class, g.AckClass, slow), most)
			if p.queues.lossless>>g.Class&1 != 0 { // elsewhere round trips show it, and losses are to be found soon
				g.LeastRTO = g.FirstRTO
			}
		}
		if p.ends.nic != nil {
			g.FirstRTO = most
		}
	}
}

// leastRates returns at which rate each port serves a class at its slowest; nil if that is always the rate of its link. What slows down
// one port of a lossless class may pause all others.
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
