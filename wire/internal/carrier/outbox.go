package carrier

import (
	"net/netip"

	"weft/internal/fifo"
	"weft/unit"
	"weft/wire/internal/codec"
)

// outbox queues datagrams other than the transport's packets.
type outbox struct {
	// orders go to peers and to endpoints being dialled. They go first: a peer causes few, and
	// its own packets wait for them.
	orders fifo.Queue[order]
	// answers go to strangers, who may cause many. They alternate with the transport's packets,
	// so that neither starves the other.
	answers     fifo.Queue[order]
	answersNext bool
}

// order is a queued datagram.
type order struct {
	to   netip.AddrPort
	data []byte
	port int
	peer *Peer // set if the datagram probes the peer's path
}

// mostOrders limits each queue. Excess datagrams are lost, as on any path.
const mostOrders = 256

func (o *outbox) waits() bool { return !o.orders.Empty() || !o.answers.Empty() }

// order queues a datagram to a peer or to an endpoint being dialled.
func (c *Carrier) order(to netip.AddrPort, data []byte) {
	if c.orders.Len() < mostOrders {
		c.orders.Push(order{to: to, data: data})
	}
}

// answer queues an answer to a stranger. It must not be larger than the datagram that it answers.
func (c *Carrier) answer(to netip.AddrPort, data []byte) {
	if c.answers.Len() < mostOrders {
		c.answers.Push(order{to: to, data: data})
	}
}

// reset tells a stranger that the session of its datagram is unknown.
func (c *Carrier) reset(to netip.AddrPort, h codec.Head, size int) {
	answers := h.Type == codec.Pong || h.Type == codec.Refusal // these must not be answered
	if !answers && size >= codec.HeadSize+sumSize {
		c.answer(to, summed(codec.AppendHead(nil, codec.Head{Type: codec.Reset, Session: h.Session})))
	}
}

// nextOrder writes the next order, or an answer if it is their turn.
func (c *Carrier) nextOrder(now unit.Time, b []byte) (d Datagram, ok bool) {
	if !c.orders.Empty() {
		return c.writeFirst(now, &c.orders, b), true
	}
	if c.answersNext {
		c.answersNext = false
		return c.nextAnswer(now, b)
	}
	return d, false
}

// nextAnswer writes the next answer.
func (c *Carrier) nextAnswer(now unit.Time, b []byte) (d Datagram, ok bool) {
	if c.answers.Empty() {
		return d, false
	}
	return c.writeFirst(now, &c.answers, b), true
}

// writeFirst writes the first datagram of a queue.
func (c *Carrier) writeFirst(now unit.Time, from *fifo.Queue[order], b []byte) Datagram {
	o := from.First()
	from.Pop()
	c.spend(now, unit.Bytes(len(o.data))+c.cfg.Overhead)
	return c.count(Datagram{To: o.to, Port: o.port, Size: copy(b, o.data), Peer: o.peer, Alone: true})
}
