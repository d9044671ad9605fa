package sending

import (
	"weft/internal/connection/end"
	"weft/protocol/reliable"
	"weft/unit"
)

// message is a message, or a part of one, that is being sent.
type message struct {
	reliable.Sender
	conn    *connection
	size    unit.Bytes
	packets uint32
	slot    uint32
	serial  uint32 // the ordinal modulo 2³²
	tally   *end.Tally
	split   int32 // index in splits of the message that it is part of, or -1
	start   unit.Time
	ordinal uint64
	parts   uint8 // number of parts of the whole message
	live    bool
	queued  bool
	armed   bool // needs attention at due
	// These belong to the slot, whichever message has it. waits is set while a deadline with this
	// life is in the host's agenda. due is when the last armed message needs attention.
	waits bool
	life  uint32
	due   unit.Time
	inquiries
	next *message // in its list, or among the free ones
	// incast is the list for its first packet. It is nil if no message of the slot had one.
	incast *listed
}

// inquiries is the state of probes about a message.
type inquiries struct {
	look  unit.Time // when to check for unanswered packets, for the slot; 0 if no check is set
	asked unit.Time // time of the message's last probe
	again uint8     // how often probes were repeated since the last answer
}

// messageList is a FIFO of messages.
type messageList struct {
	head, tail *message
	// latest is the serial of the newest message on the connection that was not withdrawn.
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
	number  uint32 // 0 if none
	senders []int32
}

// arm requests attention for a message. If its slot already has a deadline in the agenda, that
// one is no later: it was set earlier, for a message of the same source and hence with the same
// timeout.
func (s *Side) arm(h *host, m *message, at unit.Time) {
	m.armed, m.due = true, at
	if !m.waits {
		m.waits = true
		s.Await(h.Host, end.Deadline{At: at, Slot: m.slot, Serial: m.life, What: end.OverduePacket})
	}
}

// longTimeout is a timeout in round trips. With a longer one, far more messages may end within a
// timeout than are under way at a time.
const longTimeout = 100

// disarm cancels the timeout of a complete message. With a long timeout the deadline stays for
// the slot's next message, to keep the agenda small. Otherwise the next message gets a new one:
// the order of simultaneous deadlines depends on everything in the agenda, and it shows when
// packets are given up. With credit or a connection timer, simultaneous deadlines are normal.
func (s *Side) disarm(h *host, m *message) {
	m.armed = false
	g := s.group(m.conn)
	if g.RTO <= longTimeout*g.Env.BaseRTT || g.ConnectionTimer || h.GrantPaths != nil {
		m.waits = false
		m.life++
	}
}
