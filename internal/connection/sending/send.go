package sending

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/unit"
)

// send builds the next data packet of c, which must be sendable.
func (s *Side) send(now unit.Time, h *host, c *connection) packet.ID {
	g := s.group(c)
	m := c.queue.head
	seq, _ := m.Next()
	payload := s.payload(m, seq)
	entropy := c.entropy.Choose(now, g.Balancer.Run)
	retransmission := m.Sent(seq, now, entropy)
	if c.detects.timer != nil && c.inflight == 0 {
		c.detects.timer.Began(now)
	}
	c.inflight += payload
	id := s.Store.Alloc()
	p := s.Store.At(id)
	p.Address(h.ID, c.dst, uint8(c.group))
	p.Message, p.Serial, p.Seq = s.number(m), m.serial, seq
	p.Aux = m.packets
	p.Size = uint16(payload + g.Header)
	p.Entropy = entropy
	p.Kind = end.Data
	p.SetClass(g.Class, g.Spray)
	if c.tracks {
		s.track(now, g, c, id)
	}
	if m.tally != nil {
		p.Bits |= end.Measured
	}
	p.Bits |= (m.parts - 1) << end.PartsShift
	if c.bundle != nil && c.bundle.confirms {
		p.Bits |= end.Confirms
	}
	if (retransmission || seq+1 == m.packets) && s.followed(m) {
		p.Flags |= end.Backlog
	}
	if retransmission {
		p.Bits |= end.Again
		p.SetClass(g.Class-g.Ahead, g.Spray)
		s.Counts.Retransmits++
		if m.tally != nil {
			m.tally.Retransmits++
		}
	} else {
		h.load.Sent += payload
	}
	if s.Tokens > 0 && takesTokens(g, m, retransmission) {
		p.SetTokens(s.Tokens)
	}
	if c.credits != nil {
		s.spend(now, c, p)
	}
	if h.backlog != nil && g.Congestion.SourceMarks && h.backlog.sends(now, c, unit.Bytes(p.Size), retransmission) {
		p.Flags |= packet.Marked
		s.Counts.SourceMarks++
	}
	if seq == 0 && m.incast != nil && m.incast.number > 0 {
		s.writeList(g, m, p)
	}
	if c.clock != nil {
		s.clockSent(now, h, c, p)
	}
	if c.bundle != nil {
		s.bundleSent(now, c.readyAt, c.src, c.bundle, unit.Bytes(s.Store.At(id).Size))
	}
	if g.AckEvery > 1 && !s.sendableInTime(c) {
		s.Store.At(id).Bits |= end.AskAck
	}
	if !m.armed && !s.queues(g) {
		s.arm(h, m, now+g.RTO)
		s.listen(now, h, m)
	}
	return id
}

// takesTokens reports whether switches may deflect a packet: its message is short, and it is sent
// for the first time. Messages in parts are excluded because their packets overtake each other
// anyway, and messages with credit because receivers pace them.
func takesTokens(g *end.Group, m *message, retransmission bool) bool {
	return m.size <= g.Short && !retransmission && m.split < 0 && m.conn.credits == nil
}

// queues reports whether timeouts of a group's packets begin only when packets leave the NIC's
// queue. A connection's timer counts from the time at which the window allowed the packet, as
// TCP's does.
func (s *Side) queues(g *end.Group) bool {
	return s.Network.Queue != nil && !g.ConnectionTimer && !g.TimedFromQueue
}

// Enqueue appends the packets that windows allow to a host's NIC queue.
func (s *Side) Enqueue(now unit.Time, local int32) {
	h := &s.hosts[local]
	for h.head != nil {
		c := h.take()
		for s.sendable(c) && (c.bundle == nil || !c.bundle.mustWait(c)) {
			id := s.send(now, h, c)
			p := s.Store.At(id)
			above := h.nic.queued > s.Network.Queue.Thresholds[h.ID]
			if q := s.Network.Queue; q.Mark && above && (h.nic.above || !q.SpareFirst) {
				p.Flags |= packet.Marked
			}
			h.nic.above = above
			h.nic.queued += unit.Bytes(p.Size)
			h.Out.Push(id)
		}
		if c.bundle != nil {
			s.giveTurn(now, c.src, c.bundle)
		}
	}
	h.tail = nil
}

// Departed begins the timeout of a data packet that leaves a host's NIC queue.
func (s *Side) Departed(now unit.Time, local int32, p *packet.Packet) {
	h := &s.hosts[local]
	h.nic.queued -= unit.Bytes(p.Size)
	m := s.of(p)
	if m == nil || !s.queues(s.group(m.conn)) {
		return
	}
	m.Departed(p.Seq, now)
	if !m.armed {
		s.arm(h, m, now+s.group(m.conn).RTO)
		s.listen(now, h, m)
	}
}

// Next returns the next data packet of a host, and whether another one could follow at once.
func (s *Side) Next(now unit.Time, local int32) (id packet.ID, more, ok bool) {
	h := &s.hosts[local]
	for h.head != nil {
		c := h.take()
		if !s.sendable(c) || h.Out.Pauses != 0 && s.park(h, c) { // its window shrank, or what seemed lost arrived after all
			if c.bundle != nil {
				s.giveTurn(now, c.src, c.bundle)
			}
			continue
		}
		if c.bundle != nil && c.bundle.mustWait(c) {
			continue
		}
		id = s.send(now, h, c)
		s.makeReady(now, h, c)
		if c.timesReady && c.ready { // if it is asked later than its gaps ended, count from their end
			c.readyAt = s.punctual(now, c.waited())
		}
		return id, h.head != nil, true
	}
	return 0, false, false
}
