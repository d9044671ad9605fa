package sird

import (
	"container/heap"
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// lan is hosts on one switch: each has an uplink and a downlink of 100 Gb/s with a FIFO
// at the switch for the downlink. It is all that SIRD needs around it, and no simulator.
type lan struct {
	t      rapid.TB
	now    unit.Time
	seq    int
	events events
	hosts  []*lanHost
	delay  unit.Time // from host to switch, and from switch to host
	rate   unit.Rate
	// fate, if not nil, says how many copies of a packet arrive, each later by what it adds.
	fate func(from int32, p *protocol.Packet) []unit.Time
	// arrived, if not nil, sees a packet before its host does.
	arrived func(to int32, p *protocol.Packet)

	submitted, delivered, completed map[[2]uint64]int // by host and tag
	fresh                           unit.Bytes
	config                          *config
	lastTag                         uint64
	dead                            map[int32]bool
}

type lanHost struct {
	*host
	out   protocol.HostOutput
	free  unit.Time // when the uplink is free
	down  unit.Time // when the downlink's queue is empty
	queue unit.Bytes
	most  unit.Bytes // largest queue of scheduled data
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
	leftQueue
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

// testOptions are those of the paper's simulations.
func testOptions() Options {
	bdp := 100 * unit.KB
	return Options{
		Preset: Paper, BDP: &bdp, B: unit.Amount{BDPs: 1.5}, SenderBucket: unit.Amount{BDPs: 1},
		UnschT: Threshold{Amount: unit.Amount{BDPs: 1}}, SThr: Threshold{Amount: unit.Amount{BDPs: 0.5}},
		Gain: 0.08, SenderFloor: unit.Amount{BDPs: 0.1}, NetFloor: unit.Amount{BDPs: 0.03},
		Policy: "srpt", FairShare: 0.5, Priority: "control+unscheduled", Confirm: true, Silence: 5 * unit.Millisecond,
	}
}

func testEnv(hosts int32) protocol.HostEnv {
	return protocol.HostEnv{
		LineRate: 100 * unit.Gbps, Packet: 1538, BDP: 100 * unit.KB, BaseRTT: 5500 * unit.Nanosecond,
		Hosts: hosts, Payload: 1458, Header: 80, Control: 84, Classes: 2,
	}
}

func newLan(t rapid.TB, o Options, hosts int32, env protocol.HostEnv) *lan {
	l := &lan{
		t: t, delay: 1250 * unit.Nanosecond, rate: env.LineRate, config: newConfig(o, env),
		submitted: map[[2]uint64]int{}, delivered: map[[2]uint64]int{}, completed: map[[2]uint64]int{}, dead: map[int32]bool{},
	}
	for i := range hosts {
		h := &lanHost{timer: unit.Forever}
		env.Host, env.Out = i, &h.out
		h.host = newHost(newConfig(o, env), env)
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

func (l *lan) send(from, to int32, bytes unit.Bytes, group uint8) uint64 {
	l.lastTag++
	h := l.hosts[from]
	l.submitted[[2]uint64{uint64(from), l.lastTag}]++
	h.Submit(l.now, &protocol.HostMessage{Peer: to, Group: group, Tag: l.lastTag, Bytes: bytes})
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
	at, ok := h.Deadline()
	if !ok {
		at = unit.Forever
	}
	if soon, ok := h.Ready(); ok {
		if soon <= l.now {
			l.push(max(l.now, h.free), wireFree, i, nil)
		} else {
			at = min(at, soon)
		}
	}
	if at < h.timer || h.timer < l.now {
		h.timer = max(at, l.now)
		if at < unit.Forever {
			l.push(h.timer, timerDue, i, nil)
		}
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
		if l.now < h.free || l.dead[e.host] {
			return
		}
		var p protocol.Packet
		if !h.Next(l.now, &p) {
			l.after(e.host)
			return
		}
		if p.Payload > 0 && p.Wire != p.Payload+l.config.header || p.Kind >= protocol.HostKinds {
			l.t.Fatalf("packet %+v", p)
		}
		h.free = l.now + l.rate.Transmit(p.Wire)
		to := p.Peer
		p.Peer = e.host
		copies := []unit.Time{0}
		if l.fate != nil {
			copies = l.fate(e.host, &p)
		}
		for _, late := range copies {
			l.push(h.free+l.delay+late, atSwitch, to, &p)
		}
		l.after(e.host)
	case atSwitch:
		start := max(l.now, h.down)
		h.down = start + l.rate.Transmit(e.p.Wire)
		if e.p.Kind == kindData {
			h.queue += e.p.Wire
			h.most = max(h.most, h.queue)
		}
		l.push(h.down, leftQueue, e.host, &e.p)
	case leftQueue:
		if e.p.Kind == kindData {
			h.queue -= e.p.Wire
		}
		l.push(l.now+l.delay, atHost, e.host, &e.p)
	case atHost:
		if l.dead[e.host] {
			return
		}
		if l.arrived != nil {
			l.arrived(e.host, &e.p)
		}
		l.fresh += h.Receive(l.now, &e.p)
		l.after(e.host)
	case timerDue:
		if h.timer == l.now {
			h.timer = unit.Forever
		}
		if l.dead[e.host] {
			return
		}
		h.Expire(l.now)
		l.after(e.host)
	}
}

// settled fails unless every message was delivered and completed once, and all credit is
// back where it came from.
func (l *lan) settled() error {
	for key := range l.submitted {
		if n := l.delivered[key]; n != 1 {
			return fmt.Errorf("message %d of host %d was delivered %d times", key[1], key[0], n)
		}
		if n := l.completed[key]; n != 1 {
			return fmt.Errorf("message %d of host %d was completed %d times", key[1], key[0], n)
		}
	}
	for i, h := range l.hosts {
		if c := h.Credit(); c.Outstanding != 0 || c.Held != 0 {
			return fmt.Errorf("host %d has %v of credit outstanding and holds %v when all is done", i, c.Outstanding, c.Held)
		}
		if len(h.wanting)+len(h.active)+h.incomplete+h.unfinished+h.unconfirmed != 0 {
			return fmt.Errorf("host %d: %d messages want credit, %d receivers are active, %d messages are incomplete, %d unfinished and %d unconfirmed",
				i, len(h.wanting), len(h.active), h.incomplete, h.unfinished, h.unconfirmed)
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
