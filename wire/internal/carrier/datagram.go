package carrier

import (
	"fmt"
	"net/netip"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/codec"
)

// Datagram is where a datagram goes.
type Datagram struct {
	To   netip.AddrPort
	Port int // the number of the source port
	Size int
	Peer *Peer // nil of handshakes and refusals
	// Alone tells that it tests its path, so that no burst may have it.
	Alone bool
	// Burst numbers the bursts to a peer where the balancer has runs: datagrams of two numbers must not leave as one burst. It is 0
	// elsewhere, and all datagrams from one port may leave as one.
	Burst uint32
	// Repairs tells that it is sent again, or after a silence.
	Repairs bool
	// Due is when it was to leave by the rate, 0 if it did not wait for the wire.
	Due unit.Time
}

// write puts a packet of the transport into a datagram.
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
