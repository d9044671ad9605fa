package solo

import (
	"weft/protocol"
	"weft/unit"
)

// core is the host transport that the carrier calls. It forwards the calls to the
// wrapped transport and records them.
type core struct {
	protocol.HostTransport
	own     protocol.HostOutput  // where the transport reports
	caller  *protocol.HostOutput // of the caller, who plays network and clock
	carrier *protocol.HostOutput // read by the carrier
	// names maps peers and the caller's tags to the carrier's tags of the host's messages.
	names map[int32]map[uint64]uint64

	given call   // call by the caller
	calls []call // calls that it led to
	// The transport's answers to Receive and Next, its packet, and that packet with
	// the carrier's tag.
	fresh        unit.Bytes
	sends        bool
	filled, sent protocol.Packet
}

// call is one call of a transport.
type call struct {
	Name    string
	Now     unit.Time
	Peer    int32
	Message protocol.HostMessage
	Packet  protocol.Packet
}

// A carrier's tag has the message's ordinal in its low half. The bit above marks measured messages.
const (
	measured = 1 << 32
	ordinals = measured - 1
)

// standIn returns the tag that packets to the host have in frames. 0 stays 0.
func standIn(tag uint64) uint64 {
	if tag == 0 {
		return 0
	}
	return tag&ordinals | measured
}

// name maps the caller's tag of a message to the carrier's.
func (c *core) name(peer int32, tag, carriers uint64) {
	if c.names[peer] == nil {
		c.names[peer] = map[uint64]uint64{}
	}
	c.names[peer][tag] = carriers
}

// report passes the transport's events to caller and carrier, with the tags that each knows.
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
		case protocol.MessageWithdrawn: // its tag is a number
		}
		c.carrier.Report(v)
	}
	c.own.Events = c.own.Events[:0]
}

// Submit implements protocol.HostTransport, as do the methods below.
func (c *core) Submit(now unit.Time, m *protocol.HostMessage) {
	c.name(m.Peer, c.given.Message.Tag, m.Tag)
	own := *m
	own.Tag = c.given.Message.Tag
	c.calls = append(c.calls, call{Name: "submit", Now: now, Message: own})
	c.HostTransport.Submit(now, &own)
	c.report()
}

// Receive forwards the packet of a frame.
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

// Next asks the transport for a packet.
func (c *core) Next(now unit.Time, p *protocol.Packet) bool {
	c.calls = append(c.calls, call{Name: "next", Now: now})
	c.sends = c.HostTransport.Next(now, p)
	c.filled = *p
	p.Tag = c.names[p.Peer][p.Tag]
	c.sent = *p
	c.report()
	return c.sends
}

// Expire forwards the expiry of a deadline.
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
