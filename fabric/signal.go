package fabric

import (
	"fmt"

	"weft/sim"
	"weft/topo"
)

// LeastSignalDelay returns the smallest delay, including the latency of the receiving
// node, of the links at which a graph can be partitioned; if there are none, of any
// link. Signals may take at most this long. Wherever the cuts are, windows are then as
// long as a signal takes, and every signal reaches another domain in time.
func LeastSignalDelay(g *topo.Graph) sim.Time {
	least, any := sim.Forever, sim.Forever
	for _, l := range g.Links {
		a, b := &g.Nodes[l.A], &g.Nodes[l.B]
		t := l.Delay + min(a.Latency, b.Latency)
		any = min(any, t)
		if a.Kind == topo.Switch && b.Kind == topo.Switch && t > 0 {
			least = min(least, t)
		}
	}
	if least == sim.Forever {
		least = any
	}
	return max(least, 1)
}

// shortenForSignals limits windows to the time that signals take.
func (n *Network) shortenForSignals(delay sim.Time) error {
	if delay <= 0 {
		return nil
	}
	if least := LeastSignalDelay(n.graph); delay > least {
		return fmt.Errorf("fabric: signals take %v, but between domains they may take at most %v", delay, least)
	}
	n.Lookahead = min(n.Lookahead, delay)
	return nil
}

// allowSignals lets hosts signal to each other with the given delay.
func (n *Network) allowSignals(delay sim.Time) error {
	hosts := make([]place, len(n.graph.Hosts))
	for i, node := range n.graph.Hosts {
		hosts[i] = n.nodes[node]
	}
	for i, d := range n.domains {
		r, ok := d.endpoint.(SignalReceiver)
		if !ok {
			return fmt.Errorf("fabric: signals need endpoints that take them; that of domain %d does not", i)
		}
		d.mail.signals = signals{delay, r, hosts}
	}
	return nil
}

// Signal sends a signal and sets its At. Call it only while an event is handled and
// with Config.SignalDelay set.
func (d *Domain) Signal(now sim.Time, s Signal) {
	s.At = now + d.mail.signals.delay
	to := d.mail.signals.hosts[s.Dst]
	if to.domain == d.mail.self {
		d.mail.signals.receiver.Signalled(to.index, s)
		return
	}
	box := &d.mail.out[to.domain]
	box.signals = append(box.signals, s)
	d.mail.exported = min(d.mail.exported, s.At)
}
