package solo

import (
	"weft/protocol"
	"weft/unit"
)

// core is what the carrier calls in place of the transport. It hands the calls on and notes them.
type core struct {
	protocol.HostTransport
	own     protocol.HostOutput  // of the transport
	caller  *protocol.HostOutput // of who plays network and clock
	carrier *protocol.HostOutput // that the carrier reads
	// names are the carrier's tags of the host's messages, by peers and the caller's tags.
	names map[int32]map[uint64]uint64

	given call   // by the caller
	calls []call // that it led to
	// What the transport answered: to Receive, to Next, and the packet with the tag of the carrier.
	fresh        unit.Bytes
	sends        bool
	filled, sent protocol.Packet
}

// call is one of a transport.
type call struct {
	Name    string
	Now     unit.Time
	Peer    int32
	Message protocol.HostMessage
	Packet  protocol.Packet
}

// Tags of the carrier have the ordinal of a message in their low half, and the bit above it of messages that are measured.
const (
	measured = 1 << 32
	ordinals = measured - 1
)

// standIn returns the tag that packets have in frames to the host: 0 stays what it is.
func standIn(tag uint64) uint64 {
	if tag == 0 {
		return 0
	}
	return tag&ordinals | measured
}

// name gives a message of the caller's the carrier's tag.
func (c *core) name(peer int32, tag, carriers uint64) {
	if c.names[peer] == nil {
		c.names[peer] = map[uint64]uint64{}
	}
	c.names[peer][tag] = carriers
}

// report tells caller and carrier what the transport reported, each by the tags that it knows.
func (c *core) report() {
	for _, v := range c.own.Events {
		c.caller.Report(v)
		switch v.Kind {
		case protocol.MessageDelivered:
			v.Tag = standIn(v.Tag)
		case protocol.MessageCompleted:
			tag := v.Tag
			v.Tag = c.names[v.Peer][tag]
			delete(c.names[v.Peer], tag)
		case protocol.PacketLost:
			v.Tag = c.names[v.Peer][v.Tag]
		case protocol.MessageWithdrawn: // it has a number for a tag
		}
		c.carrier.Report(v)
	}
	c.own.Events = c.own.Events[:0]
}

// Submit implements protocol.HostTransport, as methods below do.
func (c *core) Submit(now unit.Time, m *protocol.HostMessage) {
	c.name(m.Peer, c.given.Message.Tag, m.Tag)
	own := *m
	own.Tag = c.given.Message.Tag
	c.calls = append(c.calls, call{Name: "submit", Now: now, Message: own})
	c.HostTransport.Submit(now, &own)
	c.report()
}

// Receive hands over the packet of a frame.
func (c *core) Receive(now unit.Time, p *protocol.Packet) (fresh unit.Bytes) {
	own := *p
	if given := &c.given.Packet; own.Tag == standIn(given.Tag) {
		own.Tag = given.Tag
	}
	own.Flags |= c.given.Packet.Flags & protocol.Pinned
	c.calls = append(c.calls, call{Name: "receive", Now: now, Packet: own})
	c.fresh = c.HostTransport.Receive(now, &own)
	c.report()
	return c.fresh
}

// Next asks for a packet.
func (c *core) Next(now unit.Time, p *protocol.Packet) bool {
	c.calls = append(c.calls, call{Name: "next", Now: now})
	c.sends = c.HostTransport.Next(now, p)
	c.filled = *p
	p.Tag = c.names[p.Peer][p.Tag]
	c.sent = *p
	c.report()
	return c.sends
}

// Expire tells that time has passed.
func (c *core) Expire(now unit.Time) {
	c.calls = append(c.calls, call{Name: "expire", Now: now})
	c.HostTransport.Expire(now)
	c.report()
}

// Cancel implements protocol.Canceler.
func (c *core) Cancel(now unit.Time, m *protocol.HostMessage) (ok bool) {
	own := *m
	own.Tag = c.given.Message.Tag
	c.calls = append(c.calls, call{Name: "cancel", Now: now, Message: own})
	if t, can := c.HostTransport.(protocol.Canceler); can {
		ok = t.Cancel(now, &own)
	}
	c.report()
	if ok {
		delete(c.names[m.Peer], own.Tag)
	}
	return ok
}

// Forget implements protocol.Forgetter.
func (c *core) Forget(now unit.Time, peer int32) {
	c.calls = append(c.calls, call{Name: "forget", Now: now, Peer: peer})
	if t, can := c.HostTransport.(protocol.Forgetter); can {
		t.Forget(now, peer)
	}
	c.report()
	delete(c.names, peer)
}
