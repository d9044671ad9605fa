package sending

import (
	"math/bits"

	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/unit"
)

// Ack handles an acknowledgement.
func (s *Side) Ack(now unit.Time, h int32, id packet.ID) {
	f := s.Store.At(id)
	m := s.of(f)
	if m == nil {
		s.Store.Free(id)
		return
	}
	c := m.conn
	a := &s.acked
	*a = protocol.Ack{Now: now, Entropy: f.Entropy, Marked: f.Bits&end.Marked != 0, InFlight: c.inflight}
	first := f.Bits&end.Again == 0
	began, left := m.Began(f.Seq)
	if !left { // another copy of the packet waits at the NIC
		began = now
	}
	p, fresh := s.acknowledge(m, f.Seq)
	if fresh {
		a.Packets = 1
		if p.Tries == 1 {
			a.RTT = now - p.SentAt
			s.rttsOf(c.group).Add(int64(a.RTT))
		}
	}
	before, report := f.Aux, (*packet.Report)(nil)
	if f.Flags&packet.Extended != 0 {
		before, report = s.Store.Aux(f), s.Store.Report(f)
		if f.Tracked() {
			s.takeTrail(s.group(c), id, a)
		}
		if answer := s.Store.Answer(f); answer != nil {
			a.Answered, a.Answer = true, *answer
		}
	}
	if report == nil {
		if a.Marked {
			a.MarkedPackets = 1
		}
		a.Packets += s.cumulative(m, before)
	} else {
		end.ReadReport(report, &s.report)
		a.MarkedPackets = int32(s.report.Marked)
		if o := c.detects.order; o != nil {
			if f.Bits&end.Copied != 0 || fresh && first && p.Tries > 1 {
				o.Copied(now)
			}
			if fresh {
				o.Arrived(p, f.Seq)
			}
			if fresh && p.Tries == 1 {
				o.Heard(now, now-began)
			}
		}
		a.Packets += s.reported(m)
	}
	s.Store.Free(id)
	switch {
	case a.Packets == 0:
	case c.detects.timer != nil:
		c.detects.timer.Heard(now, a.RTT)
	case c.detects.patience != nil && fresh && first && p.Tries > 1:
		c.detects.patience.HeardLate(now, now-began)
	case c.detects.patience != nil && fresh:
		c.detects.patience.Heard(now, now-began)
	case c.detects.patience != nil:
		c.detects.patience.Heard(now, 0)
	}
	if c.bundle != nil && a.Answered {
		s.bundleAnswered(now, h, c.bundle, a.Answer)
	}
	window := c.window
	c.congestion.Acked(a)
	c.window = c.congestion.Window()
	a.Room, a.Cut = c.window-c.inflight, c.window < window
	if report != nil && s.group(c).Unmarked {
		s.recycle(c, a)
	} else {
		c.entropy.Acked(a)
	}
	if s.group(c).Recovery.Kind >= end.IRN {
		s.fillGaps(now, m)
	}
	s.proceed(now, h, m)
}

// acknowledge marks a packet as arrived and takes it out of flight. It reports whether that is
// news.
func (s *Side) acknowledge(m *message, seq uint32) (reliable.Packet, bool) {
	p, flying, fresh := m.Ack(seq)
	if flying {
		m.conn.inflight -= s.payload(m, seq)
	} else if fresh && m.conn.credits != nil {
		m.conn.credits.backlog -= s.wire(m, seq) // it was queued for retransmission
	}
	return p, fresh
}

// reported acknowledges the packets in s.report and returns how many are new.
func (s *Side) reported(m *message) (packets int32) {
	for k, word := range s.report.Bitmap {
		for ; word != 0; word &= word - 1 {
			seq := s.report.Base + uint32(64*k+bits.TrailingZeros64(word))
			if p, fresh := s.acknowledge(m, seq); fresh {
				packets++
				m.conn.arrived(p, seq)
			}
		}
	}
	for seq := m.Oldest(); seq < s.report.Expected; seq = max(seq+1, m.Oldest()) {
		if p, fresh := s.acknowledge(m, seq); fresh {
			packets++
			m.conn.arrived(p, seq)
		}
	}
	return packets
}

// arrived tells the order rule of a packet that is acknowledged without having prompted the
// acknowledgement.
func (c *connection) arrived(p reliable.Packet, seq uint32) {
	if o := c.detects.order; o != nil {
		o.Arrived(p, seq)
	}
}

// cumulative acknowledges the packets before seq, whose own acknowledgements were lost, and
// returns how many are new.
func (s *Side) cumulative(m *message, seq uint32) (packets int32) {
	for q := m.Oldest(); q < seq; q = max(q+1, m.Oldest()) {
		if _, fresh := s.acknowledge(m, q); fresh {
			packets++
		}
	}
	return packets
}

// recycle passes each unmarked entropy that a coalesced acknowledgement returned to the entropy
// chooser. If the packet that triggered the acknowledgement was marked, it passes that one's
// entropy first.
func (s *Side) recycle(c *connection, a *protocol.Ack) {
	if a.Marked {
		c.entropy.Acked(a)
		a.Cut = false
	}
	a.Marked, a.Packets, a.MarkedPackets = false, 1, 0
	for _, v := range s.report.Entropies {
		a.Entropy = v
		c.entropy.Acked(a)
		a.Cut = false
	}
}

// update refreshes the window after the control's state changed and lets the connection continue.
func (s *Side) update(now unit.Time, h int32, m *message) {
	m.conn.window = m.conn.congestion.Window()
	s.proceed(now, h, m)
}

// proceed completes the message if all is acknowledged and lets the connection continue. The
// window must be current.
func (s *Side) proceed(now unit.Time, h int32, m *message) {
	c := m.conn
	if m.Done() {
		s.complete(now, h, m)
	}
	if c.credits != nil {
		s.settle(now, h, c)
	}
	s.resumeSending(now, c)
}

// complete ends a message that is fully acknowledged.
func (s *Side) complete(now unit.Time, h int32, m *message) {
	c := m.conn
	if m.queued {
		c.queue.remove(m)
	}
	if tally := m.tally; s.end(now, h, m) {
		s.Counts.Completed++
		s.Carrier.Completed(now, h, end.Completion{Group: c.group, Ordinal: m.ordinal, Tally: tally})
	}
}

// end ends a message with nothing in flight. It reports whether it was the whole message or its
// last part.
func (s *Side) end(now unit.Time, h int32, m *message) bool {
	c := m.conn
	s.disarm(&s.hosts[h], m)
	s.vacate(h, m)
	switch {
	case c.active > 0 || s.group(c).PerPair:
	case c.pool != nil:
		s.release(now, h, c)
	default:
		s.hosts[h].remove(c, s.group(c).Class)
		if c.clock != nil {
			s.hosts[h].closeClock(c)
		}
		s.idle[c.group] = append(s.idle[c.group], c)
	}
	if c.bundle != nil { // the connection may have had the bundle's turn
		s.giveTurn(now, h, c.bundle)
	}
	return m.split < 0 || s.splits.last(m.split)
}
