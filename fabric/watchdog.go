package fabric

import "weft/sim"

// watchdog is the pause watchdog of a domain. It implements guard and taps the switch ports.
type watchdog struct {
	Watchdog
	by    *pausing
	ports []*watched // nil while there is nothing to watch
	fires uint64     // number of times it fired
}

// placeWatchdogs gives every domain a watchdog.
func (n *Network) placeWatchdogs(c *Watchdog) {
	if !c.on() {
		return
	}
	n.Lookahead = min(n.Lookahead, c.Detect, max(1, c.Restore))
	for _, d := range n.domains {
		w := &watchdog{Watchdog: *c, by: d.pauses(), ports: make([]*watched, len(d.ports))}
		w.by.guard = w
		for i := range d.ports {
			if q := d.ports[i].disc; q != nil {
				q.addTap(w)
			}
		}
	}
}

// watched is the watchdog's state of one port.
type watched struct {
	since [8]sim.Time // since when a class is paused and holds frames, or never
	due   [8]bool     // a check is scheduled
	free  [8]sim.Time // since when a class that fired is not paused
	fired uint8
}

// onArrival implements tap. It drops frames of a class that fired.
func (g *watchdog) onArrival(_ *port, i int32, _ *Frame, id FrameID, k uint8, _ via, now sim.Time) bool {
	w := g.ports[i]
	if w == nil || w.fired>>k&1 == 0 || g.Forward {
		return true
	}
	g.by.d.drop(i, id, Watchdogged, now)
	return false
}

// onStart implements tap.
func (g *watchdog) onStart(*port, int32, *Frame, uint8, sim.Time) {}

// onHeld implements tap. It starts to watch a class that is paused and holds frames.
func (g *watchdog) onHeld(i int32, k uint8, now sim.Time) {
	w := g.ports[i]
	if w == nil {
		w = new(watched)
		for k := range w.since {
			w.since[k] = never
		}
		g.ports[i] = w
	}
	if w.fired>>k&1 != 0 || w.since[k] != never {
		return
	}
	w.since[k] = now
	g.checkAt(i, k, now+g.Detect)
}

// checkAt schedules a check of a class, unless an earlier one is pending.
func (g *watchdog) checkAt(i int32, k uint8, at sim.Time) {
	if w := g.ports[i]; !w.due[k] {
		w.due[k] = true
		g.by.addNotice(i, notice{at, k, noticeCheck})
	}
}

// check implements guard. It fires or restores if the time has come.
func (g *watchdog) check(i int32, k uint8, now sim.Time) {
	d := g.by.d
	p := &d.ports[i]
	w, q, bit := g.ports[i], p.disc, uint8(1)<<k
	d.drain(p, i, now)
	w.due[k] = false
	switch {
	case w.fired&bit != 0:
		switch {
		case q.pauses&bit != 0:
		case now < w.free[k]+g.Restore:
			g.checkAt(i, k, w.free[k]+g.Restore)
		default:
			w.fired &^= bit
		}
	case w.since[k] == never:
	case now < w.since[k]+g.Detect:
		g.checkAt(i, k, w.since[k]+g.Detect)
	default:
		g.fires++
		w.fired |= bit
		w.since[k] = never
		if g.Forward {
			q.blocked &^= bit
			d.resume(i, k, now)
			return
		}
		q.flushClass(d, i, k, Watchdogged, now)
	}
}

// heard implements guard.
func (g *watchdog) heard(i int32, k uint8, pause bool, now sim.Time) bool {
	w := g.ports[i]
	switch {
	case !pause && w == nil:
	case !pause:
		w.since[k] = never
		if w.fired>>k&1 != 0 {
			w.free[k] = now
			g.checkAt(i, k, now+g.Restore)
		}
	case w != nil && w.fired>>k&1 != 0:
		return !g.Forward
	case g.by.d.ports[i].disc.occupied>>k&1 != 0:
		g.onHeld(i, k, now)
	}
	return pause
}

// forget implements guard.
func (g *watchdog) forget(i int32) { g.ports[i] = nil }
