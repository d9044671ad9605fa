package transport

import (
	"fmt"

	"weft/internal/connection/end"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// This file checks that host transports keep the promises of protocol.HostTransport. A wrong
// tag or size would otherwise cause a crash far from its origin, or a plausible but wrong
// result. The checks of each packet only compare values that writing the frame reads anyway.
//
// A transport that breaks a promise is removed from its host, which then does
// nothing more. The run ends and reports the broken rule.

// hostBooks counts what a host transport reported.
type hostBooks struct {
	breach *Breach
	// brought identifies the message of the packet being received, with the packet's
	// payload. At other times its Bytes is 0.
	brought protocol.HostMessage
	// submitted is the payload of the messages submitted, fresh is the new payload
	// that Receive returned, and reported is the sum over MessageDelivered events.
	submitted, fresh, reported unit.Bytes
	// Numbers of messages: submitted, completed, completed without confirmation, delivered.
	messages, completed, unconfirmed, delivered uint64
	// expiries counts calls of Expire at the instant expired.
	expired  sim.Time
	expiries int32
}

func (b *hostBooks) add(o *hostBooks) {
	b.submitted, b.fresh, b.reported = b.submitted+o.submitted, b.fresh+o.fresh, b.reported+o.reported
	b.messages, b.completed = b.messages+o.messages, b.completed+o.completed
	b.unconfirmed, b.delivered = b.unconfirmed+o.unconfirmed, b.delivered+o.delivered
}

// Breach returns the first breach of a run, or nil. It does not depend on how the
// network is partitioned.
func (t *Transport) Breach() (first *Breach) {
	for _, e := range t.endpoints {
		first = first.Earlier(e.Sending.Breach())
		for i := range e.hosts {
			if h := e.hosts[i].hosted; h != nil {
				first = first.Earlier(h.books.breach)
			}
		}
	}
	return first
}

// books sums the books of all host transports.
func (t *Transport) books() (sum hostBooks) {
	for _, e := range t.endpoints {
		for i := range e.hosts {
			if h := e.hosts[i].hosted; h != nil {
				sum.add(&h.books)
			}
		}
	}
	return sum
}

// Settled checks the books of a drained run, in which everything submitted must
// have been delivered. It returns a Breach that names no host, or nil.
func (t *Transport) Settled(now unit.Time) *Breach {
	sum := t.books()
	b := &Breach{At: now, Host: nobody, Hosted: true, Promise: hostPromise}
	switch {
	case sum.unconfirmed > 0:
		return nil // lost messages stay lost
	case sum.delivered != sum.messages:
		b.Rule = fmt.Sprintf("all %d messages were reported as completed, but MessageDelivered was reported %d times; it must be reported once for each", sum.messages, sum.delivered)
	case sum.fresh != sum.submitted:
		b.Rule = fmt.Sprintf("Receive returned %d B of new payload in all, but %d B were submitted; it must count every byte once", sum.fresh, sum.submitted)
	case sum.reported != sum.submitted:
		b.Rule = fmt.Sprintf("the Bytes of all MessageDelivered are %d B, but %d B were submitted; they must be the payload of the message", sum.reported, sum.submitted)
	default:
		return nil
	}
	return b
}

// Came returns the numbers of messages that host transports were given and reported
// as completed, and whether all were delivered.
func (t *Transport) Came() (messages, completed uint64, came bool) {
	sum := t.books()
	return sum.messages, sum.completed, sum.delivered == sum.messages
}

// hostPromise names the interface whose rules a host transport must keep.
const hostPromise = "protocol.HostTransport"

// broke ends the host transport and records the rule that it broke.
func (h *host) broke(now sim.Time, rule string, args ...any) {
	t := h.hosted
	t.books.breach = &Breach{At: now, Host: h.ID, Hosted: true, Promise: hostPromise, Rule: fmt.Sprintf(rule, args...)}
	t.HostTransport, t.deferrer = dead{}, nil
	t.out.Events = t.out.Events[:0]
}

// dead replaces a host transport that broke its promise.
type dead struct{}

func (dead) Submit(unit.Time, *protocol.HostMessage)               {}
func (dead) Receive(unit.Time, *protocol.Packet) (none unit.Bytes) { return 0 }
func (dead) Next(unit.Time, *protocol.Packet) bool                 { return false }
func (dead) Ready() (unit.Time, bool)                              { return 0, false }
func (dead) Deadline() (unit.Time, bool)                           { return 0, false }
func (dead) Expire(unit.Time)                                      {}
func (dead) Check() error                                          { return nil }

// mostWire is the largest packet, since frames have 16 bits for their size.
const mostWire = 1<<16 - 1

// sound reports whether a packet keeps all rules. It runs for every packet; unsound
// then explains a failure.
func (e *Endpoint) sound(h *host, p *protocol.Packet) bool {
	t := h.hosted
	if !t.groups.Has(p.Group) || uint32(p.Peer) >= uint32(len(e.t.net.Names)) || p.Peer == h.ID ||
		p.Kind >= protocol.HostKinds || int(p.Class) >= t.classes || p.More != nil && p.More.Length > protocol.MostMore {
		return false
	}
	if p.Payload == 0 {
		return uint64(p.Wire-1) < mostWire
	}
	g := &e.t.net.Groups[p.Group]
	if uint64(p.Payload) > uint64(g.Payload+lighter(g, p.Kind)) || !rightWire(p, g) {
		return false
	}
	o := t.outgoing[p.Group].find(p.Tag)
	return o != nil && o.dst == p.Peer
}

// rightWire reports whether the wire size of a packet matches its payload.
func rightWire(p *protocol.Packet, g *end.Group) bool {
	if g.Congestion.Host.Padded {
		return p.Wire == g.Payload+g.Header
	}
	wire := natural(p, g)
	return p.Wire == wire || p.Wire == max(wire, g.AckSize)
}

// natural returns the wire size of a packet with payload, without padding.
func natural(p *protocol.Packet, g *end.Group) unit.Bytes {
	return p.Payload + g.Header - lighter(g, p.Kind)
}

// unsound returns the rule that a packet breaks.
func (e *Endpoint) unsound(h *host, p *protocol.Packet) string {
	t := h.hosted
	what := fmt.Sprintf("Next filled a packet of kind %d, group %d, to host %d, with tag %d and %d B of payload", p.Kind, p.Group, p.Peer, p.Tag, p.Payload)
	switch {
	case !t.groups.Has(p.Group):
		return what + "; its group must be that of its message, or of a packet that arrived"
	case uint32(p.Peer) >= uint32(len(e.t.net.Names)):
		return fmt.Sprintf("%s; its peer must be one of HostEnv.Hosts, which is %d", what, len(e.t.net.Names))
	case p.Peer == h.ID:
		return what + "; its peer must be another host"
	case p.Kind >= protocol.HostKinds:
		return fmt.Sprintf("%s; its kind must be below protocol.HostKinds, which is %d", what, protocol.HostKinds)
	case int(p.Class) >= t.classes:
		return fmt.Sprintf("%s, of class %d; its class must be below HostEnv.Classes, which is %d", what, p.Class, t.classes)
	case p.More != nil && p.More.Length > protocol.MostMore:
		return fmt.Sprintf("%s, and %d B of More; it must say at most protocol.MostMore, which is %d B", what, p.More.Length, protocol.MostMore)
	case p.Payload == 0:
		return fmt.Sprintf("%s, of %d B; its wire size must be from 1 to %d B", what, p.Wire, mostWire)
	}
	g := &e.t.net.Groups[p.Group]
	o := t.outgoing[p.Group].find(p.Tag)
	switch full := g.Payload + lighter(g, p.Kind); {
	case uint64(p.Payload) > uint64(full):
		return fmt.Sprintf("%s; its payload must be from 0 to %d B", what, full)
	case !rightWire(p, g):
		wire := natural(p, g)
		if g.Congestion.Host.Padded {
			wire = g.Payload + g.Header
		}
		return fmt.Sprintf("%s, of %d B; with the header its wire size must be %d B", what, p.Wire, wire)
	case o == nil:
		return what + "; its tag must be that of a message that was submitted in its group and is not completed"
	}
	return fmt.Sprintf("%s; the message with its tag is to host %d", what, o.dst)
}

// mine returns the outgoing message that an event names. If there is none, the
// transport broke its promise.
func (h *host) mine(now sim.Time, v *protocol.HostEvent) *outgoing {
	t := h.hosted
	if t.groups.Has(v.Group) {
		if o := t.outgoing[v.Group].find(v.Tag); o != nil && o.dst == v.Peer {
			return o
		}
	}
	what := "MessageCompleted"
	if v.Kind == protocol.PacketLost {
		what = "PacketLost"
	}
	h.broke(now, "it reported %s for group %d, peer %d and tag %d; they must be those of a message that was submitted and was not reported as completed", what, v.Group, v.Peer, v.Tag)
	return nil
}

// mayDeliver reports whether a host may report a message as delivered: only within
// the call of Receive that brings its last byte.
func (h *host) mayDeliver(now sim.Time, v *protocol.HostEvent) bool {
	a := &h.hosted.books.brought
	if a.Is(v.Peer, v.Group, v.Tag) && a.Bytes > 0 {
		return true
	}
	h.broke(now, "it reported MessageDelivered for group %d, peer %d and tag %d; it must do so within the call of Receive that brings the last byte, with the group, peer and tag of that packet", v.Group, v.Peer, v.Tag)
	return false
}

// mostExpiries is how often in a row Expire may run at one instant. It is far above
// any need, but finite.
const mostExpiries = 1 << 16

// countExpiry counts calls of Expire at one instant.
func (h *host) countExpiry(now sim.Time) {
	b := &h.hosted.books
	if now != b.expired {
		b.expired, b.expiries = now, 0
	}
	if b.expiries++; b.expiries > mostExpiries {
		h.broke(now, "Deadline returned a time that had come, %d times in a row; once Expire was called it must return a later one, or false", mostExpiries)
	}
}
