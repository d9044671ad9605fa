package fabric

import "weft/sim"

// A port with a discipline decides what to send when its wire is free. At a punctual
// port an event tells that instant. Elsewhere nobody looks then, and what is sent depends
// only on what came before: so the decision is made up for, as of its time, when the port
// is touched next. It is touched before every frame that comes to it, and when a frame
// that it sent arrives, after that one left the wire and before the next can arrive. A
// port that sends to another domain sees no arrivals. It is touched at the end of each
// window, before which nothing that it sends arrives.

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

// serveAfter arranges for the next transmission, when the wire is free.
func (d *Domain) serveAfter(p *port, i int32) {
	if p.special&punctual != 0 {
		d.sched.Schedule(d.cold[i].service, p.busyUntil)
		return
	}
	p.backlog = true
	if p.special&metered != 0 {
		d.cold[i].buffer.changed(d.cold[i].place)
	}
	if p.remote >= 0 {
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
	switch {
	case late:
		if p.backlog && p.remote >= 0 {
			d.behind = append(d.behind, i)
		}
	case d.begin(p, i, now):
		if !p.disc.empty() {
			d.serveAfter(p, i)
		}
	case !p.disc.empty():
		d.sched.Schedule(d.cold[i].service, p.disc.wake())
	}
}

// begin puts the discipline's next frame on the wire. It reports whether there was one
// that may go.
func (d *Domain) begin(p *port, i int32, now sim.Time) bool {
	id, since, ok := p.disc.dequeue(d, i, now)
	if !ok {
		return false
	}
	d.launch(p, i, id, now, since, now)
	return true
}

// serveLate begins what a port was to transmit by now. Its turn at this very instant
// comes before or after the event under way, as that of its event would.
func (d *Domain) serveLate(p *port, i int32, now sim.Time) {
	for p.busyUntil < now || p.busyUntil == now && d.turn != noTurn && !d.sched.Precedes(d.turn, d.cold[i].service) {
		d.takeSent(p, i, p.busyUntil)
		d.begin(p, i, p.busyUntil)
		if p.disc.empty() {
			p.backlog = false
			return
		}
	}
}

// serveBehind serves the ports that send to other domains up to the end of a window. What
// waits on at them counts as an event to come.
func (d *Domain) serveBehind(end sim.Time) {
	for _, i := range d.behind {
		p := &d.ports[i]
		if !p.backlog {
			continue
		}
		d.drain(p, i, end)
		if p.backlog {
			d.sched.Schedule(d.cold[i].service, p.busyUntil)
		}
	}
	d.behind = d.behind[:0]
}
