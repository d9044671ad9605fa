package transport

import (
	"weft/fabric"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// RecoveryKind is how losses are made good for.
type RecoveryKind uint8

// Kinds of recovery. Message has its own sequence of packets in each.
const (
	// Selective sends again what is known to be lost: by timeouts, or trimmed headers.
	Selective RecoveryKind = iota
	// GoBackN is that of RoCE NICs. The receiver drops what comes after a missing packet,
	// and asks for that. The sender goes back to it, and sends all after it again.
	GoBackN
	// IRN is that of Mittal et al., SIGCOMM 2018. The receiver reports every packet that
	// comes after a missing one, and the sender sends the missing ones again.
	IRN
	// SACK is TCP's (RFC 6675): the sender sends again what enough later packets have
	// overtaken.
	SACK
)

// Recovery is a kind of recovery with its options.
type Recovery struct {
	Kind RecoveryKind
	// Again is, with GoBackN, how long after it asked for a packet a receiver asks for it
	// again.
	Again unit.Time
	// Duplicates is, with SACK, how many later packets are acknowledged before a packet counts as
	// missing.
	Duplicates uint32
	// Tolerance is, with IRN, how many packets may overtake another before that counts as
	// missing.
	Tolerance uint32
	// High is the timeout of IRN while more than Few packets of a message are in flight;
	// otherwise it is Params.RTO, which must not be longer.
	High unit.Time
	Few  uint32
}

// discard drops a packet that came after a missing one, and reports it if need be.
func (e *Endpoint) discard(now sim.Time, h *host, in *inbound, id fabric.FrameID) {
	f := e.d.Frame(id)
	if h.answers != nil {
		e.hear(now, h, in, f, nil, true, false)
	}
	in.order.Again = e.t.groups[f.Group()].Recovery.Again
	if !in.order.Beyond(in.Expected(), now) {
		e.d.Free(id)
		return
	}
	e.reply(id, nack, in.Expected())
	h.control.push(id)
}

// discards tells whether a host would drop a frame since an earlier packet is missing.
func (e *Endpoint) discards(h *host, f *fabric.Frame) bool {
	if f.Kind != data || e.t.groups[f.Group()].Recovery.Kind != GoBackN {
		return false
	}
	if len(h.incoming.entries) > 0 {
		en := h.incoming.find(f.Message + 1)
		switch {
		case en.key == 0 || !en.used || int32(f.Serial-en.serial) > 0: // its first packet
		case en.serial != f.Serial || en.inbound == complete:
			return false
		default:
			return f.Seq > e.inbound[en.inbound].Expected()
		}
	}
	return f.Seq > 0
}

// receiveMissing handles the report that a packet is missing, of which all before have
// arrived.
func (e *Endpoint) receiveMissing(now sim.Time, h int32, m *message, id fabric.FrameID) {
	f := e.d.Frame(id)
	missing := e.aux(id)
	stale := !m.live || m.serial != f.Serial
	a := protocol.Ack{Now: now, Entropy: f.Entropy, Marked: f.Bits&echo != 0}
	e.d.Free(id)
	if stale {
		return
	}
	c := m.conn
	e.acked = a
	e.acked.InFlight = c.inflight
	if e.acked.Packets = e.cumulative(m, missing); e.acked.Packets > 0 {
		if a.Marked {
			e.acked.MarkedPackets = 1
		}
		before := c.window
		c.congestion.Acked(&e.acked)
		c.window = c.congestion.Window()
		e.acked.Room, e.acked.Cut = c.window-c.inflight, c.window < before
		c.entropy.Acked(&e.acked)
	}
	if p, ok := m.Lose(missing); ok {
		c.heard(now)
		e.giveUp(now, m, missing, p, protocol.Loss{Cause: protocol.Missing})
		e.goBack(now, m)
	}
	e.update(now, h, m)
}

// goBack takes back all that is in flight of a message whose oldest packet was given up.
func (e *Endpoint) goBack(now sim.Time, m *message) {
	for {
		seq, _, ok := m.Rewind()
		if !ok {
			return
		}
		e.takeBack(now, m, seq, protocol.Missing)
	}
}

// fillGaps gives up the packets of a message that others have overtaken.
func (e *Endpoint) fillGaps(now sim.Time, m *message) {
	r := &e.group(m.conn).Recovery
	// With IRN the window follows with the next acknowledgement, as it did before there was SACK: rates, which go with
	// IRN, do not change here, and results of windows would.
	if r.Kind == SACK {
		for seq, p, ok := m.Overtaken(r.Duplicates); ok; seq, p, ok = m.Overtaken(r.Duplicates) {
			e.giveUp(now, m, seq, p, protocol.Loss{Cause: protocol.Missing})
			m.conn.window = m.conn.congestion.Window()
		}
		return
	}
	for seq, p, ok := m.Gap(r.Tolerance); ok; seq, p, ok = m.Gap(r.Tolerance) {
		e.giveUp(now, m, seq, p, protocol.Loss{Cause: protocol.Missing})
	}
}

// ofIRN is IRN's timeout of a packet of a message.
func (e *Endpoint) ofIRN(m *message) unit.Time {
	g := e.group(m.conn)
	if m.Flying() > g.Recovery.Few {
		return g.Recovery.High
	}
	return g.RTO
}
