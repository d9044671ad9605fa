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

	// line is the rate of the host's link, 0 if it is not known.
	line unit.Rate
	// gap is the wait after the frame sent last: for a rate, or else only until counts. The
	// connection is held till then, unless the rate is the line's.
	gap gap
	// packet is when the host looks whether the wait is over, Forever if it does not. Other
	// deadlines of the slot are void.
	packet unit.Time
	// entropy is that of the last packet, if its frames carry fields.
	entropy uint16
	// alarm is the number of the host's alarm for the control's deadlines.
	alarm uint32
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
	k.line = h.line
	k.gap, k.packet = gap{}, unit.Forever
	if k.timed != nil {
		if h.alarms == nil {
			h.alarms = &alarms{}
		}
		k.alarm = h.alarms.take(c)
	}
}

// clockSent tells a control of a frame, and begins the wait after it.
func (e *Endpoint) clockSent(now sim.Time, h *host, c *connection, id fabric.FrameID) {
	k := c.clock
	wire := unit.Bytes(e.d.Frame(id).Size)
	if c.fielder != nil {
		k.entropy = e.d.Frame(id).Entropy
	}
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
		c.kept |= keptByPace
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
			k.gap.change(now, p.Rate)
			e.hold(now, h, c)
		case p.Rate <= 0 && p.Gap <= 0:
			c.held = false
			k.gap = gap{}
		}
	}
	if c.fielder != nil {
		e.probeField(now, c)
	}
	e.awaitDeadline(now, h, c)
}

// hold keeps a connection from sending until its gap ends. At the rate of the link the wire
// does so itself, but for what is left of a slower gap.
func (e *Endpoint) hold(now sim.Time, h *host, c *connection) {
	k := c.clock
	c.held = k.gap.until > now && (c.held || k.gap.rate < k.line || k.line == 0)
	if c.held && k.gap.until < k.packet {
		c.kept |= keptByPace
		e.look(h, c)
	}
}

// sendableInTime is sendable for a connection that may wait for its rate, which it needs no
// acknowledgement for.
func (e *Endpoint) sendableInTime(c *connection) bool {
	held := c.held
	c.held = held && c.clock.gap.rate == 0
	ok := e.sendable(c)
	c.held = held
	return ok
}

// waitsUntil returns when the wait for the connection's pace ends, or for its bundle's.
func (c *connection) waitsUntil() (t unit.Time) {
	if c.held && c.clock != nil { // a room of a pool holds messages without one
		t = c.clock.gap.until
	}
	if c.bundle != nil && c.bundle.held {
		t = max(t, c.bundle.gap.until)
	}
	return t
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
	e.makeReady(now, &e.hosts[h], c)
	return 0, false
}

// alarms are those of a host. A connection takes over the alarm of one that ended, with the
// deadline that the host may have in its heap, so that there are no more of these than of
// connections at a time.
type alarms struct {
	list []alarm
	free []uint32
}

// alarm is when a host looks at the deadline of a control: at no time, if that is Forever. Other
// deadlines of the alarm are void.
type alarm struct {
	conn *connection
	at   unit.Time
}

// take returns the number of an alarm for a connection.
func (a *alarms) take(c *connection) uint32 {
	if n := len(a.free); n > 0 {
		i := a.free[n-1]
		a.free = a.free[:n-1]
		a.list[i].conn = c
		return i
	}
	a.list = append(a.list, alarm{c, unit.Forever})
	return uint32(len(a.list) - 1)
}

// closeClock ends what the clock of a connection waits for.
func (h *host) closeClock(c *connection) {
	if c.clock.timed != nil {
		h.alarms.list[c.clock.alarm].conn = nil
		h.alarms.free = append(h.alarms.free, c.clock.alarm)
	}
}

// awaitDeadline sets a deadline for that of a control, unless one comes no later that is
// put off when it comes. Idle connections wait for nothing.
func (e *Endpoint) awaitDeadline(now sim.Time, h *host, c *connection) {
	k := c.clock
	if k.timed == nil || c.active == 0 {
		return
	}
	if at, a := max(k.timed.Deadline(), now), &h.alarms.list[k.alarm]; at < a.at {
		a.at = at
		e.setDeadline(h, c.src, deadline{at: at, slot: k.alarm, source: dueControl})
	}
}

// expireControl calls a control whose deadline has come, if it is still that.
func (e *Endpoint) expireControl(now sim.Time, h int32, d deadline) {
	a := &e.hosts[h].alarms.list[d.slot]
	if a.at != d.at {
		return
	}
	a.at = unit.Forever
	c := a.conn
	if c == nil || c.active == 0 {
		return
	}
	if k := c.clock; k.timed != nil && k.timed.Deadline() <= now {
		e.ring(now, c)
		c.window = c.congestion.Window()
		if c.credits != nil {
			e.settle(now, h, c)
		}
	}
	e.follow(now, c)
	e.makeReady(now, &e.hosts[h], c)
}

// makeUp calls a control for the deadlines that came while its connection was idle.
func (e *Endpoint) makeUp(now sim.Time, c *connection) {
	k := c.clock
	for k.timed != nil {
		at := k.timed.Deadline()
		if at > now {
			break
		}
		e.ring(at, c)
		if k.pacer != nil {
			if p := k.pacer.Pace(); p.Rate > 0 && k.gap.rate > 0 {
				k.gap.change(at, p.Rate)
			}
		}
	}
	c.window = c.congestion.Window()
}

// ring calls a control once. One whose deadline stays would be called for ever, so that it
// is called no more, and the run ends with what it broke.
func (e *Endpoint) ring(at unit.Time, c *connection) {
	k, h := c.clock, &e.hosts[c.src]
	k.timed.Expire(at)
	if again := k.timed.Deadline(); again <= at {
		h.closeClock(c)
		k.timed = nil
		e.breach = e.breach.earlier(&Breach{
			At: at, Host: h.id, Promise: "protocol.Timed",
			Rule: fmt.Sprintf("after Expire at %v Deadline returned %v; it must be later", at, again),
		})
	}
}
