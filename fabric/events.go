package fabric

import "weft/sim"

// Handle implements sim.Handler.
func (d *Domain) Handle(e sim.Entity, now sim.Time) {
	d.enter(e)
	if e < d.numbers.firstService {
		d.arrive(e, now)
		return
	}
	if e < d.numbers.firstHost {
		d.serve(d.services[e-d.numbers.firstService], now)
		return
	}
	if e >= d.numbers.firstOther {
		o := d.other(e)
		o.event(int32(e-o.first), now)
		return
	}
	h := int32(e-d.numbers.firstHost) >> 1
	if (e-d.numbers.firstHost)&1 == 0 {
		d.pull(h, now)
		return
	}
	if d.endpoint.Timer(now, h) {
		d.kick(h, now)
	}
}

// arrive handles the first frame under way on a wire.
func (d *Domain) arrive(e sim.Entity, now sim.Time) {
	w := &d.wires[e]
	r := w.ring
	first := r.at(r.head)
	id := first.frame
	if w.port >= 0 {
		switch p := &d.ports[w.port]; {
		case p.backlog && p.busyUntil <= now:
			d.drain(p, w.port, now) // later frames behind it are decided by now
		case p.drained != r.head:
		case p.special == 0:
			p.queued -= uint32(first.bytes)
			p.drained++
		default:
			d.drainOne(p, w.port, now)
		}
	}
	r.head++
	if d.late.passages != nil {
		d.followLate(e, w, now, id != gone)
	} else if r.head != r.tail {
		d.sched.Schedule(e, r.at(r.head).departs+w.delay)
	}
	if id == gone {
		return
	}
	d.tally.hops++
	if w.node >= 0 {
		d.forward(&d.switches[w.node], &d.Packets[id], id, via(e), now)
		return
	}
	h := ^w.node
	f := &d.Packets[id]
	d.tally.totals.Delivered++
	d.tally.totals.DeliveredBytes += uint64(f.Size)
	if d.hooks.receiver != nil {
		d.hooks.receiver.received(h, f, now)
	}
	if d.endpoint.Receive(now, h, id) {
		d.kick(h, now)
	}
}

// Begin implements sim.Handler.
func (d *Domain) Begin(parity, worker int) {
	if d.swept.sweeping {
		d.swept.batch = &(*d.swept.batches)[worker]
	} else {
		d.warm()
	}
	d.mail.out = (*d.mail.post)[worker][parity]
	for w := range *d.mail.post {
		d.collect(&(*d.mail.post)[w][parity^1][d.mail.self])
	}
}

// warmAhead is how many frames of a wire typically arrive within a window.
const warmAhead = 4

// warm reads in advance what the coming window will need, if the last one was busy.
// The reads are independent, so their cache misses overlap. Spread over the events,
// each miss would stall on its own.
func (d *Domain) warm() {
	busy := d.tally.hops - d.tally.warmedAt
	d.tally.warmedAt = d.tally.hops
	if busy < uint64(len(d.ports)+len(d.wires)) {
		return
	}
	sum := uint64(0)
	for i := range d.ports {
		p := &d.ports[i]
		sum += p.bytes + uint64(p.limit) + uint64(p.at(p.tail).bytes) + uint64(p.at(p.drained).bytes)
		if p.queued > p.kmin {
			sum += uint64(d.cold[i].kmax)
		}
	}
	for i := range d.wires {
		w := &d.wires[i]
		if w.head == w.tail {
			continue
		}
		sum += uint64(w.at(w.tail).bytes)
		for k := w.head; k != min(w.head+warmAhead, w.tail); k++ {
			if id := w.at(k).frame; id != gone {
				sum += uint64(d.Packets[id].Size)
			}
		}
	}
	if w, ok := d.endpoint.(Warmer); ok {
		sum += w.Warm(busy)
	}
	d.tally.warmSum = sum
}

// End implements sim.Handler.
func (d *Domain) End(limit sim.Time) sim.Time {
	next := sim.Forever
	if !d.swept.sweeping {
		d.enter(noEvent)
		d.serveBehind(limit)
		for _, resume := range d.hooks.served {
			next = min(next, resume(limit))
		}
	}
	for _, resume := range d.hooks.closed {
		next = min(next, resume(limit))
	}
	next = min(next, d.mail.exported) // the hooks may have added to it
	d.mail.exported = sim.Forever
	return next
}
