package sending

import (
	"fmt"

	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// bundleOf returns the bundle of a group's connections from one host to another, created if
// needed. It is nil if the control has no bundles.
func (s *Side) bundleOf(h *host, group, dst int32) *bundle {
	g := &s.Network.Groups[group]
	if g.Congestion.NewBundle == nil {
		return nil
	}
	key := end.Pair{Group: g.Bundles, Peer: dst}
	if b := h.bundles[key]; b != nil {
		return b
	}
	env := g.Env
	env.LineRate = h.Line
	if s.Network.LineRate != nil {
		env.PeerRate = s.Network.LineRate(dst)
	}
	b := &bundle{Bundle: g.Congestion.NewBundle(env), line: h.Line, look: unit.Forever, slot: uint32(len(s.slots.bundles))}
	b.confirmer, _ = b.Bundle.(protocol.Confirmer)
	if n := len(s.slots.freeBundles); n > 0 {
		b.slot = s.slots.freeBundles[n-1]
		s.slots.freeBundles = s.slots.freeBundles[:n-1]
		s.slots.bundles[b.slot] = b
	} else {
		s.slots.bundles = append(s.slots.bundles, b)
	}
	if h.bundles == nil {
		h.bundles = map[end.Pair]*bundle{}
	}
	h.bundles[key] = b
	return b
}

// began notes that a message begins.
func (s *Side) began(now unit.Time, h int32, b *bundle) {
	if b.active++; b.active == 1 {
		b.Start(now)
		s.changed(now, h, b)
	}
}

// bundleAnswered passes an acknowledgement's answer to a bundle.
func (s *Side) bundleAnswered(now unit.Time, h int32, b *bundle, a protocol.Answer) {
	b.Answered(now, a)
	if b.confirmer != nil {
		b.confirms = b.confirmer.Confirms()
	}
	s.changed(now, h, b)
}

// Advised passes a share that a receiver advertised to the bundle of the two hosts, which it makes if no message has.
func (s *Side) Advised(now unit.Time, local int32, id packet.ID) {
	p := s.Store.At(id)
	src, group, answer := p.Src(), int32(p.Group()), *s.Store.Answer(p)
	s.Store.Free(id)
	b := s.bundleOf(&s.hosts[local], group, src)
	if advised, ok := b.Bundle.(protocol.Advised); ok {
		advised.Advised(now, answer, b.active > 0)
		s.changed(now, local, b)
	}
}

// changed applies a bundle's new pace to the current gap.
func (s *Side) changed(now unit.Time, h int32, b *bundle) {
	if b.gap.rate > 0 {
		b.gap.change(now, max(1, b.Pace().Rate))
		s.wait(now, h, b)
	}
}

// bundleSent begins the gap after a frame.
func (s *Side) bundleSent(now, due unit.Time, h int32, b *bundle, wire unit.Bytes) {
	b.gap.send(s.punctual(now, due), wire, max(1, b.Pace().Rate))
	s.wait(now, h, b)
}

// wait holds a bundle's connections until its gap ends. At the link's rate the wire spaces frames
// by itself, so no hold is needed unless a slower gap is still running.
func (s *Side) wait(now unit.Time, h int32, b *bundle) {
	b.held = b.gap.until > now && (b.held || b.gap.rate < b.line || b.line == 0)
	if !b.held {
		s.giveTurn(s.punctual(now, b.gap.until), h, b)
	} else if b.gap.until < b.look {
		b.stalled = true
		b.look = b.gap.until
		s.Await(s.hosts[h].Host, end.Deadline{At: b.look, Slot: b.slot, What: end.DueBundle})
	}
}

// giveTurn gives the turn to the connection that has waited longest and can send.
func (s *Side) giveTurn(now unit.Time, h int32, b *bundle) {
	for b.head != nil && !b.held {
		c := b.head
		b.drop(c)
		if s.makeReady(now, &s.hosts[h], c); c.ready {
			return
		}
	}
}

// checkBundles reports a bundle with a wrong message count, or with waiting connections that
// nothing will wake.
func (s *Side) checkBundles() error {
	active := make([]int32, len(s.slots.bundles))
	turn := make([]bool, len(s.slots.bundles))
	for _, m := range s.messages {
		if m.live && m.conn.bundle != nil {
			active[m.conn.bundle.slot]++
			turn[m.conn.bundle.slot] = turn[m.conn.bundle.slot] || m.conn.ready
		}
	}
	for i, b := range s.slots.bundles {
		switch {
		case b.active != active[i]:
			return fmt.Errorf("connection: a bundle counts %d messages of %d", b.active, active[i])
		case b.head != nil && !b.held && !turn[i]:
			return fmt.Errorf("connection: connections wait for their bundle, but none of it has the turn")
		case b.held && b.look == unit.Forever:
			return fmt.Errorf("connection: a bundle waits for a time that nobody looks at")
		}
	}
	for i := range s.hosts {
		if b := s.hosts[i].backlog; b != nil && (b.left < 0 || b.queued < 0) {
			return fmt.Errorf("connection: host %d has %v to send, of which %v wait", s.hosts[i].ID, b.left, b.queued)
		}
	}
	return nil
}
