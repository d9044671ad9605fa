package sird

import (
	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// This file is what SIRD does about losses (§4.4), which the paper leaves to Homa's
// design: receivers notice silence and ask again.
//
// A receiver asks for payload that it granted, or that was unscheduled, and that has not
// come while a message was silent (kindQuery). The sender tells how far it has sent
// (kindStatus) and sends it again, which takes no credit: that of the first copy is taken
// back by then or returns with the new one. A query repeats
// the total granted, so that lost credits are made good. A sender that hears nothing asks
// what became of its message (kindRequest), and is answered if it arrived.
//
// A receiver that hears nothing from a sender at all for four times as long calls in
// all credit that it has outstanding with it, and grants it no more until it is heard
// of. It calls it in, too, if the sender says that it has spent credit on packets that have
// not come, and nothing comes for a silence: they can be of a message that is not missing
// anything it was granted. It then counts the sender's credit from zero, in a new generation: the sender
// forfeits what it holds of the old one, and packets that were paid for with old credit
// return none. So credit is never counted twice, whatever was lost or late.

const (
	patience   = 4  // silences after which credit is called in
	mostSpans  = 32 // missing parts that are asked for at once
	mostDelays = 6  // doublings of the time between queries
)

// hear notes that something came from a sender.
func (h *host) hear(s *senderState) {
	s.heard = h.now
	if !s.dead {
		return
	}
	s.dead = false
	h.next = undecided
	for i := range h.inbox {
		if m := &h.inbox[i]; m.live && m.peer == s.peer {
			m.asked = 0
		}
	}
}

// Expire implements protocol.HostTransport: it looks for silence, and repeats what was withdrawn.
func (h *host) Expire(now unit.Time) {
	h.now = now
	h.withdrawAgain()
	if now >= h.tick {
		h.look(now)
	}
	h.wakes = min(h.tick, h.gone.Due())
}

// look looks for silence.
func (h *host) look(now unit.Time) {
	for _, s := range h.senders {
		if s != nil && s.used > 0 && !s.dead && now-s.heard >= patience*h.silence {
			h.callIn(s)
		}
	}
	for i := range h.inbox {
		m := &h.inbox[i]
		if !m.live || m.received == m.size || m.granted <= m.received && !m.unsynced {
			continue
		}
		if now-m.heard >= h.silence<<min(m.asked, mostDelays) {
			h.query(int32(i))
		}
	}
	for i := range h.outbox {
		m := &h.outbox[i]
		if !m.live {
			continue
		}
		if now-max(m.asked, h.quiet(m)) >= 2*h.silence<<min(m.tries, mostDelays) {
			m.asked, m.tries = now, min(m.tries+1, mostDelays)
			h.orders.Push(order{kind: kindRequest, asks: true, peer: m.peer, group: m.group, message: int32(i), number: m.number})
		}
	}
	owing := h.confirm && h.paper && h.askForCredit()
	h.tick = unit.Forever
	if owing || h.incomplete > 0 || h.unconfirmed > 0 || h.used > 0 {
		h.tick = now + h.silence/2
	}
}

// asks tells whether a packet asks what became of its message.
func asks(p *protocol.Packet) bool {
	return p.Kind == kindRequest && p.Flags&protocol.Own1 != 0
}

// quiet returns since when a sender waits for word of a message. A receiver that has not
// named one that was announced may not know of it, whatever it says of others.
func (h *host) quiet(m *outMessage) unit.Time {
	if !m.known && (m.prefix == 0 || m.sent > 0) {
		return m.went
	}
	return h.receivers[m.peer].heard
}

// askForCredit asks receivers that still owe credit for a message that they have confirmed,
// and tells whether there are any. A packet may go with less credit than it takes, so that
// all can arrive although a CREDIT was lost; then neither side has a reason to speak.
func (h *host) askForCredit() (owing bool) {
	for _, r := range h.receivers {
		if r == nil || r.credit >= 0 || !r.Empty() || r.tries == mostDelays {
			continue
		}
		owing = true
		if h.now-r.heard >= 2*h.silence<<r.tries {
			r.tries++
			h.orders.Push(order{kind: kindRequest, asks: true, peer: r.peer, group: r.group, message: numbered.Done, number: r.next - 1})
		}
	}
	return owing
}

// query asks for what is missing of a message.
func (h *host) query(i int32) {
	m := &h.inbox[i]
	m.heard = h.now
	m.asked = min(m.asked+1, mostDelays)
	spans := 0
	for at := unit.Bytes(0); at < m.granted && spans < mostSpans; at += h.payload {
		if m.packets.Has(int(at / h.payload)) {
			continue
		}
		from := at
		for at < m.granted && !m.packets.Has(int(at/h.payload)) {
			at += h.payload
		}
		h.orders.Push(order{kind: kindQuery, peer: m.peer, group: m.group, number: m.number, at: from, to: min(at, m.granted)})
		spans++
	}
}

// callIn takes back all credit that is outstanding with a sender.
func (h *host) callIn(s *senderState) {
	h.charge(s, -s.used)
	s.generation++
	s.granted = 0
	s.dead = true
	for i := range h.inbox {
		m := &h.inbox[i]
		if !m.live || m.peer != s.peer {
			continue
		}
		s.owed -= m.size - m.granted
		m.granted = m.size
		h.list(int32(i))
		if m.received == m.size {
			h.forget(int32(i))
			continue
		}
		m.unsynced, m.asked, m.heard = true, 0, 0
	}
	h.echoAll(s)
	h.overdraw()
}

// overdraw notes that more than B is outstanding, if it is since a sender had returned more than it was granted.
func (h *host) overdraw() {
	beyond := h.used - h.b
	for i := range h.inbox {
		beyond -= h.unscheduledOf(&h.inbox[i])
	}
	h.beyond = max(h.beyond, beyond)
}

// forfeit gives up the credit of a receiver that has called it in.
func (h *host) forfeit(r *receiverState, generation uint32) {
	h.earn(r, -r.credit)
	r.generation, r.seen = generation, 0
	for i := range h.outbox {
		m := &h.outbox[i]
		if !m.live || m.peer != r.peer {
			continue
		}
		m.boundary = m.sent
		if h.paper {
			continue
		}
		if m.sent == 0 && m.prefix > 0 { // its first packet was to announce it
			h.orders.Push(order{kind: kindRequest, peer: m.peer, group: m.group, message: int32(i), number: m.number})
		}
		m.prefix = min(m.prefix, m.sent)
	}
}

// onQuery sends again what a receiver misses.
func (h *host) onQuery(p *protocol.Packet) {
	h.onAny(p)
	r := h.receiver(p.Peer)
	r.heard = h.now
	switch newer := int32(p.Number - r.generation); {
	case newer < 0:
		return
	case newer > 0:
		h.forfeit(r, p.Number)
	}
	h.catchUp(r, p.Extra)
	i := r.Find(p.Message)
	if i < 0 {
		h.orders.Push(order{kind: kindStatus, peer: r.peer, group: p.Group, number: p.Message, gone: true})
		h.choose(r)
		return
	}
	m := &h.outbox[i]
	m.tries, m.known = 0, true
	h.orders.Push(order{kind: kindStatus, peer: r.peer, group: m.group, message: i, number: m.number})
	again := span{p.Offset, min(p.Size, m.sent)}
	if again.from >= 0 && again.from%h.payload == 0 && again.from < again.to && len(m.again) < mostSpans {
		if m.sent == m.size && len(m.again) == 0 {
			r.unsent = append(r.unsent, i)
			h.unfinished++
		}
		m.again = append(m.again, again)
	}
	h.choose(r)
}

// onStatus learns from a sender what of a message was sent when credit was called in.
func (h *host) onStatus(p *protocol.Packet) {
	h.onAny(p)
	s := h.sender(p.Peer)
	i := s.Find(p.Message)
	if p.Flags&protocol.Own1 != 0 {
		h.onGone(s, i, p)
		return
	}
	if i < 0 {
		return
	}
	m := &h.inbox[i]
	if p.Number != s.generation {
		return
	}
	if m.unsynced {
		h.sync(s, i, p.Offset)
	}
	if h.reclaims {
		h.reclaim(s, m, p.Amount)
	}
	h.doubt(s, p)
}

// doubt calls credit in that its sender has spent on what nobody misses: on packets of
// another message, beyond what was granted for that one, which were lost. It is certain of it
// if nothing has come for a silence since the sender first said so.
func (h *host) doubt(s *senderState, p *protocol.Packet) {
	underWay := (s.granted - p.Extra) % totals
	switch {
	case s.used <= p.Size+unit.Bytes(underWay):
		s.doubted = 0
	case s.doubted == 0:
		s.doubted = h.now
	case h.now-s.doubted >= h.silence:
		h.callIn(s)
		s.dead, s.doubted = false, 0
	}
}

// reclaim takes the credit back of what was sent of a message and has not come (§4.4).
// Packets that are only late return none when they come, nor do copies.
func (h *host) reclaim(s *senderState, m *inMessage, sent unit.Bytes) {
	if m.unsynced {
		return
	}
	from := max(m.reclaimed, h.whole(m.boundary))
	if h.paper {
		from = max(from, h.whole(m.prefix))
	}
	sent = min(sent, m.size)
	if lost := h.missing(m, from, sent); lost > 0 {
		h.credited(s, lost)
	}
	m.reclaimed = max(m.reclaimed, sent)
}

// missing is the credit of those packets of a part of a message that have not come.
func (h *host) missing(m *inMessage, from, to unit.Bytes) (credit unit.Bytes) {
	for at := from; at < to; at += h.payload {
		if !m.packets.Has(int(at / h.payload)) {
			credit += h.cost(min(h.payload, m.size-at))
		}
	}
	return credit
}

// boundary returns what a packet says its message was sent up to when credit was last
// called in.
func (c *config) boundary(p *protocol.Packet) unit.Bytes {
	if p.Kind == kindRequest {
		return p.Offset
	}
	return unit.Bytes(p.Extra) * c.payload
}

// sync learns up to where a message was sent when credit was called in: what is beyond is
// to be granted in the present generation. Data must tell as well as a status. If it were
// taken for a message whose boundary is unknown, it would return credit that was granted
// for another message, and nobody would be left to grant for that one.
func (h *host) sync(s *senderState, i int32, boundary unit.Bytes) {
	m := &h.inbox[i]
	if boundary < 0 {
		return
	}
	m.unsynced = false
	m.boundary = min(boundary, m.size)
	m.granted = m.boundary
	if h.paper {
		m.granted = max(m.granted, m.prefix)
	} else {
		m.prefix = min(m.prefix, m.boundary) // the rest is to be granted
	}
	s.owed += m.size - m.granted
	h.list(i)
}

// abandon gives up a message that its sender has forgotten, which does so as soon as
// all was sent where messages are not confirmed, or when it takes the message back.
func (h *host) abandon(s *senderState, i int32) {
	m := &h.inbox[i]
	h.incomplete--
	s.End(m.number)
	s.owed -= m.size - m.granted
	m.granted = m.size
	h.list(i)
	m.size, m.granted = m.received, m.received // so that the next call has done with it
	h.callIn(s)
	s.dead = false
}

// echoes is a FIFO of what the balancer of a sender is to learn.
type echoes struct {
	ring    [mostEchoes]echo
	head, n uint8
}

type echo struct {
	entropy uint16
	group   uint8
	marked  bool
}

// mostEchoes is how many wait for a credit at most.
const mostEchoes = 8

// echoBack returns the entropy of a data packet with the next credit to its sender, or
// at once in a frame of its own if none will follow.
func (h *host) echoBack(s *senderState, p *protocol.Packet) {
	e := echo{p.Entropy, p.Group, p.Flags&protocol.Marked != 0}
	q := &s.echoes
	if s.owed <= 0 || q.n == mostEchoes {
		h.echoAlone(s, e)
		return
	}
	q.ring[(q.head+q.n)%mostEchoes] = e
	q.n++
}

// carryEcho lets a credit carry the oldest echo of its group.
func (h *host) carryEcho(s *senderState, p *protocol.Packet) {
	for q := &s.echoes; q.n > 0; {
		e := q.ring[q.head]
		if e.group == p.Group && p.Flags&protocol.Echoes == 0 {
			p.EchoOf(e.entropy, e.marked)
		} else if p.Flags&protocol.Echoes == 0 || s.owed <= 0 {
			h.echoAlone(s, e)
		} else {
			return
		}
		q.pop()
	}
}

// echoAll returns what waits for a credit when none will follow.
func (h *host) echoAll(s *senderState) {
	for q := &s.echoes; q.n > 0; q.pop() {
		h.echoAlone(s, q.ring[q.head])
	}
}

// echoAlone sends an echo in a frame of its own.
func (h *host) echoAlone(s *senderState, e echo) {
	h.orders.Push(order{kind: kindAck, peer: s.peer, group: e.group, echo: true, entropy: e.entropy, marked: e.marked})
}

func (q *echoes) pop() {
	q.head = (q.head + 1) % mostEchoes
	q.n--
}
