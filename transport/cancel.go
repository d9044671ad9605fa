package transport

import (
	"weft/protocol"
	"weft/unit"
)

// This file takes messages back, and has hosts forget each other, between two calls of the network's Run.

// Cancel takes back a message of a host that is not complete, and tells whether it was there. A transport of the host must be
// a protocol.Canceler. Its source hears nothing of it, and its record stays without an end.
func (t *Transport) Cancel(now unit.Time, src int32, group int, ordinal uint64) bool {
	at := t.places()[src]
	e, h := at.e, at.local
	ok := false
	if t.net.Groups[group].Congestion.NewHost != nil {
		ok = e.cancelHosted(now, h, group, ordinal)
	} else {
		ok = e.Hosts.Cancel(now, h, int32(group), ordinal)
	}
	e.d.SetTimer(h, now)
	return ok
}

// Forget has a host end all that it has to do with another one, with its connections and, if that is a
// protocol.Forgetter, its transport.
func (t *Transport) Forget(now unit.Time, host, peer int32) {
	at := t.places()[host]
	e, h := at.e, at.local
	e.Hosts.Forget(now, h, peer)
	if o := e.hosts[h].hosted; o != nil {
		if f, ok := o.HostTransport.(protocol.Forgetter); ok {
			f.Forget(now, peer)
			e.heed(now, h, &e.hosts[h])
			o.forget(peer)
		}
	}
	e.d.SetTimer(h, now)
}

// cancelHosted takes back a message of the transport of a host.
func (e *Endpoint) cancelHosted(now unit.Time, h int32, group int, ordinal uint64) bool {
	t := e.hosts[h].hosted
	c, ok := t.HostTransport.(protocol.Canceler)
	if !ok {
		return false
	}
	o := t.outgoing[group].pending(uint32(ordinal))
	if o == nil {
		return false
	}
	ok = c.Cancel(now, &protocol.HostMessage{Peer: o.dst, Group: uint8(group), Tag: o.tag(ordinal), Bytes: max(1, o.size)})
	e.heed(now, h, &e.hosts[h]) // what the transport noticed before, also of this message
	if !ok {
		return false
	}
	t.drop(group, t.outgoing[group].pending(uint32(ordinal)))
	e.Counts.Cancelled++
	return true
}

// drop takes a message off the books.
func (t *hosted) drop(group int, o *outgoing) {
	o.done = true
	t.routes[group][o.dst].active--
	t.outgoing[group].shrink()
	t.books.completed++
	t.books.unconfirmed++ // so that nothing is made of whether it came
}

// forget takes the messages to a peer off the books, and what chooses entropies to it.
func (t *hosted) forget(peer int32) {
	for g := range t.outgoing {
		box := &t.outgoing[g]
		for i, n := box.base, uint64(box.n); n > 0; i, n = i+1, n-1 {
			if o := &box.ring[i&uint64(len(box.ring)-1)]; !o.done && o.dst == peer {
				t.drop(g, o)
			}
		}
		if t.routes[g] != nil {
			t.routes[g][peer] = nil
		}
	}
}
