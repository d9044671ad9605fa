package homa

import (
	"container/heap"
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// lan is hosts on one switch: each has an uplink and a downlink of 100 Gb/s, with a queue
// of eight strict priorities at the switch. It is all that Homa needs around it.
type lan struct {
	t      rapid.TB
	now    unit.Time
	seq    int
	events events
	hosts  []*lanHost
	delay  unit.Time // from host to switch, and from switch to host
	// fate, if not nil, says how many copies of a packet arrive, each later by what it adds.
	fate func(from int32, p *protocol.Packet) []unit.Time
	// arrived, if not nil, sees a packet before its host does.
	arrived func(to int32, p *protocol.Packet)

	submitted, delivered, completed map[[2]uint64]int // by host and tag
	bytes, fresh                    unit.Bytes
	config                          *config
	lastTag                         uint64
}

type lanHost struct {
	*host
	out   protocol.HostOutput
	free  unit.Time // when the uplink is free
	down  bool      // whether the downlink is busy
	queue [8][]protocol.Packet
	timer unit.Time
}

type event struct {
	at   unit.Time
	seq  int
	what uint8 // of the values below
	host int32
	p    protocol.Packet
}

const (
	wireFree uint8 = iota
	atSwitch
	downFree
	atHost
	timerDue
)

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

const rate = 100 * unit.Gbps

// testOptions are those of SIRD's evaluation for WKc.
func testOptions(preset string) Options {
	bdp := 100 * unit.KB
	return Options{
		Preset: preset, BDP: &bdp, RTTBytes: unit.Amount{BDPs: 1}, Priorities: 8, Saved: 14, Confirm: true,
	}
}

func testEnv(hosts int32) protocol.HostEnv {
	return protocol.HostEnv{
		LineRate: rate, Packet: 1538, BDP: 100 * unit.KB, BaseRTT: 5500 * unit.Nanosecond,
		Hosts: hosts, Payload: 1442, Header: 96, Control: 86, Classes: 8,
	}
}

// build returns the configuration of options.
func build(t rapid.TB, o Options, env protocol.HostEnv) *config {
	t.Helper()
	if err := o.check(); err != nil {
		t.Fatal(err)
	}
	rows, err := o.workload()
	if err != nil {
		t.Fatal(err)
	}
	c := newConfig(o, rows, env)
	if err := o.checkIn(c, env); err != nil {
		t.Fatal(err)
	}
	return c
}

func newLan(t rapid.TB, o Options, hosts int32, env protocol.HostEnv) *lan {
	l := &lan{
		t: t, delay: 1250 * unit.Nanosecond, config: build(t, o, env),
		submitted: map[[2]uint64]int{}, delivered: map[[2]uint64]int{}, completed: map[[2]uint64]int{},
	}
	for i := range hosts {
		h := &lanHost{timer: unit.Forever}
		env.Host, env.Out = i, &h.out
		h.host = newHost(l.config, env)
		l.hosts = append(l.hosts, h)
	}
	return l
}

func (l *lan) push(at unit.Time, what uint8, host int32, p *protocol.Packet) {
	e := event{at: at, seq: l.seq, what: what, host: host}
	if p != nil {
		e.p = *p
	}
	l.seq++
	heap.Push(&l.events, e)
}

func (l *lan) send(from, to int32, bytes unit.Bytes) uint64 {
	l.lastTag++
	h := l.hosts[from]
	l.submitted[[2]uint64{uint64(from), l.lastTag}]++
	l.bytes += bytes
	h.Submit(l.now, &protocol.HostMessage{Peer: to, Tag: l.lastTag, Bytes: bytes})
	l.after(from)
	return l.lastTag
}

// after looks at what a host wants once it was called.
func (l *lan) after(i int32) {
	h := l.hosts[i]
	for _, v := range h.out.Events {
		switch v.Kind {
		case protocol.MessageDelivered:
			l.delivered[[2]uint64{uint64(v.Peer), v.Tag}]++
		case protocol.MessageCompleted:
			l.completed[[2]uint64{uint64(i), v.Tag}]++
		}
	}
	h.out.Events = h.out.Events[:0]
	if err := h.Check(); err != nil {
		l.t.Fatalf("at %v, host %d: %v", l.now, i, err)
	}
	if _, ok := h.Ready(); ok {
		l.push(max(l.now, h.free), wireFree, i, nil)
	}
	at, ok := h.Deadline()
	if ok && (at < h.timer || h.timer < l.now) {
		h.timer = max(at, l.now)
		l.push(h.timer, timerDue, i, nil)
	}
}

// run handles events up to a time and returns whether any are left.
func (l *lan) run(until unit.Time) bool {
	for len(l.events) > 0 && l.events[0].at <= until {
		e := heap.Pop(&l.events).(event)
		l.now = e.at
		l.handle(&e)
	}
	l.now = max(l.now, until)
	return len(l.events) > 0
}

func (l *lan) handle(e *event) {
	h := l.hosts[e.host]
	switch e.what {
	case wireFree:
		if l.now >= h.free {
			l.transmit(e.host)
		}
	case atSwitch:
		h.queue[e.p.Class] = append(h.queue[e.p.Class], e.p)
		l.serve(e.host)
	case downFree:
		h.down = false
		l.serve(e.host)
	case atHost:
		if l.arrived != nil {
			l.arrived(e.host, &e.p)
		}
		l.fresh += h.Receive(l.now, &e.p)
		l.after(e.host)
	case timerDue:
		if h.timer == l.now {
			h.timer = unit.Forever
		}
		h.Expire(l.now)
		l.after(e.host)
	}
}

func (l *lan) transmit(from int32) {
	h := l.hosts[from]
	var p protocol.Packet
	if !h.Next(l.now, &p) {
		l.after(from)
		return
	}
	header := l.config.header
	if p.Kind == kindScheduled {
		header = l.config.schedHeader
	}
	if p.Payload > 0 && p.Wire != p.Payload+header || p.Kind >= protocol.HostKinds || int(p.Class) >= l.config.priorities {
		l.t.Fatalf("packet %+v", p)
	}
	h.free = l.now + rate.Transmit(p.Wire)
	to := p.Peer
	p.Peer = from
	copies := []unit.Time{0}
	if l.fate != nil {
		copies = l.fate(from, &p)
	}
	for _, late := range copies {
		l.push(h.free+l.delay+late, atSwitch, to, &p)
	}
	l.after(from)
}

// serve sends the first packet of the best class over a downlink.
func (l *lan) serve(to int32) {
	h := l.hosts[to]
	for k := range h.queue {
		if h.down || len(h.queue[k]) == 0 {
			continue
		}
		p := h.queue[k][0]
		h.queue[k] = h.queue[k][1:]
		h.down = true
		done := l.now + rate.Transmit(p.Wire)
		l.push(done, downFree, to, nil)
		l.push(done+l.delay, atHost, to, &p)
	}
}

// settled fails unless every message was delivered and completed once, and nothing is left
// of any.
func (l *lan) settled() error {
	for key := range l.submitted {
		if n := l.delivered[key]; n != 1 {
			return fmt.Errorf("message %d of host %d was delivered %d times", key[1], key[0], n)
		}
		if n := l.completed[key]; n != 1 {
			return fmt.Errorf("message %d of host %d was completed %d times", key[1], key[0], n)
		}
	}
	if l.fresh != l.bytes {
		return fmt.Errorf("%v of %v arrived", l.fresh, l.bytes)
	}
	for i, h := range l.hosts {
		if c := h.Credit(); c.Outstanding != 0 || c.Held != 0 || c.Own != 0 {
			return fmt.Errorf("host %d: %+v when all is done", i, c)
		}
		if len(h.ranked)+len(h.timed)+len(h.ready)+h.incomplete+h.unconfirmed != 0 {
			return fmt.Errorf("host %d: %d senders want grants, %d wait for it, %d messages are ready, %d incomplete and %d unconfirmed",
				i, len(h.ranked), len(h.timed), len(h.ready), h.incomplete, h.unconfirmed)
		}
	}
	return nil
}

// chance returns a fate that loses, repeats and delays packets.
func chance(rng *rand.Rand, loss, repeat float64, jitter unit.Time) func(int32, *protocol.Packet) []unit.Time {
	return func(int32, *protocol.Packet) []unit.Time {
		if rng.Float64() < loss {
			return nil
		}
		copies := []unit.Time{0}
		for rng.Float64() < repeat && len(copies) < 4 {
			copies = append(copies, 0)
		}
		for i := range copies {
			if jitter > 0 {
				copies[i] = unit.Time(rng.Int64N(int64(jitter)))
			}
		}
		return copies
	}
}
