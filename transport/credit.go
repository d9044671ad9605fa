package transport

import (
	"fmt"

	"weft/fabric"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// This file is the sending end of receiver-driven congestion controls; grants.go is the
// receiving end.

// credits is what a connection has beside whose receiver grants what it sends.
type credits struct {
	protocol.Credited
	// backlog is what is to be sent, for the first time or again, in wire bytes.
	backlog unit.Bytes
	// slot is its place among the endpoint's borrowers; life tells the connections
	// apart that use it one after another.
	slot, life uint32
	// starving tells that a deadline is set for a sender that waits for credit, and
	// moved is when it last spent, got or asked for some.
	starving bool
	moved    unit.Time
}

// lend gives a new connection what it needs to spend credit, if its control does.
func (e *Endpoint) lend(c *connection) {
	k, ok := c.congestion.(protocol.Credited)
	if !ok {
		return
	}
	c.credits = &credits{Credited: k, slot: uint32(len(e.borrowers))}
	e.borrowers = append(e.borrowers, c)
}

func (k *credits) open() {
	k.backlog, k.starving = 0, false
	k.life++
}

// wire returns the size of a packet of m as a frame.
func (e *Endpoint) wire(m *message, seq uint32) unit.Bytes {
	return e.payload(m, seq) + e.group(m.conn).Header
}

// owe adds to what a connection has to send.
func (e *Endpoint) owe(now sim.Time, h int32, c *connection, more unit.Bytes) {
	c.credits.backlog += more
	e.settle(now, h, c)
}

// limit sets the window to what credit allows: a packet while there is any.
func (c *connection) limit(payload unit.Bytes) {
	room := c.credits.Credit()
	if room > 0 {
		room = max(room, payload)
	}
	c.window = min(c.congestion.Window(), c.inflight+max(0, room))
}

// spend takes a data frame of c, which is about to be sent, off its credit, and writes
// into it what the sender asks for.
func (e *Endpoint) spend(now sim.Time, c *connection, id fabric.FrameID) {
	k := c.credits
	f := e.d.Frame(id)
	wire := unit.Bytes(f.Size)
	k.Sent(now, wire)
	k.backlog -= wire
	k.moved = now
	e.writeAsk(c, id, wire)
	c.limit(e.group(c).Payload)
	e.await(now, c)
}

// settle lets a connection go on after its credit or its backlog changed.
func (e *Endpoint) settle(now sim.Time, h int32, c *connection) {
	c.limit(e.group(c).Payload)
	k := c.credits
	if c.active == 0 {
		return
	}
	if k.MustAsk(k.backlog) {
		e.ask(now, h, c, 0)
	}
	e.await(now, c)
}

// await sets a deadline for credit that a connection waits for.
func (e *Endpoint) await(now sim.Time, c *connection) {
	k := c.credits
	if k.starving || k.backlog <= 0 || k.Credit() > 0 {
		return
	}
	k.starving = true
	e.setDeadline(&e.hosts[c.src], c.src, deadline{at: now + e.group(c).RTO, slot: k.slot, serial: k.life, source: overdueCredit})
}

// starved looks at a connection that may have waited in vain, and returns when to look
// again.
func (e *Endpoint) starved(now sim.Time, h int32, d deadline) (unit.Time, bool) {
	c := e.borrowers[d.slot]
	k := c.credits
	if k.life != d.serial {
		return 0, false
	}
	k.starving = false
	if c.active == 0 || k.backlog <= 0 || k.Credit() > 0 {
		return 0, false
	}
	rto := e.group(c).RTO
	if now-k.moved >= rto {
		e.ask(now, h, c, overdue)
	}
	k.starving = true
	return k.moved + rto, true
}

// ask sends a request for credit, in the name of the first message that has something
// to send.
func (e *Endpoint) ask(now sim.Time, h int32, c *connection, bits uint8) {
	host := &e.hosts[h]
	for m := c.queue.head; m != nil; m = m.next {
		if m.Unsent() == 0 {
			continue
		}
		g := e.group(c)
		id := e.control(host, g, c.group, request, c.dst)
		f := e.d.Frame(id)
		f.Message, f.Serial, f.Aux, f.Bits = m.slot*e.domains+e.self, m.serial, m.packets, bits
		e.writeAsk(c, id, 0)
		host.control.push(id)
		c.credits.moved = now
		e.counts.Requests++
		return
	}
}

// control returns a control frame of a host, with a random entropy.
func (e *Endpoint) control(h *host, g *Group, group int32, kind uint8, dst int32) fabric.FrameID {
	id := e.d.Alloc()
	f := e.d.Frame(id)
	f.Address(h.id, dst, uint8(group))
	f.Size = uint16(g.AckSize)
	f.Kind = kind
	f.Entropy = uint16(h.grants.entropy.Uint64() >> 48)
	f.SetClass(g.AckClass, g.Spray)
	return id
}

// writeAsk puts what a sender asks for into a frame, with its size before it may be
// trimmed, the part that its connection carries, and Aux, which it replaces.
func (e *Endpoint) writeAsk(c *connection, id fabric.FrameID, wire unit.Bytes) {
	ask := c.credits.Ask(c.credits.backlog)
	packets := e.d.Frame(id).Aux
	x := e.d.Extend(id)
	*x = fabric.Extension{
		uint64(ask.Target)<<32 | uint64(ask.Granted),
		uint64(wire)<<32 | uint64(uint32(c.part)),
		uint64(packets),
	}
}

// asked is what writeAsk wrote.
type asked struct {
	protocol.Ask
	wire unit.Bytes
	part int32
}

// takeAsk reads what writeAsk wrote and restores the frame.
func (e *Endpoint) takeAsk(id fabric.FrameID) asked {
	x := *e.d.Extension(id)
	e.d.Strip(id)
	e.d.Frame(id).Aux = uint32(x[2])
	return asked{protocol.Ask{Target: uint32(x[0] >> 32), Granted: uint32(x[0])}, unit.Bytes(x[1] >> 32), int32(uint32(x[1]))}
}

// receivePull handles a grant.
func (e *Endpoint) receivePull(now sim.Time, h int32, id fabric.FrameID) {
	f := *e.d.Frame(id)
	e.d.Free(id)
	c := e.borrower(h, &f)
	if c == nil { // all was acknowledged meanwhile
		return
	}
	k := c.credits
	g := &e.granted
	*g = protocol.Grant{Total: f.Seq}
	if more := k.Granted(now, g); more > 0 {
		e.counts.CreditReceived += uint64(more)
		k.moved = now
	}
	e.settle(now, h, c)
	if c.clock != nil {
		e.follow(now, c)
	}
	e.makeReady(now, &e.hosts[h], c)
}

// borrower returns the connection that a pull is for, nil if it is no more.
func (e *Endpoint) borrower(h int32, f *fabric.Frame) *connection {
	group := int32(f.Group())
	if e.t.groups[group].PerPair {
		return e.hosts[h].pairs[pair{group, f.Src(), int32(f.Aux)}]
	}
	m := e.messages[f.Message/e.domains]
	if !m.live || m.serial != f.Serial {
		return nil
	}
	return m.conn
}

// Check reports whether bundles have their books in order, and credit is conserved: no sender sent more than it was granted and
// allowed without grant, and none was granted what no receiver gave.
func (t *Transport) Check() error {
	for _, e := range t.endpoints {
		if err := e.checkBundles(); err != nil {
			return err
		}
		for _, c := range e.borrowers {
			k := c.credits
			packet := e.group(c).Payload + e.group(c).Header
			if sent, granted, unsolicited := k.Balance(); sent >= granted+unsolicited+packet {
				return fmt.Errorf("transport: a connection of host %d sent %v with credit for %v, and %v without grant", e.hosts[c.src].id, sent, granted, unsolicited)
			}
			if k.backlog < 0 || c.active == 0 && k.backlog != 0 {
				return fmt.Errorf("transport: a connection of host %d with %d messages has %v to send", e.hosts[c.src].id, c.active, k.backlog)
			}
		}
	}
	for _, e := range t.endpoints {
		for i := range e.hosts {
			h := &e.hosts[i]
			if h.hosted == nil {
				continue
			}
			if err := h.hosted.Check(); err != nil {
				return fmt.Errorf("transport: host %d: %w", h.id, err)
			}
		}
	}
	if c := t.Counts(); c.CreditReceived > c.CreditGranted {
		return fmt.Errorf("transport: senders received credit for %d B, but receivers granted only %d B", c.CreditReceived, c.CreditGranted)
	}
	return nil
}
