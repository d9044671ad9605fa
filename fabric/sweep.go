package fabric

import (
	"fmt"

	"weft/sim"
	"weft/topo"
)

// A window no longer than the delay of any wire into a switch can be swept: every frame that
// arrives at a switch in it left its sender before the window began. So the arrivals are collected,
// sorted once and handled one after another. Then each host acts. Wires from switches to hosts may
// be shorter, since hosts act last and nothing that they send arrives within the window.

// Sweep implements sim.Sweeper.
func (d *Domain) Sweep(from, to sim.Time) (events uint64) {
	d.enter(noEvent)
	d.swept.known = to
	if d.sched.Bound() >= to {
		return 0
	}
	d.sched.Reset(to)
	b := d.swept.batch
	b.Clear()
	b.arrivals = d.swept.wheel.take(b.arrivals[:0], from, to)
	if d.hooks.router != nil {
		d.postpone(b, from)
		return d.sweep(b, from, to)
	}
	for _, a := range b.arrivals {
		b.Add(a.arrives-from, uint32(a.wire)<<1|1)
		a.port, _ = d.route(&d.switches[d.wires[a.wire].node], &a.frame)
	}
	return d.sweep(b, from, to)
}

// postpone defers the choice of a port for every frame to its turn, because it depends on queues.
func (d *Domain) postpone(b *batch, from sim.Time) {
	for _, a := range b.arrivals {
		b.Add(a.arrives-from, uint32(a.wire)<<1|1)
		a.port = -1
	}
}

// sweep handles the arrivals of the batch, and the events that they cause within the window.
func (d *Domain) sweep(b *batch, from, to sim.Time) (events uint64) {
	if d.hooks.diverter != nil { // the port depends on queues at the frame's turn
		for _, a := range b.arrivals {
			if d.hooks.diverter.diverts(&a.frame) {
				a.port = -1
			}
		}
	}
	d.tally.hops += uint64(len(b.arrivals))
	events = uint64(len(b.arrivals))
	if d.hooks.notices != nil {
		d.hooks.notices.gather(b, from, to)
	}
	keys := b.Sort(to - from)
	if d.hooks.instants != nil {
		keys = d.hooks.instants.sweep(b, keys, from, to)
	}
	d.sweepKeys(b, keys, from)
	d.swept.wheel.done()
	d.enter(noEvent)
	d.serveBehind(to)
	for _, resume := range d.hooks.served {
		d.sched.Expect(resume(to))
	}
	events += d.hostTurns(to)
	d.enter(noEvent)
	d.sched.Expect(d.swept.wheel.bound(to))
	if d.hooks.instants != nil {
		d.hooks.instants.expect()
	}
	return events
}

// sweepKeys handles arrivals at switches, and notices, in order.
func (d *Domain) sweepKeys(b *batch, keys []uint64, from sim.Time) {
	for _, key := range keys {
		offset, place := sim.Split(key)
		if int(place) >= len(b.arrivals) {
			d.hooks.notices.handleSwept(b.noticed[int(place)-len(b.arrivals)], from+offset)
			continue
		}
		a := b.arrivals[place]
		d.enter(sim.Entity(a.wire))
		if a.port >= 0 {
			d.accept(a.port, &a.frame, gone, via(a.wire), from+offset)
		} else {
			d.forward(&d.switches[d.wires[a.wire].node], &a.frame, gone, via(a.wire), from+offset)
		}
	}
}

// sweepable returns the longest window that can be swept, or why none can.
func (n *Network) sweepable(observed bool) (sim.Time, error) {
	if observed {
		return 0, fmt.Errorf("its events are observed")
	}
	least := min(n.Lookahead, sim.LongestSweep)
	for i := range n.ports {
		id := topo.PortID(i)
		from, to := n.graph.Ends(id)
		if n.graph.Nodes[from].Kind == topo.Switch && n.graph.Nodes[to].Kind == topo.Host {
			continue
		}
		if n.graph.Nodes[to].Kind == topo.Host { // a frame sent by one host in its turn may reach the other earlier than that one assumes
			return 0, fmt.Errorf("the link from %s to %s joins hosts", n.graph.Nodes[from].Name, n.graph.Nodes[to].Name)
		}
		delay := n.graph.Links[id.Link()].Delay + n.graph.Nodes[to].Latency
		if delay <= 0 {
			return 0, fmt.Errorf("the link from %s to %s has no delay", n.graph.Nodes[from].Name, n.graph.Nodes[to].Name)
		}
		least = min(least, delay)
	}
	return least, nil
}

// hostTurns lets the hosts handle their events before to.
func (d *Domain) hostTurns(to sim.Time) (events uint64) {
	for g, at := range d.swept.soon {
		if at >= to {
			d.sched.Expect(at)
			continue
		}
		d.swept.soon[g] = sim.Forever // collects events that arise while hosts act
		next := sim.Forever
		last := min(int32(g+1)<<groupBits, int32(len(d.nics)))
		for h := int32(g) << groupBits; h < last; h++ {
			if d.swept.together != nil && d.swept.together[h] != nil {
				n, at := d.hostsTogether(d.swept.together[h], to)
				events += n
				next = min(next, at)
				continue
			}
			n, at := d.host(h, to)
			events += n
			next = min(next, at)
		}
		d.swept.soon[g] = min(d.swept.soon[g], next)
		d.sched.Expect(next)
	}
	return events
}

// host handles the events of a host before to. It returns their number and the time
// of the next event.
func (d *Domain) host(h int32, to sim.Time) (events uint64, next sim.Time) {
	n := &d.nics[h]
	for {
		e, at := d.sched.First(n.in, n.wake, n.wake+1)
		if n.notices != 0 {
			e, at = d.sched.Earlier(e, at, n.notices)
		}
		if at >= to {
			return events, at
		}
		events++
		d.sched.Take(e)
		d.Handle(e, at)
	}
}
