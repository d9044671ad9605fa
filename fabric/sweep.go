package fabric

import (
	"fmt"

	"weft/sim"
	"weft/topo"
)

// A window no longer than any wire into a switch is swept: all that arrives at switches in it
// had left its sender before it began. So the arrivals are collected, sorted once and handled
// one after another, and then each host takes its turn. Wires from switches to hosts may be
// shorter, since hosts go last, and nothing that they send arrives within the window.

// batch is what arrives at the switches of a domain within a window.
type batch struct {
	sim.Batch
	arrivals []*flight
	noticed  []int32 // ports with notices, which come after the arrivals
}

// Sweep implements sim.Sweeper.
func (d *Domain) Sweep(from, to sim.Time) (events uint64) {
	d.enter(noTurn)
	d.known = to
	if d.sched.Bound() >= to {
		return 0
	}
	d.sched.Reset(to)
	b := d.batch
	b.Clear()
	b.arrivals = d.wheel.take(b.arrivals[:0], from, to)
	if d.router != nil {
		d.postpone(b, from)
		return d.sweep(b, from, to)
	}
	for _, a := range b.arrivals {
		b.Add(a.arrives-from, uint32(a.wire)<<1|1)
		a.port, _ = d.route(&d.switches[d.wires[a.wire].node], &a.frame)
	}
	return d.sweep(b, from, to)
}

// postpone leaves the ports of all frames for when their turn comes, since they depend on queues.
func (d *Domain) postpone(b *batch, from sim.Time) {
	for _, a := range b.arrivals {
		b.Add(a.arrives-from, uint32(a.wire)<<1|1)
		a.port = -1
	}
}

// sweep handles what is in the batch, and what it brings about within the window.
func (d *Domain) sweep(b *batch, from, to sim.Time) (events uint64) {
	if d.diverter != nil { // by queues as they are when the frame's turn comes
		for _, a := range b.arrivals {
			if d.diverter.diverts(&a.frame) {
				a.port = -1
			}
		}
	}
	d.hops += uint64(len(b.arrivals))
	events = uint64(len(b.arrivals))
	if len(d.noticing) > 0 {
		d.sweepNotices(b, from, to)
	}
	keys := b.Sort(to - from)
	if d.controls != nil {
		keys = d.sweepTicks(b, keys, from, to)
	}
	d.sweepKeys(b, keys, from)
	d.wheel.done()
	d.enter(noTurn)
	d.serveBehind(to)
	d.sched.Expect(d.resumePaused(to))
	events += d.hostTurns(to)
	d.enter(noTurn)
	d.sched.Expect(d.wheel.bound(to))
	if d.controls != nil {
		if at, ok := d.sched.Pending(d.tick); ok {
			d.sched.Expect(at)
		}
	}
	return events
}

// sweepKeys handles arrivals at switches, and notices of pauses, in their order.
func (d *Domain) sweepKeys(b *batch, keys []uint64, from sim.Time) {
	for _, key := range keys {
		offset, place := sim.Split(key)
		if int(place) >= len(b.arrivals) {
			i := b.noticed[int(place)-len(b.arrivals)]
			d.enter(d.firstNotice + sim.Entity(i))
			d.heed(i, from+offset)
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

// sweepable returns for how long windows can be swept, or why they cannot.
func (n *Network) sweepable(c *Config) (sim.Time, error) {
	if c.Observe != nil || c.Follow != nil {
		return 0, fmt.Errorf("its events are observed")
	}
	least := min(n.Lookahead, sim.LongestSweep)
	for i := range n.ports {
		id := topo.PortID(i)
		from, to := n.graph.Ends(id)
		if n.graph.Nodes[from].Kind == topo.Switch && n.graph.Nodes[to].Kind == topo.Host {
			continue
		}
		if n.graph.Nodes[to].Kind == topo.Host { // what one sends in its turn may come sooner than the other counts on
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

// orderWires puts the wires of every domain in the order in which windows are swept: those
// into switches by rank, then those into hosts by the numbers of these.
func (n *Network) orderWires() {
	order := make([]topo.PortID, len(n.wires))
	for i, r := range sim.Ranks(n.seed, n.names) {
		order[r] = topo.PortID(i)
	}
	ordered := make([][]wire, len(n.domains))
	for i, d := range n.domains {
		d.hostWires = int32(len(d.wires) - len(d.nics)) // each host has one
		ordered[i] = make([]wire, len(d.wires))
	}
	index, placed := make([]int32, len(n.wires)), make([]int32, len(n.domains))
	for _, id := range order {
		at := n.wires[id]
		d := n.domains[at.domain]
		w := d.wires[at.index]
		i := d.hostWires + ^w.node
		if w.node >= 0 {
			i = placed[at.domain]
			placed[at.domain]++
		}
		index[id] = i
		ordered[at.domain][i] = w
	}
	for i, d := range n.domains {
		d.wires = ordered[i]
	}
	for id := range n.wires {
		at := &n.wires[id]
		at.index = index[id]
		d := n.domains[at.domain]
		if w := &d.wires[at.index]; w.node < 0 {
			d.nics[^w.node].in = sim.Entity(at.index)
		}
		sender := n.ports[id]
		n.domains[sender.domain].ports[sender.index].wire = at.index
	}
}
