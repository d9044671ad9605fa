package sending

import (
	"weft/internal/connection/end"
	"weft/unit"
)

// Message describes a message to send.
type Message struct {
	Group, Dst int32
	Size       unit.Bytes
	// Ordinal numbers the messages of a host in a group, from 0.
	Ordinal uint64
	// Tally, if not nil, counts the message's events. A message with a tally is measured.
	Tally *end.Tally
	// Incast is the number of the message's incast, and Senders lists its senders, for controls
	// with ListBytes. Start copies what it needs.
	Incast  uint32
	Senders []int32
}

// Start hands a message to a host's connections.
func (s *Side) Start(now unit.Time, local int32, m *Message) {
	g := &s.Network.Groups[m.Group]
	if packets := g.CountPackets(m.Size); g.Balancer.Subflows > 1 && packets > 1 {
		s.startParts(now, local, m, packets)
	} else {
		s.startPart(now, local, m, part{size: m.Size, packets: packets, split: -1, parts: 1})
	}
}

// part is a whole message, or a part of one.
type part struct {
	number  int32
	size    unit.Bytes
	packets uint32
	split   int32 // index in splits if it is a part, or -1
	parts   uint8
}

// startPart hands a part of a message to a connection.
func (s *Side) startPart(now unit.Time, local int32, w *Message, p part) {
	h, g := &s.hosts[local], &s.Network.Groups[w.Group]
	c := s.connect(now, local, w, p.number)
	m := s.newMessage(local, w.Group)
	m.conn, m.size, m.packets, m.tally, m.split, m.parts = c, p.size, p.packets, w.Tally, p.split, p.parts
	m.start, m.ordinal, m.serial, m.again = now, w.Ordinal, uint32(w.Ordinal), 0
	m.Reset(m.packets, g.ReorderLimit)
	if s.queues(g) {
		m.Queue()
	}
	if g.Recovery.Kind == end.GoBackN {
		m.GoBack()
	}
	m.list(g, w)
	c.active++
	c.queue.latest = m.serial
	c.queue.pushBack(m)
	if b := h.backlog; b != nil && g.Congestion.SourceMarks {
		b.left += m.size + unit.Bytes(m.packets)*g.Header
	}
	if c.bundle != nil {
		s.began(now, local, c.bundle)
	}
	if s.Observer != nil {
		s.Observer.Started(now, Started{
			Group: c.group, Src: h.ID, Dst: c.dst, Ordinal: m.ordinal,
			Packets: m.packets, Bytes: m.size, Message: s.number(m), Handle: Handle{c},
		})
	}
	if c.credits != nil {
		s.owe(now, local, c, m.size+unit.Bytes(m.packets)*g.Header)
	}
	s.resumeSending(now, c)
}

// newMessage returns an unused message of a host and group, with a slot.
func (s *Side) newMessage(local, group int32) *message {
	if free := s.freed(local, group); *free != nil {
		m := *free
		*free, m.next, m.live = m.next, nil, true
		return m
	}
	if len(s.fresh.messages) == 0 {
		s.fresh.messages = make([]message, s.batch())
	}
	m := &s.fresh.messages[0]
	s.fresh.messages = s.fresh.messages[1:]
	m.slot, m.live = uint32(len(s.messages)), true
	s.messages = append(s.messages, m)
	return m
}

// batch returns how many messages or connections are allocated together. Batches keep the objects
// of neighbouring hosts close in memory.
func (s *Side) batch() int { return min(max(len(s.hosts), 1), 64) }

// connect returns the connection for a part of a message.
func (s *Side) connect(now unit.Time, local int32, m *Message, part int32) *connection {
	h := &s.hosts[local]
	g := &s.Network.Groups[m.Group]
	key := end.Pair{Group: m.Group, Peer: m.Dst, Part: part}
	if g.Pool > 0 {
		return s.take(now, local, key)
	}
	if g.PerPair {
		if c := h.pairs[key]; c != nil {
			if c.active == 0 {
				s.resume(now, c)
			}
			return c
		}
		if h.pairs == nil {
			h.pairs = map[end.Pair]*connection{}
		}
		c := s.newConnection(m.Group)
		h.pairs[key] = c
		s.open(now, local, c, key, 0)
		return c
	}
	c := s.newConnection(m.Group)
	s.open(now, local, c, key, m.Ordinal+1)
	return c
}

// startParts divides a message into parts and hands each to its connection. The parts differ by
// at most one packet; the larger ones come first.
func (s *Side) startParts(now unit.Time, local int32, m *Message, packets uint32) {
	g := &s.Network.Groups[m.Group]
	n := min(uint32(g.Balancer.Subflows), packets)
	i := s.splits.begin(uint8(n))
	rest := m.Size
	for k := range n {
		p := part{number: int32(k), packets: packets / n, split: i, parts: uint8(n)}
		if k < packets%n {
			p.packets++
		}
		p.size = min(rest, unit.Bytes(p.packets)*g.Payload)
		rest -= p.size
		s.startPart(now, local, m, p)
	}
}
