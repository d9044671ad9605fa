package sending

import (
	"weft/internal/connection/end"
	"weft/unit"
)

// This file withdraws messages and forgets other hosts.

// Cancel withdraws a host's message that is not fully acknowledged. It returns false if there is
// no such message. It sends the receiver a withdrawal, which may be lost. The receiver then
// forgets the message when the sender reuses its number, or when it forgets the sender. A
// cancelled message causes no further events.
func (s *Side) Cancel(now unit.Time, local, group int32, ordinal uint64) (found bool) {
	for _, m := range s.messages {
		if m.live && m.conn.src == local && m.conn.group == group && m.ordinal == ordinal {
			s.withdraw(local, m)
			s.cancel(now, local, m)
			found = true
		}
	}
	if found {
		s.Counts.Cancelled++
	}
	return found
}

// Forget ends a host's messages to another host and discards what its connections learned. It
// sends nothing. A later host with the same number is a new one.
func (s *Side) Forget(now unit.Time, local, peer int32) {
	h := &s.hosts[local]
	for _, m := range s.messages {
		if m.live && m.conn.src == local && m.conn.dst == peer {
			if s.cancel(now, local, m) {
				s.Counts.Cancelled++
			}
		}
	}
	for _, key := range end.PairsWith(h.pairs, peer) {
		s.retire(h, h.pairs[key])
		delete(h.pairs, key)
	}
	for _, key := range end.PairsWith(h.pools, peer) {
		for _, c := range h.pools[key].free {
			s.retire(h, c)
		}
		delete(h.pools, key)
	}
	for _, key := range end.PairsWith(h.bundles, peer) {
		s.slots.freeBundles = append(s.slots.freeBundles, h.bundles[key].slot)
		delete(h.bundles, key)
	}
}

// retire makes a connection without messages available to its group.
func (s *Side) retire(h *host, c *connection) {
	h.remove(c, s.group(c).Class)
	if c.clock != nil {
		h.closeClock(c)
	}
	c.pool, c.bundle, c.number = nil, nil, 0
	s.idle[c.group] = append(s.idle[c.group], c)
}

// withdraw tells the receiver that a message is cancelled.
func (s *Side) withdraw(local int32, m *message) {
	id := s.control(m.conn, end.Withdrawal, m.OldestEntropy())
	p := s.Store.At(id)
	p.Message, p.Serial = s.number(m), m.serial
	if s.unfollow(m) {
		p.Flags |= end.Backlog
	}
	s.hosts[local].Out.Push(id)
}

// cancel ends a message. It reports whether it was the whole message or its last part.
func (s *Side) cancel(now unit.Time, local int32, m *message) bool {
	h, c := &s.hosts[local], m.conn
	left := unit.Bytes(0) // bytes not yet sent for the first time
	for q := m.Unseen(); q < m.packets; q++ {
		left += s.wire(m, q)
	}
	if h.backlog != nil && s.group(c).Congestion.SourceMarks {
		h.backlog.left -= left
	}
	if c.pool != nil && c == &c.pool.room { // it waits for a connection: nothing was sent
		c.queue.remove(m)
		s.vacate(local, m)
		return m.split < 0 || s.splits.last(m.split)
	}
	if c.credits != nil {
		c.credits.backlog -= left
	}
	for q := m.Oldest(); q < m.Unseen(); q = max(q+1, m.Oldest()) {
		s.acknowledge(m, q)
	}
	if m.queued {
		c.queue.remove(m)
	}
	last := s.end(now, local, m)
	if c.active > 0 {
		if c.credits != nil {
			s.settle(now, local, c)
		}
		s.makeReady(now, h, c)
	}
	return last
}
