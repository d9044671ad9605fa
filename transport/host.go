package transport

import (
	"weft/fabric"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// host is the state of one host.
type host struct {
	id   int32  // in the graph
	name uint64 // hash of its name
	load Load

	control   frameQueue // acknowledgements to send
	readyHead *connection
	readyTail *connection
	deadlines deadlines
	signals   signals // still to take effect
	incoming  table
	sources   []source // by group
	pairs     map[pair]*connection
	pools     map[pair]*pool
	queued    unit.Bytes // data in control, with a queue at the NIC
	above     bool       // the last data frame found more than its threshold
	// grants is the receiving side of the congestion control, nil without.
	grants *grants
	// hosted is the transport of the host as a whole, nil without.
	hosted *hosted
	// arrived counts the parts of messages that arrived in full while others did not.
	arrived map[uint64]uint8
	// answers are the receiving ends that answer, by group; nil without any.
	answers []*answers
	// alarms are those of controls with deadlines of their own, nil without any.
	alarms *alarms
	// bundles are those of connections to other hosts, and backlog what marks; nil without any.
	bundles map[pair]*bundle
	backlog *backlog
	line    unit.Rate // of its link, 0 if that is not known
	// pauses has a bit for every class that it must not send; stopped is what waits for these, nil
	// as long as none was ever paused.
	pauses  uint8
	stopped *stopped
}

// pair names the connection of a group to a host, or that for a part of its messages.
type pair struct{ group, dst, part int32 }

// nobody hears of what the group of replies receives.
const nobody int32 = -1

// source is a group's messages at a host.
type source struct {
	workload.Source
	// The source, if it is one of these.
	receiver  workload.Receiver
	signaller workload.Signaller

	group   int32
	hears   int32 // group whose source here is told of what the group receives, or nobody
	pending workload.Message
	waiting bool      // pending has a deadline
	due     unit.Time // of the receiver's next message, if waiting
	ordinal uint64
	sent    uint32 // signals
	// slots are those of past messages, free for the next ones, so that serials
	// on a slot only grow: which late copies find their message's number taken
	// must not depend on who else is in the domain.
	slots []uint32
}

// unready takes a connection of a class from the turn list, from those that wait for the class, and from its
// bundle's.
func (h *host) unready(c *connection, class uint8) {
	if c.parked {
		h.stopped.remove(c, class)
	}
	if c.queues {
		c.bundle.drop(c)
	}
	if !c.ready {
		return
	}
	c.ready = false
	at, prev := &h.readyHead, (*connection)(nil)
	for *at != c {
		prev = *at
		at = &prev.nextReady
	}
	*at = c.nextReady
	if h.readyTail == c {
		h.readyTail = prev
	}
	c.nextReady = nil
}

// Capacities that every host's queue of acknowledgements and table of incoming
// messages begin with: one block of memory holds those of a domain.
const queueStart, tableStart = 4, 4

// frameQueue is a FIFO of frames.
type frameQueue struct {
	buf        []fabric.FrameID
	head, tail uint32
}

func (q *frameQueue) empty() bool { return q.head == q.tail }

func (q *frameQueue) push(id fabric.FrameID) {
	if int(q.tail-q.head) == len(q.buf) {
		buf := make([]fabric.FrameID, max(queueStart, 2*len(q.buf)))
		for i := q.head; i != q.tail; i++ {
			buf[i&uint32(len(buf)-1)] = q.buf[i&uint32(len(q.buf)-1)]
		}
		q.buf = buf
	}
	q.buf[q.tail&uint32(len(q.buf)-1)] = id
	q.tail++
}

func (q *frameQueue) pop() fabric.FrameID {
	id := q.buf[q.head&uint32(len(q.buf)-1)]
	q.head++
	return id
}

// deadline is a time at which a message or a source of a host wants attention.
// A message has one at most: while its packets are acknowledged in time, it is
// only looked at when the deadline comes and then put off. If timeouts are long, what is
// left of it when the message is complete is the next one's in its slot, so that there are no
// more of them than of messages that were under way at a time.
type deadline struct {
	at     unit.Time
	slot   uint32
	serial uint32
	source int32 // group of a source, or one of the values below
}

const (
	overduePacket int32 = -1 // of the message in the slot, whichever it is
	overdueReport int32 = -2 // of the inbound in the slot
	dueGrant      int32 = -3 // of the host
	overdueCredit int32 = -4 // of the borrower in the slot
	dueProbe      int32 = -5 // of the prober in the slot
	duePacket     int32 = -6 // of the clocked connection in the slot
	dueControl    int32 = -7 // of the alarm in the slot
	dueBundle     int32 = -8 // of the bundle in the slot
)

// deadlines is a binary min-heap by time. Its order among equals depends on
// nothing but the sequence of its operations.
type deadlines []deadline

func (q *deadlines) push(d deadline) {
	a := append(*q, d)
	i := len(a) - 1
	for i > 0 && d.at < a[(i-1)/2].at {
		a[i] = a[(i-1)/2]
		i = (i - 1) / 2
	}
	a[i] = d
	*q = a
}

func (q *deadlines) pop() deadline {
	a := *q
	top := a[0]
	n := len(a) - 1
	d := a[n]
	a = a[:n]
	*q = a
	for i := 0; n > 0; {
		c := 2*i + 1
		if c >= n || d.at <= a[c].at && (c+1 >= n || d.at <= a[c+1].at) {
			a[i] = d
			break
		}
		if c+1 < n && a[c+1].at < a[c].at {
			c++
		}
		a[i] = a[c]
		i = c
	}
	return top
}

// setDeadline adds a deadline of a host.
func (e *Endpoint) setDeadline(h *host, local int32, d deadline) {
	h.deadlines.push(d)
	e.d.SetTimer(local, h.deadlines[0].at)
}

// arm asks for attention to a message. The deadline that its slot may have in the heap is no
// later: that was set before, for a message of the same source and so with the same timeout.
func (e *Endpoint) arm(h *host, m *message, at unit.Time) {
	m.armed, m.due = true, at
	if !m.waits {
		m.waits = true
		e.setDeadline(h, m.conn.src, deadline{at: at, slot: m.slot, serial: m.life, source: overduePacket})
	}
}

// longTimeout is how many round trips a timeout lasts of whose messages far more may end
// within it than are under way at a time.
const longTimeout = 100

// disarm ends what a complete message waits for. With a long timeout its deadline is left to the
// slot's next message. Others get one of their own: which of several that come at once a host
// looks at first depends on all that are in its heap, and shows where packets are given up. With
// credit, or a timer for a whole connection, such deadlines come at once by their nature.
func (e *Endpoint) disarm(h *host, m *message) {
	m.armed = false
	g := e.group(m.conn)
	if g.RTO <= longTimeout*g.Env.BaseRTT || g.ConnectionTimer || h.grants != nil {
		m.waits = false
		m.life++
	}
}

// overdue acts on the deadline of a slot. It is put off until the slot is due also when its
// message is complete: when nothing is left to happen must not depend on who had the slot.
func (e *Endpoint) overdue(now unit.Time, h int32, d deadline) {
	m := e.messages[d.slot]
	if m.life != d.serial {
		return
	}
	if m.due <= now {
		m.waits = false
		if m.live && m.armed {
			m.due, m.armed = e.timeout(now, h, m)
			m.waits = m.armed
		}
	}
	if m.waits {
		d.at = m.due
		e.hosts[h].deadlines.push(d)
	}
}

// schedule asks for attention when the source's next message is due.
func (e *Endpoint) schedule(now unit.Time, h int32, s *source) {
	if s.receiver != nil {
		e.react(now, h, s)
		return
	}
	if s.Source == nil || s.waiting {
		return
	}
	m, ok := s.Next()
	if !ok {
		return
	}
	s.pending, s.waiting = m, true
	e.setDeadline(&e.hosts[h], h, deadline{at: max(m.At, now), source: s.group})
}

// Timer implements fabric.Endpoint.
func (e *Endpoint) Timer(now sim.Time, h int32) bool {
	host := &e.hosts[h]
	e.takeSignals(now, h)
	for len(host.deadlines) > 0 && host.deadlines[0].at <= now {
		d := host.deadlines.pop()
		if d.source >= 0 {
			s := &host.sources[d.source]
			if s.receiver != nil {
				e.startReceiver(now, h, s)
				continue
			}
			s.waiting = false
			e.start(now, h, s, s.pending)
			e.schedule(now, h, s)
			continue
		}
		if d.source == overdueReport {
			in := &e.inbound[d.slot]
			if in.generation != d.serial {
				continue
			}
			if d.at, in.armed = e.reportOverdue(now, host, in); in.armed {
				host.deadlines.push(d)
			}
			continue
		}
		if d.source < overdueReport {
			e.otherDeadline(now, h, d)
			continue
		}
		e.overdue(now, h, d)
	}
	if host.hosted != nil {
		e.expireHosted(now, h, host)
	}
	if len(host.deadlines) > 0 {
		e.d.SetTimer(h, host.deadlines[0].at)
	}
	if len(host.signals) > 0 {
		e.d.SetTimer(h, host.signals[0].At)
	}
	if e.t.nic != nil {
		e.enqueue(now, host)
	}
	return e.hasFrames(now, h, host)
}

// table finds what a host receives by the sender's message number. A sender
// reuses numbers, so that the table grows with the messages under way, and an
// entry tells late copies of the last message of its number from a new one.
type table struct {
	entries []entry
	used    int
}

type entry struct {
	key     uint32 // plus 1; 0 is empty
	serial  uint32
	inbound int32
	used    bool
}

// at returns the entry of a key, one with used unset if the key is new. The
// pointer is good until the next call.
func (t *table) at(key uint32) *entry {
	if 2*t.used >= len(t.entries) {
		t.grow()
	}
	en := t.find(key + 1)
	if en.key == 0 {
		en.key = key + 1
		t.used++
	}
	return en
}

// find returns the entry with the stored key, or the empty one where it belongs.
func (t *table) find(stored uint32) *entry {
	mask := uint32(len(t.entries) - 1)
	i := stored * 0x9e3779b1 >> 9 & mask
	for t.entries[i].key != stored && t.entries[i].key != 0 {
		i = (i + 1) & mask
	}
	return &t.entries[i]
}

func (t *table) grow() {
	old := t.entries
	t.entries = make([]entry, max(tableStart, 2*len(old)))
	for _, en := range old {
		if en.key != 0 {
			*t.find(en.key) = en
		}
	}
}
