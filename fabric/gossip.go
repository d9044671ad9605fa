package fabric

import "weft/sim"

// runInformed handles all events before until. At each multiple of the delay of detours
// it publishes to all switches the queues as of one delay earlier. No window of the
// engine spans such an instant, so what switches know does not depend on the partition.
func (n *Network) runInformed(until sim.Time, threads int) {
	g := n.domains[0].walks()
	for {
		// Until the next event nothing changes except that queues drain.
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

// inform reads all queues, between two runs of the engine, and publishes the previous reading.
func (n *Network) inform(now sim.Time) {
	n.running = false
	defer func() { n.running = true }()
	g := n.domains[0].walks()
	g.known, g.fresh = g.fresh, g.known
	for _, d := range n.domains {
		d.enter(noEvent)
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
