package carrier

import (
	"fmt"
	"net/netip"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/codec"
)

// Datagram describes a datagram to send.
type Datagram struct {
	To   netip.AddrPort
	Port int // index of the source port
	Size int
	Peer *Peer // nil for handshakes and refusals
	// Alone is set for datagrams that test their path. They must not be part of a burst.
	Alone bool
	// Burst numbers the bursts to a peer if the balancer has runs: datagrams with different
	// numbers must not share a burst. Otherwise it is 0, and all datagrams from one port may.
	Burst uint32
	// Repairs is set for retransmissions and for packets sent after a silence.
	Repairs bool
	// Due is when the rate allowed it to leave, 0 if it did not wait for the wire.
	Due unit.Time
}

// write encodes a packet of the transport as a datagram.
func (c *Carrier) write(now unit.Time, p *protocol.Packet, b []byte) (d Datagram, ok bool) {
	to := c.peers[p.Peer]
	if to == nil || to.session == nil {
		return d, false
	}
	s := to.session
	var body []byte
	if p.Payload > 0 {
		m := c.outgoing[outKey{p.Peer, p.Tag}]
		if m == nil || p.Offset+p.Payload > unit.Bytes(len(m.body)) {
			c.broke(fmt.Errorf("the transport sends bytes %d to %d of a message that it does not have", p.Offset, p.Offset+p.Payload))
			return d, false
		}
		body = m.body[p.Offset : p.Offset+p.Payload]
	}
	burst := c.address(now, to, p)
	c.asks = c.asks && p.Payload == 0
	var err error
	if c.scratch, err = codec.AppendPacket(c.scratch[:0], p, body); err != nil {
		c.broke(err)
		return d, false
	}
	size := s.whole(c.scratch)
	if size > to.path.good && p.Payload > 0 {
		c.explore(now, to)
	}
	if port := c.portOf(p); size <= to.path.size {
		out, ok := c.encode(now, b[:0], s, codec.Packet, c.scratch)
		return Datagram{To: s.to, Port: port, Size: len(out), Peer: to, Burst: burst, Repairs: p.Flags&protocol.Resent != 0 || c.asks}, ok
	} else if c.split(s, port, burst, c.scratch, to.path.size) {
		return c.piece(now, b)
	}
	c.broke(fmt.Errorf("a packet of %v does not go in pieces of %v", size, to.path.size))
	return d, false
}
