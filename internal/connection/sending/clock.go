package sending

import (
	"fmt"

	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// clockWith gives a new connection a clock, if its control needs one.
func (s *Side) clockWith(c *connection) {
	k := &clock{}
	k.timed, _ = c.congestion.(protocol.Timed)
	k.pacer, _ = c.congestion.(protocol.Pacer)
	if c.credits == nil { // which counts what it spends
		k.counter, _ = c.congestion.(protocol.SendCounter)
	}
	if k.timed == nil && k.pacer == nil && k.counter == nil {
		return
	}
	k.slot = uint32(len(s.slots.clocked))
	c.clock = k
	s.slots.clocked = append(s.slots.clocked, c)
}

// openClock begins anew with a connection.
func (s *Side) openClock(h *host, c *connection) {
	k := c.clock
	k.life++
	k.line = h.Line
	k.gap, k.packet = gap{}, unit.Forever
	if k.timed != nil {
		if h.alarms == nil {
			h.alarms = &alarms{}
		}
		k.alarm = h.alarms.take(c)
	}
}

// clockSent tells a control of a packet, and begins the wait after it.
func (s *Side) clockSent(now unit.Time, h *host, c *connection, p *packet.Packet) {
	k := c.clock
	wire := unit.Bytes(p.Size)
	if c.fielder != nil {
		k.entropy = p.Entropy
	}
	if k.counter != nil {
		k.counter.Sent(now, wire)
		c.window = c.congestion.Window()
		s.awaitDeadline(now, h, c)
	}
	if k.pacer == nil {
		return
	}
	switch p := k.pacer.Pace(); {
	case p.Rate > 0:
		k.gap.send(s.punctual(now, c.readyAt), wire, p.Rate)
		s.hold(now, h, c)
	case p.Gap > 0:
		k.gap = gap{until: s.punctual(now, c.readyAt) + p.Gap}
		c.held = true
		c.kept |= keptByPace
		// A deadline that is set already stays, also if it is later: a wait for a gap that ended
		// early may make the next one longer. Published runs of Swift have it so.
		if k.packet == unit.Forever {
			s.look(h, c)
		}
	default:
		k.gap = gap{}
	}
}

// punctual returns when a packet would have been sent that was due at a time, by a carrier that is in time. In a
// simulator that is now.
func (s *Side) punctual(now, due unit.Time) unit.Time { return min(now, max(due, now-s.Network.Late)) }

// waited returns when the connection's pace, and its bundle's, let it send again after its last packet.
func (c *connection) waited() (t unit.Time) {
	if c.clock != nil {
		t = c.clock.gap.until
	}
	if c.bundle != nil {
		t = max(t, c.bundle.gap.until)
	}
	return t
}

// goOn takes up what a control says after it was called, and lets its connection send if it can.
func (s *Side) goOn(now unit.Time, c *connection) {
	if c.clock != nil {
		s.follow(now, c)
	}
	s.makeReady(now, &s.hosts[c.src], c)
}

// follow takes up what a control says after it was called.
func (s *Side) follow(now unit.Time, c *connection) {
	k, h := c.clock, &s.hosts[c.src]
	if k.pacer != nil {
		switch p := k.pacer.Pace(); {
		case p.Rate > 0 && k.gap.rate > 0:
			k.gap.change(now, p.Rate)
			s.hold(now, h, c)
		case p.Rate <= 0 && p.Gap <= 0:
			c.held = false
			k.gap = gap{}
		}
	}
	if c.fielder != nil {
		s.probeField(now, c)
	}
	s.awaitDeadline(now, h, c)
}

// hold keeps a connection from sending until its gap ends. At the rate of the link the wire
// does so itself, but for what is left of a slower gap.
func (s *Side) hold(now unit.Time, h *host, c *connection) {
	k := c.clock
	c.held = k.gap.until > now && (c.held || k.gap.rate < k.line || k.line == 0)
	if c.held && k.gap.until < k.packet {
		c.kept |= keptByPace
		s.look(h, c)
	}
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
func (s *Side) look(h *host, c *connection) {
	k := c.clock
	k.packet = k.gap.until
	s.Await(h.Host, end.Deadline{At: k.packet, Slot: k.slot, Serial: k.life, What: end.DuePacket})
}

// awaitDeadline sets a deadline for that of a control, unless one comes no later that is
// put off when it comes. Idle connections wait for nothing.
func (s *Side) awaitDeadline(now unit.Time, h *host, c *connection) {
	k := c.clock
	if k.timed == nil || c.active == 0 {
		return
	}
	if at, a := max(k.timed.Deadline(), now), &h.alarms.list[k.alarm]; at < a.at {
		a.at = at
		s.Await(h.Host, end.Deadline{At: at, Slot: k.alarm, What: end.DueControl})
	}
}

// makeUp calls a control for the deadlines that came while its connection was idle.
func (s *Side) makeUp(now unit.Time, c *connection) {
	k := c.clock
	for k.timed != nil {
		at := k.timed.Deadline()
		if at > now {
			break
		}
		s.ring(at, c)
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
func (s *Side) ring(at unit.Time, c *connection) {
	k, h := c.clock, &s.hosts[c.src]
	k.timed.Expire(at)
	if again := k.timed.Deadline(); again <= at {
		h.closeClock(c)
		k.timed = nil
		s.breach = s.breach.Earlier(&end.Breach{
			At: at, Host: h.ID, Promise: "protocol.Timed",
			Rule: fmt.Sprintf("after Expire at %v Deadline returned %v; it must be later", at, again),
		})
	}
}
