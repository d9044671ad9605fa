package fabric

import "weft/sim"

// watched is what a port's watchdog remembers.
type watched struct {
	since [8]sim.Time // from when on a class is paused and holds frames; never while it is not
	due   [8]bool     // it is to be looked at
	free  [8]sim.Time // from when on a class that fired is not paused
	fired uint8
}

// watch begins to watch a class that is paused and holds frames.
func (d *Domain) watch(i int32, k uint8, now sim.Time) {
	h := &d.notices[i]
	if h.watched == nil {
		h.watched = new(watched)
		for k := range h.watched.since {
			h.watched.since[k] = never
		}
	}
	w := h.watched
	if w.fired>>k&1 != 0 || w.since[k] != never {
		return
	}
	w.since[k] = now
	d.lookAt(i, k, now+d.network.watchdog.Detect)
}

// lookAt has the watchdog look at a class at a time, if it does not before.
func (d *Domain) lookAt(i int32, k uint8, at sim.Time) {
	if w := d.notices[i].watched; !w.due[k] {
		w.due[k] = true
		d.hear(i, notice{at, k, aLook})
	}
}

// look fires, or restores, if it is time.
func (d *Domain) look(i int32, k uint8, now sim.Time) {
	p := &d.ports[i]
	w, q, bit := d.notices[i].watched, p.disc, uint8(1)<<k
	d.drain(p, i, now)
	w.due[k] = false
	switch c := &d.network.watchdog; {
	case w.fired&bit != 0:
		switch {
		case q.pauses&bit != 0:
		case now < w.free[k]+c.Restore:
			d.lookAt(i, k, w.free[k]+c.Restore)
		default:
			w.fired &^= bit
			q.fired &^= bit
		}
	case w.since[k] == never:
	case now < w.since[k]+c.Detect:
		d.lookAt(i, k, w.since[k]+c.Detect)
	default:
		d.watchdogs++
		w.fired |= bit
		w.since[k] = never
		if c.Forward {
			q.blocked &^= bit
			d.resume(i, k, now)
			return
		}
		q.fired |= bit
		q.flushClass(d, i, k, Watchdogged, now)
	}
}

// heardOf tells the watchdog that a class is paused, or is not any more. It reports whether the class is to be blocked.
func (d *Domain) heardOf(i int32, k uint8, pause bool, now sim.Time) bool {
	q := d.ports[i].disc
	w := d.notices[i].watched
	switch {
	case !pause && w == nil:
	case !pause:
		w.since[k] = never
		if w.fired>>k&1 != 0 {
			w.free[k] = now
			d.lookAt(i, k, now+d.network.watchdog.Restore)
		}
	case w != nil && w.fired>>k&1 != 0:
		return !d.network.watchdog.Forward
	case q.occupied>>k&1 != 0:
		d.watch(i, k, now)
	}
	return pause
}
