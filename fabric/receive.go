package fabric

import "weft/sim"

// Where hosts are inexact and ports have classes, frames may go on to an endpoint in another order than
// they came. Then all that has arrived on a host's wire is looked at. Where a port decides late what it
// sends (service.go), that is not known beforehand: each frame has an event when it arrives on the wire, and
// another one when it goes on. So it is at hosts that take frames slowly, which count what arrives.

// classPassage is the way in of a host that frames of several classes may take.
type classPassage struct {
	from   [classMask + 1]sim.Time // as of a passage, by class
	staged bool                    // frames have an event when they arrive on the wire
	seen   uint32                  // entries of the ring before have arrived, if staged
}

// openClasses lets frames of a class keep their order apart from others, if there are others. Where classes are
// lanes, frames keep their order whatever their class, since those of a message may come in several.
func (n *Network) openClasses(c *Config) {
	several, slow := false, false
	for _, d := range n.domains {
		slow = slow || d.slow != nil
		for i := range d.ports {
			several = several || d.ports[i].disc != nil && len(d.ports[i].disc.classes) > 1
		}
	}
	if c.Deflect.On() || c.Lanes != NoLanes {
		several = false
	}
	if !several && !slow {
		return
	}
	for _, d := range n.domains {
		d.classes = make([]classPassage, len(d.nics))
		if several {
			d.apart = classMask
		}
		for h := range d.classes {
			late := several && c.Queue != sim.Swept && (d.wires[d.nics[h].in].port >= 0 || c.Observe != nil)
			d.classes[h].staged = late || d.slow != nil && d.slow[h] != nil
		}
	}
}

// joined notes that a frame follows others onto a wire, at whose far end it is ready at a time: it may go on
// before those.
func (d *Domain) joined(wire int32, ready sim.Time) {
	if wire < d.hostWires {
		return
	}
	if at, ok := d.sched.Pending(sim.Entity(wire)); !ok || ready < at {
		d.scheduleArrival(wire, ready)
	}
}

// nextOfClasses returns when the next event of a wire is, and the place in its ring of the frame that
// goes on then, or that arrives then at a host that is staged.
func (d *Domain) nextOfClasses(e sim.Entity) (next uint32, at sim.Time) {
	w, c := &d.wires[e], &d.classes[int32(e)-d.hostWires]
	waiting := uint8(0) // classes of which one was found that goes on before the others
	at = sim.Forever
	for k := w.head; k != w.tail; k++ {
		t := w.at(k)
		ready := t.departs + w.delay
		switch {
		case ready >= at:
			return next, at
		case c.staged && k == c.seen:
			return k, ready
		case t.lost:
		case t.frame == gone || waiting>>(t.class&d.apart)&1 != 0: // it has gone on, or another one comes first
			continue
		default:
			waiting |= 1 << (t.class & d.apart)
			ready = max(c.from[t.class&d.apart], ready+d.draw(d.passages[e].key, &d.frames[t.frame]))
		}
		if ready < at {
			next, at = k, ready
		}
	}
	return next, at
}

// arriveByClass handles the event of a wire to a host.
func (d *Domain) arriveByClass(e sim.Entity, now sim.Time) {
	h := int32(e) - d.hostWires
	w, c := &d.wires[e], &d.classes[h]
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
			c.from[t.class&d.apart] = now
			d.tellArrived(e, t, now)
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
		d.scheduleArrival(int32(e), 0)
	}
	if id == gone {
		return
	}
	d.hops++
	d.totals.Delivered++
	d.totals.DeliveredBytes += uint64(d.frames[id].Size)
	if d.endpoint.Receive(now, h, id) {
		d.kick(h, now)
	}
}

// see notes what has arrived on the wire of a host by now.
func (d *Domain) see(h int32, w *wire, c *classPassage, now sim.Time) {
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

// next returns the frame that the next event of a wire is about, or gone.
func (d *Domain) next(e sim.Entity) FrameID {
	w := &d.wires[e]
	k := w.head
	if d.classes != nil && int32(e) >= d.hostWires {
		k, _ = d.nextOfClasses(e)
	}
	return w.at(k).frame
}
