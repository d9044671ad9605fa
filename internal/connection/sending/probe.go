package sending

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// prober is what a connection has beside whose entropy chooser tests paths.
type prober struct {
	protocol.Prober
	// slot is its place among the endpoint's probers; life tells the connections apart
	// that use it one after another.
	slot, life uint32
	// due is when the chooser is to be asked again, if armed.
	due   unit.Time
	armed bool
}

// probeWith gives a new connection what it needs to test paths, if its chooser does.
func (s *Side) probeWith(c *connection) {
	p, ok := c.entropy.(protocol.Prober)
	if !ok {
		return
	}
	c.prober = &prober{Prober: p, slot: uint32(len(s.slots.probers))}
	s.slots.probers = append(s.slots.probers, c)
}

func (p *prober) open() {
	p.life++
	p.armed = false
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

// probeAgain asks a chooser at the time it told. One that has nothing to send does not
// need to know more of its paths.
func (s *Side) probeAgain(now unit.Time, d end.Deadline) {
	c := s.slots.probers[d.Slot]
	p := c.prober
	if p.life != d.Serial || !p.armed || p.due != d.At {
		return
	}
	p.armed = false
	if c.active > 0 {
		s.probe(now, c)
	}
}

// Echo handles the answer to a probe.
func (s *Side) Echo(now unit.Time, h int32, id packet.ID) {
	if s.Store.At(id).Tracked() {
		s.receiveField(now, h, id)
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

// receiveField handles the answer to a frame of probeField.
func (s *Side) receiveField(now unit.Time, h int32, id packet.ID) {
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
	s.follow(now, c)
	s.makeReady(now, &s.hosts[h], c)
}
