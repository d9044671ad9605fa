package sending

import (
	"math/bits"
	"slices"

	"weft/unit"
)

// This file schedules a host's connections: those that can send take turns, one packet each.
// Connections of paused classes (IEEE 802.1Qbb) wait in lists of their own.

// add appends a connection to the list of turns.
func (t *turns) add(c *connection) {
	c.ready = true
	t.push(c)
}

// take removes and returns the first connection. The list must not be empty.
func (t *turns) take() *connection {
	c := t.pop()
	c.ready = false
	return c
}

// remove removes a connection from every list that it waits in: for its turn, its class or its
// bundle.
func (t *turns) remove(c *connection, class uint8) {
	if c.parked {
		c.parked = false
		list := t.stopped[class]
		i := slices.Index(list, c)
		t.stopped[class] = slices.Delete(list, i, i+1)
	}
	if c.queues {
		c.bundle.drop(c)
	}
	if c.ready {
		c.ready = false
		t.cut(c)
	}
}

// park makes a connection wait if its class is paused, and reports whether it is.
func (t *turns) park(c *connection, class, pauses uint8) bool {
	if pauses>>class&1 == 0 {
		return false
	}
	if !c.parked {
		c.parked = true
		if t.stopped == nil {
			t.stopped = new([8][]*connection)
		}
		t.stopped[class] = append(t.stopped[class], c)
	}
	return true
}

// Ready reports whether a connection of a host has something to send.
func (s *Side) Ready(local int32) bool { return s.hosts[local].head != nil }

func (s *Side) park(h *host, c *connection) bool {
	return h.turns.park(c, s.group(c).Class, h.Out.Pauses)
}

// makeReady appends c to its host's list of turns if it can send.
func (s *Side) makeReady(now unit.Time, h *host, c *connection) {
	if c.ready || !s.sendable(c) || h.Out.Pauses != 0 && s.park(h, c) {
		return
	}
	if c.timesReady {
		if c.bundle != nil && c.bundle.mustWait(c) {
			return
		}
		c.readyAt = now
	}
	h.add(c)
}

// Freed resumes the connections of classes that are no longer paused, in the order in which they
// began to wait.
func (s *Side) Freed(now unit.Time, local int32, classes uint8) {
	h := &s.hosts[local]
	if b := h.backlog; b != nil && classes != 0 {
		b.free = max(b.free, now) // a paused wire was not idle for lack of packets
	}
	for ; classes != 0 && h.stopped != nil; classes &= classes - 1 {
		k := uint8(bits.TrailingZeros8(classes))
		list := h.stopped[k]
		h.stopped[k] = list[:0]
		for _, c := range list {
			c.parked = false
			s.makeReady(now, h, c)
		}
	}
}

// sendable reports whether c has a packet that its window allows.
func (s *Side) sendable(c *connection) bool {
	if c.held {
		return false
	}
	for c.queue.head != nil {
		m := c.queue.head
		seq, ok := m.Next()
		if ok {
			size := s.payload(m, seq)
			if c.inflight > 0 && size < s.group(c).Payload && s.group(c).Nagle && m.Fresh(seq) {
				c.stalls |= stalledByNagle
				return false
			}
			if !c.admits(size) {
				c.stalls |= stalledByWindow
				return false
			}
			return true
		}
		if m.Unsent() > 0 {
			c.stalls |= stalledByReorderLimit
			return false
		}
		c.queue.popFront()
	}
	return false
}

// admits reports whether the window of c has room for a packet with the given payload. A packet
// without payload needs no room in a window, but it does need credit.
func (c *connection) admits(payload unit.Bytes) bool {
	if c.credits != nil {
		return c.inflight+max(payload, 1) <= c.window
	}
	return c.inflight+payload <= c.window || c.inflight == 0
}

// sendableInTime is sendable for a connection that may have to wait for its rate but needs no
// further acknowledgement to send.
func (s *Side) sendableInTime(c *connection) bool {
	held := c.held
	c.held = held && c.clock.gap.rate == 0
	ok := s.sendable(c)
	c.held = held
	return ok
}
