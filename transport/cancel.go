package transport

import (
	"weft/protocol"
	"weft/unit"
)

// The functions of this file cancel messages, and make hosts forget each other,
// between two calls of the network's Run.

// Cancel cancels a message that is not complete and reports whether it existed. A
// host transport must implement protocol.Canceler. The message's source is not
// told, and its record stays unfinished.
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

// Forget makes a host drop all state that it shares with a peer. That includes its
// connections and, if the host transport is a protocol.Forgetter, that transport.
func (t *Transport) Forget(now unit.Time, host, peer int32) {
	at := t.places()[host]
	e, h := at.e, at.local
	e.Hosts.Forget(now, h, peer)
	if o := e.hosts[h].hosted; o != nil {
		if f, ok := o.HostTransport.(protocol.Forgetter); ok {
			f.Forget(now, peer)
			e.handleEvents(now, h, &e.hosts[h])
			o.forget(peer)
		}
	}
	e.d.SetTimer(h, now)
}

// cancelHosted cancels a message of a host transport.
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
	e.handleEvents(now, h, &e.hosts[h]) // includes earlier events of this message
	if !ok {
		return false
	}
	t.drop(group, t.outgoing[group].pending(uint32(ordinal)))
	e.Counts.Cancelled++
	return true
}

// drop removes a message from the books.
func (t *hosted) drop(group int, o *outgoing) {
	o.done = true
	t.routes[group][o.dst].active--
	t.outgoing[group].shrink()
	t.books.completed++
	t.books.unconfirmed++ // Settled then skips its check of deliveries
}

// forget removes all messages to a peer, and its choosers of entropies.
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
