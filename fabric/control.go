package fabric

import (
	"fmt"
	"math"

	"weft/fault"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// Control functions act between two calls of Run, at a time that is the limit of
// the former: before any packet event of that instant.

// at returns the sending end of a directed link.
func (n *Network) at(id topo.PortID) (*Domain, int32, *port, *portCold) {
	w := n.ports[id]
	d := n.domains[w.domain]
	return d, w.index, &d.ports[w.index], &d.cold[w.index]
}

// Apply makes a change to a directed link.
func (n *Network) Apply(now sim.Time, c fault.Change) {
	d, i, p, cold := n.at(c.Port)
	d.drain(p, i, now) // what comes after the change begins with it
	if d.follow != nil {
		d.follow.now = now
	}
	switch c.What {
	case fault.Down:
		p.special |= down
		faults := n.faults(d, i)
		faults.outage = outage{last: never, before: never, quiet: n.quiet}
		n.cutLink(d, i, c.Port, now)
		if d.notices != nil {
			n.liftPauses(c.Port, now)
		}
	case fault.Up:
		p.special &^= down
		p.busyUntil = max(p.busyUntil, now)
		if from, _ := n.graph.Ends(c.Port); n.graph.Nodes[from].Kind == topo.Host {
			h := n.nodes[from].index
			d.sched.Cancel(d.nics[h].wake) // that of a frame which the failure cut off
			d.kick(h, now)
			d.expectSend(h)
		}
	case fault.SetRate:
		n.setRate(d, i, c.Port, n.clocked(c.Port, c.Rate), now)
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
		d.sched.Expect(d.decision(p)) // which a new rate may have brought forward
	}
	n.deliver()
	for _, d := range n.domains {
		if len(d.pausing) > 0 { // what left a queue may let a link resume
			n.engine.Expect(now)
			d.sched.Expect(now)
		}
	}
}

// deliver hands over what was sent to other domains between two calls of Run, so that the next change finds
// it on its wire.
func (n *Network) deliver() {
	for _, d := range n.domains {
		for w := range n.post {
			for parity := range n.post[w] {
				d.collect(&n.post[w][parity][d.self])
			}
		}
	}
}

// underway returns the ring that holds the frames of a link: the port's own, or
// the receiving domain's. The wire has none if that domain's wheel holds them.
func (n *Network) underway(id topo.PortID) (*Domain, sim.Entity, *wire) {
	at := n.wires[id]
	d := n.domains[at.domain]
	return d, sim.Entity(at.index), &d.wires[at.index]
}

// cutLink loses what is on the wire, in service and in the queue of a link that
// fails, whose port is drained. What reached the far node and is traversing it survives.
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

// cutWire loses what is on the wire of a link that fails.
func (n *Network) cutWire(d *Domain, i int32, id topo.PortID, now sim.Time) {
	cold := &d.cold[i]
	rx, e, w := n.underway(id)
	lose := func(id FrameID) {
		size := uint64(rx.Packets[id].Size)
		if cold.series != nil {
			cold.series.drop(now)
		}
		cold.counted().dropped(LinkDown, size)
		rx.totals.Dropped++
		rx.totals.DroppedBytes += size
		if d.follow != nil {
			d.tellDropped(i, id, LinkDown)
		}
		rx.Free(id)
	}
	if w.ring == nil {
		inexact := n.wayOut(id) != nil
		for _, f := range rx.wheel.lift(int32(e)) {
			ready := f.arrives
			if inexact {
				ready -= sim.Time(f.port)
			}
			if ready-w.delay+cold.flight <= now {
				*rx.wheel.put(f.arrives) = f
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

// settle counts the waiting at a discipline up to now and returns what waits.
func (d *Domain) settle(p *port, now sim.Time) (frames, bytes uint64) {
	p.disc.visit(func(w *waiting) {
		size := d.Packets[w.frame].Size
		p.residence += float64(size) * float64(now-w.since)
		w.since = now
		frames++
		bytes += uint64(size)
	})
	return frames, bytes
}

// setRate changes the rate of a link, whose port is drained. The frame in service keeps its rate; what
// has not begun is rewritten.
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
	// A frame that waits for the jitter of its NIC begins when it would have.
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
	count := p.tail - k // the last frames of both rings
	for j := uint32(0); j < count; j++ {
		t := p.at(k + j)
		departs := free + d.serialise(p, i, t.bytes)
		p.residence += float64(t.bytes) * float64(departs-t.departs)
		t.departs = departs
		free = departs
		if d.follow != nil && t.frame >= 0 {
			d.tellSent(i, t.frame, departs)
		}
	}
	p.busyUntil = free
	if p.remote >= 0 {
		n.rewriteRemote(id, p, k, count, rx, e)
	}
	switch {
	case w.ring == nil:
		rx.sched.Expect(rx.wheel.bound(now))
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

// rewriteRemote copies the departures of the last count frames, from k on, to what
// the receiving domain has of them, which lacks those lost at random.
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

// rewriteSwept is rewriteRemote for a wire into a switch of a swept domain.
func (n *Network) rewriteSwept(id topo.PortID, p *port, k, count uint32, rx *Domain, e sim.Entity) {
	lifted := rx.wheel.lift(int32(e))
	at := len(lifted)
	for j := count; j > 0; j-- {
		if t := p.at(k + j - 1); !t.lost {
			at--
			lifted[at].arrives = t.departs + rx.wires[e].delay
		}
	}
	for _, f := range lifted[:at] {
		*rx.wheel.put(f.arrives) = f
	}
	rx.sending = n.resend(id, 0)
	for _, f := range lifted[at:] {
		if rx.sending != nil {
			f.port = rx.sendLate(&f.frame, f.arrives)
			f.arrives += sim.Time(f.port)
		}
		*rx.wheel.put(f.arrives) = f
	}
	rx.sending = nil
}

// resend has the frames of a host that it sends from now on go on after those that are on their way over a link to a switch
// of a swept domain, and no earlier than a time. It returns the host's way out, nil if no host sends there or none is late.
func (n *Network) resend(id topo.PortID, from sim.Time) *passage {
	out := n.wayOut(id)
	if out == nil {
		return nil
	}
	out.from = from
	rx, e, _ := n.underway(id)
	for f := range rx.wheel.all {
		if f.wire == int32(e) {
			out.from = max(out.from, f.arrives+1)
		}
	}
	return out
}

// wayOut returns where the frames of a link's sender are late that is a host; nil if no host sends there or none is late.
func (n *Network) wayOut(id topo.PortID) *passage {
	node, _ := n.graph.Ends(id)
	at := n.nodes[node]
	d := n.domains[at.domain]
	if d.passages == nil || n.graph.Nodes[node].Kind != topo.Host {
		return nil
	}
	return &d.nics[at.index].out
}

// Record starts a series of a port, before the first call of Run.
func (n *Network) Record(id topo.PortID, interval sim.Time) *Series {
	_, _, p, cold := n.at(id)
	cold.series = &Series{Interval: interval}
	p.special |= recorded
	return cold.series
}

// Finish brings all queues and series up to the end of the run.
func (n *Network) Finish(now sim.Time) {
	for _, d := range n.domains {
		for i := range d.ports {
			d.drain(&d.ports[i], int32(i), now)
			if d.notices != nil {
				d.notePause(int32(i), d.pausesOf(int32(i)), now)
				if s, t := d.cold[i].series, d.notices[i].tally; s != nil && t != nil {
					s.hold(t.last[0], min(t.last[1], now))
					t.last = [2]sim.Time{}
				}
			}
		}
	}
}

// Counters returns what a port has counted by now. The queue's integral covers
// the time up to now exactly.
func (n *Network) Counters(id topo.PortID, now sim.Time) PortCounters {
	d, i, p, cold := n.at(id)
	d.drain(p, i, now)
	c := PortCounters{}
	if cold.stats != nil {
		c = *cold.stats
	}
	c.Marks = cold.marks
	c.Frames, c.Bytes = p.frames, p.bytes
	c.SentFrames, c.SentBytes = p.frames-c.FlushedFrames, p.bytes-c.FlushedBytes
	c.QueueMax = p.queuedMax
	if p.disc != nil {
		frames, bytes := d.settle(p, now)
		c.SentFrames -= frames
		c.SentBytes -= bytes
	}
	c.QueueByteTime = p.residence
	for k := p.drained; k != p.tail; k++ {
		t := p.at(k)
		c.QueueByteTime -= float64(t.bytes) * float64(t.departs-now)
		c.SentFrames--
		c.SentBytes -= uint64(t.bytes)
	}
	return c
}

// Served returns what a port with priorities has begun to send by now; nothing of others.
func (n *Network) Served(id topo.PortID, now sim.Time) (s Served) {
	d, i, p, _ := n.at(id)
	q := p.disc
	if q == nil || q.credits != nil {
		return s
	}
	d.drain(p, i, now)
	for k := range q.classes {
		if k == 0 {
			s.First = q.classes[0].head
		} else {
			s.Others += q.classes[k].head
		}
	}
	s.Waits = q.occupied&^first != 0
	return s
}

// ResetQueueMax starts the search for the largest queue anew.
func (n *Network) ResetQueueMax(now sim.Time) {
	for _, d := range n.domains {
		for i := range d.ports {
			p := &d.ports[i]
			d.drain(p, int32(i), now)
			p.queuedMax = p.queued
			p.suffice()
		}
	}
}

// Totals returns the sums over the network, and the hops: frames that crossed a link.
func (n *Network) Totals() (t Totals, hops uint64) {
	for _, d := range n.domains {
		t.add(d.totals)
		hops += d.hops
	}
	return t, hops
}

// Check counts the frames and bytes in the network, one by one, and compares
// them with what was injected, delivered, dropped and cut off.
func (n *Network) Check() error {
	t, _ := n.Totals()
	var frames, bytes uint64
	for _, d := range n.domains {
		count := func(id FrameID) {
			if id >= 0 {
				frames++
				bytes += uint64(d.Packets[id].Size)
			}
		}
		for i := range d.wires {
			w := &d.wires[i]
			if w.ring == nil {
				continue
			}
			for k := w.head; k != w.tail; k++ {
				count(w.at(k).frame)
			}
		}
		for f := range d.wheel.all {
			frames++
			bytes += uint64(f.frame.Size)
		}
		for i := range d.ports {
			if q := d.ports[i].disc; q != nil {
				q.visit(func(w *waiting) { count(w.frame) })
			}
		}
	}
	if t.Injected+t.Originated != t.Delivered+t.Dropped+frames {
		return fmt.Errorf("fabric: %d frames injected and %d originated, but %d delivered, %d dropped and %d in flight", t.Injected, t.Originated, t.Delivered, t.Dropped, frames)
	}
	if t.InjectedBytes+t.OriginatedBytes+t.StampedBytes != t.DeliveredBytes+t.DroppedBytes+t.TrimmedBytes+bytes {
		return fmt.Errorf("fabric: %d bytes injected and %d originated, but %d delivered, %d dropped, %d trimmed and %d in flight", t.InjectedBytes, t.OriginatedBytes, t.DeliveredBytes, t.DroppedBytes, t.TrimmedBytes, bytes)
	}
	return n.checkAccounts()
}
