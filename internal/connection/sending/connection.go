package sending

import (
	"math/rand/v2"

	"weft/internal/connection/end"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/unit"
)

// This file defines the state of a connection and of its optional features. Each feature has a
// file of its own.

// connection is the sending end of a connection.
type connection struct {
	identity
	window   unit.Bytes
	inflight unit.Bytes
	// queue lists the connection's messages that have something to send.
	queue messageList
	// active counts the messages that are not fully acknowledged.
	active int32
	stalls stalls
	turn
	cores
	credits *credits // nil unless receivers grant credit to it
	prober  *prober  // nil unless its chooser tests paths
	clock   *clock   // nil unless its control has deadlines, a pace or counts
	detects detection
	pool    *pool   // nil unless it belongs to a pool
	bundle  *bundle // nil unless its control has bundles
}

// detection holds the loss detectors of a connection, beyond fixed timeouts.
type detection struct {
	timer    *reliable.Timer    // nil unless one timer serves all packets
	patience *reliable.Patience // nil unless timeouts of packets are adaptive
	order    *reliable.Order    // nil unless losses are detected by packet order
}

// identity says which connection this is.
type identity struct {
	group        int32
	src, dst     int32  // host of the carrier; host in the network
	part         int32  // of messages (subflow)
	number       int32  // in its pool, from 1; 0 if it has no pool
	pathsVersion uint32 // Network.Reroutes when it was last told its paths
}

// cores holds a connection's control and entropy chooser, and their random streams.
type cores struct {
	congestion    protocol.Congestion
	entropy       protocol.Runs
	fielder       protocol.Fielder // nil unless its packets carry fields
	tracks        bool             // switches write on its packets
	congestionRng rand.PCG
	entropyRng    rand.PCG
}

// turns holds the connections of a host that wait to send.
type turns struct {
	waiting
	// stopped holds connections of paused classes, by class. It is nil until a class is paused.
	stopped *[8][]*connection
}

// waiting is a FIFO list of connections. A connection is in at most one such list.
type waiting struct{ head, tail *connection }

// push appends a connection.
func (l *waiting) push(c *connection) {
	if l.head == nil {
		l.head = c
	} else {
		l.tail.next = c
	}
	l.tail = c
}

// pop removes and returns the first connection. The list must not be empty.
func (l *waiting) pop() *connection {
	c := l.head
	l.head, c.next = c.next, nil
	return c
}

// cut removes a connection from the list. It must be in the list.
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

// turn is a connection's state in the lists of those that wait to send.
type turn struct {
	ready      bool
	parked     bool // its class is paused
	held       bool // must not send for now; see clock and pool
	queues     bool // waits for its bundle
	timesReady bool // readyAt is kept: has a bundle or a clock that needs it, or its host a backlog
	next       *connection
	// If timesReady is set: when it became able to send, and, at a host with a backlog, when its
	// last packet was sent.
	readyAt, taken unit.Time
}

// stalls records what has ever stopped a connection from sending. It is not reset when the
// connection is reused, so it shows which options of the group had an effect.
type stalls uint8

const (
	stalledByWindow stalls = 1 << iota
	stalledByPace
	stalledByReorderLimit
	stalledByNagle
)

// credits is the extra state of a connection whose receiver grants credit.
type credits struct {
	protocol.Credited
	// backlog is the number of wire bytes to send, for the first time or again.
	backlog unit.Bytes
	// slot is its index in [slots].borrowers. life distinguishes the connections that use the
	// slot one after another.
	slot, life uint32
	// starving is set while there is a deadline for missing credit. moved is when the sender last
	// spent, received or requested credit.
	starving bool
	moved    unit.Time
}

func (k *credits) open() {
	k.backlog, k.starving = 0, false
	k.life++
}

// prober is the extra state of a connection whose entropy chooser tests paths.
type prober struct {
	protocol.Prober
	// slot is its index in [slots].probers. life distinguishes the connections that use the slot
	// one after another.
	slot, life uint32
	// due is when to ask the chooser again, if armed.
	due   unit.Time
	armed bool
}

func (p *prober) open() {
	p.life++
	p.armed = false
}

// clock is the extra state of a connection whose congestion control has deadlines of its own,
// spaces packets, or counts sent bytes.
type clock struct {
	// The control, or nil where it does not implement the interface.
	timed   protocol.Timed
	pacer   protocol.Pacer
	counter protocol.SendCounter
	// slot is its index in [slots].clocked. life distinguishes the connections that use the slot
	// one after another.
	slot, life uint32

	// line is the rate of the host's link, 0 if unknown.
	line unit.Rate
	// gap is the wait after the last frame. For a control that gives a gap instead of a rate,
	// only until is used. The connection is held until the gap ends, unless the rate is the
	// line's.
	gap gap
	// packet is when the host checks whether the gap is over, or Forever. Other deadlines of the
	// slot are void.
	packet unit.Time
	// entropy is the last packet's, if its frames carry fields.
	entropy uint16
	// alarm is the index of the host's alarm for the control's deadlines.
	alarm uint32
}

// alarms holds a host's alarms. A new connection takes over the alarm of an ended one, with the
// deadline that may still be in the host's agenda. So there are never more alarms than concurrent
// connections.
type alarms struct {
	list []alarm
	free []uint32
}

// alarm is when a host checks the deadline of a control, or Forever. Other deadlines of the alarm
// are void.
type alarm struct {
	conn *connection
	at   unit.Time
}

// take reserves an alarm for a connection and returns its index.
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

// closeClock releases the alarm of a connection's clock.
func (h *host) closeClock(c *connection) {
	if c.clock.timed != nil {
		h.alarms.list[c.clock.alarm].conn = nil
		h.alarms.free = append(h.alarms.free, c.clock.alarm)
	}
}

// pool holds the connections from one host to another that carry one message at a time.
// Conceptually they exist from the start; each is created when first needed.
type pool struct {
	// free holds the idle connections, the one released last at the end. If messages take
	// connections in turn, it holds all of them, and next is the index of the next one.
	free []*connection
	made int
	next int
	// room queues the messages that wait for a connection, in order.
	room connection
}

// bundle is the state shared by one host's connections to another whose control has a
// protocol.Bundle. After a frame of any of them, all wait for the bundle's gap. Then they take
// turns.
type bundle struct {
	protocol.Bundle
	gap  gap
	line unit.Rate // rate of the host's link
	// held is set while the gap runs. look is when the host checks whether it is over, or
	// Forever.
	held bool
	look unit.Time
	// stalled is set once a gap has held a connection back.
	stalled bool
	slot    uint32
	// taken is when the last frame was sent, at a host with a backlog.
	taken unit.Time
	// active counts the messages under way.
	active  int32
	waiting // connections that wait for the gap or their turn
	// confirmer is the Bundle if it implements the interface. confirms is what it said last.
	confirmer protocol.Confirmer
	confirms  bool
}

// mustWait makes a connection that is able to send wait for its bundle, and reports whether it
// must. It waits while the gap runs. After that, connections that have waited longer go first:
// each passes the turn on.
func (b *bundle) mustWait(c *connection) bool {
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

// drop removes a connection from those that wait.
func (b *bundle) drop(c *connection) {
	c.queues = false
	b.cut(c)
}

// backlog models the queue of a NIC that accepts data at the pace of its connections, for
// controls with SourceMarks. The NICs here pull packets instead, so there is no real queue.
//
// A connection whose pace R allows a frame at t, and whose frame is taken only at t', would have
// queued R·(t' - t) by then. The queue shrinks at the line rate C while the wire is idle. So it
// grows like the fluid queue whose input is the sum of all R, each at most C. It never exceeds
// the data there is to send, nor KMax by more than two full frames, because a NIC pushes back on
// its sources. So marks end soon after the sum of R falls below C.
type backlog struct {
	end.SourceMarks
	queued, left unit.Bytes
	most         unit.Bytes // upper limit of queued
	line         unit.Rate
	free         unit.Time // when the wire is free after the last frame
	rng          rand.PCG
}

// splits counts the open parts of messages that are sent in parts.
type splits struct {
	list []uint8 // parts not yet acknowledged, by message
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

// last notes that a part of a message is acknowledged, and reports whether it was the last one.
func (l *splits) last(i int32) bool {
	if l.list[i]--; l.list[i] > 0 {
		return false
	}
	l.free = append(l.free, i)
	return true
}
