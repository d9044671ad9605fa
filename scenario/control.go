package scenario

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fault"
	"weft/route"
	"weft/topo"
	"weft/unit"
)

// nextControl returns the next time at which the run must stop between events.
func (r *run) nextControl() unit.Time {
	t := min(r.until, r.lookAt, r.snapshots.due, r.windows.due, r.reactions.due, r.steady.due, r.credits.due, r.lockstep.due)
	if len(r.changes) > 0 {
		t = min(t, r.changes[0].At)
	}
	if len(r.reroutes) > 0 {
		t = min(t, r.reroutes[0])
	}
	if !r.measured {
		t = min(t, r.from)
	}
	if !r.closed {
		t = min(t, r.to)
	}
	return t
}

// control carries out what is due now, before any packet event of this instant.
func (r *run) control() error {
	r.snapshots.look(r.now, false)
	next := r.network.Next()
	r.windows.look(r.transport, r.now, next)
	r.reactions.look(r.transport, r.now, next)
	r.credits.look(r.transport, r.now, next)
	r.lockstep.look(r.transport, r.now, next)
	if len(r.changes) > 0 && r.changes[0].At <= r.now {
		r.acted = r.now
		for len(r.changes) > 0 && r.changes[0].At <= r.now {
			r.recovery.changing(r.network, r.now, r.changes[0])
			r.apply(r.changes[0])
			r.changes = r.changes[1:]
		}
		r.recovery.changed(r.network, r.now)
	}
	if len(r.reroutes) > 0 && r.reroutes[0] <= r.now {
		r.acted = r.now
		for len(r.reroutes) > 0 && r.reroutes[0] <= r.now {
			r.reroutes = r.reroutes[1:]
		}
		if err := r.reroute(); err != nil {
			return err
		}
	}
	r.steady.look(r)
	if !r.measured && r.now >= r.from {
		r.measured, r.acted = true, r.now
		r.openWindow()
	}
	if !r.closed && r.now >= r.to {
		r.closed, r.acted = true, r.now
		r.closeWindow()
	}
	return nil
}

// apply makes a change to a link, and arranges for routes to follow it.
func (r *run) apply(c fault.Change) {
	r.network.Apply(r.now, c)
	switch c.What {
	case fault.Down, fault.Up:
		r.down[c.Port.Link()] = r.network.Down(c.Port) || r.network.Down(c.Port.Reverse())
	case fault.SetRate:
		if !r.policy.ByRate {
			return
		}
	default:
		return
	}
	if r.reconverge == unit.Forever || r.isMissing(c.Port.Link()) {
		return
	}
	if at := r.now + r.reconverge; len(r.reroutes) == 0 || r.reroutes[len(r.reroutes)-1] != at {
		r.reroutes = append(r.reroutes, at)
	}
}

// reroute computes routes for the links and rates as they are now.
func (r *run) reroute() error {
	t, err := r.router(route.Options{Down: func(l topo.LinkID) bool { return r.down[l] }, Rate: r.network.Rate})
	if err != nil {
		return fmt.Errorf("routes at %v: %w", r.now, err)
	}
	r.network.SetTables(t)
	r.routes, r.rerouting = t, true
	r.transport.Reroute()
	if text := r.laneNotice(t); text != "" && !slices.Contains(r.notices, text) {
		r.notices = append(r.notices, text)
	}
	return nil
}

// openWindow notes what was counted when the measured window began.
func (r *run) openWindow() {
	if r.now > 0 { // else nothing was counted
		r.counters = r.counted(nil)
	}
	r.openPauses()
	r.deflected = r.network.Deflections(r.now)
	r.detoured = r.network.Detoured()
	r.network.ResetDeflectionMost()
	r.packets[0] = r.transport.Packets()
	if r.steady.span > 0 {
		r.loads = r.transport.Loads()
	}
	r.complete[0] = r.transport.CompletedPayload()
	r.creditCounts[0], _ = r.transport.CreditCounts(r.now)
	if r.now > 0 {
		r.deepest.add(r)
	}
	r.network.ResetQueueMax(r.now)
	r.openBuffers()
	r.transport.ResetRTTs()
}

// closeWindow notes what was counted when it ended.
func (r *run) closeWindow() {
	r.counters = r.counted(r.counters)
	r.closePauses()
	r.deflected = r.network.Deflections(r.now).Since(r.deflected)
	r.detoured = r.network.Detoured().Since(r.detoured)
	r.packets[1] = r.transport.Packets()
	r.least = r.leastHost()
	r.complete[1] = r.transport.CompletedPayload()
	r.creditCounts[1], _ = r.transport.CreditCounts(r.now)
	r.rtts = r.transport.RTTs()
	r.closeBuffers()
}

// counted returns what all ports counted since the readings in c, which it overwrites, or
// since the beginning.
func (r *run) counted(c []fabric.PortCounters) []fabric.PortCounters {
	if c == nil {
		c = make([]fabric.PortCounters, 2*len(r.graph.Links))
	}
	for i := range c {
		c[i] = r.network.Counters(topo.PortID(i), r.now).Since(c[i])
	}
	return c
}
