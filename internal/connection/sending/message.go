package sending

import (
	"weft/internal/connection/end"
	"weft/protocol/reliable"
	"weft/unit"
)

// message is one that is being sent.
type message struct {
	reliable.Sender
	conn    *connection
	size    unit.Bytes
	packets uint32
	slot    uint32
	serial  uint32 // ordinal, modulo 2^32
	tally   *end.Tally
	split   int32 // index of the message that it is a part of, or -1
	start   unit.Time
	ordinal uint64
	parts   uint8 // in how many the whole is sent
	live    bool
	queued  bool
	armed   bool // wants attention when it is due
	// Of the slot, whichever message is in it: waits tells that the deadline that knows it by
	// its life is in the host's heap, and due is when the message that was armed last wants
	// attention.
	waits bool
	life  uint32
	due   unit.Time
	inquiries
	next *message // of its list, or of the free ones
	// incast is what its first packet lists, nil if none of the slot did.
	incast *listed
}

// inquiries are the probes about a message.
type inquiries struct {
	look  unit.Time // when to look for packets of which nothing was heard, of the slot; 0 if nobody will
	asked unit.Time // the last probe, of the message
	again uint8     // how often probes were repeated since one was answered
}

// messageList is a FIFO of messages.
type messageList struct {
	head, tail *message
	// latest is the serial of the message that came to the connection last, but for those that were taken back.
	latest uint32
}

func (l *messageList) pushBack(m *message) {
	m.queued, m.next = true, nil
	if l.head == nil {
		l.head = m
	} else {
		l.tail.next = m
	}
	l.tail = m
}

func (l *messageList) pushFront(m *message) {
	m.queued, m.next = true, l.head
	if l.head == nil {
		l.tail = m
	}
	l.head = m
}

func (l *messageList) remove(m *message) {
	m.queued = false
	at, prev := &l.head, (*message)(nil)
	for *at != m {
		prev = *at
		at = &prev.next
	}
	*at = m.next
	if l.tail == m {
		l.tail = prev
	}
	m.next = nil
}

func (l *messageList) popFront() {
	m := l.head
	l.head, m.next, m.queued = m.next, nil, false
}

// listed is the incast of a message that is being sent.
type listed struct {
	number  uint32 // 0 without
	senders []int32
}

// arm asks for attention to a message. The deadline that its slot may have in the heap is no
// later: that was set before, for a message of the same source and so with the same timeout.
func (s *Side) arm(h *host, m *message, at unit.Time) {
	m.armed, m.due = true, at
	if !m.waits {
		m.waits = true
		s.Await(h.Host, end.Deadline{At: at, Slot: m.slot, Serial: m.life, What: end.OverduePacket})
	}
}

// longTimeout is how many round trips a timeout lasts of whose messages far more may end
// within it than are under way at a time.
const longTimeout = 100

// disarm ends what a complete message waits for. With a long timeout its deadline is left to the
// slot's next message. Others get one of their own: which of several that come at once a host
// looks at first depends on all that are in its heap, and shows where packets are given up. With
// credit, or a timer for a whole connection, such deadlines come at once by their nature.
func (s *Side) disarm(h *host, m *message) {
	m.armed = false
	g := s.group(m.conn)
	if g.RTO <= longTimeout*g.Env.BaseRTT || g.ConnectionTimer || h.GrantPaths != nil {
		m.waits = false
		m.life++
	}
}
