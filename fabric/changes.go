package fabric

import (
	"math"

	"weft/fault"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// The control functions below act between two calls of Run, at the limit of the
// first call: before any packet event of that instant.

// Apply makes one change to a directed link.
func (n *Network) Apply(now sim.Time, c fault.Change) {
	d, i, p, cold := n.at(c.Port)
	d.drain(p, i, now) // later service is subject to the change
	if d.follow != nil {
		d.follow.now = now
	}
	switch c.What {
	case fault.Down:
		p.special |= down
		faults := n.faults(d, i)
		faults.outage = outage{last: never, before: never, quiet: n.quiet}
		n.cutLink(d, i, c.Port, now)
		for _, cut := range n.hooks.cut {
			cut(c.Port, now)
		}
	case fault.Up:
		p.special &^= down
		p.busyUntil = max(p.busyUntil, now)
		if from, _ := n.graph.Ends(c.Port); n.graph.Nodes[from].Kind == topo.Host {
			h := n.nodes[from].index
			d.sched.Cancel(d.nics[h].wake) // the wake after a frame that the failure cut off
			d.kick(h, now)
			d.expectSend(h)
		}
	case fault.SetRate:
		rate := c.Rate
		if n.hooks.clock != nil {
			rate = n.hooks.clock(c.Port, rate)
		}
		n.setRate(d, i, c.Port, rate, now)
	case fault.SetLoss:
		p.special &^= lossy
		if c.Loss > 0 {
			p.special |= lossy
			faults := n.faults(d, i)
			faults.lossIn = uint64(min(c.Loss, 1) * math.MaxUint64)
			if c.Loss >= 1 {
				faults.lossIn = math.MaxUint64
			}
			if !faults.lossSeeded {
				faults.lossSeeded = true
				sim.SeedStream(&faults.loss, n.seed, n.names[c.Port], "loss")
			}
		}
		if p.backlog && p.special&d.punctual != 0 {
			p.backlog = false
			if at := d.decision(p); at < sim.Forever {
				d.sched.Schedule(cold.service, at)
			}
		}
	}
	if p.special&pooled != 0 {
		cold.pool.resync(cold.place, now)
	}
	if p.backlog {
		d.sched.Expect(d.decision(p)) // a new rate may bring it forward
	}
	n.deliver()
	for _, change := range n.hooks.change {
		change(now)
	}
}

// deliver hands over what was sent to other domains between two calls of Run, so
// that the next change finds it on its wire.
func (n *Network) deliver() {
	for _, d := range n.domains {
		for w := range n.post {
			for parity := range n.post[w] {
				d.collect(&n.post[w][parity][d.mail.self])
			}
		}
	}
}

// cutLink loses the frames on the wire, in service and in the queue of a link that fails.
// The port has been drained. Frames that reached the far node and are crossing it survive.
func (n *Network) cutLink(d *Domain, i int32, id topo.PortID, now sim.Time) {
	n.cuts++
	p, cold := &d.ports[i], &d.cold[i]
	if p.disc != nil {
		d.settle(p, now)
		p.disc.flush(d, i, LinkDown, now)
		d.sched.Cancel(cold.service)
		p.backlog = false
	}
	for k := p.drained; k != p.tail; k++ {
		t := p.at(k)
		cold.counted().flushed(uint32(t.bytes))
		if p.disc != nil {
			p.disc.leave(i, t.class, uint32(t.bytes), now)
		}
		p.residence -= float64(t.bytes) * float64(t.departs-now)
	}
	p.queued = 0
	p.busyUntil = now
	cold.faults.begun = now
	n.cutWire(d, i, id, now)
	if p.remote >= 0 {
		p.head, p.drained = p.tail, p.tail
	} else if p.drained-p.head > p.tail-p.head {
		p.drained = p.tail
	}
}

// cutWire loses the frames on the wire of a link that fails.
func (n *Network) cutWire(d *Domain, i int32, id topo.PortID, now sim.Time) {
	cold := &d.cold[i]
	rx, e, w := n.underway(id)
	lose := func(id FrameID) {
		size := uint64(rx.Packets[id].Size)
		if cold.series != nil {
			cold.series.drop(now)
		}
		cold.counted().dropped(LinkDown, size)
		rx.tally.totals.Dropped++
		rx.tally.totals.DroppedBytes += size
		if d.follow != nil {
			d.follow.dropped(cold.id, id, LinkDown)
		}
		rx.Free(id)
	}
	if w.ring == nil {
		inexact := n.wayOut(id) != nil
		for _, f := range rx.swept.wheel.lift(int32(e)) {
			ready := f.arrives
			if inexact {
				ready -= sim.Time(f.port)
			}
			if ready-w.delay+cold.flight <= now {
				*rx.swept.wheel.put(f.arrives) = f
			} else {
				lose(rx.Keep(&f.frame, gone))
			}
		}
		n.resend(id, now)
		return
	}
	for w.head != w.tail {
		t := w.at(w.tail - 1)
		if t.departs+cold.flight <= now {
			break
		}
		w.tail--
		if t.frame >= 0 {
			lose(t.frame)
		}
	}
	if w.head == w.tail {
		rx.sched.Cancel(e)
	}
}

// setRate changes the rate of a link whose port has been drained. The frame in
// service keeps its rate; later departures are recomputed.
func (n *Network) setRate(d *Domain, i int32, id topo.PortID, rate unit.Rate, now sim.Time) {
	p, cold := &d.ports[i], &d.cold[i]
	old := *p
	oldRate := cold.rate
	cold.rate = rate
	p.setRate(rate)
	p.suffice()
	if p.drained == p.tail {
		return
	}
	serialiseOld := func(b uint16) sim.Time {
		if old.perByte != 0 {
			return sim.Time(b) * sim.Time(old.perByte)
		}
		return oldRate.Transmit(unit.Bytes(b))
	}
	first := p.at(p.drained)
	k := p.drained
	// A frame that waits for the jitter of its NIC begins when it was due to begin.
	begin := first.departs - serialiseOld(first.bytes)
	free := max(now, begin)
	faults := n.faults(d, i)
	if first.departs <= faults.begun || begin < now {
		free = first.departs
		k++
	}
	if free != faults.begun {
		faults.begun, faults.begunRate = free, oldRate
	}
	rx, e, w := n.underway(id)
	count := p.tail - k // these are the last entries of both rings
	for j := uint32(0); j < count; j++ {
		t := p.at(k + j)
		departs := free + d.serialise(p, i, t.bytes)
		p.residence += float64(t.bytes) * float64(departs-t.departs)
		t.departs = departs
		free = departs
		if d.follow != nil && t.frame >= 0 {
			d.tellSent(p, i, t.frame, departs)
		}
	}
	p.busyUntil = free
	if p.remote >= 0 {
		n.rewriteRemote(id, p, k, count, rx, e)
	}
	switch {
	case w.ring == nil:
		rx.sched.Expect(rx.swept.wheel.bound(now))
	case w.head != w.tail:
		rx.scheduleArrival(int32(e), w.at(w.head).departs+w.delay)
	}
	if from, _ := n.graph.Ends(id); n.graph.Nodes[from].Kind == topo.Host {
		h := n.nodes[from].index
		if nic := &d.nics[h]; d.sched.IsPending(nic.wake) {
			d.sched.Schedule(nic.wake, free)
			d.expectSend(h)
		}
	} else if p.disc != nil && d.sched.IsPending(cold.service) {
		d.sched.Schedule(cold.service, free)
	}
}

// rewriteRemote copies the departures of the last count frames, from k on, to the
// ring of the receiving domain. That ring lacks frames lost at random.
func (n *Network) rewriteRemote(id topo.PortID, p *port, k, count uint32, rx *Domain, e sim.Entity) {
	w := &rx.wires[e]
	if w.ring == nil {
		n.rewriteSwept(id, p, k, count, rx, e)
		return
	}
	at := w.tail
	for j := count; j > 0; j-- {
		t := p.at(k + j - 1)
		if t.lost {
			continue
		}
		at--
		w.at(at).departs = t.departs
	}
}

// rewriteSwept does what rewriteRemote does, for a wire into a switch of a swept domain.
func (n *Network) rewriteSwept(id topo.PortID, p *port, k, count uint32, rx *Domain, e sim.Entity) {
	lifted := rx.swept.wheel.lift(int32(e))
	at := len(lifted)
	for j := count; j > 0; j-- {
		if t := p.at(k + j - 1); !t.lost {
			at--
			lifted[at].arrives = t.departs + rx.wires[e].delay
		}
	}
	for _, f := range lifted[:at] {
		*rx.swept.wheel.put(f.arrives) = f
	}
	rx.late.sending = n.resend(id, 0)
	for _, f := range lifted[at:] {
		if rx.late.sending != nil {
			f.port = rx.sendLate(&f.frame, f.arrives)
			f.arrives += sim.Time(f.port)
		}
		*rx.swept.wheel.put(f.arrives) = f
	}
	rx.late.sending = nil
}
