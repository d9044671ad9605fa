package fabric

import "weft/sim"

// runInformed handles all events before until, and at each multiple of the delay of detours lets switches know
// what was queued one delay before. No window of the engine goes over such an instant, so that what
// they know does not depend on how the network is cut.
func (n *Network) runInformed(until sim.Time, threads int) {
	g := n.domains[0].walks()
	for {
		// Nothing changes before the next event, but for what leaves queues.
		if bound := n.engine.Next(); bound >= until {
			break
		} else if last := bound - bound%g.Delay - g.Delay; last > g.next {
			g.next = last
		}
		if g.next >= until {
			break
		}
		n.engine.Run(g.next, threads)
		n.inform(g.next)
		g.next += g.Delay
	}
	n.engine.Run(until, threads)
}

// inform reads all queues, between two runs of the engine, and publishes what was read before.
func (n *Network) inform(now sim.Time) {
	n.running = false
	defer func() { n.running = true }()
	g := n.domains[0].walks()
	g.known, g.fresh = g.fresh, g.known
	for _, d := range n.domains {
		d.enter(noTurn)
	}
	for id, at := range n.ports {
		d := n.domains[at.domain]
		p := &d.ports[at.index]
		if p.due(now) {
			d.drain(p, at.index, now)
		}
		g.fresh[id] = p.queued
	}
}
