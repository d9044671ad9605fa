package fabric

import (
	"fmt"

	"weft/sim"
)

// Hosts that signal to each other without delay act together in a swept window. They handle their
// events in common order, as without sweeps, so that none is ahead when another signals to it.

// SignalBeside sends a signal to a host of the same group of Config.Together. It
// takes effect at once, in an event of that host at the same instant.
func (d *Domain) SignalBeside(now sim.Time, s Signal) {
	s.At = now
	d.mail.signals.receiver.Signalled(d.mail.signals.hosts[s.Dst].index, s)
}

// joinHosts records which hosts act together.
func (n *Network) joinHosts(groups [][]int32) error {
	for _, hosts := range groups {
		first := n.nodes[n.graph.Hosts[hosts[0]]]
		d := n.domains[first.domain]
		if d.swept.together == nil {
			d.swept.together = make([][]int32, len(d.nics))
		}
		set := make([]int32, 0, len(hosts))
		for _, h := range hosts {
			at := n.nodes[n.graph.Hosts[h]]
			switch {
			case d.mail.signals.delay == 0:
				return fmt.Errorf("fabric: hosts act together by signals, and there are none")
			case at.domain != first.domain:
				return fmt.Errorf("fabric: hosts %d and %d act together, but are in domains %d and %d", hosts[0], h, first.domain, at.domain)
			case d.swept.together[at.index] != nil:
				return fmt.Errorf("fabric: host %d is in two groups of hosts that act together", h)
			}
			set = append(set, at.index)
		}
		for _, h := range set {
			d.swept.together[h] = set
		}
	}
	return nil
}

// hostsTogether handles the events before to of hosts that act together, in common
// order. It returns their number and the time of the next event.
func (d *Domain) hostsTogether(hosts []int32, to sim.Time) (events uint64, next sim.Time) {
	for {
		e, at := d.firstOf(hosts[0])
		for _, h := range hosts[1:] {
			if other, t := d.firstOf(h); t < at || t == at && t < sim.Forever && d.sched.Precedes(other, e) {
				e, at = other, t
			}
		}
		if at >= to {
			break
		}
		events++
		d.sched.Take(e)
		d.Handle(e, at)
	}
	next = sim.Forever
	for _, h := range hosts {
		_, at := d.firstOf(h)
		d.stir(h, at)
		next = min(next, at)
	}
	return events, next
}

// firstOf returns the first event of a host and its time.
func (d *Domain) firstOf(h int32) (sim.Entity, sim.Time) {
	n := &d.nics[h]
	e, at := d.sched.First(n.in, n.wake, n.wake+1)
	if n.notices != 0 {
		e, at = d.sched.Earlier(e, at, n.notices)
	}
	return e, at
}
