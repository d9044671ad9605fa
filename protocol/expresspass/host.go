package expresspass

import (
	"fmt"
	"math/rand/v2"

	"weft/internal/fifo"
	"weft/protocol"
	"weft/protocol/internal/withdrawn"
	"weft/unit"
)

// Kinds of packet.
const (
	// kindRequest asks for credits for a message: Size is all of it, Offset where the rest
	// begins. With the flag isReply it is an answer to the receiver's message Extra.
	kindRequest uint8 = iota
	// kindCredit is credit Number of a flow, sent at SentAt.
	kindCredit
	// kindData has payload that credit Number brought, which was sent at EchoAt. An answer,
	// which is no payload of a scenario's, is just part of its wire size.
	kindData
	// kindStop ends credits: Offset is up to where the message was sent. With
	// protocol.Resent the sender has heard nothing and asks.
	kindStop
	// kindNack asks for a message from Offset on.
	kindNack
	// kindDone tells that a message arrived in full.
	kindDone
	// kindWithdraw tells that a message was taken back.
	kindWithdraw
	// kindWithdrawn answers it.
	kindWithdrawn
)

// isReply tells that a message is the answer to another one.
const isReply = protocol.Own1

// host is ExpressPass at one host. The sending side is in sender.go, the receiving one in
// receiver.go.
type host struct {
	*config
	out *protocol.HostOutput
	rng *rand.PCG
	now unit.Time
	// packets wait for the NIC: data, in the order of the credits that brought it, and
	// control.
	packets fifo.Queue[packet]
	// credits wait for tokens, as at any port.
	credits     fifo.Queue[credit]
	creditBytes unit.Bytes
	bucket      protocol.CreditBucket
	depth       unit.Time // of the bucket
	gone        withdrawn.List

	counts protocol.CreditCounts
	sending
	receiving
}

// packet is one to send that is no credit.
type packet struct {
	kind, group     uint8
	flags           protocol.PacketFlags
	entropy         uint16
	peer            int32
	message         uint32
	number, extra   uint32
	tag             uint64
	size, at, bytes unit.Bytes
	sentAt          unit.Time
}

// credit is one to send.
type credit struct {
	group   uint8
	entropy uint16
	wire    uint16
	peer    int32
	message uint32
	number  uint32
	made    unit.Time
}

func newHost(c *config, env protocol.HostEnv) *host {
	h := &host{config: c, out: env.Out, rng: env.Rand}
	h.depth = c.credits.Cost(c.rate, c.credits.Burst)
	h.receivers = make([]*receiverState, c.hosts)
	h.senders = make([]*senderState, c.hosts)
	h.gone.Start(c.rtt)
	return h
}

// Receive implements protocol.HostTransport.
func (h *host) Receive(now unit.Time, p *protocol.Packet) (fresh unit.Bytes) {
	h.begin(now)
	switch p.Kind {
	case kindRequest:
		h.onRequest(p)
	case kindCredit:
		h.onCredit(p)
	case kindData:
		return h.onData(p)
	case kindStop:
		h.onStop(p)
	case kindNack:
		h.onNack(p)
	case kindDone:
		h.onDone(p)
	case kindWithdraw:
		h.onWithdraw(p)
	case kindWithdrawn:
		h.gone.Known(p.Peer, p.Message)
	}
	return 0
}

// Next implements protocol.HostTransport: a credit if there are tokens for it, otherwise
// what came first of all else, as at any port.
func (h *host) Next(now unit.Time, p *protocol.Packet) bool {
	h.begin(now)
	p.Flags = protocol.Pinned
	if at, ok := h.creditDue(); ok && at <= now {
		c := h.credits.First()
		h.credits.Pop()
		h.creditBytes -= unit.Bytes(c.wire)
		h.bucket.Take(now, h.config.credits.Cost(h.rate, unit.Bytes(c.wire)))
		h.counts.Sent++
		p.Kind, p.Peer, p.Group, p.Message = kindCredit, c.peer, c.group, c.message
		p.Entropy, p.Number, p.SentAt, p.Wire = c.entropy, c.number, c.made, unit.Bytes(c.wire)
		return true
	}
	if h.packets.Empty() {
		return false
	}
	o := h.packets.At(0)
	p.Kind, p.Peer, p.Group, p.Message, p.Tag = o.kind, o.peer, o.group, o.message, o.tag
	p.Entropy, p.Number, p.Extra, p.Flags = o.entropy, o.number, o.extra, o.flags|protocol.Pinned
	p.Offset, p.Size, p.Payload, p.EchoAt = o.at, o.size, o.bytes, o.sentAt
	p.Wire, p.Class = h.control, h.class
	switch {
	case p.Payload > 0:
		p.Wire = max(p.Wire, p.Payload+h.header)
	case o.kind == kindData:
		p.Wire = max(p.Wire, p.Size+h.header)
	}
	h.packets.Pop()
	return true
}

// creditDue returns when there are tokens for the first credit, if any waits.
func (h *host) creditDue() (unit.Time, bool) {
	if h.credits.Empty() {
		return 0, false
	}
	wire := unit.Bytes(h.credits.At(0).wire)
	return h.bucket.Due(h.config.credits.Cost(h.rate, wire), h.depth), true
}

// offer puts a credit into the queue of the NIC, which drops what does not fit.
func (h *host) offer(c credit) {
	h.counts.Issued++
	if h.creditBytes+unit.Bytes(c.wire) > h.config.credits.Queue {
		h.counts.Refused++
		return
	}
	h.creditBytes += unit.Bytes(c.wire)
	h.credits.Push(c)
}

// revoke takes credits back that wait for the wire, by peer and message; they count as refused.
func (h *host) revoke(which func(peer int32, message uint32) bool) {
	h.credits.Filter(func(c *credit) bool {
		if !which(c.peer, c.message) {
			return true
		}
		h.creditBytes -= unit.Bytes(c.wire)
		h.counts.Refused++
		return false
	})
}

// Ready implements protocol.HostTransport.
func (h *host) Ready() (unit.Time, bool) {
	if !h.packets.Empty() {
		return 0, true
	}
	return h.creditDue()
}

// Deadline implements protocol.HostTransport. Credits for which there is no room are made
// later, when something happens that they could matter to.
func (h *host) Deadline() (unit.Time, bool) {
	_, at := h.waits.First()
	if !h.full() {
		_, next := h.pacing.First()
		at = min(at, next)
	}
	at = min(at, h.gone.Due())
	return at, at < unit.Forever
}

// full tells whether the queue of the NIC has no room for any credit.
func (h *host) full() bool { return h.creditBytes+h.creditMin > h.config.credits.Queue }

// CatchUp implements protocol.Deferrer: it makes the credits that were refused.
func (h *host) CatchUp(now unit.Time, passed bool) {
	for h.full() {
		i, at := h.pacing.First()
		if at > now || at == now && !passed {
			return
		}
		h.now = at
		h.sendCredit(i)
	}
}

// begin begins a call.
func (h *host) begin(now unit.Time) {
	h.CatchUp(now, false)
	h.now = now
}

// Expire implements protocol.HostTransport.
func (h *host) Expire(now unit.Time) {
	h.begin(now)
	for {
		i, at := h.pacing.First()
		if at > now {
			break
		}
		h.sendCredit(i)
	}
	for {
		i, at := h.waits.First()
		if at > now {
			break
		}
		h.waits.Remove(i)
		h.waited(i)
	}
	h.withdrawAgain()
}

// CreditCounts implements protocol.CreditCounter.
func (h *host) CreditCounts() protocol.CreditCounts { return h.counts }

// Check implements protocol.HostTransport: no credit disappears, and none is used twice.
func (h *host) Check() error {
	c := &h.counts
	bytes := unit.Bytes(0)
	for i := range h.credits.Len() {
		bytes += unit.Bytes(h.credits.At(i).wire)
	}
	switch {
	case c.Issued != c.Refused+c.Sent+uint64(h.credits.Len()):
		return fmt.Errorf("expresspass: %d credits made, %d refused, %d sent and %d waiting", c.Issued, c.Refused, c.Sent, h.credits.Len())
	case c.Received != c.Used+c.Wasted:
		return fmt.Errorf("expresspass: %d credits came, of which %d brought data and %d none", c.Received, c.Used, c.Wasted)
	case bytes != h.creditBytes || bytes > h.config.credits.Queue:
		return fmt.Errorf("expresspass: %v of credits wait, %v in the books, where %v have room", bytes, h.creditBytes, h.config.credits.Queue)
	}
	for i := range h.outbox {
		m := &h.outbox[i]
		if m.live && (m.sent < 0 || m.sent > m.size || m.sent > m.high) {
			return fmt.Errorf("expresspass: of a message of %v, %v is sent, and %v was at most", m.size, m.sent, m.high)
		}
	}
	for i := range h.inbox {
		m := &h.inbox[i]
		if m.live && m.arrived >= m.size {
			return fmt.Errorf("expresspass: a message of %v arrived to %v and is not delivered", m.size, m.arrived)
		}
	}
	return h.checkPools()
}

// checkPools counts the connections in use.
func (h *host) checkPools() error {
	used := make([]int, len(h.receivers))
	for i := range h.outbox {
		if m := &h.outbox[i]; m.live && m.state != queued {
			used[m.peer]++
		}
	}
	for peer, r := range h.receivers {
		if r != nil && h.pool > 0 && (used[peer]-len(r.answering) != r.open-len(r.free) || r.open > h.pool) {
			return fmt.Errorf("expresspass: %d connections to host %d are in use, %d are free and %d are open, of at most %d", used[peer], peer, len(r.free), r.open, h.pool)
		}
	}
	return nil
}
