package tokens

import (
	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// inbox is the messages that a host receives.
type inbox struct {
	senders      []*Sender // by host
	arriving     []Message
	freeArriving []int32
	begun        uint64
	// Active are the senders with messages that did not arrive in full, in the order in
	// which they became so.
	Active []*Sender
	// Incomplete counts these messages.
	Incomplete int
}

// Sender is what a receiver knows of a sender.
type Sender struct {
	Peer int32
	// Messages are the indices of those that did not arrive in full.
	Messages []int32
	numbered.Window
}

// Message is a message that is being received.
type Message struct {
	Peer   int32
	Number uint32
	Group  uint8
	live   bool
	age    uint64
	Size   unit.Bytes
	// Left is the payload that has not arrived.
	Left unit.Bytes
	// Last is when the last token was given, Hold until when no more are.
	Last, Hold unit.Time
	// given counts tokens, free ones included; answered is one more than the largest number
	// of a token that data came with.
	given, answered uint32
	latest          int32 // packet that the last token was for
	floor           int32 // packets below have arrived
	packets         numbered.Bits
}

// Unanswered is how many tokens data may yet come for: those after the last one that
// data came for.
func (m *Message) Unanswered() int { return int(m.given - m.answered) }

// Absent is how many of the first so many packets have not arrived.
func (m *Message) Absent(packets int32) (n int32) {
	for k := range packets {
		if !m.packets.Has(int(k)) {
			n++
		}
	}
	return n
}

// Forget takes tokens for lost, so that at most some are unanswered.
func (m *Message) Forget(most int) {
	if m.Unanswered() > most {
		m.answered = m.given - uint32(most)
	}
}

// Message returns a message by its index, until another one begins.
func (h *Host) Message(i int32) *Message { return &h.arriving[i] }

// Learn returns the index of a packet's message, or a negative number if it is done or
// makes no sense, and whether it is new. The packet has data or is a notice.
func (h *Host) Learn(p *protocol.Packet) (i int32, begins bool) {
	s := h.From(p.Peer)
	i = s.Find(p.Message)
	if i == numbered.Done && p.Flags&protocol.Resent != 0 {
		h.Push(Order{Kind: Done, Peer: s.Peer, Group: p.Group, Message: p.Message})
	}
	if i != numbered.Unknown || !s.Near(p.Message) || p.Size < 1 || h.refuses(s, p) {
		return i, false
	}
	i = numbered.Take(&h.arriving, &h.freeArriving)
	s.Set(p.Message, i)
	m := &h.arriving[i]
	packets := m.packets
	free := h.Free(p.Size)
	*m = Message{
		Peer: s.Peer, Number: p.Message, Group: p.Group, live: true, age: h.begun,
		Size: p.Size, Left: p.Size, Last: h.Now, given: uint32(free), latest: free - 1, packets: packets,
	}
	m.packets.Reset(int(h.Packets(m.Size)))
	if free == h.Packets(m.Size) {
		m.Hold = h.Now + unit.Time(free)*h.Packet + h.Again
	}
	h.begun++
	if len(s.Messages) == 0 {
		h.Active = append(h.Active, s)
	}
	s.Messages = append(s.Messages, i)
	h.Incomplete++
	return i, true
}

// refuses tells whether a message of a host that is not trusted is more than is taken of it.
func (h *Host) refuses(s *Sender, p *protocol.Packet) bool {
	return h.Largest > 0 && (p.Size > h.Largest || len(s.Messages) >= numbered.MostOpen)
}

// From returns what is known of a sender.
func (h *Host) From(peer int32) *Sender {
	s := h.senders[peer]
	if s == nil {
		s = &Sender{Peer: peer}
		h.senders[peer] = s
	}
	return s
}

// Take takes the payload of a message's packet, and returns how much is new.
func (h *Host) Take(i int32, p *protocol.Packet) (fresh unit.Bytes) {
	m := &h.arriving[i]
	if number := uint32(p.Amount); number < m.given {
		m.answered = max(m.answered, number+1)
	}
	if p.Offset < 0 || p.Offset >= m.Size || p.Offset%h.Payload != 0 || p.Flags&protocol.WasTrimmed != 0 {
		return 0
	}
	k := int32(p.Offset / h.Payload)
	if p.Payload != h.payload(m.Size, k) || m.packets.Has(int(k)) {
		return 0
	}
	m.packets.Add(int(k))
	m.Left -= p.Payload
	if m.Left == 0 {
		h.deliver(i, p)
	}
	return p.Payload
}

// deliver reports that a message arrived in full.
func (h *Host) deliver(i int32, p *protocol.Packet) {
	m := &h.arriving[i]
	h.abandon(i)
	h.Out.Report(protocol.HostEvent{Kind: protocol.MessageDelivered, Group: m.Group, Peer: m.Peer, Tag: p.Tag, Bytes: m.Size})
	h.Push(Order{Kind: Done, Peer: m.Peer, Group: m.Group, Message: m.Number})
}

func without[T comparable](list []T, x T) []T {
	for i := range list {
		if list[i] == x {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

// Better tells whether a message is to have tokens before another one: fewer bytes left,
// then older.
func (h *Host) Better(a, b int32) bool {
	x, y := &h.arriving[a], &h.arriving[b]
	if x.Left != y.Left {
		return x.Left < y.Left
	}
	return x.age < y.age
}

// Best returns the best message of a sender that is not held, or -1.
func (h *Host) Best(s *Sender) int32 {
	best := int32(-1)
	for _, i := range s.Messages {
		if h.arriving[i].Hold <= h.Now && (best < 0 || h.Better(i, best)) {
			best = i
		}
	}
	return best
}

// Give gives a message a token, for the next packet after that of the last token that has
// not arrived. If that ends a pass over the message, it is held.
func (h *Host) Give(i int32, end uint32) {
	m := &h.arriving[i]
	k := h.missing(m, m.latest)
	m.latest = k
	h.Push(Order{
		Kind: Token, Peer: m.Peer, Group: m.Group, Message: m.Number,
		Offset: unit.Bytes(k) * h.Payload, Amount: unit.Bytes(m.given), Number: end,
	})
	m.given++
	m.Last = h.Now
	if h.missing(m, k) <= k {
		m.Hold = h.Now + h.Again
	}
}

// missing returns the first packet after one that has not arrived, from the front again
// after the last.
func (h *Host) missing(m *Message, after int32) int32 {
	n := h.Packets(m.Size)
	for k := after + 1; k < n; k++ {
		if !m.packets.Has(int(k)) {
			return k
		}
	}
	for m.packets.Has(int(m.floor)) {
		m.floor++
	}
	return m.floor
}

// Pending is how many control packets wait, to be passed to Answer.
func (h *Host) Pending() int { return h.orders.Len() }

// Answer returns the entropy of a data packet to its sender, if that is wanted, with a
// control packet that goes there anyway if there is one among those queued since.
func (h *Host) Answer(since int, p *protocol.Packet) {
	if !h.Config.Echo.Has(p.Group) {
		return
	}
	echo := Order{Kind: Echo, Peer: p.Peer, Group: p.Group, echo: true, entropy: p.Entropy, marked: p.Flags&protocol.Marked != 0}
	for k := since; k < h.orders.Len(); k++ {
		o := h.orders.At(k)
		if o.Peer == echo.Peer && o.Group == echo.Group && !o.echo && o.Kind != Notice {
			o.echo, o.entropy, o.marked = true, echo.entropy, echo.marked
			return
		}
	}
	h.Push(echo)
}
