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

// pull sends the host's next frame. The wire is free.
//
// The frame after it is decided when the wire is free again. If nothing can
// happen at the host before that, deciding at once comes to the same, and saves
// an event: a data frame behind an acknowledgement needs none of its own.
func (d *Domain) pull(h int32, now sim.Time) {
	n := &d.nics[h]
	p := &d.ports[n.port]
	if p.special&down != 0 {
		return // resumed when the link is up again
	}
	called, turn := now, d.turn
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
		d.enter(n.wake) // whose event this saves
	}
	d.enter(turn)
}

// undisturbed returns a time before which nothing happens at a host: no arrival,
// neither of what is under way nor of what might yet be sent to it, no timer, and
// nothing from outside the network.
func (d *Domain) undisturbed(n *nic, now sim.Time) sim.Time {
	if d.mail.signals.delay > 0 { // one from another domain is not known yet
		return now
	}
	t := min(d.limit, max(now, d.swept.known)+d.wires[n.in].delay)
	if at, ok := d.sched.Pending(n.in); ok {
		t = min(t, at)
	}
	if at, ok := d.sched.Pending(n.wake + 1); ok {
		t = min(t, at)
	}
	if n.heeds != 0 {
		if !d.swept.sweeping { // a resume that is found at the window's end is not known yet either
			return now
		}
		if at, ok := d.sched.Pending(n.heeds); ok {
			t = min(t, at)
		}
	}
	return t
}

// expectSend notes when a host that was told something outside of its turn sends next.
func (d *Domain) expectSend(h int32) {
	if at, ok := d.sched.Pending(d.nics[h].wake); ok {
		d.stir(h, at)
	}
}
