package connection_test

import (
	"container/heap"
	"math/rand/v2"
	"testing"

	"weft/internal/connection"
	"weft/internal/connection/end"
	"weft/internal/connection/sending"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// This file has a carrier of connections, and of transports of hosts, that is not the simulator: a network in memory of
// hosts on one switch, each with a store of its own, as processes with sockets have.

const (
	rate    = 10 * unit.Gbps
	delay   = 2 * unit.Microsecond
	payload = 1000 * unit.Byte
	header  = 78 * unit.Byte
	short   = 84 * unit.Byte               // of packets without payload
	baseRTT = 4*delay + 4*unit.Microsecond // about: with serialisation of a packet and its acknowledgement
)

// memory is the network.
type memory struct {
	t     testing.TB
	now   unit.Time
	queue events
	seq   int
	hosts []host
	// up and down are when the links of the hosts, to and from the switch, are free.
	up, down []unit.Time
	timers   []unit.Time
	pulls    []bool // a host is asked for a packet when its uplink is free
	marks    unit.Bytes
	loss     float64
	held     func() unit.Time    // for how long the switch holds a packet back, which others overtake; nil for none
	trims    float64             // how many data packets of connections lose their payload
	safe     func(datagram) bool // whether a packet is never lost; nil for none
	heed     func(end.Delivery)  // of connections; nil for none
	rng      *rand.Rand

	ordinal                         uint64 // of the next message
	submitted, delivered, completed int
	bytes                           unit.Bytes
	last                            unit.Time // when a message was delivered last
}

// host is what the network carries.
type host interface {
	submit(now unit.Time, dst int32, bytes unit.Bytes, ordinal uint64)
	// next returns the next packet to send.
	next(now unit.Time) (datagram, bool)
	arrive(now unit.Time, d datagram)
	// expire acts on time, and returns when to be called again.
	expire(now unit.Time)
	due() unit.Time
	check() error
}

// datagram is a packet between two hosts.
type datagram struct {
	src, dst int32
	size     unit.Bytes
	marked   bool
	told     int // what a test notes of it
	// One of these is what it brings.
	head   packet.Packet
	views  packet.Views
	hosted *protocol.Packet
}

type event struct {
	at  unit.Time
	seq int
	do  func()
}

type events []event

func (q events) Len() int { return len(q) }
func (q events) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q events) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *events) Push(x any)   { *q = append(*q, x.(event)) }
func (q *events) Pop() any {
	old := *q
	e := old[len(old)-1]
	*q = old[:len(old)-1]
	return e
}

func newMemory(t testing.TB, hosts int) *memory {
	m := &memory{t: t, marks: 65 * payload, rng: rand.New(rand.NewPCG(1, 2))}
	m.hosts = make([]host, hosts)
	m.up, m.down, m.timers, m.pulls = make([]unit.Time, hosts), make([]unit.Time, hosts), make([]unit.Time, hosts), make([]bool, hosts)
	return m
}

func (m *memory) at(at unit.Time, do func()) {
	m.seq++
	heap.Push(&m.queue, event{max(at, m.now), m.seq, do})
}

// send submits a message.
func (m *memory) send(src, dst int32, bytes unit.Bytes) (ordinal uint64) {
	ordinal = m.ordinal
	m.ordinal++
	m.submitted++
	m.hosts[src].submit(m.now, dst, bytes, ordinal)
	m.stir(src)
	return ordinal
}

// stir lets a host send and wait after anything happened to it.
func (m *memory) stir(h int32) {
	if err := m.hosts[h].check(); err != nil {
		m.t.Fatalf("at %v: host %d: %v", m.now, h, err)
	}
	if !m.pulls[h] {
		m.pulls[h] = true
		m.at(m.up[h], func() { m.pull(h) })
	}
	if due := m.hosts[h].due(); due < unit.Forever && (m.timers[h] <= m.now || due < m.timers[h]) {
		m.timers[h] = max(due, m.now+1)
		at := m.timers[h]
		m.at(at, func() {
			if m.timers[h] == at {
				m.timers[h] = 0
				m.hosts[h].expire(m.now)
				m.stir(h)
			}
		})
	}
}

// pull sends a host's next packet.
func (m *memory) pull(h int32) {
	m.pulls[h] = false
	d, ok := m.hosts[h].next(m.now)
	if !ok {
		return
	}
	d.src = h
	m.up[h] = m.now + rate.Transmit(d.size)
	m.at(m.up[h]+delay, func() { m.forward(d) })
	m.stir(h)
}

// forward queues a packet for the link to its host.
func (m *memory) forward(d datagram) {
	if m.rng.Float64() < m.loss && (m.safe == nil || !m.safe(d)) {
		return
	}
	if m.trims > 0 && d.head.Kind == end.Data && m.rng.Float64() < m.trims {
		d.head.Flags |= packet.Trimmed
		d.size, d.head.Size = header, uint16(header)
	}
	free := &m.down[d.dst]
	*free = max(*free, m.now)
	d.marked = rate.In(*free-m.now) > m.marks
	*free += rate.Transmit(d.size)
	at := *free + delay
	if m.held != nil {
		at += m.held()
	}
	m.at(at, func() {
		m.hosts[d.dst].arrive(m.now, d)
		m.stir(d.dst)
	})
}

// came notes that a message was delivered.
func (m *memory) came() { m.delivered, m.last = m.delivered+1, m.now }

// run handles events up to a time, or until none is left, which it tells.
func (m *memory) run(until unit.Time) (idle bool) {
	for len(m.queue) > 0 && m.queue[0].at <= until {
		e := heap.Pop(&m.queue).(event)
		m.now = e.at
		e.do()
	}
	return len(m.queue) == 0
}

// ends is a host with connections.
type ends struct {
	connection.Hosts
	m     *memory
	store packet.Store
	timer unit.Time
	group int32
}

// connect gives a host connections with a control.
func (m *memory) connect(h int32, net *end.Network) *ends {
	e := &ends{m: m, timer: unit.Forever}
	e.Open(connection.Config{Store: &e.store, Network: net, Carrier: e, Hosts: []int32{h}})
	m.hosts[h] = e
	return e
}

func (e *ends) SetTimer(_ int32, at unit.Time) { e.timer = min(e.timer, at) }

func (e *ends) Delivered(_ unit.Time, _ int32, d end.Delivery) {
	e.m.came()
	if e.m.heed != nil {
		e.m.heed(d)
	}
}

func (e *ends) Completed(_ unit.Time, _ int32, _ end.Completion) { e.m.completed++ }

func (e *ends) submit(now unit.Time, dst int32, bytes unit.Bytes, ordinal uint64) {
	e.Start(now, 0, &sending.Message{Group: e.group, Dst: dst, Size: bytes, Ordinal: ordinal})
}

func (e *ends) next(now unit.Time) (d datagram, ok bool) {
	id, _, ok := e.Next(now, 0)
	if !ok {
		return d, false
	}
	d.head = *e.store.At(id)
	d.dst, d.size = d.head.Dst(), unit.Bytes(d.head.Size)
	if d.head.Flags&packet.Extended != 0 {
		e.store.Export(&d.head, &d.views)
	}
	e.store.Leave(id)
	return d, true
}

func (e *ends) arrive(now unit.Time, d datagram) {
	if d.marked {
		d.head.Flags |= packet.Marked
	}
	if d.head.Flags&packet.Extended != 0 {
		e.store.Import(&d.head, &d.views)
	}
	before := e.Receiving.Arrived
	e.Receive(now, 0, e.store.Keep(&d.head, packet.None))
	e.m.bytes += unit.Bytes(e.Receiving.Arrived - before)
}

func (e *ends) expire(now unit.Time) {
	e.timer = unit.Forever
	agenda := &e.Host(0).Agenda
	for len(*agenda) > 0 && (*agenda)[0].At <= now {
		e.Expire(now, 0, agenda.Pop())
	}
	if len(*agenda) > 0 {
		e.timer = (*agenda)[0].At
	}
}

func (e *ends) due() unit.Time { return e.timer }
func (e *ends) check() error   { return e.Sending.Check() }

// whole is a host with a transport of its own.
type whole struct {
	protocol.HostTransport
	m   *memory
	out protocol.HostOutput
}

func (w *whole) submit(now unit.Time, dst int32, bytes unit.Bytes, ordinal uint64) {
	w.Submit(now, &protocol.HostMessage{Peer: dst, Tag: ordinal, Bytes: bytes})
	w.heed()
}

func (w *whole) next(now unit.Time) (d datagram, ok bool) {
	p := &protocol.Packet{}
	if ok = w.Next(now, p); ok {
		d = datagram{dst: p.Peer, size: p.Wire, hosted: p}
	}
	w.heed()
	return d, ok
}

func (w *whole) arrive(now unit.Time, d datagram) {
	p := *d.hosted
	p.Peer = d.src
	if d.marked {
		p.Flags |= protocol.Marked
	}
	w.m.bytes += w.Receive(now, &p)
	w.heed()
}

func (w *whole) heed() {
	for _, e := range w.out.Events {
		switch e.Kind {
		case protocol.MessageDelivered:
			w.m.came()
		case protocol.MessageCompleted:
			w.m.completed++
		}
	}
	w.out.Events = w.out.Events[:0]
}

func (w *whole) expire(now unit.Time) {
	if at, ok := w.Deadline(); ok && at <= now {
		w.Expire(now)
		w.heed()
	}
}

func (w *whole) due() unit.Time {
	at, ok := w.Deadline()
	if !ok {
		at = unit.Forever
	}
	if soon, ok := w.Ready(); ok && soon > w.m.now { // else it was asked
		at = min(at, soon)
	}
	return at
}

func (w *whole) check() error { return w.Check() }

// finish runs until nothing is left to happen, and demands that every message came and every byte once.
func (m *memory) finish(bytes unit.Bytes) {
	m.t.Helper()
	if !m.run(100 * unit.Second) {
		m.t.Fatalf("after %v something is left to happen", m.now)
	}
	if m.delivered != m.submitted || m.completed != m.submitted || m.bytes != bytes {
		m.t.Fatalf("of %d messages %d were delivered and %d completed, with %v of %v", m.submitted, m.delivered, m.completed, m.bytes, bytes)
	}
}
