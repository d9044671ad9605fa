package sending

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// This file handles packets that answer a sender, except acknowledgements.

// Nack handles the report that a packet arrived trimmed or is missing.
func (s *Side) Nack(now unit.Time, h int32, id packet.ID) {
	f := s.Store.At(id)
	m := s.of(f)
	if m != nil && s.group(m.conn).Recovery.Kind == end.GoBackN {
		s.missing(now, h, m, id)
		return
	}
	seq := f.Seq
	s.Store.Free(id)
	if m == nil {
		return
	}
	p, ok := m.Lose(seq)
	if !ok {
		return
	}
	m.conn.restartTimeout(now)
	s.Counts.Trims++
	if m.tally != nil {
		m.tally.Trims++
	}
	s.giveUp(now, m, seq, p, protocol.Loss{Cause: protocol.Trimmed})
	s.update(now, h, m)
}

// missing handles the report that a packet is missing (GoBackN). All packets before it have
// arrived.
func (s *Side) missing(now unit.Time, h int32, m *message, id packet.ID) {
	f := s.Store.At(id)
	missing := s.Store.Aux(f)
	a := protocol.Ack{Now: now, Entropy: f.Entropy, Marked: f.Bits&end.Marked != 0}
	s.Store.Free(id)
	c := m.conn
	s.acked = a
	s.acked.InFlight = c.inflight
	if s.acked.Packets = s.cumulative(m, missing); s.acked.Packets > 0 {
		if a.Marked {
			s.acked.MarkedPackets = 1
		}
		before := c.window
		c.congestion.Acked(&s.acked)
		c.window = c.congestion.Window()
		s.acked.Room, s.acked.Cut = c.window-c.inflight, c.window < before
		c.entropy.Acked(&s.acked)
	}
	if p, ok := m.Lose(missing); ok {
		c.restartTimeout(now)
		s.giveUp(now, m, missing, p, protocol.Loss{Cause: protocol.Missing})
		s.goBack(now, m)
	}
	s.update(now, h, m)
}

// Pull handles a grant.
func (s *Side) Pull(now unit.Time, h int32, id packet.ID) {
	p := *s.Store.At(id)
	s.Store.Free(id)
	c := s.borrower(h, &p)
	if c == nil { // all was acknowledged meanwhile
		return
	}
	k := c.credits
	g := &s.granted
	*g = protocol.Grant{Total: p.Seq}
	if more := k.Granted(now, g); more > 0 {
		s.Counts.CreditReceived += uint64(more)
		k.moved = now
	}
	s.settle(now, h, c)
	s.resumeSending(now, c)
}

// borrower returns the connection that a pull is for, or nil if it has ended.
func (s *Side) borrower(h int32, p *packet.Packet) *connection {
	if group := int32(p.Group()); s.Network.Groups[group].PerPair {
		return s.hosts[h].pairs[end.Pair{Group: group, Peer: p.Src(), Part: int32(p.Aux)}]
	}
	if m := s.of(p); m != nil {
		return m.conn
	}
	return nil
}

// Notice passes a switch's notice to the control of the message concerned, unless the message is
// complete.
func (s *Side) Notice(now unit.Time, local int32, id packet.ID) {
	s.Counts.Notices++
	p := s.Store.At(id)
	m, n := s.of(p), *s.Store.Notice(p)
	s.Store.Free(id)
	if m == nil {
		return
	}
	if c, ok := m.conn.congestion.(protocol.Notified); ok {
		c.Notify(now, n.From, n.Notice)
		s.update(now, local, m)
	}
}

// Echo handles the answer to a probe.
func (s *Side) Echo(now unit.Time, local int32, id packet.ID) {
	if s.Store.At(id).Tracked() {
		s.receiveField(now, id)
		return
	}
	if s.Store.At(id).Bits&end.Inquiry != 0 {
		s.answered(now, local, id)
		return
	}
	p := *s.Store.At(id)
	s.Store.Free(id)
	if p.Message >= uint32(len(s.slots.probers)) {
		return
	}
	c := s.slots.probers[p.Message]
	if c.prober.life != p.Serial || c.active == 0 {
		return
	}
	c.prober.Probed(now, p.Entropy, p.Bits&end.Marked != 0)
}

// receiveField handles the answer to a frame that probeField sent.
func (s *Side) receiveField(now unit.Time, id packet.ID) {
	f := *s.Store.At(id)
	sent := *s.Store.Time(&f)
	field, _ := s.Store.Trail(id).Field()
	s.Store.Free(id)
	if f.Message >= uint32(len(s.slots.clocked)) {
		return
	}
	c := s.slots.clocked[f.Message]
	if c.clock.life != f.Serial || c.active == 0 {
		return
	}
	c.fielder.(protocol.FieldProber).Probed(now, field, now-sent)
	c.window = c.congestion.Window()
	s.resumeSending(now, c)
}
