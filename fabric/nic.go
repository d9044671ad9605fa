package fabric

import "weft/sim"

// kick lets a host send as soon as its wire is free.
func (d *Domain) kick(h int32, now sim.Time) {
	n := &d.nics[h]
	if d.sched.IsPending(n.wake) {
		return
	}
	if free := d.ports[n.port].busyUntil; free > now {
		d.sched.Schedule(n.wake, free)
		return
	}
	d.pull(h, now)
}

// pull sends the host's next frames. The wire is free.
//
// The frame after each one is decided when the wire is free again. If nothing can happen at
// the host before then, pull decides at once, with the same result and one event less. For
// example, a data frame behind an acknowledgement needs no event of its own.
func (d *Domain) pull(h int32, now sim.Time) {
	n := &d.nics[h]
	p := &d.ports[n.port]
	if p.special&down != 0 {
		return // resumed when the link is up again
	}
	called, current := now, d.current
	for {
		id, more, ok := d.endpoint.Pull(now, h)
		if !ok {
			break
		}
		d.tally.totals.Injected++
		d.tally.totals.InjectedBytes += uint64(d.Packets[id].Size)
		if d.hooks.waiter != nil {
			d.hooks.waiter.wait(h, p, now)
		}
		if d.late.pulls {
			d.late.sending = &n.out
			d.accept(n.port, &d.Packets[id], id, noIngress, now)
			d.late.sending = nil
		} else {
			d.accept(n.port, &d.Packets[id], id, noIngress, now)
		}
		if !more {
			break
		}
		if p.busyUntil >= d.undisturbed(n, called) {
			d.sched.Schedule(n.wake, p.busyUntil)
			break
		}
		now = p.busyUntil
		d.enter(n.wake) // pull saves this event
	}
	d.enter(current)
}

// undisturbed returns a time before which nothing happens at a host: no arrival of a frame
// that is under way or may yet be sent, no timer, and nothing from outside the network.
func (d *Domain) undisturbed(n *nic, now sim.Time) sim.Time {
	if d.mail.signals.delay > 0 { // a signal from another domain is not known yet
		return now
	}
	t := min(d.limit, max(now, d.swept.known)+d.wires[n.in].delay)
	if at, ok := d.sched.Pending(n.in); ok {
		t = min(t, at)
	}
	if at, ok := d.sched.Pending(n.wake + 1); ok {
		t = min(t, at)
	}
	if n.notices != 0 {
		if !d.swept.sweeping { // a resume decided at the window's end is not known yet
			return now
		}
		if at, ok := d.sched.Pending(n.notices); ok {
			t = min(t, at)
		}
	}
	return t
}

// expectSend records when a host sends next, after something reached it outside its turn.
func (d *Domain) expectSend(h int32) {
	if at, ok := d.sched.Pending(d.nics[h].wake); ok {
		d.stir(h, at)
	}
}
