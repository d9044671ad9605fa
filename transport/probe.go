package transport

import (
	"weft/fabric"
	"weft/protocol"
	"weft/sim"
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
func (e *Endpoint) probeWith(c *connection) {
	p, ok := c.entropy.(protocol.Prober)
	if !ok {
		return
	}
	c.prober = &prober{Prober: p, slot: uint32(len(e.probers))}
	e.probers = append(e.probers, c)
}

func (p *prober) open() {
	p.life++
	p.armed = false
}

// probe asks a connection's chooser for a probe.
func (e *Endpoint) probe(now sim.Time, c *connection) {
	p := c.prober
	entropy, send, again := p.Probe(now)
	host := &e.hosts[c.src]
	if send {
		g := e.group(c)
		id := e.d.Alloc()
		f := e.d.Frame(id)
		f.Address(host.id, c.dst, uint8(c.group))
		f.Message, f.Serial = p.slot, p.life
		f.Size = uint16(g.AckSize)
		f.Entropy = entropy
		f.Kind = probeFrame
		f.SetClass(g.Class, g.Spray)
		host.control.push(id)
		e.counts.Probes++
	}
	if again == unit.Forever || p.armed && p.due <= again {
		return
	}
	p.armed, p.due = true, again
	e.setDeadline(host, c.src, deadline{at: again, slot: p.slot, serial: p.life, source: dueProbe})
}

// probeAgain asks a chooser at the time it told. One that has nothing to send does not
// need to know more of its paths.
func (e *Endpoint) probeAgain(now sim.Time, d deadline) {
	c := e.probers[d.slot]
	p := c.prober
	if p.life != d.serial || !p.armed || p.due != d.at {
		return
	}
	p.armed = false
	if c.active > 0 {
		e.probe(now, c)
	}
}

// answerProbe sends a probe back, on a path of the same entropy.
func (e *Endpoint) answerProbe(h int32, id fabric.FrameID) {
	f := e.d.Frame(id)
	g := &e.t.groups[f.Group()]
	f.TurnBack()
	f.Kind = probeEcho
	f.Bits = 0
	if f.Flags&fabric.Marked != 0 {
		f.Bits = echo
	}
	if f.Tracked() {
		f.Flags &= fabric.Extended | fabric.Forward | fabric.Backward
		e.d.Carry(id, 0)
	} else {
		f.Flags = 0
	}
	f.SetClass(g.AckClass, g.Spray)
	e.hosts[h].control.push(id)
}

// receiveProbeEcho handles the answer to a probe.
func (e *Endpoint) receiveProbeEcho(now sim.Time, h int32, id fabric.FrameID) {
	if e.d.Frame(id).Tracked() {
		e.receiveField(now, h, id)
		return
	}
	f := *e.d.Frame(id)
	e.d.Free(id)
	c := e.probers[f.Message]
	if c.prober.life != f.Serial || c.active == 0 {
		return
	}
	c.prober.Probed(now, f.Entropy, f.Bits&echo != 0)
}

// probeField sends the field of a connection without data, on the path of its last packet, if its control wants that.
func (e *Endpoint) probeField(now sim.Time, c *connection) {
	p, ok := c.fielder.(protocol.FieldProber)
	if !ok || c.active == 0 || !p.Probe(now) {
		return
	}
	g, host := e.group(c), &e.hosts[c.src]
	id := e.d.Alloc()
	f := e.d.Frame(id)
	f.Address(host.id, c.dst, uint8(c.group))
	f.Message, f.Serial = c.clock.slot, c.clock.life
	f.Size = uint16(g.AckSize)
	f.Entropy = c.clock.entropy
	f.Kind = probeFrame
	f.SetClass(g.Class, g.Spray)
	e.d.PutField(id, p.Field(now))
	e.d.Extension(id)[0] = uint64(now)
	host.control.push(id)
	e.counts.Probes++
}

// receiveField handles the answer to a frame of probeField.
func (e *Endpoint) receiveField(now sim.Time, h int32, id fabric.FrameID) {
	f := *e.d.Frame(id)
	sent := sim.Time(e.d.Extension(id)[0])
	field, _ := e.d.Trail(id).Field()
	e.d.Free(id)
	c := e.clocked[f.Message]
	if c.clock.life != f.Serial || c.active == 0 {
		return
	}
	c.fielder.(protocol.FieldProber).Probed(now, field, now-sent)
	c.window = c.congestion.Window()
	e.follow(now, c)
	e.makeReady(now, &e.hosts[h], c)
}
