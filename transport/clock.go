package transport

import (
	"fmt"

	"weft/fabric"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// clock is what a connection has beside whose congestion control has deadlines of its own,
// spaces packets, or counts what is sent.
type clock struct {
	// The control, if it is one of these.
	timed   protocol.Timed
	pacer   protocol.Pacer
	counter protocol.SendCounter
	// slot is its place among the endpoint's clocked connections; life tells the connections
	// apart that use it one after another.
	slot, life uint32

	// line is the rate of the host's link.
	line unit.Rate
	// gap is the wait after the frame sent last: for a rate, or else only until counts. The
	// connection is held till then, unless the rate is the line's.
	gap gap
	// packet is when the host looks whether the wait is over, and due when the control's
	// deadline comes, as far as the host knows; Forever if it does not look. Other deadlines of
	// the slot are void.
	packet, due unit.Time
}

// clockWith gives a new connection a clock, if its control needs one.
func (e *Endpoint) clockWith(c *connection) {
	k := &clock{}
	k.timed, _ = c.congestion.(protocol.Timed)
	k.pacer, _ = c.congestion.(protocol.Pacer)
	if c.credits == nil { // which counts what it spends
		k.counter, _ = c.congestion.(protocol.SendCounter)
	}
	if k.timed == nil && k.pacer == nil && k.counter == nil {
		return
	}
	k.slot = uint32(len(e.clocked))
	c.clock = k
	e.clocked = append(e.clocked, c)
}

// openClock begins anew with a connection.
func (e *Endpoint) openClock(h *host, c *connection) {
	k := c.clock
	k.life++
	k.gap, k.packet, k.due = gap{}, unit.Forever, unit.Forever
	if e.t.lineRate != nil {
		k.line = e.t.lineRate(h.id)
	}
}

// clockSent tells a control of a frame, and begins the wait after it.
func (e *Endpoint) clockSent(now sim.Time, h *host, c *connection, id fabric.FrameID) {
	k := c.clock
	wire := unit.Bytes(e.d.Frame(id).Size)
	if k.counter != nil {
		k.counter.Sent(now, wire)
		c.window = c.congestion.Window()
		e.awaitDeadline(now, h, c)
	}
	if k.pacer == nil {
		return
	}
	switch p := k.pacer.Pace(); {
	case p.Rate > 0:
		k.gap.send(now, wire, p.Rate)
		e.hold(now, h, c)
	case p.Gap > 0:
		k.gap = gap{until: now + p.Gap}
		c.held = true
		// A deadline that is set already stays, also if it is later: a wait for a gap that ended
		// early may make the next one longer. Published runs of Swift have it so.
		if k.packet == unit.Forever {
			e.look(h, c)
		}
	default:
		k.gap = gap{}
	}
}

// follow takes up what a control says after it was called.
func (e *Endpoint) follow(now sim.Time, c *connection) {
	k, h := c.clock, &e.hosts[c.src]
	if k.pacer != nil {
		switch p := k.pacer.Pace(); {
		case p.Rate > 0 && k.gap.rate > 0:
			if p.Rate != k.gap.rate {
				k.gap.change(now, p.Rate)
				e.hold(now, h, c)
			}
		case p.Rate <= 0 && p.Gap <= 0:
			c.held = false
			k.gap = gap{}
		}
	}
	e.awaitDeadline(now, h, c)
}

// hold keeps a connection from sending until its gap ends, at a rate below that of the link.
func (e *Endpoint) hold(now sim.Time, h *host, c *connection) {
	k := c.clock
	c.held = k.gap.until > now && (k.gap.rate < k.line || k.line == 0)
	if c.held && k.gap.until < k.packet {
		e.look(h, c)
	}
}

// look sets a deadline for the end of a gap.
func (e *Endpoint) look(h *host, c *connection) {
	k := c.clock
	k.packet = k.gap.until
	e.setDeadline(h, c.src, deadline{at: k.packet, slot: k.slot, serial: k.life, source: duePacket})
}

// paced ends the wait of a connection, and returns when to look again if it goes on.
func (e *Endpoint) paced(now sim.Time, h int32, d deadline) (unit.Time, bool) {
	c := e.clocked[d.slot]
	k := c.clock
	if k.life != d.serial || k.packet != d.at {
		return 0, false
	}
	if c.held && k.gap.until > now {
		k.packet = k.gap.until
		return k.packet, true
	}
	c.held, k.packet = false, unit.Forever
	e.makeReady(&e.hosts[h], c)
	return 0, false
}

// awaitDeadline sets a deadline for that of a control, unless one comes no later that is
// put off when it comes. Idle connections wait for nothing.
func (e *Endpoint) awaitDeadline(now sim.Time, h *host, c *connection) {
	k := c.clock
	if k.timed == nil || c.active == 0 {
		return
	}
	if at := max(k.timed.Deadline(), now); at < k.due {
		k.due = at
		e.setDeadline(h, c.src, deadline{at: at, slot: k.slot, serial: k.life, source: dueControl})
	}
}

// expireControl calls a control whose deadline has come, if it is still that.
func (e *Endpoint) expireControl(now sim.Time, h int32, d deadline) {
	c := e.clocked[d.slot]
	k := c.clock
	if k.life != d.serial || k.due != d.at {
		return
	}
	k.due = unit.Forever
	if k.timed == nil || c.active == 0 {
		return
	}
	if k.timed.Deadline() <= now {
		e.ring(now, c)
		c.window = c.congestion.Window()
		if c.credits != nil {
			e.settle(now, h, c)
		}
	}
	e.follow(now, c)
	e.makeReady(&e.hosts[h], c)
}

// makeUp calls a control for the deadlines that came while its connection was idle.
func (e *Endpoint) makeUp(now sim.Time, c *connection) {
	k := c.clock
	if k.timed == nil {
		return
	}
	for k.timed != nil {
		at := k.timed.Deadline()
		if at > now {
			break
		}
		e.ring(at, c)
	}
	c.window = c.congestion.Window()
}

// ring calls a control once. One whose deadline stays would be called for ever, so that it
// is called no more, and the run ends with what it broke.
func (e *Endpoint) ring(at unit.Time, c *connection) {
	k := c.clock
	k.timed.Expire(at)
	if again := k.timed.Deadline(); again <= at {
		k.timed = nil
		e.breach = e.breach.earlier(&Breach{
			At: at, Host: e.hosts[c.src].id, Promise: "protocol.Timed",
			Rule: fmt.Sprintf("after Expire at %v Deadline returned %v; it must be later", at, again),
		})
	}
}
