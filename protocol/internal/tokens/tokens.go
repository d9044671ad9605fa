// Package tokens is what pHost and dcPIM have in common: receivers let
// each packet of a message go by a token that names it.
//
// A sender announces every message with a notice (RTS), gives itself free tokens for some
// of them, and sends a packet for each token, shortest remaining message first. Tokens
// are void from some time on. A receiver gives the tokens of a message packet by packet;
// when it has come to the end it waits, and begins anew with what did not arrive. So
// lost tokens, tokens that became void, and lost data are made good in one way. It
// confirms a message that arrived in full; a sender that hears nothing repeats its notice,
// and is told if the message had arrived.
//
// Which message a receiver gives a token to, when, and until when it can be used is left
// to the transports.
package tokens

import (
	"fmt"

	"weft/internal/fifo"
	"weft/protocol"
	"weft/protocol/internal/withdrawn"
	"weft/unit"
)

// Kinds of packet.
const (
	// Data has payload. Amount is the number of the token that let it go, among those of
	// the message.
	Data uint8 = iota
	// Notice announces a message.
	Notice
	// Token lets the packet at Offset go; Amount is its number, and Number what the
	// transport says about its end.
	Token
	// Done tells that a message arrived in full.
	Done
	// Echo only returns an echo to the sender's balancer.
	Echo
	// Own is the first kind of a transport's own packets.
	Own

	// Withdraw tells that a message was taken back.
	Withdraw uint8 = protocol.HostKinds - 2
	// Withdrawn answers it.
	Withdrawn uint8 = protocol.HostKinds - 1
)

// Config is what does not change while a host lives.
type Config struct {
	// Payload is that of a full packet, Header what it has beside it, Control the wire
	// bytes of all other packets.
	Payload, Header, Control unit.Bytes
	// Padded tells that the last packet of a message is as large as the others.
	Padded bool
	// Packet is the time that a full packet takes at the rate of the host's link.
	Packet unit.Time
	// FreeSize is up to which payload messages have free tokens, FreeAmount for how much of
	// it.
	FreeSize, FreeAmount unit.Bytes
	// FreeLife is from when on free tokens are void, after the message was submitted and as
	// many packet times have passed as there are free tokens; Forever if they never are.
	FreeLife unit.Time
	// FreeFirst tells that packets with free tokens go before all others.
	FreeFirst bool
	// Again is how long a receiver waits after the last token of a message before it gives
	// new ones for what has not arrived.
	Again unit.Time
	// Silence is after how long a sender repeats a notice.
	Silence unit.Time
	// Class is that of control packets. That of data is higher by 1 and by the number of
	// Cutoffs below the message's size.
	Class   uint8
	Cutoffs []unit.Bytes
	Hosts   int32
	// Largest is the largest message that is received; 0 is no limit.
	Largest unit.Bytes
	// RTT is the round-trip time of an idle network.
	RTT unit.Time
	// Echo has the groups of which the entropy of each data packet is returned.
	Echo protocol.GroupSet
}

// Packets is of how many packets a message is.
func (c *Config) Packets(size unit.Bytes) int32 {
	return int32((size + c.Payload - 1) / c.Payload)
}

// Free is how many free tokens a message has: for whole packets.
func (c *Config) Free(size unit.Bytes) int32 {
	if size > c.FreeSize {
		return 0
	}
	return c.Packets(min(size, c.FreeAmount))
}

// payload is that of a packet of a message.
func (c *Config) payload(size unit.Bytes, packet int32) unit.Bytes {
	return min(c.Payload, size-unit.Bytes(packet)*c.Payload)
}

// Settings lists the levels of priority of data.
func (c *Config) Settings() (list []protocol.Setting) {
	for i, cutoff := range c.Cutoffs {
		list = append(list, protocol.Setting{Name: fmt.Sprintf("cutoff%d", i+1), Value: cutoff, Meaning: fmt.Sprintf("largest message of level %d of data", i+1)})
	}
	return list
}

// class is that of a message's data.
func (c *Config) class(size unit.Bytes) uint8 {
	class := c.Class + 1
	for _, cutoff := range c.Cutoffs {
		if size > cutoff {
			class++
		}
	}
	return class
}

// Host is the messages of a host. Transports embed it.
type Host struct {
	*Config
	Out *protocol.HostOutput
	// Now is the time of the present call, which the transport sets.
	Now unit.Time

	orders fifo.Queue[Order]
	// tick is when silence is next looked for; Forever without anything to wait for.
	tick unit.Time
	gone withdrawn.List

	inbox
	outbox
}

// Order is a packet without payload that is to be sent.
type Order struct {
	Kind, Group   uint8
	echo, marked  bool
	entropy       uint16
	Peer          int32
	Message       uint32
	index         int32 // of the message of a notice
	Offset, Size  unit.Bytes
	Amount        unit.Bytes
	Number, Extra uint32
}

// Start must be called first.
func (h *Host) Start(c *Config, out *protocol.HostOutput) {
	h.Config, h.Out, h.tick = c, out, unit.Forever
	h.senders = make([]*Sender, c.Hosts)
	h.receivers = make([]*receiver, c.Hosts)
	h.ready.Before = h.before
	h.gone.Start(c.RTT)
}

// Push sends a control packet.
func (h *Host) Push(o Order) { h.orders.Push(o) }

// Next fills the next packet: control goes before data.
func (h *Host) Next(p *protocol.Packet) bool {
	for !h.orders.Empty() {
		o := h.orders.First()
		h.orders.Pop()
		if h.fill(&o, p) {
			return true
		}
	}
	return h.sendData(p)
}

// fill writes a control packet, unless it announces a message that is done.
func (h *Host) fill(o *Order, p *protocol.Packet) bool {
	if o.Kind == Notice {
		if h.receivers[o.Peer].Find(o.Message) != o.index {
			return false
		}
		m := &h.outgoing[o.index]
		p.Tag, p.Size = m.tag, m.size
		if m.tries > 0 {
			p.Flags |= protocol.Resent
		}
	} else {
		p.Size = o.Size
	}
	p.Kind, p.Peer, p.Group, p.Message = o.Kind, o.Peer, o.Group, o.Message
	p.Offset, p.Amount, p.Number, p.Extra = o.Offset, o.Amount, o.Number, o.Extra
	p.Wire, p.Class = h.Control, h.Class
	if o.echo {
		p.EchoOf(o.entropy, o.marked)
	}
	return true
}

// Ready implements protocol.HostTransport. Tokens of data that waits may be void by now.
func (h *Host) Ready() (unit.Time, bool) { return 0, !h.orders.Empty() || h.ready.Len() > 0 }

// Silent returns when LookForSilence is to be called.
func (h *Host) Silent() unit.Time { return min(h.tick, h.gone.Due()) }

// LookForSilence repeats notices of messages of which nothing was heard, and what tells that others were taken back, if it
// is time.
func (h *Host) LookForSilence() {
	h.withdrawAgain()
	if h.Now < h.tick {
		return
	}
	h.tick = unit.Forever
	for i := range h.outgoing {
		m := &h.outgoing[i]
		if !m.live {
			continue
		}
		if h.Now-m.heard >= h.Silence<<min(m.tries, mostDelays) {
			m.heard = h.Now
			m.tries = min(m.tries+1, mostDelays)
			h.Push(Order{Kind: Notice, Peer: m.peer, Group: m.group, Message: m.number, index: int32(i)})
		}
		h.tick = h.Now + h.Silence/2
	}
}

// mostDelays is how often the time between notices doubles.
const mostDelays = 6

// Check tells what is wrong with the books.
func (h *Host) Check() error {
	live, incomplete := 0, 0
	for i := range h.outgoing {
		m := &h.outgoing[i]
		if !m.live {
			continue
		}
		live++
		if m.left < 0 || m.left > m.size || m.free > h.Free(m.size) {
			return fmt.Errorf("of a message of %v, %v was never sent and %d free tokens are left", m.size, m.left, m.free)
		}
	}
	if live != h.unconfirmed {
		return fmt.Errorf("%d messages are being sent, but %d in all", live, h.unconfirmed)
	}
	for i := range h.arriving {
		m := &h.arriving[i]
		if !m.live {
			continue
		}
		incomplete++
		switch {
		case m.Left < 1 || m.Left > m.Size:
			return fmt.Errorf("of a message of %v that is not complete, %v is missing", m.Size, m.Left)
		case m.answered > m.given:
			return fmt.Errorf("a message has %d tokens, and token %d was used", m.given, m.answered-1)
		}
		if h.senders[m.Peer].Find(m.Number) != int32(i) {
			return fmt.Errorf("message %d of host %d is lost in the books", m.Number, m.Peer)
		}
	}
	if incomplete != h.Incomplete {
		return fmt.Errorf("%d messages are incomplete, but %d in all", incomplete, h.Incomplete)
	}
	for _, s := range h.Active {
		incomplete -= len(s.Messages)
	}
	if incomplete != 0 {
		return fmt.Errorf("senders have %d incomplete messages less than the host", incomplete)
	}
	return nil
}

// Idle tells whether nothing is left of any message, for tests.
func (h *Host) Idle() bool {
	return h.Incomplete+h.unconfirmed+h.ready.Len()+h.orders.Len()+len(h.Active)+h.gone.Len() == 0
}

// CheckCutoffs tells what is wrong with options that say which messages have which level.
func CheckCutoffs(cutoffs []unit.Bytes) error {
	if len(cutoffs) > mostCutoffs {
		return fmt.Errorf("there are %d cutoffs; at most %d are allowed, since ports have 8 classes and control packets need one", len(cutoffs), mostCutoffs)
	}
	return protocol.CheckCutoffs(cutoffs)
}

const mostCutoffs = 6
