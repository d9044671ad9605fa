package sird

import (
	"weft/internal/fifo"
	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/protocol/internal/withdrawn"
	"weft/unit"
)

// Kinds of packet. Those that a sender of messages sends come first.
const (
	// kindData has payload of a message: Offset, Size, and in Amount the payload that is
	// unscheduled (all packets of the message say so, so that any may be the first). With
	// Own1 it is of the message that the sender prefers (lift).
	kindData uint8 = iota
	// kindRequest is DATA of no length: it announces a message, or asks what became of
	// one (Own1). Size and Amount are as in data.
	kindRequest
	// kindStatus answers a query: Offset is up to where the message was sent when the
	// credit was last called in, Amount up to where it was sent since, Size the credit that
	// the sender holds, and Extra the total granted that it has seen. With Own1 the
	// sender has forgotten the message.
	kindStatus
	// kindCredit grants Amount for a message; Offset is the total granted to the sender
	// so far, modulo totals.
	kindCredit
	// kindQuery asks for a message that is silent: Offset and Size are from and up to
	// where payload is missing, Extra the total granted.
	kindQuery
	// kindDone tells that a message arrived in full: it is the reply of 4 bytes. Offset is
	// as in a credit. With Own1 it answers that the sender has forgotten the message, and all of its credit may be called in.
	kindDone
	// kindAck only returns an echo to the sender's balancer.
	kindAck
	// kindWithdraw tells that a message was taken back; with Own1 it took no credit.
	kindWithdraw
	// kindWithdrawn answers it. Number is as in a confirmation.
	kindWithdrawn
)

// totals is the modulus of credit in total, which small header fields can hold.
const totals = 1 << 26

// host is SIRD at one host. The sending side is in sender.go, the receiving one in
// receiver.go, and what both do about losses in recovery.go.
type host struct {
	*config
	out    *protocol.HostOutput
	orders fifo.Queue[order] // control packets to send
	now    unit.Time
	// tick is when silence is next looked for; Forever without anything to wait for.
	tick  unit.Time
	gone  withdrawn.List
	wakes unit.Time // the first of what both wait for

	receiving
	sending
}

// order is a control packet that is to be sent.
type order struct {
	kind    uint8
	group   uint8
	marked  bool // of the echo
	echo    bool
	gone    bool // of a status: the sender knows nothing of the message any more; of a confirmation: answers that
	asks    bool // of a request: what became of its message
	unpaid  bool // of a withdrawal: no credit went to the message
	entropy uint16
	peer    int32
	message int32 // index of the message it is about, of requests and statuses; or numbered.Done
	number  uint32
	at, to  unit.Bytes // Offset and Size
}

func newHost(c *config, env protocol.HostEnv) *host {
	h := &host{config: c, out: env.Out, tick: unit.Forever, wakes: unit.Forever}
	h.receiving.start(c)
	h.sending.start(c)
	h.gone.Start(env.BaseRTT)
	return h
}

// Receive implements protocol.HostTransport.
func (h *host) Receive(now unit.Time, p *protocol.Packet) (fresh unit.Bytes) {
	h.now = now
	switch p.Kind {
	case kindData:
		return h.onData(p)
	case kindRequest:
		h.onRequest(p)
	case kindStatus:
		h.onStatus(p)
	case kindCredit:
		h.onCredit(p)
	case kindQuery:
		h.onQuery(p)
	case kindDone:
		h.onDone(p)
	case kindAck:
		h.onAny(p)
	case kindWithdraw:
		h.onWithdraw(p)
	case kindWithdrawn:
		h.onWithdrawn(p)
	}
	return 0
}

// Next implements protocol.HostTransport. Control packets go first, then a credit if one is
// due, then data.
func (h *host) Next(now unit.Time, p *protocol.Packet) bool {
	h.now = now
	h.turns++
	if !h.fill(p) {
		return false
	}
	h.free = now + h.line.Transmit(p.Wire)
	return true
}

func (h *host) fill(p *protocol.Packet) bool {
	for !h.orders.Empty() {
		o := h.orders.First()
		h.orders.Pop()
		if h.fillControl(&o, p) {
			return true
		}
	}
	return h.sendCredit(p) || h.sendData(p)
}

// Ready implements protocol.HostTransport.
func (h *host) Ready() (unit.Time, bool) {
	if !h.orders.Empty() || len(h.active) > 0 {
		return 0, true
	}
	if h.candidate() >= 0 {
		return h.due(), true
	}
	return 0, false
}

// Deadline implements protocol.HostTransport.
func (h *host) Deadline() (unit.Time, bool) {
	return h.wakes, h.wakes < unit.Forever
}

// wait makes sure that silence will be noticed.
func (h *host) wait() {
	if h.tick == unit.Forever {
		h.tick = h.now + h.silence/2
		h.wakes = min(h.wakes, h.tick)
	}
}

// fillControl writes a control packet, unless it is about a message that is done.
func (h *host) fillControl(o *order, p *protocol.Packet) bool {
	if (o.kind == kindRequest || o.kind == kindStatus) && !o.gone && h.receivers[o.peer].Find(o.number) != o.message {
		return false
	}
	p.Kind, p.Peer, p.Group, p.Message = o.kind, o.peer, o.group, o.number
	p.Wire, p.Class = h.control, h.controlClass
	p.Offset, p.Size = o.at, o.to
	if o.echo {
		p.EchoOf(o.entropy, o.marked)
	}
	switch o.kind {
	case kindRequest:
		p.Number = h.receivers[o.peer].generation
		if h.paper && h.held >= h.sThr { // it is DATA of length zero: Algorithm 2, line 7
			p.Flags |= protocol.Congested
		}
		if o.asks {
			p.Flags |= protocol.Own1
		}
		if o.message != numbered.Done {
			m := &h.outbox[o.message]
			p.Tag, p.Size, p.Amount, p.Offset = m.tag, m.size, m.prefix, m.boundary
		}
	case kindStatus:
		// The boundary goes with the generation: credit may have been called in since the
		// query came.
		r := h.receivers[o.peer]
		p.Number, p.Size, p.Extra = r.generation, max(0, r.credit), r.seen
		if o.gone {
			p.Flags |= protocol.Own1
		} else {
			m := &h.outbox[o.message]
			p.Offset, p.Amount = m.boundary, m.sent
		}
	case kindDone:
		s := h.senders[o.peer]
		p.Number, p.Offset = s.generation, unit.Bytes(s.granted)
		if o.gone {
			p.Flags |= protocol.Own1
		}
	case kindWithdraw:
		if o.unpaid {
			p.Flags |= protocol.Own1
		}
	case kindWithdrawn:
		p.Number = h.senders[o.peer].generation
	case kindQuery:
		s := h.senders[o.peer]
		p.Number, p.Extra = s.generation, s.granted
	}
	return true
}

// Credit implements protocol.CreditKeeper. With nsdi25 what is held includes the prefix of
// messages that the sender allowed itself, since the public code counts it there for csn,
// and Own stays 0. A receiver charges it only when the first packet of its message comes;
// until then what is reckoned to be in flight, outstanding less held, is too low by it.
func (h *host) Credit() protocol.CreditPlaces {
	return protocol.CreditPlaces{Limit: h.b, Outstanding: h.used, Held: h.held}
}
