package sending

import (
	"fmt"

	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// clockWith gives a new connection a clock if its control needs one.
func (s *Side) clockWith(c *connection) {
	k := &clock{}
	k.timed, _ = c.congestion.(protocol.Timed)
	k.pacer, _ = c.congestion.(protocol.Pacer)
	if c.credits == nil { // a control with credit counts what it spends
		k.counter, _ = c.congestion.(protocol.SendCounter)
	}
	if k.timed == nil && k.pacer == nil && k.counter == nil {
		return
	}
	k.slot = uint32(len(s.slots.clocked))
	c.clock = k
	s.slots.clocked = append(s.slots.clocked, c)
}

// openClock resets the clock for a newly opened connection.
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

// clockSent tells a control that a packet was sent, and begins the gap after it.
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
		c.stalls |= stalledByPace
		// A deadline that is already set stays, even if it is later than needed: if an earlier
		// gap ended early, the next one may be too long. Published runs of Swift depend on this.
		if k.packet == unit.Forever {
			s.look(h, c)
		}
	default:
		k.gap = gap{}
	}
}

// punctual returns when a packet due at a given time would have been sent by a carrier on time.
// It compensates at most Network.Late. In a simulator it returns now.
func (s *Side) punctual(now, due unit.Time) unit.Time { return min(now, max(due, now-s.Network.Late)) }

// waited returns when the pace of the connection, and of its bundle, allow the next packet.
func (c *connection) waited() (t unit.Time) {
	if c.clock != nil {
		t = c.clock.gap.until
	}
	if c.bundle != nil {
		t = max(t, c.bundle.gap.until)
	}
	return t
}

// resumeSending applies a control's state after the control was called, and lets the connection
// send if it can.
func (s *Side) resumeSending(now unit.Time, c *connection) {
	if c.clock != nil {
		s.follow(now, c)
	}
	s.makeReady(now, &s.hosts[c.src], c)
}

// follow applies a control's pace, deadline and field after the control was called.
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

// hold keeps a connection from sending until its gap ends. At the link's rate the wire spaces
// frames by itself, so no hold is needed unless a slower gap is still running.
func (s *Side) hold(now unit.Time, h *host, c *connection) {
	k := c.clock
	c.held = k.gap.until > now && (c.held || k.gap.rate < k.line || k.line == 0)
	if c.held && k.gap.until < k.packet {
		c.stalls |= stalledByPace
		s.look(h, c)
	}
}

// waitsUntil returns when the current wait for the connection's pace, or its bundle's, ends.
func (c *connection) waitsUntil() (t unit.Time) {
	if c.held && c.clock != nil { // a pool's room has no clock
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

// awaitDeadline sets an alarm for a control's next deadline. An earlier alarm is kept: when it
// rings, it is moved. Idle connections need no alarm.
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

// catchUpDeadlines calls a control for the deadlines that passed while its connection was idle.
func (s *Side) catchUpDeadlines(now unit.Time, c *connection) {
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

// ring calls a control whose deadline has come. If the control does not move its deadline, it
// would be called forever. It is then never called again, and the run ends with a report of the
// broken contract.
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
