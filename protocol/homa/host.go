package homa

import (
	"fmt"

	"weft/internal/fifo"
	"weft/protocol"
	"weft/protocol/internal/withdrawn"
	"weft/unit"
)

// Kinds of packet.
const (
	// kindUnscheduled has payload that needed no grant. Amount is the payload of the message
	// that is unscheduled, so that any of its packets may be the first.
	kindUnscheduled uint8 = iota
	// kindScheduled has payload that was granted.
	kindScheduled
	// kindGrant grants the message up to Offset, at level Amount.
	kindGrant
	// kindResend asks for a message from Offset to Size, at level Amount.
	kindResend
	// kindBusy tells a receiver that a part of a message that it asked for will come.
	kindBusy
	// kindKnown tells a sender that its message has begun to arrive.
	kindKnown
	// kindAsk asks a receiver what became of a message.
	kindAsk
	// kindDone tells that a message arrived in full.
	kindDone
	// kindEcho only returns an echo to the sender's balancer.
	kindEcho
	// kindWithdraw tells that a message was taken back.
	kindWithdraw
	// kindWithdrawn answers it.
	kindWithdrawn
)

// host is Homa at one host. The sending side is in sender.go, the receiving one in
// receiver.go, whom it grants to in grants.go, and losses are in recovery.go.
type host struct {
	*config
	out *protocol.HostOutput
	now unit.Time
	// orders are control packets to send.
	orders fifo.Queue[order]
	// tick is when silence is next looked for; Forever without anything to wait for.
	tick unit.Time
	gone withdrawn.List

	receiving
	sending
}

// order is a control packet that is to be sent.
type order struct {
	kind    uint8
	group   uint8
	level   uint8
	echo    bool
	marked  bool // of the echo
	entropy uint16
	peer    int32
	number  uint32
	at, to  unit.Bytes // Offset and Size
}

func newHost(c *config, env protocol.HostEnv) *host {
	h := &host{config: c, out: env.Out, tick: unit.Forever}
	h.receiving.start(c)
	h.receivers = make([]*receiverState, c.hosts)
	h.ready.Before = h.before
	h.gone.Start(env.BaseRTT)
	return h
}

// Receive implements protocol.HostTransport.
func (h *host) Receive(now unit.Time, p *protocol.Packet) (fresh unit.Bytes) {
	h.now = now
	switch p.Kind {
	case kindUnscheduled, kindScheduled:
		return h.onData(p)
	case kindGrant:
		h.onGrant(p)
	case kindResend:
		h.onResend(p)
	case kindBusy:
		h.onBusy(p)
	case kindKnown:
		h.onKnown(p)
	case kindAsk:
		h.onAsk(p)
	case kindDone:
		h.onDone(p)
	case kindWithdraw:
		h.onWithdraw(p)
	case kindWithdrawn:
		h.gone.Known(p.Peer, p.Message)
	}
	return 0
}

// Next implements protocol.HostTransport: control goes before data.
func (h *host) Next(now unit.Time, p *protocol.Packet) bool {
	h.now = now
	if h.orders.Empty() {
		return h.sendData(p)
	}
	o := h.orders.First()
	h.orders.Pop()
	p.Kind, p.Peer, p.Group, p.Message = o.kind, o.peer, o.group, o.number
	p.Offset, p.Size, p.Amount = o.at, o.to, unit.Bytes(o.level)
	p.Wire, p.Class = h.control, h.controlClass
	if o.kind == kindDone {
		p.Wire = h.reply
	}
	if o.echo {
		p.EchoOf(o.entropy, o.marked)
	}
	return true
}

// Ready implements protocol.HostTransport.
func (h *host) Ready() (unit.Time, bool) { return 0, !h.orders.Empty() || h.ready.Len() > 0 }

// Deadline implements protocol.HostTransport.
func (h *host) Deadline() (unit.Time, bool) {
	at := min(h.tick, h.soonest, h.gone.Due())
	return at, at < unit.Forever
}

// Expire implements protocol.HostTransport.
func (h *host) Expire(now unit.Time) {
	h.now = now
	if now >= h.soonest {
		h.grantAgain()
	}
	h.withdrawAgain()
	if now >= h.tick {
		h.lookForSilence()
	}
}

// wait makes sure that silence will be noticed.
func (h *host) wait() {
	if h.resend > 0 && h.tick == unit.Forever {
		h.tick = h.now + h.resend/2
	}
}

// Credit implements protocol.CreditKeeper: credit is what is granted.
func (h *host) Credit() protocol.CreditPlaces {
	return protocol.CreditPlaces{
		Limit: h.rttBytes * unit.Bytes(h.overcommit), Outstanding: h.outstanding, Held: h.held, Own: h.own,
	}
}

// Check implements protocol.HostTransport: grants are conserved.
func (h *host) Check() error {
	outstanding := unit.Bytes(0)
	for i := range h.inbox {
		m := &h.inbox[i]
		if !m.live {
			continue
		}
		outstanding += m.scheduled
		// Unscheduled packets may be more than a message may have in flight.
		most := max(h.rttBytes-1+h.frame(h.schedPayload, true), h.wire(m.first))
		switch {
		case m.inFlight < 0 || m.scheduled < 0 || m.scheduled > m.inFlight:
			return fmt.Errorf("homa: a message has %v in flight, of that %v scheduled", m.inFlight, m.scheduled)
		case m.inFlight > most:
			return fmt.Errorf("homa: a message has %v in flight, of at most %v", m.inFlight, most)
		case m.granted > m.size || m.received > m.granted:
			return fmt.Errorf("homa: of a message of %v, %v is granted and %v arrived", m.size, m.granted, m.received)
		}
	}
	if outstanding != h.outstanding {
		return fmt.Errorf("homa: messages have %v granted and not arrived, but %v in all", outstanding, h.outstanding)
	}
	held, own := unit.Bytes(0), unit.Bytes(0)
	for i := range h.outbox {
		if m := &h.outbox[i]; m.live {
			held += m.held
			own += m.own
		}
	}
	if held != h.held || own != h.own || held < 0 || own < 0 {
		return fmt.Errorf("homa: messages hold %v granted and %v unscheduled bytes, but %v and %v in all", held, own, h.held, h.own)
	}
	return h.checkOrder()
}
