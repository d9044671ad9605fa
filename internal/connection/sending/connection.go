package sending

import (
	"math/rand/v2"

	"weft/internal/connection/end"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/unit"
)

// This file has what a connection is: its state, and that of the features that it may have. How they act stands in a
// file each.

// connection is the sending end of a conversation.
type connection struct {
	identity
	window   unit.Bytes
	inflight unit.Bytes
	// queue lists the connection's messages that have something to send.
	queue messageList
	// active counts the messages that are not acknowledged.
	active int32
	kept   kept
	turn
	cores
	credits *credits // nil unless receivers grant what it sends
	prober  *prober  // nil unless the chooser tests paths
	clock   *clock   // nil unless its control has timers, paces or counts
	detects detection
	pool    *pool   // nil unless it is of one
	bundle  *bundle // nil unless its control has bundles
}

// detection is how a connection finds losses beside timeouts that are fixed.
type detection struct {
	timer    *reliable.Timer    // nil unless it has one for all packets
	patience *reliable.Patience // nil unless it adapts the timeout of its packets
	order    *reliable.Order    // nil unless the order of packets tells losses
}

// identity is whose connection it is.
type identity struct {
	group    int32
	src, dst int32  // host of the carrier; host in the network
	part     int32  // of messages, that it carries
	number   int32  // in its pool, from 1; 0 in none
	told     uint32 // how often paths had changed when it was told of them
}

// cores are the protocols of a connection, and their random streams.
type cores struct {
	congestion    protocol.Congestion
	entropy       protocol.Runs
	fielder       protocol.Fielder // nil unless its packets carry fields
	tracks        bool             // switches write on its packets
	congestionRng rand.PCG
	entropyRng    rand.PCG
}

// turns are the connections of a host that wait to send.
type turns struct {
	waiting
	// stopped are those of classes that are paused, by class; nil as long as none was.
	stopped *[8][]*connection
}

// waiting is connections that wait, first come first served. A connection is in one at most.
type waiting struct{ head, tail *connection }

// push adds a connection at the end.
func (l *waiting) push(c *connection) {
	if l.head == nil {
		l.head = c
	} else {
		l.tail.next = c
	}
	l.tail = c
}

// pop takes the first connection, of which there is one.
func (l *waiting) pop() *connection {
	c := l.head
	l.head, c.next = c.next, nil
	return c
}

// cut takes a connection out, wherever it stands.
func (l *waiting) cut(c *connection) {
	at, prev := &l.head, (*connection)(nil)
	for *at != c {
		prev = *at
		at = &prev.next
	}
	*at = c.next
	if l.tail == c {
		l.tail = prev
	}
	c.next = nil
}

// turn is the place of a connection among those.
type turn struct {
	ready  bool
	parked bool // until its class may be sent again
	held   bool // may not send for now; see clock and pool
	queues bool // for its bundle
	apart  bool // of a bundle, at a host with a backlog, or with a clock where carriers may be late
	next   *connection
	// Of one that is apart: since when it could send, and, at a host with a backlog, when its last packet was sent.
	readyAt, taken unit.Time
}

// kept tells what ever kept a connection from sending. It stays when the connection is used again, so that what no
// connection of a group met never acted.
type kept uint8

const (
	keptByWindow kept = 1 << iota
	keptByPace
	keptByReorderLimit
	keptByNagle
)

// credits is what a connection has beside whose receiver grants what it sends.
type credits struct {
	protocol.Credited
	// backlog is what is to be sent, for the first time or again, in wire bytes.
	backlog unit.Bytes
	// slot is its place among the side's borrowers ([slots]); life tells the connections
	// apart that use it one after another.
	slot, life uint32
	// starving tells that a deadline is set for a sender that waits for credit, and
	// moved is when it last spent, got or asked for some.
	starving bool
	moved    unit.Time
}

func (k *credits) open() {
	k.backlog, k.starving = 0, false
	k.life++
}

// prober is what a connection has beside whose entropy chooser tests paths.
type prober struct {
	protocol.Prober
	// slot is its place among the side's probers ([slots]); life tells the connections apart
	// that use it one after another.
	slot, life uint32
	// due is when the chooser is to be asked again, if armed.
	due   unit.Time
	armed bool
}

func (p *prober) open() {
	p.life++
	p.armed = false
}

// clock is what a connection has beside whose congestion control has deadlines of its own,
// spaces packets, or counts what is sent.
type clock struct {
	// The control, if it is one of these.
	timed   protocol.Timed
	pacer   protocol.Pacer
	counter protocol.SendCounter
	// slot is its place among the side's clocked connections ([slots]); life tells the connections
	// apart that use it one after another.
	slot, life uint32

	// line is the rate of the host's link, 0 if it is not known.
	line unit.Rate
	// gap is the wait after the frame sent last: for a rate, or else only until counts. The
	// connection is held till then, unless the rate is the line's.
	gap gap
	// packet is when the host looks whether the wait is over, Forever if it does not. Other
	// deadlines of the slot are void.
	packet unit.Time
	// entropy is that of the last packet, if its frames carry fields.
	entropy uint16
	// alarm is the number of the host's alarm for the control's deadlines.
	alarm uint32
}

// alarms are those of a host. A connection takes over the alarm of one that ended, with the
// deadline that the host may have in its heap, so that there are no more of these than of
// connections at a time.
type alarms struct {
	list []alarm
	free []uint32
}

// alarm is when a host looks at the deadline of a control: at no time, if that is Forever. Other
// deadlines of the alarm are void.
type alarm struct {
	conn *connection
	at   unit.Time
}

// take returns the number of an alarm for a connection.
func (a *alarms) take(c *connection) uint32 {
	if n := len(a.free); n > 0 {
		i := a.free[n-1]
		a.free = a.free[:n-1]
		a.list[i].conn = c
		return i
	}
	a.list = append(a.list, alarm{c, unit.Forever})
	return uint32(len(a.list) - 1)
}

// closeClock ends what the clock of a connection waits for.
func (h *host) closeClock(c *connection) {
	if c.clock.timed != nil {
		h.alarms.list[c.clock.alarm].conn = nil
		h.alarms.free = append(h.alarms.free, c.clock.alarm)
	}
}

// pool is the connections from a host to another that take one message at a time. They
// exist beforehand, as it were; each is made when it is first needed.
type pool struct {
	// free are the idle ones, the one that was freed last at the end; if messages take
	// connections in turn, all of them, whose turn is next at next.
	free []*connection
	made int
	next int
	// room stands for the connection of messages that wait for one, in order.
	room connection
}

// bundle is what the connections of a host to another one share whose control has a
// protocol.Bundle: after a frame of one, all wait for its gap, and then take turns.
type bundle struct {
	protocol.Bundle
	gap  gap
	line unit.Rate // of the host's link
	// held tells that the gap goes on, and look when the host looks whether it is over, Forever
	// if it does not.
	held bool
	look unit.Time
	// kept tells that a gap ever went on.
	kept bool
	slot uint32
	// taken is when the last frame was sent, at a host with a backlog.
	taken unit.Time
	// active counts the messages that are under way.
	active  int32
	waiting // for the gap
	// confirmer is the Bundle if it is one, and confirms what it said last.
	confirmer protocol.Confirmer
	confirms  bool
}

// keep has a connection wait that could send but for its bundle, or for those that waited longer: while some wait
// and the gap is over, one has its turn, and passes it on.
func (b *bundle) keep(c *connection) bool {
	if c.queues {
		return true
	}
	if !b.held {
		return false
	}
	c.queues = true
	b.push(c)
	return true
}

// drop takes a connection from those that wait.
func (b *bundle) drop(c *connection) {
	c.queues = false
	b.cut(c)
}

// backlog reckons the queue that a NIC would have which took what the paces of its connections
// allow, for controls with SourceMarks. NICs here pull, so that nothing is queued. But a
// connection whose pace R let it send at t, and whose frame is taken at t', would have queued
// R·(t' - t) more by then; and what is queued shrinks at the line rate C while the wire is idle.
// So it grows as the fluid queue does whose input is the sum of all R, each at most C. It is never more
// than what there is to send, nor by more than two full frames above KMax: a NIC pushes back on what feeds its queue. So
// the marks end soon after the sum of R falls below C.
type backlog struct {
	end.SourceMarks
	queued, left unit.Bytes
	most         unit.Bytes // that is queued
	line         unit.Rate
	free         unit.Time // when the wire is, after the frame taken last
	rng          rand.PCG
}

// splits are the messages that are sent in parts, of which some are not acknowledged.
type splits struct {
	list []uint8 // how many parts are left
	free []int32
}

func (l *splits) begin(parts uint8) int32 {
	i := int32(len(l.list))
	if n := len(l.free); n > 0 {
		i = l.free[n-1]
		l.free = l.free[:n-1]
	} else {
		l.list = append(l.list, 0)
	}
	l.list[i] = parts
	return i
}

// last notes that a part of a message is acknowledged and tells whether it was the last.
func (l *splits) last(i int32) bool {
	if l.list[i]--; l.list[i] > 0 {
		return false
	}
	l.free = append(l.free, i)
	return true
}
