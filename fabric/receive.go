package fabric

import (
	"math/bits"

	"weft/sim"
)

// Hosts are not exact to the picosecond. With Config.HostJitter, what reaches a host passes its
// receive path before the endpoint sees it. Each frame draws a delay, evenly from 0 on. Frames of a
// class keep their order: one leaves when its delay is over and the frame before it has left.
//
// The draw is a function of the seed, the host and the packet, so that neither cuts nor threads nor
// what else a run does changes it. The wire, the counters of ports and pauses know nothing of it.
//
// A frame that arrives costs one event, as without the delay: the wire's event is that of the first
// frame to leave. If the host's port has classes, frames may leave in another order than they came.
// Then all that has arrived is looked at, and where a port decides late what it sends
// (service.go) an event of each frame's own tells that it arrived on the wire.
//
// Source: Floyd and Jacobson, On Traffic Phase Effects in Packet-Switched Gateways, CCR 21(2),
// 1991; docs/design/0016-host-jitter.md has the size.

// intake is the receive path of a host.
type intake struct {
	key  uint64   // of its draws
	left sim.Time // when the last frame left, of hosts without classed ones
}

// classIntake is what is kept of the receive path of a host besides, where frames of several classes come.
type classIntake struct {
	left [classMask + 1]sim.Time
	// Of those that are staged, each frame has an event when it arrives on the wire, and another one
	// when it leaves. Entries of the ring before seen have arrived.
	staged bool
	seen   uint32
}

// openIntakes gives hosts their receive paths.
func (n *Network) openIntakes(c *Config) {
	if c.HostJitter <= 0 {
		return
	}
	classes := false
	for _, d := range n.domains {
		d.hostJitter = uint64(c.HostJitter)
		d.intakes = make([]intake, len(d.nics))
		for i := range d.ports {
			classes = classes || d.ports[i].disc != nil && len(d.ports[i].disc.classes) > 1
		}
	}
	for _, node := range n.graph.Hosts {
		at := n.nodes[node]
		stream := sim.Stream(n.seed, sim.Hash(n.graph.Nodes[node].Name), "host jitter")
		n.domains[at.domain].intakes[at.index].key = stream.Uint64()
	}
	for _, d := range n.domains {
		if !classes && d.slow == nil {
			continue
		}
		d.classIntakes = make([]classIntake, len(d.nics))
		for h := range d.classIntakes {
			slow := d.slow != nil && d.slow[h] != nil
			late := classes && c.Queue != sim.Swept && (d.wires[d.nics[h].in].port >= 0 || c.Observe != nil)
			d.classIntakes[h].staged = slow || late
		}
	}
}

// HostJitter returns the delay that a frame draws at a host, 0 without jitter. Frames that the host
// receives wait for it; endpoints may use it for those that the host sends.
func (d *Domain) HostJitter(h int32, f *Frame) sim.Time {
	if d.intakes == nil {
		return 0
	}
	return d.draw(h, f)
}

// draw returns the delay of a frame: of copies of a packet the same.
func (d *Domain) draw(h int32, f *Frame) sim.Time {
	key := d.intakes[h].key
	hi, lo := bits.Mul64((uint64(uint32(f.Src))<<32|uint64(f.Serial))^key, (uint64(f.Seq)<<8|uint64(f.Kind))^0x9e3779b97f4a7c15^key>>7)
	x := hi ^ lo
	hi, _ = bits.Mul64((x^x>>32)*0xd6e8feb86659fd93, d.hostJitter+1)
	return sim.Time(hi)
}

// leaves returns when the first frame of a wire leaves the receive path of its host. It arrives at a
// time. One that is lost on the wire only has to be taken from the ring.
func (d *Domain) leaves(h int32, t *transit, arrives sim.Time) sim.Time {
	if t.frame != gone {
		arrives += d.draw(h, &d.frames[t.frame])
	}
	return max(arrives, d.intakes[h].left)
}

// scheduleLeaving schedules the event of a wire that leads to a host, whose first frame arrives at a time.
func (d *Domain) scheduleLeaving(e sim.Entity, arrives sim.Time) {
	h := int32(e) - d.hostWires
	at := sim.Forever
	if d.classIntakes != nil {
		_, at = d.nextOfClasses(e)
	} else {
		w := &d.wires[e]
		at = d.leaves(h, w.at(w.head), arrives)
	}
	d.sched.Schedule(e, at)
	d.stir(h, at)
}

// joined notes that a frame follows others onto a wire, on which it arrives at a time: it may leave
// before those.
func (d *Domain) joined(wire int32, arrives sim.Time) {
	if wire < d.hostWires {
		return
	}
	if at, ok := d.sched.Pending(sim.Entity(wire)); !ok || arrives < at {
		d.scheduleLeaving(sim.Entity(wire), arrives)
	}
}

// nextOfClasses returns when the next event of a wire is, and the place in its ring of the frame that
// leaves then, or that arrives then at a host that is staged.
func (d *Domain) nextOfClasses(e sim.Entity) (next uint32, at sim.Time) {
	h := int32(e) - d.hostWires
	w, c := &d.wires[e], &d.classIntakes[h]
	waiting := uint8(0) // classes of which one was found that leaves before the others
	at = sim.Forever
	for k := w.head; k != w.tail; k++ {
		t := w.at(k)
		arrives := t.departs + w.delay
		switch {
		case arrives >= at:
			return next, at
		case c.staged && k == c.seen:
			return k, arrives
		case t.lost:
		case t.frame == gone || waiting>>t.class&1 != 0: // it has left, or another one comes first
			continue
		default:
			waiting |= 1 << t.class
			arrives = max(c.left[t.class], arrives+d.draw(h, &d.frames[t.frame]))
		}
		if arrives < at {
			next, at = k, arrives
		}
	}
	return next, at
}

// arriveByClass handles the event of a wire to a host whose frames keep their order within their classes.
func (d *Domain) arriveByClass(e sim.Entity, now sim.Time) {
	h := int32(e) - d.hostWires
	w, c := &d.wires[e], &d.classIntakes[h]
	if w.port >= 0 {
		if p := &d.ports[w.port]; p.due(now) {
			d.drain(p, w.port, now) // what comes behind is decided by now
		}
	}
	if c.staged {
		d.see(h, w, c, now)
	}
	k, at := d.nextOfClasses(e)
	id := gone
	if at <= now {
		t := w.at(k)
		if id = t.frame; id != gone {
			c.left[t.class] = now
		}
		t.frame, t.lost = gone, false
	}
	for w.head != w.tail && (w.port < 0 || w.head != d.ports[w.port].drained) {
		if t := w.at(w.head); t.frame != gone || t.lost || c.staged && w.head == c.seen {
			break
		}
		w.head++
	}
	if w.head != w.tail {
		d.scheduleLeaving(e, 0)
	}
	if id != gone {
		d.deliver(h, id, now)
	}
}

// see notes what has arrived on the wire of a host by now.
func (d *Domain) see(h int32, w *wire, c *classIntake, now sim.Time) {
	for ; c.seen != w.tail; c.seen++ {
		t := w.at(c.seen)
		if t.departs+w.delay > now {
			return
		}
		if d.slow != nil && t.frame != gone {
			d.slowReceive(h, &d.frames[t.frame], now)
		}
	}
}

// next returns the frame that the event of a wire at this time is about, or gone, and when it arrives on the wire.
func (d *Domain) next(e sim.Entity) (FrameID, sim.Time) {
	w := &d.wires[e]
	k := w.head
	if d.classIntakes != nil && int32(e) >= d.hostWires {
		k, _ = d.nextOfClasses(e)
	}
	t := w.at(k)
	return t.frame, t.departs + w.delay
}

// lastLeft returns when the last frame so far left the receive path of its host.
func (d *Domain) lastLeft() (t sim.Time) {
	for h := range d.intakes {
		t = max(t, d.intakes[h].left)
	}
	for h := range d.classIntakes {
		for _, left := range d.classIntakes[h].left {
			t = max(t, left)
		}
	}
	return t
}
