package sending

import (
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/unit"
)

// probeWith gives a new connection what it needs to test paths, if its chooser does.
func (s *Side) probeWith(c *connection) {
	p, ok := c.entropy.(protocol.Prober)
	if !ok {
		return
	}
	c.prober = &prober{Prober: p, slot: uint32(len(s.slots.probers))}
	s.slots.probers = append(s.slots.probers, c)
}

// probe asks a connection's chooser for a probe.
func (s *Side) probe(now unit.Time, c *connection) {
	p := c.prober
	entropy, send, again := p.Probe(now)
	host := &s.hosts[c.src]
	if send {
		g := s.group(c)
		id := s.Store.Alloc()
		f := s.Store.At(id)
		f.Address(host.ID, c.dst, uint8(c.group))
		f.Message, f.Serial = p.slot, p.life
		f.Size = uint16(g.AckSize)
		f.Entropy = entropy
		f.Kind = end.Probe
		f.SetClass(g.Class, g.Spray)
		host.Out.Push(id)
		s.Counts.Probes++
	}
	if again == unit.Forever || p.armed && p.due <= again {
		return
	}
	p.armed, p.due = true, again
	host.Await(end.Deadline{At: again, Slot: p.slot, Serial: p.life, What: end.DueProbe})
}

// probeField sends the field of a connection without data, on the path of its last packet, if its control wants that.
func (s *Side) probeField(now unit.Time, c *connection) {
	p, ok := c.fielder.(protocol.FieldProber)
	if !ok || c.active == 0 || !p.Probe(now) {
		return
	}
	g, host := s.group(c), &s.hosts[c.src]
	id := s.Store.Alloc()
	f := s.Store.At(id)
	f.Address(host.ID, c.dst, uint8(c.group))
	f.Message, f.Serial = c.clock.slot, c.clock.life
	f.Size = uint16(g.AckSize)
	f.Entropy = c.clock.entropy
	f.Kind = end.Probe
	f.SetClass(g.Class, g.Spray)
	s.Store.PutField(id, p.Field(now))
	*s.Store.AddTime(s.Store.At(id)) = now
	host.Out.Push(id)
	s.Counts.Probes++
}
