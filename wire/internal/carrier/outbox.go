package carrier

import (
	"net/netip"

	"weft/internal/fifo"
	"weft/unit"
	"weft/wire/internal/codec"
)

// outbox has datagrams that are no packets of the transport.
type outbox struct {
	// orders are those to peers and to who is to become one. They go first: a peer causes few, and its own packets wait for them.
	orders fifo.Queue[order]
	// answers are those to strangers, who may cause many. They take turns with the transport's packets, so that neither keeps the
	// other waiting.
	answers     fifo.Queue[order]
	answersNext bool
}

// order is a datagram.
type order struct {
	to   netip.AddrPort
	data []byte
	port int
	peer *Peer // that has a session
}

// mostOrders bounds either kind. What does not fit is lost, as on any path.
const mostOrders = 256

func (o *outbox) waits() bool { return !o.orders.Empty() || !o.answers.Empty() }

// order sends a datagram to a peer, or to who is to become one.
func (c *Carrier) order(to netip.AddrPort, data []byte) {
	if c.orders.Len() < mostOrders {
		c.orders.Push(order{to: to, data: data})
	}
}

// answer sends a stranger what is no larger than the datagram that it answers.
func (c *Carrier) answer(to netip.AddrPort, data []byte) {
	if c.answers.Len() < mostOrders {
		c.answers.Push(order{to: to, data: data})
	}
}

// reset tells a stranger that nobody knows the session of a datagram.
func (c *Carrier) reset(to netip.AddrPort, h codec.Head, size int) {
	answers := h.Type == codec.Pong || h.Type == codec.Refusal // which are not answered
	if !answers && size >= codec.HeadSize+sumSize {
		c.answer(to, summed(codec.AppendHead(nil, codec.Head{Type: codec.Reset, Session: h.Session})))
	}
}

// nextOrder writes the next order, or an answer if it is their turn.
func (c *Carrier) nextOrder(now unit.Time, b []byte) (d Datagram, ok bool) {
	if !c.orders.Empty() {
		return c.deal(now, &c.orders, b), true
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
	return c.deal(now, &c.answers, b), true
}

// deal writes the first datagram of a queue.
func (c *Carrier) deal(now unit.Time, from *fifo.Queue[order], b []byte) Datagram {
	o := from.First()
	from.Pop()
	c.spend(now, unit.Bytes(len(o.data))+c.cfg.Overhead)
	return c.count(Datagram{To: o.to, Port: o.port, Size: copy(b, o.data), Peer: o.peer, Alone: true})
}
