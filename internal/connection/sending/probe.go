package sending

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// probeWith gives a new connection the state to test paths, if its chooser needs it.
func (s *Side) probeWith(c *connection) {
	p, ok := c.entropy.Entropy.(protocol.Prober)
	if !ok {
		return
	}
	c.prober = &prober{Prober: p, slot: uint32(len(s.slots.probers))}
	s.slots.probers = append(s.slots.probers, c)
}

// probe asks a connection's chooser for a probe and sends it.
func (s *Side) probe(now unit.Time, c *connection) {
	p := c.prober
	entropy, send, again := p.Probe(now)
	host := &s.hosts[c.src]
	if send {
		host.Out.Push(s.probePacket(c, p.slot, p.life, entropy))
	}
	if again == unit.Forever || p.armed && p.due <= again {
		return
	}
	p.armed, p.due = true, again
	s.Await(host.Host, end.Deadline{At: again, Slot: p.slot, Serial: p.life, What: end.DueProbe})
}

// probeField sends a connection's field in a packet without data, on the path of its last packet,
// if its control asks for it.
func (s *Side) probeField(now unit.Time, c *connection) {
	p, ok := c.fielder.(protocol.FieldProber)
	if !ok || c.active == 0 || !p.Probe(now) {
		return
	}
	id := s.probePacket(c, c.clock.slot, c.clock.life, c.clock.entropy)
	s.Store.PutField(id, p.Field(now))
	*s.Store.AddTime(s.Store.At(id)) = now
	s.hosts[c.src].Out.Push(id)
}

// probePacket returns a new probe, which travels in the class of data. Its echo finds the
// connection, or the message, by slot and life.
func (s *Side) probePacket(c *connection, slot, life uint32, entropy uint16) packet.ID {
	id := s.control(c, end.Probe, entropy)
	p, g := s.Store.At(id), s.group(c)
	p.Message, p.Serial = slot, life
	p.SetClass(g.Class, g.Spray)
	s.Counts.Probes++
	return id
}
