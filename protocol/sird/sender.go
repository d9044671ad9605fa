package sird

import (
	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// sending is the sending side of a host.
type sending struct {
	receivers []*receiverState // by host
	outbox    []outMessage
	freeOut   []int32
	// active are the hosts to which a packet could go now.
	active []int32
	// turns counts how often the wire was free for a packet; it is again at free.
	turns uint64
	free  unit.Time
	// held is the sum of credit over all receivers, in wire bytes.
	held unit.Bytes
	// unfinished counts messages of which something was not sent yet.
	unfinished int
	// unconfirmed counts messages that are not done.
	unconfirmed int
}

// receiverState is what a sender knows of a receiver.
type receiverState struct {
	peer int32
	// credit is c_r, the credit available for messages to it.
	credit unit.Bytes
	// seen is the total of the credit that came, modulo totals.
	seen uint32
	// generation counts how often the receiver called all credit in.
	generation uint32
	// unsent are the messages of which something is to be sent.
	unsent []int32
	// choice is the one to send from next, -1 if none can; left is what it has unsent.
	choice int32
	left   unit.Bytes
	// place is the host's place in active, -1 if it isn't there.
	place   int32
	deficit int64
	// turn is the latest turn in which it was in active.
	turn uint64
	// heard is when a packet last came from it.
	heard unit.Time
	tries uint8  // how often it was asked for credit that it owes
	group uint8  // of the latest message
	next  uint32 // number of the next message
	numbered.Window
}

// outMessage is a message that is being sent.
type outMessage struct {
	peer   int32
	number uint32
	group  uint8
	live   bool
	tag    uint64
	size   unit.Bytes
	// sent is up to where payload was sent, prefix up to where it needs no grant.
	sent, prefix unit.Bytes
	// boundary is up to where it was sent when credit was last called in.
	boundary unit.Bytes
	// again is what is to be sent once more.
	again []span
	asked unit.Time // when the receiver was last asked about it
	went  unit.Time // when a packet of it was last sent
	known bool      // to the receiver, which has named it
	tries uint8     // how often in vain
}

// span is a part of a message.
type span struct{ from, to unit.Bytes }

func (s *sending) start(c *config) { s.receivers = make([]*receiverState, c.hosts) }

// receiver returns what is known of a receiver.
func (h *host) receiver(peer int32) *receiverState {
	if r := h.receivers[peer]; r != nil {
		return r
	}
	r := &receiverState{peer: peer, choice: -1, place: -1}
	h.receivers[peer] = r
	return r
}

// Submit implements protocol.HostTransport.
func (h *host) Submit(now unit.Time, s *protocol.HostMessage) {
	h.now = now
	r := h.receiver(s.Peer)
	i := numbered.Take(&h.outbox, &h.freeOut)
	m := &h.outbox[i]
	*m = outMessage{peer: s.Peer, number: r.next, group: s.Group, live: true, tag: s.Tag, size: s.Bytes, asked: now, went: now, again: m.again[:0]}
	r.next++
	r.group = s.Group
	r.Set(m.number, i)
	r.unsent = append(r.unsent, i)
	h.unfinished++
	h.unconfirmed++
	h.wait()
	m.prefix = h.unscheduled(r, m.size)
	if m.prefix == 0 {
		h.orders.Push(order{kind: kindRequest, peer: m.peer, group: m.group, message: i, number: m.number})
	} else if !h.paper {
		h.earn(r, h.total(m.prefix))
	}
	h.choose(r)
}

// unscheduled returns how much of a message is sent without waiting for credit. The
// public simulator compares the size on the wire, and lets a sender give itself no more than
// makes the pool of a receiver one BDP, credit that came from there included, but for one packet.
func (h *host) unscheduled(r *receiverState, size unit.Bytes) unit.Bytes {
	if h.paper {
		if size > h.unschT {
			return 0
		}
		return min(size, h.whole(h.bdp))
	}
	wire := h.total(size)
	if wire > h.unschT {
		return 0
	}
	if room := max(h.bdp-r.credit, h.packet); wire > room {
		return room / h.packet * h.payload
	}
	return size
}

// whole rounds payload up to whole packets.
func (c *config) whole(payload unit.Bytes) unit.Bytes {
	return (payload + c.payload - 1) / c.payload * c.payload
}

// earn adds credit for messages to a receiver: Algorithm 2, line 2.
func (h *host) earn(r *receiverState, credit unit.Bytes) {
	r.credit += credit
	h.held += credit
}

// onCredit handles a grant: Algorithm 2, onCreditPacket. Totals make good for a grant that
// was lost or overtaken.
func (h *host) onCredit(p *protocol.Packet) {
	h.onAny(p)
	r := h.receiver(p.Peer)
	r.heard = h.now
	if r.generation != p.Number {
		if int32(p.Number-r.generation) < 0 { // of credit that was called in
			return
		}
		h.forfeit(r, p.Number)
	}
	if i := r.Find(p.Message); i >= 0 {
		h.outbox[i].known = true
	}
	h.catchUp(r, uint32(p.Offset))
	h.choose(r)
}

// catchUp takes up the total of credit granted.
func (h *host) catchUp(r *receiverState, total uint32) {
	more := (total - r.seen) % totals
	if more >= totals/2 { // overtaken
		return
	}
	r.seen, r.tries = total, 0
	h.earn(r, unit.Bytes(more))
}

// choose finds the message to send from to a receiver, and notes whether there is one.
func (h *host) choose(r *receiverState) {
	r.choice, r.left = -1, 0
	first := unit.Bytes(0) // the largest message that was not announced
	for _, i := range r.unsent {
		m := &h.outbox[i]
		left := m.size - m.sent
		switch {
		case len(m.again) > 0:
			r.choice, r.left = i, left // what was lost goes first and takes no credit
			h.activate(r)
			return
		case !h.may(r, m):
		case !h.paper && m.sent == 0 && m.prefix > 0:
			if m.size > first {
				first = m.size
				r.choice, r.left = i, left
			}
		case first == 0 && (r.choice < 0 || left < r.left):
			r.choice, r.left = i, left
		}
	}
	if r.choice >= 0 {
		h.activate(r)
	} else {
		h.deactivate(r)
	}
}

// may tells whether the next packet of a message can go.
func (h *host) may(r *receiverState, m *outMessage) bool {
	if h.paper {
		return m.sent < m.prefix || r.credit > 0 // Algorithm 2, line 5
	}
	return h.cost(min(h.payload, m.size-m.sent)) <= r.credit
}

// activate notes that a packet can go to a receiver. What the receiver's share has saved is
// forgotten if the wire was free in the meantime.
func (h *host) activate(r *receiverState) {
	if r.place >= 0 {
		return
	}
	if r.turn != h.turns || h.now > h.free {
		r.deficit = 0
	}
	r.place = int32(len(h.active))
	h.active = append(h.active, r.peer)
}

// deactivate notes that no packet can go to a receiver. With preset paper it forgets at once
// what the receiver's share has saved.
func (h *host) deactivate(r *receiverState) {
	if h.paper {
		r.deficit = 0
	}
	if r.place < 0 {
		return
	}
	r.turn = h.turns
	last := h.active[len(h.active)-1]
	h.active = h.active[:len(h.active)-1]
	if last != r.peer {
		h.active[r.place] = last
		h.receivers[last].place = r.place
	}
	r.place = -1
}

// selectReceiver is the sender's policy: a share of the uplink goes to all receivers in
// equal parts, the rest to the one whose message has the fewest bytes left. Each has a
// deficit in packets; the largest sends, if it is one at least, and until then all are paid
// again, the preferred one its rest too. It also tells whether that is the one with the fewest
// bytes left.
func (h *host) selectReceiver() (r *receiverState, preferred bool) {
	if len(h.active) == 1 { // it would be paid for what it gets anyway
		return h.receivers[h.active[0]], true
	}
	n := int64(len(h.active))
	quantum := h.fair / n
	for {
		shortest := h.receivers[h.active[0]]
		for _, peer := range h.active {
			r := h.receivers[peer]
			r.deficit += quantum
			if r.left < shortest.left || r.left == shortest.left && r.peer < shortest.peer {
				shortest = r
			}
		}
		shortest.deficit += one - h.fair
		best := shortest
		for _, peer := range h.active {
			if r := h.receivers[peer]; r.deficit > best.deficit {
				best = r
			}
		}
		if best.deficit >= one || quantum == 0 {
			best.deficit -= one
			return best, best == shortest
		}
	}
}

// sendData is Algorithm 2, sendData.
func (h *host) sendData(p *protocol.Packet) bool {
	if len(h.active) == 0 {
		return false
	}
	r, preferred := h.selectReceiver()
	i := r.choice
	m := &h.outbox[i]
	p.Kind, p.Peer, p.Group, p.Tag, p.Message = kindData, r.peer, m.group, m.tag, m.number
	p.Size, p.Amount, p.Class = m.size, m.prefix, h.schedClass
	if r.generation > 0 {
		p.Number, p.Extra = r.generation, uint32((m.boundary+h.payload-1)/h.payload)
	}
	if h.paper && h.held >= h.sThr { // line 7
		p.Flags |= protocol.Congested
	}
	if h.lift && preferred {
		p.Flags |= protocol.Own1
	}
	if len(m.again) > 0 {
		part := &m.again[0]
		p.Offset = part.from
		p.Flags |= protocol.Resent
		p.Payload = min(h.payload, m.size-part.from)
		if part.from += p.Payload; part.from >= part.to {
			m.again = append(m.again[:0], m.again[1:]...)
		}
		h.report(m, r)
	} else {
		p.Offset = m.sent
		p.Payload = min(h.payload, m.size-m.sent)
		m.sent += p.Payload
		if m.sent <= m.prefix {
			p.Class = h.unschedClass
		}
		cost := h.cost(p.Payload)
		if h.paper {
			if m.sent > m.prefix {
				h.earn(r, -cost)
			}
		} else {
			h.earn(r, -cost)
			if h.held > h.sThr && h.unfinished >= 2 {
				p.Flags |= protocol.Congested
			}
		}
	}
	p.Wire = p.Payload + h.header
	m.went = h.now
	if m.sent == m.size && len(m.again) == 0 {
		h.sentAll(r, i)
	}
	h.choose(r)
	return true
}

// report tells the balancer of a packet that is sent again.
func (h *host) report(m *outMessage, r *receiverState) {
	h.out.Report(protocol.HostEvent{
		Kind: protocol.PacketLost, Cause: protocol.Timeout, Group: m.group, Peer: r.peer, Tag: m.tag, Bytes: h.packet,
	})
}

// sentAll takes a message off the list of those with something to send.
func (h *host) sentAll(r *receiverState, i int32) {
	h.unlist(r, i)
	h.unfinished--
	if !h.confirm {
		h.complete(r, i)
	}
}

func (h *host) unlist(r *receiverState, i int32) {
	for k, j := range r.unsent {
		if i == j {
			r.unsent = append(r.unsent[:k], r.unsent[k+1:]...)
			return
		}
	}
}

// complete ends a message.
func (h *host) complete(r *receiverState, i int32) {
	m := &h.outbox[i]
	h.drop(r, i)
	h.out.Report(protocol.HostEvent{Kind: protocol.MessageCompleted, Group: m.group, Unconfirmed: !h.confirm, Peer: r.peer, Tag: m.tag, Bytes: m.size})
}

// onDone handles the receiver's word that a message arrived in full. It makes good for a
// grant that was lost if more was spent than came.
func (h *host) onDone(p *protocol.Packet) {
	h.onAny(p)
	r := h.receiver(p.Peer)
	r.heard = h.now
	if p.Flags&protocol.Own1 != 0 && int32(p.Number-r.generation) > 0 {
		h.forfeit(r, p.Number)
	}
	if r.credit < 0 && r.generation == p.Number {
		h.catchUp(r, uint32(p.Offset))
	}
	i := r.Find(p.Message)
	if i < 0 {
		h.choose(r)
		return
	}
	h.complete(r, i) // copies of what arrived may be left to send
	h.choose(r)
}
