package expresspass

import (
	"slices"

	"weft/internal/fifo"
	"weft/protocol"
	"weft/protocol/internal/deadlines"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// state is what the sender of a message waits for.
type state uint8

const (
	// queued: a connection that is free.
	queued state = iota
	// requested: the first credit.
	requested
	// crediting: credits, of which each lets a packet go.
	crediting
	// stopped: two round-trip times to pass since credits were stopped.
	stopped
	// closing: one more without credits.
	closing
	// closed: to hear that the message arrived.
	closed
)

// sending is the sending side of a host.
type sending struct {
	receivers []*receiverState // by host
	outbox    []outMessage
	freeOut   []int32
	waits     deadlines.Set // of the outbox
}

// receiverState is what a sender knows of a receiver.
type receiverState struct {
	next uint32 // number of the next message
	// waiting are the messages that no connection is free for.
	waiting fifo.Queue[int32]
	// free are the entropies of connections that carry no message, the one that was freed
	// last at the end; open is how many connections there are.
	free []uint16
	open int
	// answering are the peer's messages whose answers are under way, over its connections.
	answering []uint32
	numbered.Window
}

// outMessage is a message that is being sent.
type outMessage struct {
	peer    int32
	number  uint32
	group   uint8
	live    bool
	reply   bool // an answer to the peer's message of number answers
	known   bool // to have arrived
	state   state
	tries   uint8
	entropy uint16
	answers uint32
	tag     uint64
	size    unit.Bytes
	sent    unit.Bytes // up to where it was sent
	high    unit.Bytes // up to where it was ever sent
	asked   unit.Time  // when credits were last asked for
	heard   unit.Time  // when the last credit came, or sird asked what became of them
	rtt     unit.Time  // from request to credit
	// credits is how many came since checked, and late how many since closing.
	credits, late int64
	checked       unit.Time
}

// receiver returns what is known of a receiver.
func (h *host) receiver(peer int32) *receiverState {
	r := h.receivers[peer]
	if r == nil {
		r = &receiverState{}
		h.receivers[peer] = r
	}
	return r
}

// create adds a message to send.
func (h *host) create(peer int32, group uint8, tag uint64, size unit.Bytes) int32 {
	r := h.receiver(peer)
	i := numbered.Take(&h.outbox, &h.freeOut)
	h.outbox[i] = outMessage{peer: peer, number: r.next, group: group, live: true, tag: tag, size: size, rtt: h.rtt}
	r.Set(r.next, i)
	r.next++
	return i
}

// Submit implements protocol.HostTransport.
func (h *host) Submit(now unit.Time, s *protocol.HostMessage) {
	h.begin(now)
	i := h.create(s.Peer, s.Group, s.Tag, s.Bytes)
	r := h.receivers[s.Peer]
	m := &h.outbox[i]
	switch n := len(r.free); {
	case n > 0:
		m.entropy = r.free[n-1]
		r.free = r.free[:n-1]
	case h.pool > 0 && r.open == h.pool:
		r.waiting.Push(i)
		return
	default:
		r.open++
		m.entropy = h.draw()
	}
	h.request(i)
}

func (h *host) draw() uint16 { return uint16(h.rng.Uint64() >> 48) }

// tell sends a control packet about a message that this host sends.
func (h *host) tell(m *outMessage, kind uint8, flags protocol.PacketFlags) {
	if m.reply {
		flags |= isReply
	}
	h.packets.Push(packet{
		kind: kind, group: m.group, flags: flags, entropy: m.entropy, peer: m.peer,
		message: m.number, extra: m.answers, tag: m.tag, size: m.size, at: m.sent,
	})
}

// request asks for credits for the rest of a message.
func (h *host) request(i int32) {
	m := &h.outbox[i]
	m.state, m.tries = requested, 0
	m.asked = h.now
	h.tell(m, kindRequest, 0)
	h.waits.Put(i, h.now+h.retry)
}

// patience is how long to wait until a sender that heard nothing asks again.
func (h *host) patience(m *outMessage) unit.Time {
	if h.retry > h.retryMax>>m.tries {
		return h.retryMax
	}
	m.tries++
	return h.retry << (m.tries - 1)
}

// onCredit sends a packet of the message that a credit is for.
func (h *host) onCredit(p *protocol.Packet) {
	h.counts.Received++
	i := h.receiver(p.Peer).Find(p.Message)
	if i < 0 {
		h.counts.Wasted++
		if i == numbered.Done && !h.gone.Has(p.Peer, p.Message) { // a lost CREDIT_STOP
			h.packets.Push(packet{kind: kindStop, group: p.Group, entropy: p.Entropy, peer: p.Peer, message: p.Message})
		}
		return
	}
	m := &h.outbox[i]
	m.heard = h.now
	m.credits++
	if m.state == requested {
		m.state, m.tries = crediting, 0
		if m.asked+h.retry > h.now { // not an answer to an earlier one
			m.rtt = h.now - m.asked
		}
		if m.reply && h.remembers() {
			h.sender(m.peer).recall(m.entropy, h.pool).rtt = m.rtt
		}
		m.checked = h.now
		h.waits.Put(i, h.now+h.quietFor(m))
	}
	if m.state >= closing && !h.sird {
		m.late++
	}
	if m.state >= closing || m.sent == m.size || m.state == queued {
		h.counts.Wasted++
		return
	}
	h.counts.Used++
	h.sendData(m, p)
	if m.state == crediting {
		h.maybeStop(i, m)
	}
}

// quietFor is how long credits may stay away before the sender asks for them again.
func (h *host) quietFor(m *outMessage) unit.Time { return max(4*m.rtt, h.silence) }

// sendData sends the packet that a credit brings.
func (h *host) sendData(m *outMessage, p *protocol.Packet) {
	o := packet{
		kind: kindData, group: m.group, entropy: m.entropy, peer: m.peer, message: m.number, tag: m.tag,
		number: p.Number, sentAt: p.SentAt, size: m.size, at: m.sent, bytes: min(h.payload, m.size-m.sent),
	}
	m.sent += o.bytes
	switch {
	case m.reply:
		o.flags, o.bytes = isReply, 0
	case o.at < m.high:
		o.flags = protocol.Resent
		h.out.Report(protocol.HostEvent{
			Kind: protocol.PacketLost, Cause: protocol.Timeout, Group: m.group, Peer: m.peer, Tag: m.tag, Bytes: o.bytes + h.header,
		})
	}
	m.high = max(m.high, m.sent)
	h.packets.Push(o)
}

// maybeStop stops credits once the last byte was sent, or early.
func (h *host) maybeStop(i int32, m *outMessage) {
	left := int64((m.size - m.sent + h.payload - 1) / h.payload)
	if left > 0 {
		if h.now-m.checked < m.rtt {
			return
		}
		early := h.earlyStop && m.credits >= left
		m.credits, m.checked = 0, h.now
		if !early {
			return
		}
	}
	m.state = stopped
	h.tell(m, kindStop, 0)
	h.waits.Put(i, h.now+2*m.rtt)
}

// waited goes on after a wait.
func (h *host) waited(i int32) {
	m := &h.outbox[i]
	switch m.state {
	case requested:
		h.tell(m, kindRequest, protocol.Resent)
		if h.retryMax == h.retry {
			// The first credit is taken for the answer to this one, as in the public simulator.
			m.asked = h.now
		}
		h.waits.Put(i, h.now+h.patience(m))
	case crediting:
		if h.now-m.heard >= h.quietFor(m) {
			if !h.sird {
				h.request(i)
				return
			}
			// Credits are on their way unless packets were lost or overtook each other, and
			// the public simulator does not ask at all.
			m.heard = h.now
			h.tell(m, kindRequest, protocol.Resent)
		}
		h.waits.Put(i, m.heard+h.quietFor(m))
	case stopped:
		if m.sent < m.size {
			h.request(i)
			return
		}
		m.state, m.late = closing, 0
		h.waits.Put(i, h.now+m.rtt)
	case closing:
		if m.late > 0 {
			m.late = 0
			h.tell(m, kindStop, 0)
			h.waits.Put(i, h.now+h.retry)
			return
		}
		h.close(i)
	case closed:
		h.tell(m, kindStop, protocol.Resent)
		h.waits.Put(i, h.now+h.confirmed(m))
	}
}

// confirmed is how long to wait until a sender that sent all asks what became of it. An
// answer has to wait for credits as any message.
func (h *host) confirmed(m *outMessage) unit.Time {
	if h.reply {
		return h.rarely
	}
	return h.patience(m)
}

// close ends the flow of a message, and the message if it is known to have arrived.
func (h *host) close(i int32) {
	m := &h.outbox[i]
	m.state, m.tries = closed, 0
	if m.known || m.reply {
		h.end(i)
		return
	}
	h.waits.Put(i, h.now+h.confirmed(m))
}

// end forgets a message, and gives its connection to one that waits.
func (h *host) end(i int32) {
	m := &h.outbox[i]
	r := h.receivers[m.peer]
	h.drop(i)
	switch {
	case m.reply:
		k := slices.Index(r.answering, m.answers)
		r.answering[k] = r.answering[len(r.answering)-1]
		r.answering = r.answering[:len(r.answering)-1]
	case h.pool == 0:
		r.open--
	case r.waiting.Empty():
		r.free = append(r.free, m.entropy)
	default:
		next := r.waiting.First()
		r.waiting.Pop()
		h.outbox[next].entropy = m.entropy
		h.request(next)
	}
}

// drop ends a message alone.
func (h *host) drop(i int32) {
	m := &h.outbox[i]
	h.waits.Remove(i)
	m.live = false
	h.receivers[m.peer].End(m.number)
	h.freeOut = append(h.freeOut, i)
}

// onNack goes back to where a receiver misses something.
func (h *host) onNack(p *protocol.Packet) {
	i := h.receiver(p.Peer).Find(p.Message)
	if i < 0 {
		return
	}
	m := &h.outbox[i]
	if m.known || m.reply || m.state == queued || p.Offset < 0 || p.Offset >= m.sent {
		return
	}
	m.sent = p.Offset
	if m.state >= stopped {
		h.request(i)
	}
}

// onDone ends a message that arrived in full.
func (h *host) onDone(p *protocol.Packet) {
	if i := h.receiver(p.Peer).Find(p.Message); i >= 0 {
		h.arrivedAt(i)
	}
}

// arrivedAt takes note that a message arrived at its receiver.
func (h *host) arrivedAt(i int32) {
	m := &h.outbox[i]
	if m.known || m.reply || m.state == queued { // whatever the receiver says of one that it never heard of
		return
	}
	m.known = true
	// Nothing of it needs to be sent again, wherever a request of the receiver had gone back to.
	m.sent, m.high = m.size, m.size
	h.out.Report(protocol.HostEvent{Kind: protocol.MessageCompleted, Group: m.group, Peer: m.peer, Tag: m.tag, Bytes: m.size})
	switch {
	case m.state == closed || h.sird: // sird does not wait for credits that still come
		h.end(i)
	case m.state == requested || m.state == crediting: // all else of it was lost
		m.state = stopped
		h.tell(m, kindStop, 0)
		h.waits.Put(i, h.now+2*m.rtt)
	}
}

// answer sends the answer to a message over its connection.
func (h *host) answer(peer int32, group uint8, number uint32, entropy uint16) {
	i := h.create(peer, group, 0, h.replySize)
	m := &h.outbox[i]
	m.reply, m.answers, m.entropy = true, number, entropy
	r := h.receivers[peer]
	r.answering = append(r.answering, number)
	h.request(i)
}
