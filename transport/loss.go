package transport

import (
	"weft/fabric"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/sim"
	"weft/unit"
)

// This file has how a sender learns of losses, and what it then does.

// receiveNack handles the report that a packet arrived trimmed.
func (e *Endpoint) receiveNack(now sim.Time, h int32, id fabric.FrameID) {
	f := e.d.Frame(id)
	m := e.messages[f.Message/e.domains]
	if e.t.groups[f.Group()].Recovery.Kind == GoBackN {
		e.receiveMissing(now, h, m, id)
		return
	}
	seq := f.Seq
	serial := f.Serial
	e.d.Free(id)
	if !m.live || m.serial != serial {
		return
	}
	p, ok := m.Lose(seq)
	if !ok {
		return
	}
	m.conn.heard(now)
	e.counts.Trims++
	if m.record >= 0 {
		e.records.at(m.record).Trims++
	}
	e.giveUp(now, m, seq, p, protocol.Loss{Cause: protocol.Trimmed})
	e.update(now, h, m)
}

// heard restarts what waits for an answer after a report that has no round-trip time.
func (c *connection) heard(now sim.Time) {
	if c.timer != nil {
		c.timer.Heard(now, 0)
	} else if c.patience != nil {
		c.patience.Heard(now, 0)
	}
}

// giveUp takes a lost packet out of flight and tells the cores; l says how it was lost.
func (e *Endpoint) giveUp(now sim.Time, m *message, seq uint32, p reliable.Packet, l protocol.Loss) {
	c := m.conn
	e.takeBack(now, m, seq, l.Cause)
	l.Now, l.Entropy, l.SentAt, l.Wire = now, p.Entropy, p.SentAt, e.wire(m, seq)
	if c.credits != nil {
		c.credits.backlog += l.Wire
	}
	e.lost = l
	before := c.congestion.Window()
	c.congestion.Lost(&e.lost)
	e.lost.Cut = c.congestion.Window() < before
	c.entropy.Lost(&e.lost)
	if c.prober != nil {
		e.probe(now, c)
	}
}

// takeBack takes a packet out of flight, to be sent again.
func (e *Endpoint) takeBack(now sim.Time, m *message, seq uint32, cause protocol.LossCause) {
	c := m.conn
	if e.watched != nil {
		e.watched.watcher.GaveUp(now, PacketName{identify(c.group, e.hosts[c.src].id, m.serial), m.slot*e.domains + e.self, uint64(seq)}, cause)
	}
	c.inflight -= e.payload(m, seq)
	if !m.queued {
		c.queue.pushFront(m)
	}
}

// timeout gives up what of m is overdue and returns when to look again.
func (e *Endpoint) timeout(now sim.Time, h int32, m *message) (unit.Time, bool) {
	c := m.conn
	rto := e.group(c).RTO
	switch {
	case e.group(c).Recovery.Kind == IRN:
		e.expire(now, m, e.ofIRN(m), false)
		e.update(now, h, m)
		at, flying := m.Deadline(e.ofIRN(m))
		return min(at, now+rto), flying // with fewer packets in flight it is earlier
	case c.patience != nil:
		e.expire(now, m, c.patience.Timeout(), false)
		e.update(now, h, m)
		at, flying := m.Deadline(c.patience.Timeout())
		// What is heard meanwhile may shorten the timeout, but not below its least.
		return min(at, now+rto), flying
	case c.timer == nil:
		e.expire(now, m, rto, false)
		e.update(now, h, m)
		return m.Deadline(rto)
	}
	if now >= c.timer.Due() {
		e.silence(now, m)
		e.update(now, h, m)
	}
	_, flying := m.Deadline(rto)
	// The timer's end may move to and fro, but not to less than the least timeout after
	// an acknowledgement that is still to come.
	return min(c.timer.Due(), now+rto), flying
}

// expire gives up the packets of m that were sent rto or longer ago.
func (e *Endpoint) expire(now sim.Time, m *message, rto unit.Time, silent bool) {
	for {
		seq, p, ok := m.Expire(now, rto)
		if !ok {
			return
		}
		e.counts.Timeouts++
		if m.record >= 0 {
			e.records.at(m.record).Timeouts++
		}
		if k := m.conn.patience; k != nil {
			began, _ := m.Began(seq)
			k.Expired(now, began)
		}
		e.giveUp(now, m, seq, p, protocol.Loss{Cause: protocol.Timeout, Silent: silent})
		if e.group(m.conn).Recovery.Kind == GoBackN {
			e.goBack(now, m)
			return
		}
	}
}

// silence gives up all that the connection of m has in flight.
func (e *Endpoint) silence(now sim.Time, m *message) {
	c := m.conn
	if g := e.group(c); !g.PerPair && !g.Turns {
		e.expire(now, m, 0, true)
	} else {
		// Seldom enough to look through all; those of a host stand in the order in
		// which it began with their slots, whatever the domain.
		for _, other := range e.messages {
			if other.live && other.conn == c {
				e.expire(now, other, 0, true)
			}
		}
	}
	c.timer.Expired(now)
}
