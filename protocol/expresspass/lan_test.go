package expresspass

import (
	"container/heap"
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// lan is hosts on one switch with links of 100 Gb/s, whose ports to the hosts limit
// credits. It is all that ExpressPass needs around it.
type lan struct {
	t      rapid.TB
	config *config
	now    unit.Time
	seq    int
	events events
	hosts  []*lanHost
	delay  unit.Time // from host to switch, and from switch to host
	// fate, if not nil, says how many copies of a packet arrive, each later by what it adds.
	fate func(p *protocol.Packet) []unit.Time

	delivered, completed map[uint64]int // by tag
	bytes, fresh         unit.Bytes
	tag                  uint64
	dropped              uint64 // credits, by the switch
	lost                 uint64 // credits, less copies, by fate
	deepest              unit.Bytes
}

type lanHost struct {
	*host
	out   protocol.HostOutput
	free  unit.Time // when the uplink is free
	timer unit.Time
	// The port of the switch.
	busy      bool
	inPort    []protocol.Packet // credits
	data      []protocol.Packet
	portBytes unit.Bytes
	dataBytes unit.Bytes
	tokens    protocol.CreditBucket
}

type event struct {
	at   unit.Time
	seq  int
	what func()
}

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

const (
	rate = 100 * unit.Gbps
	rtt  = 5500 * unit.Nanosecond
)

var class = protocol.CreditClass{Credit: 84, Data: 1538, Queue: 672, Burst: 168}

func testOptions(preset string) Options {
	return Options{
		Preset: preset, Alpha: 1. / 16, WInit: 1. / 16, WMin: 0.01, WMax: 0.5, Jitter: 0.1, CreditMax: 92, Retry: 100 * unit.Microsecond,
	}
}

func testEnv(hosts int32) protocol.HostEnv {
	return protocol.HostEnv{
		LineRate: rate, Packet: 1538, BDP: 68750, BaseRTT: rtt, Hosts: hosts,
		Payload: 1460, Header: 78, Control: 84, Classes: 2, Credits: class,
	}
}

func newLan(t rapid.TB, o Options, hosts int32, seed uint64) *lan {
	t.Helper()
	env := testEnv(hosts)
	if _, err := o.Build(); err != nil {
		t.Fatal(err)
	}
	if err := o.checkIn(env); err != nil {
		t.Fatal(err)
	}
	l := &lan{t: t, config: newConfig(o, env), delay: 1250 * unit.Nanosecond, delivered: map[uint64]int{}, completed: map[uint64]int{}}
	for i := range hosts {
		h := &lanHost{timer: unit.Forever}
		env.Host, env.Out, env.Rand = i, &h.out, rand.NewPCG(seed, uint64(i))
		h.host = newHost(l.config, env)
		l.hosts = append(l.hosts, h)
	}
	return l
}

func (l *lan) after(at unit.Time, what func()) {
	heap.Push(&l.events, event{max(at, l.now), l.seq, what})
	l.seq++
}

func (l *lan) send(from, to int32, bytes unit.Bytes) {
	l.tag++
	l.bytes += bytes
	l.delivered[l.tag] += 0
	l.hosts[from].Submit(l.now, &protocol.HostMessage{Peer: to, Tag: l.tag, Bytes: bytes})
	l.called(from)
}

// called looks at what a host wants once it was called.
func (l *lan) called(i int32) {
	h := l.hosts[i]
	for _, v := range h.out.Events {
		switch v.Kind {
		case protocol.MessageDelivered:
			l.delivered[v.Tag]++
		case protocol.MessageCompleted:
			l.completed[v.Tag]++
		}
	}
	h.out.Events = h.out.Events[:0]
	if err := h.Check(); err != nil {
		l.t.Fatalf("at %v, host %d: %v", l.now, i, err)
	}
	if at, ok := h.Ready(); ok {
		l.after(max(at, h.free), func() { l.transmit(i) })
	}
	if at, ok := h.Deadline(); ok && (at < h.timer || h.timer <= l.now) {
		h.timer = at
		l.after(at, func() {
			h.Expire(l.now)
			l.called(i)
		})
	}
}

// run handles events up to a time and returns whether any are left.
func (l *lan) run(until unit.Time) bool {
	for len(l.events) > 0 && l.events[0].at <= until {
		e := heap.Pop(&l.events).(event)
		l.now = e.at
		e.what()
	}
	l.now = max(l.now, until)
	return len(l.events) > 0
}

func (l *lan) transmit(from int32) {
	h := l.hosts[from]
	var p protocol.Packet
	if l.now < h.free {
		return // another call comes when it is free
	}
	if !h.Next(l.now, &p) {
		return
	}
	isCredit := p.Kind == kindCredit
	if p.Payload > 0 && p.Wire != p.Payload+l.config.header || isCredit != (p.Class == 0) || p.Flags&protocol.Pinned == 0 {
		l.t.Fatalf("packet %+v", p)
	}
	h.free = l.now + rate.Transmit(p.Wire)
	to := p.Peer
	p.Peer = from
	p.Flags &^= protocol.Pinned
	copies := []unit.Time{0}
	if l.fate != nil {
		copies = l.fate(&p)
	}
	if isCredit {
		l.lost += 1 - uint64(len(copies))
	}
	for _, late := range copies {
		l.after(h.free+l.delay+late, func() { l.enqueue(to, p) })
	}
	l.called(from)
}

func (l *lan) enqueue(to int32, p protocol.Packet) {
	h := l.hosts[to]
	switch {
	case p.Kind != kindCredit:
		h.data = append(h.data, p)
		h.dataBytes += p.Wire
		l.deepest = max(l.deepest, h.dataBytes)
	case h.portBytes+p.Wire > class.Queue:
		l.dropped++
		return
	default:
		h.inPort = append(h.inPort, p)
		h.portBytes += p.Wire
	}
	l.serve(to)
}

// serve sends what goes first over a downlink.
func (l *lan) serve(to int32) {
	h := l.hosts[to]
	if h.busy {
		return
	}
	var p protocol.Packet
	if len(h.inPort) > 0 {
		cost := class.Cost(rate, h.inPort[0].Wire)
		due := h.tokens.Due(cost, class.Cost(rate, class.Burst))
		if due <= l.now {
			p = h.inPort[0]
			h.inPort = h.inPort[1:]
			h.portBytes -= p.Wire
			h.tokens.Take(l.now, cost)
		} else if len(h.data) == 0 {
			l.after(due, func() { l.serve(to) })
			return
		}
	}
	if p.Wire == 0 {
		if len(h.data) == 0 {
			return
		}
		p = h.data[0]
		h.data = h.data[1:]
		h.dataBytes -= p.Wire
	}
	h.busy = true
	done := l.now + rate.Transmit(p.Wire)
	l.after(done, func() {
		h.busy = false
		l.serve(to)
	})
	l.after(done+l.delay, func() {
		l.fresh += h.Receive(l.now, &p)
		l.called(to)
	})
}

// settled fails unless every message was delivered and completed once, and nothing is left
// of any.
func (l *lan) settled() error {
	for tag := range l.delivered {
		if n, m := l.delivered[tag], l.completed[tag]; n != 1 || m != 1 {
			return fmt.Errorf("message %d was delivered %d times and completed %d times", tag, n, m)
		}
	}
	if l.fresh != l.bytes {
		return fmt.Errorf("%v of %v arrived", l.fresh, l.bytes)
	}
	var sum protocol.CreditCounts
	for i, h := range l.hosts {
		sum.Add(h.CreditCounts())
		if n := h.waits.Len() + h.pacing.Len() + h.packets.Len() + h.credits.Len(); n != 0 {
			return fmt.Errorf("host %d waits for %d things", i, n)
		}
	}
	if sum.Sent != sum.Received+l.dropped+l.lost {
		return fmt.Errorf("%d credits sent, %d received, %d dropped and %d lost", sum.Sent, sum.Received, l.dropped, l.lost)
	}
	return nil
}

// chance returns a fate that loses, repeats and delays packets.
func chance(rng *rand.Rand, loss, repeat float64, jitter unit.Time) func(*protocol.Packet) []unit.Time {
	return func(*protocol.Packet) []unit.Time {
		if rng.Float64() < loss {
			return nil
		}
		copies := []unit.Time{0}
		if rng.Float64() < repeat {
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
