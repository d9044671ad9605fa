package transport

import (
	"fmt"

	"weft/internal/connection/end"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// This file holds transports of hosts to the promise of protocol.HostTransport. Whoever
// writes one makes mistakes, and a tag or a size that is wrong would otherwise be a crash far
// from its cause, or a result that looks whole. What is asked of every packet are compares of
// what writing it into a frame reads anyway.
//
// A transport that broke its promise is taken from its host, which does nothing any more, and
// the run ends with what it broke.

// hostBooks is what the transport of a host said.
type hostBooks struct {
	breach *Breach
	// brought is what the packet that is being received is of, with its payload; it has no
	// Bytes at any other time.
	brought protocol.HostMessage
	// submitted is the payload of the messages that it was handed, fresh what Receive counted,
	// and reported what MessageDelivered told.
	submitted, fresh, reported unit.Bytes
	// Messages that it was handed, that it was done with, of these unconfirmed, and that came
	// to it.
	messages, completed, unconfirmed, delivered uint64
	// expiries counts calls of Expire at the time expired.
	expired  sim.Time
	expiries int32
}

func (b *hostBooks) add(o *hostBooks) {
	b.submitted, b.fresh, b.reported = b.submitted+o.submitted, b.fresh+o.fresh, b.reported+o.reported
	b.messages, b.completed = b.messages+o.messages, b.completed+o.completed
	b.unconfirmed, b.delivered = b.unconfirmed+o.unconfirmed, b.delivered+o.delivered
}

// Breach returns the first one of a run, or nil. Which it is depends on no cut.
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

// books sums up what the transports of all hosts said.
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

// Settled tells what the transports of hosts broke in a run that drained, in which all that
// was submitted must have been delivered. It knows no host.
func (t *Transport) Settled(now unit.Time) *Breach {
	sum := t.books()
	b := &Breach{At: now, Host: nobody, Hosted: true, Promise: hostPromise}
	switch {
	case sum.unconfirmed > 0:
		return nil // what was lost is lost
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

// Came counts the messages that transports of hosts were handed and those that they reported as
// completed, and tells whether all were delivered.
func (t *Transport) Came() (messages, completed uint64, came bool) {
	sum := t.books()
	return sum.messages, sum.completed, sum.delivered == sum.messages
}

// hostPromise is what transports of hosts promise.
const hostPromise = "protocol.HostTransport"

// broke ends the transport of a host.
func (h *host) broke(now sim.Time, rule string, args ...any) {
	t := h.hosted
	t.books.breach = &Breach{At: now, Host: h.ID, Hosted: true, Promise: hostPromise, Rule: fmt.Sprintf(rule, args...)}
	t.HostTransport, t.deferrer = dead{}, nil
	t.out.Events = t.out.Events[:0]
}

// dead is the transport of a host whose own one broke its promise.
type dead struct{}

func (dead) Submit(unit.Time, *protocol.HostMessage)               {}
func (dead) Receive(unit.Time, *protocol.Packet) (none unit.Bytes) { return 0 }
func (dead) Next(unit.Time, *protocol.Packet) bool                 { return false }
func (dead) Ready() (unit.Time, bool)                              { return 0, false }
func (dead) Deadline() (unit.Time, bool)                           { return 0, false }
func (dead) Expire(unit.Time)                                      {}
func (dead) Check() error                                          { return nil }

// mostWire is the largest packet: frames count their bytes in 16 bits.
const mostWire = 1<<16 - 1

// sound tells whether a packet may be sent. It is asked of every packet; unsound tells why not.
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

// rightWire tells whether a packet with payload has the size that its payload asks for.
func rightWire(p *protocol.Packet, g *end.Group) bool {
	if g.Congestion.Host.Padded {
		return p.Wire == g.Payload+g.Header
	}
	wire := natural(p, g)
	return p.Wire == wire || p.Wire == max(wire, g.AckSize)
}

// natural is the size of a packet with payload that is not filled up.
func natural(p *protocol.Packet, g *end.Group) unit.Bytes {
	return p.Payload + g.Header - lighter(g, p.Kind)
}

// unsound tells which rule a packet breaks.
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

// mine returns the message that an event is about, of those that its host sends. Without one
// the transport broke its promise.
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

// mayDeliver tells whether a host may report a message as delivered: within the call of Receive
// that brought its last byte.
func (h *host) mayDeliver(now sim.Time, v *protocol.HostEvent) bool {
	a := &h.hosted.books.brought
	if a.Is(v.Peer, v.Group, v.Tag) && a.Bytes > 0 {
		return true
	}
	h.broke(now, "it reported MessageDelivered for group %d, peer %d and tag %d; it must do so within the call of Receive that brings the last byte, with the group, peer and tag of that packet", v.Group, v.Peer, v.Tag)
	return false
}

// mostExpiries is how often in a row a host may be woken at one instant: far more often than
// there is anything to do then, and not for ever.
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
