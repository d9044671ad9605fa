package scenario

import (
	"weft/topo"
	"weft/unit"
)

// timeout returns the retransmission timeout of packets of some classes, and whether it is
// only the least of one that adapts.
func (p *plan) timeout(t *Transport, data, ack uint8) (rto unit.Time, adapts bool) {
	switch {
	case t.Recovery.kind() == irn && t.RTO == nil:
		return t.Recovery.rtoLow(), false
	case t.RTO == nil:
		return p.boundTimeout(t, data, ack), true
	case t.RTO.Path:
		return p.pathTimeout(data), false
	}
	return t.RTO.Fixed, false
}

// pathTimeout is how long a data frame takes through the switch ports of the longest minimal
// path, or of the longest in a layer, if the queues of its class and of those served before it are
// full, and the base RTT (ARCANE §4.1, where there is one class).
func (p *plan) pathTimeout(class uint8) unit.Time {
	t := p.derived.rtt
	for _, id := range p.derived.path {
		if from, _ := p.graph.Ends(id); p.graph.Nodes[from].Kind == topo.Switch {
			t += p.drain(id, class)
		}
	}
	if p.detour > 0 {
		_, across := p.slowestPorts(class)
		t += p.detourTime(across)
	}
	return t
}

// boundTimeout is the longest that the answer to a packet takes on the longest path that routes
// allow while no link fails: base RTT, full queues in both directions, each at the slowest port of
// its kind, the delays of inexact hosts and the waits for interrupts, and the wait for an acknowledgement of several packets.
func (p *plan) boundTimeout(t *Transport, data, ack uint8) unit.Time {
	down, across := p.slowestPorts(data)
	downBack, acrossBack := p.slowestPorts(ack)
	bound := p.derived.rtt
	for i, id := range p.derived.path {
		from, _ := p.graph.Ends(id)
		switch {
		case p.graph.Nodes[from].Kind != topo.Switch:
		case i == len(p.derived.path)-1:
			bound += down + downBack
		default:
			bound += across + acrossBack
		}
	}
	bound += p.detourTime(across+acrossBack) + 2*(p.inexact+p.interrupts) // of data, and of its answer
	if t.Ack.Every > 1 {
		bound += p.ackDelay(t)
	}
	return bound
}

// slowestPorts returns the longest time that a frame of a class waits at a port of a switch
// towards a host, and at one towards a switch, if queues are full.
func (p *plan) slowestPorts(class uint8) (down, across unit.Time) {
	for id := range topo.PortID(2 * len(p.graph.Links)) {
		from, to := p.graph.Ends(id)
		switch {
		case p.graph.Nodes[from].Kind != topo.Switch:
		case p.graph.Nodes[to].Kind == topo.Host:
			down = max(down, p.drain(id, class))
		default:
			across = max(across, p.drain(id, class))
		}
	}
	return down, across
}

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
