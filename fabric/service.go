package fabric

import "weft/sim"

// A port with a discipline decides what to send when its wire becomes free. At a punctual
// port an event marks that instant. Elsewhere nothing observes the instant, and the
// decision depends only on what came before. So the port defers it, and makes it as of its
// time when the port is next touched. That happens before every frame that comes to the
// port, and when a frame that it sent arrives: after that frame has left the wire, and
// before the next one can arrive. A port that sends to another domain sees no arrivals. It
// is touched at the end of each window, before anything that it sends can arrive.

// In a swept window no service needs an event. Ports with a backlog are also served
// at the end of the window, before hosts take what arrives. A port that only waits
// for tokens has a backlog whose next decision is due when there are enough.

// await arranges the transmission of frames that wait at a port.
func (d *Domain) await(p *port, i int32, now sim.Time) {
	switch {
	case p.backlog || d.sched.IsPending(d.cold[i].service):
	case p.busyUntil <= now:
		d.serve(i, now)
	default:
		d.serveAfter(p, i)
	}
}

// serveAfter arranges the port's next decision.
func (d *Domain) serveAfter(p *port, i int32) {
	if p.special&d.punctual != 0 {
		if at := d.decision(p); at < sim.Forever {
			d.sched.Schedule(d.cold[i].service, at)
		}
		return
	}
	p.backlog = true
	if p.special&pooled != 0 {
		d.cold[i].pool.changed(d.cold[i].place)
	}
	if p.remote >= 0 || d.swept.sweeping {
		d.trail(i)
	}
}

// rouse makes a port decide anew whose waiting classes were all blocked. One of
// them has been unblocked, or a frame of another class has come.
func (d *Domain) rouse(p *port, i int32) {
	p.disc.asleep, p.backlog = false, false
	if !d.swept.sweeping {
		d.sched.Cancel(d.cold[i].service)
	}
}

// trail lists a port to be served at the end of the window.
func (d *Domain) trail(i int32) {
	if c := &d.cold[i]; !c.trails {
		c.trails = true
		d.behind = append(d.behind, i)
	}
}

// serve begins the transmission of the discipline's next frame if the wire is free,
// and arranges the decision after it.
func (d *Domain) serve(i int32, now sim.Time) {
	p := &d.ports[i]
	if p.busyUntil > now {
		d.sched.Schedule(d.cold[i].service, p.busyUntil)
		return
	}
	if p.special&down != 0 {
		return
	}
	late := p.backlog
	d.drain(p, i, now) // the frame that departs now has left the queue
	if late {
		if p.backlog && p.remote >= 0 {
			d.trail(i)
		}
		return
	}
	d.begin(p, i, now)
	if !p.disc.empty() {
		d.serveAfter(p, i)
	}
}

// begin puts the discipline's next frame on the wire, if one may go.
func (d *Domain) begin(p *port, i int32, now sim.Time) {
	if id, since, ok := p.disc.dequeue(d, i, now); ok {
		d.launch(p, i, id, now, since, now)
	}
}

// serveLate begins the transmissions that were due by now. One due at this very
// instant comes before or after the current event, as an event of its own would.
func (d *Domain) serveLate(p *port, i int32, now sim.Time) {
	for {
		t := d.decision(p)
		if t > now || t == now && d.follows(d.cold[i].service) {
			return
		}
		d.takeSent(p, i, t)
		d.begin(p, i, t)
		if p.disc.empty() {
			p.backlog = false
			return
		}
	}
}

// serveBehind serves the listed ports up to the end of a window. A remaining
// backlog counts as a pending event.
func (d *Domain) serveBehind(end sim.Time) {
	rest := d.behind[:0]
	for _, i := range d.behind {
		p := &d.ports[i]
		if p.backlog {
			d.drain(p, i, end)
		}
		switch {
		case !p.backlog:
			d.cold[i].trails = false
		case d.swept.sweeping:
			d.sched.Expect(d.decision(p))
			rest = append(rest, i)
		default:
			d.cold[i].trails = false
			if at := d.decision(p); at < sim.Forever {
				d.sched.Schedule(d.cold[i].service, at)
			}
		}
	}
	d.behind = rest
}

// resume makes a port decide anew when it may serve class k again, if it waits for that.
func (d *Domain) resume(i int32, k uint8, now sim.Time) {
	p := &d.ports[i]
	if q := p.disc; !q.asleep || q.occupied>>k&1 == 0 {
		return
	}
	p.busyUntil = max(p.busyUntil, now)
	d.rouse(p, i)
	d.await(p, i, now)
}
