package fabric

import "weft/sim"

// A port with a discipline decides what to send when its wire is free. At a punctual
// port an event tells that instant. Elsewhere nobody looks then, and what is sent depends
// only on what came before: so the decision is made up for, as of its time, when the port
// is touched next. It is touched before every frame that comes to it, and when a frame
// that it sent arrives, after that one left the wire and before the next can arrive. A
// port that sends to another domain sees no arrivals. It is touched at the end of each
// window, before which nothing that it sends arrives.

// In a swept window no service needs an event. Ports with a backlog are served at the end of
// the window, too, before hosts take what arrives; and those that only wait for tokens have
// a backlog whose next decision is when there are some.

// await arranges for the transmission of what waits at a port.
func (d *Domain) await(p *port, i int32, now sim.Time) {
	switch {
	case p.backlog || d.sched.IsPending(d.cold[i].service):
	case p.busyUntil <= now:
		d.serve(i, now)
	default:
		d.serveAfter(p, i)
	}
}

// serveAfter arranges for the port's next decision.
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

// rouse has a port whose classes that wait were all blocked decide anew: one is not any more,
// or a frame of another came.
func (d *Domain) rouse(p *port, i int32) {
	p.disc.asleep, p.backlog = false, false
	if !d.swept.sweeping {
		d.sched.Cancel(d.cold[i].service)
	}
}

// trail has a port served at the end of the window.
func (d *Domain) trail(i int32) {
	if c := &d.cold[i]; !c.trails {
		c.trails = true
		d.behind = append(d.behind, i)
	}
}

// serve begins the transmission of the discipline's next frame, if the wire is
// free, and arranges for the one after.
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
	d.drain(p, i, now) // the frame that departs now is not in the queue any more
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

// serveLate begins what a port was to transmit by now. Its turn at this very instant
// comes before or after the event under way, as that of its event would.
func (d *Domain) serveLate(p *port, i int32, now sim.Time) {
	for {
		t := d.decision(p)
		if t > now || t == now && d.comes(d.cold[i].service) {
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

// serveBehind serves the ports that trail up to the end of a window. What waits on at them
// counts as an event to come.
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

// resume has a port decide anew that may serve a class again, if that is what it waits for.
func (d *Domain) resume(i int32, k uint8, now sim.Time) {
	p := &d.ports[i]
	if q := p.disc; !q.asleep || q.occupied>>k&1 == 0 {
		return
	}
	p.busyUntil = max(p.busyUntil, now)
	d.rouse(p, i)
	d.await(p, i, now)
}
