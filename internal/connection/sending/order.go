package sending

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// This file applies the detection of losses by packet order on a path (reliable.Order), and sends
// probes behind unanswered packets.

const (
	// mostRepeats limits how often the time between unanswered probes of a message doubles.
	mostRepeats = 10
	// mostInquiries is the length of a host's queue above which it adds no more probes.
	mostInquiries = 1024
)

// giveUpOvertaken gives up the packets of a message that s.report shows to be lost.
func (s *Side) giveUpOvertaken(now unit.Time, m *message) {
	o := m.conn.detects.order
	if now < o.Trusted() {
		o.Ignore()
		return
	}
	for seq, p, ok := m.Overtook(now, o, &s.report); ok; seq, p, ok = m.Overtook(now, o, &s.report) {
		s.giveUp(now, m, seq, p, protocol.Loss{Cause: protocol.Missing})
		m.conn.window = m.conn.congestion.Window()
	}
}

// listen schedules a check for unanswered packets of a message. A later check set for an earlier
// message of the slot becomes void.
func (s *Side) listen(now unit.Time, h *host, m *message) {
	o := m.conn.detects.order
	if o == nil {
		return
	}
	if at := now + o.Patience(); m.look == 0 || at < m.look {
		m.look = at
		s.Await(h.Host, end.Deadline{At: at, Slot: m.slot, What: end.DueInquiry})
	}
}

// inquireSilent sends probes behind a message's packets that have been unanswered for too long.
// It returns when to check again.
func (s *Side) inquireSilent(now unit.Time, local int32, d end.Deadline) (unit.Time, bool) {
	m := s.messages[d.Slot]
	if m.look != d.At {
		return 0, false
	}
	m.look = 0
	if !m.live || m.conn.detects.order == nil { // the message is done, or the slot's next one waits for a connection of a pool
		return 0, false
	}
	o := m.conn.detects.order
	if m.look = o.Trusted(); m.look > now {
		return m.look, true
	}
	patience := o.Patience()
	next := s.inquireAbout(now, local, m)
	if next == unit.Forever && m.Flying() > 0 { // a probe or its answer may be lost too
		if next = m.asked + 2*patience<<m.again; next <= now {
			m.again = min(m.again+1, mostRepeats)
			m.AskAgain()
			next = s.inquireAbout(now, local, m)
		}
	}
	m.look = min(next, now+patience) // packets sent from now on are not overdue earlier
	return m.look, true
}

// inquireAbout sends the due probes of a message and returns when the next one is due.
func (s *Side) inquireAbout(now unit.Time, local int32, m *message) unit.Time {
	for {
		if s.hosts[local].Out.Len() > mostInquiries { // probes would not leave sooner
			return now + m.conn.detects.order.Patience()
		}
		seq, entropy, next, ok := m.Silent(now, m.conn.detects.order)
		if !ok {
			return next
		}
		m.asked = now
		id := s.probePacket(m.conn, s.number(m), m.serial, entropy)
		p := s.Store.At(id)
		p.Seq, p.Aux, p.Bits = seq, m.packets, end.Inquiry
		*s.Store.AddTime(p) = now
		s.hosts[local].Out.Push(id)
	}
}

// answered handles the answer to a probe about a message.
func (s *Side) answered(now unit.Time, local int32, id packet.ID) {
	f := s.Store.At(id)
	m, report, sent := s.of(f), s.Store.Report(f), s.Store.Time(f)
	if m == nil || m.conn.detects.order == nil || report == nil || sent == nil {
		s.Store.Free(id)
		return
	}
	c := m.conn
	m.again = 0
	end.ReadReport(report, &s.report)
	c.detects.order.Answered(f.Entropy, *sent)
	a := &s.acked
	*a = protocol.Ack{Now: now, Entropy: f.Entropy, InFlight: c.inflight, MarkedPackets: int32(s.report.Marked)}
	s.Store.Free(id)
	if a.Packets = s.reported(m); a.Packets > 0 {
		c.restartTimeout(now)
		c.congestion.Acked(a)
		c.window = c.congestion.Window()
	}
	if s.group(c).Unmarked {
		s.recycle(c, a)
	}
	s.giveUpOvertaken(now, m)
	s.proceed(now, local, m)
}
