package sending

import (
	"weft/unit"
)

// openBacklog gives a host a backlog model for source marks, if any control asks for them.
func (s *Side) openBacklog(h *host) {
	if s.Network.SourceMarks == nil || s.Network.Queue != nil || h.Line == 0 {
		return
	}
	rule := s.Network.SourceMarks(h.ID)
	if !rule.On {
		return
	}
	for i := range s.Network.Groups {
		if s.Network.Groups[i].Congestion.SourceMarks {
			h.backlog = &backlog{SourceMarks: rule, line: h.Line, most: rule.KMax + 2*s.Network.Groups[i].Env.Packet}
			h.Seed(&h.backlog.rng, s.Network, "source marks")
			return
		}
	}
}

// Idle reports that a host's wire is free and its next packet is about to be taken. Call it only
// for hosts for which Reckons is true.
func (s *Side) Idle(now unit.Time, local int32) { s.hosts[local].backlog.idle(now) }

// Took reports that a host's wire takes a packet. Call it only for hosts for which Reckons is
// true.
func (s *Side) Took(now unit.Time, local int32, wire unit.Bytes) {
	s.hosts[local].backlog.took(now, wire)
}

// Reckons reports whether a host needs Idle and Took, because it marks packets at the source.
func (s *Side) Reckons(local int32) bool { return s.hosts[local].backlog != nil }

// idle subtracts what an idle wire would have sent.
func (b *backlog) idle(now unit.Time) {
	if now > b.free && b.queued > 0 {
		b.queued = max(0, b.queued-b.line.In(now-b.free))
	}
}

// took notes that the wire is busy with a frame.
func (b *backlog) took(now unit.Time, wire unit.Bytes) { b.free = now + b.line.Transmit(wire) }

// sends adds a connection's data frame, taken now and before its next gap begins. It reports
// whether to mark the frame.
func (b *backlog) sends(now unit.Time, c *connection, wire unit.Bytes, again bool) bool {
	due, rate := max(c.readyAt, c.taken), b.line
	if k := c.clock; k != nil && k.pacer != nil {
		due = max(due, k.gap.until)
		if p := k.pacer.Pace(); p.Rate > 0 {
			rate = min(rate, p.Rate)
		}
	}
	if c.bundle != nil {
		due = max(due, c.bundle.gap.until, c.bundle.taken)
		rate = min(rate, c.bundle.Pace().Rate)
		c.bundle.taken = now + b.line.Transmit(wire)
	}
	c.taken = now + b.line.Transmit(wire)
	if now > due {
		b.queued += rate.In(now - due)
	}
	b.queued = min(b.queued, b.left, b.most)
	if !again {
		b.left -= wire
	}
	return b.marks()
}

// marks applies RED to the virtual queue.
func (b *backlog) marks() bool {
	switch q := b.queued; {
	case q <= b.KMin:
		return false
	case q >= b.KMax:
		return true
	default:
		return b.rng.Uint64()>>32 < uint64(q-b.KMin)*uint64(b.PMax)/uint64(b.KMax-b.KMin)
	}
}
