package transport

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// alarmed is a congestion control with a deadline that a script sets.
type alarmed struct {
	fixed
	at    unit.Time
	acked int
	rang  []unit.Time
	// script is called after the n-th acknowledgement, from 1 on; 0 is the start.
	script func(c *alarmed, n int, now unit.Time)
	// ring is called at a deadline; nil leaves none.
	ring func(c *alarmed, now unit.Time)
}

func (c *alarmed) Start(now unit.Time) {
	c.at, c.acked = unit.Forever, 0
	c.script(c, 0, now)
}

func (c *alarmed) Acked(a *protocol.Ack) {
	c.acked++
	c.script(c, c.acked, a.Now)
}

func (c *alarmed) Deadline() unit.Time { return c.at }

func (c *alarmed) Expire(now unit.Time) {
	c.rang = append(c.rang, now)
	c.at = unit.Forever
	if c.ring != nil {
		c.ring(c, now)
	}
}

// queues are the kinds of event queue, sweeping first.
var queues = []sim.QueueKind{sim.Swept, sim.Calendar, sim.Heap}

// TestDeadlines: a control is called at its deadline exactly, wherever that was moved meanwhile,
// and never when it is cancelled or the connection ends before. Its packets are acknowledged one
// round trip after the other; times are from when the message begins.
func TestDeadlines(t *testing.T) {
	l := labConfig{Graph: star(t, 4)}.build(t)
	rtt := Ideal(l.hops(0, 1), payload, payload, header) + Ideal(l.hops(1, 0), 0, payload, ackSize)
	type moves map[int]unit.Time // deadlines that acknowledgements set
	for _, c := range []struct {
		name  string
		moves moves
		ring  func(*alarmed, unit.Time)
		want  []unit.Time
	}{
		{"comes", moves{0: 3*rtt + 7}, nil, []unit.Time{3*rtt + 7}},
		{"with an acknowledgement", moves{0: 3 * rtt}, nil, []unit.Time{3 * rtt}},
		{"put off", moves{0: 3*rtt + 7, 2: 5*rtt + 1}, nil, []unit.Time{5*rtt + 1}},
		{"put off again and again", moves{0: rtt + 1, 1: 2*rtt + 1, 2: 3*rtt + 1, 3: 4*rtt + 1}, nil, []unit.Time{4*rtt + 1}},
		{"moved up", moves{0: 5 * rtt, 1: 2*rtt + 3}, nil, []unit.Time{2*rtt + 3}},
		{"moved to and fro", moves{0: 5*rtt + 1, 1: 3*rtt + 1, 2: 6*rtt + 1}, nil, []unit.Time{6*rtt + 1}},
		{"cancelled", moves{0: 3*rtt + 7, 2: unit.Forever}, nil, nil},
		{"cancelled and set to the same", moves{0: 5*rtt + 1, 1: unit.Forever, 2: 5*rtt + 1}, nil, []unit.Time{5*rtt + 1}},
		{"set to a time that has passed", moves{2: rtt / 2}, nil, []unit.Time{2 * rtt}},
		{"again at every ring", moves{0: rtt / 2}, func(c *alarmed, now unit.Time) { c.at = now + 3*rtt }, []unit.Time{rtt / 2, 3*rtt + rtt/2, 6*rtt + rtt/2}},
		{"after the end", moves{0: 8*rtt + 1}, nil, nil},
	} {
		for _, kind := range queues {
			for _, connections := range []int{1, 3} {
				const apart = 200 * unit.Microsecond // so that none is in the way of another
				var controls []*alarmed
				p := params(payload)
				p.Congestion.New = func(protocol.Env) protocol.Congestion {
					begin := unit.Time(0)
					k := &alarmed{fixed: fixed{window: payload}}
					k.script = func(k *alarmed, n int, now unit.Time) {
						if n == 0 {
							begin = now
						}
						if at, moved := c.moves[n]; moved && at == unit.Forever {
							k.at = at
						} else if moved {
							k.at = begin + at
						}
					}
					k.ring = func(k *alarmed, now unit.Time) {
						k.rang[len(k.rang)-1] -= begin
						if c.ring != nil {
							c.ring(k, now)
						}
					}
					controls = append(controls, k)
					return k
				}
				var messages []workload.Message
				for i := range connections {
					messages = append(messages, workload.Message{At: unit.Time(i) * apart, Dst: int32(i + 1), Size: 8 * payload})
				}
				l := labConfig{Graph: star(t, 4), Queue: kind, Groups: []Group{{Params: p, Sources: from(0, 4, messages...)}}}.build(t)
				l.finish(t)
				if len(controls) != 1 {
					t.Fatalf("%d controls, want one that connections use one after another", len(controls))
				}
				var want []unit.Time
				for range connections {
					want = append(want, c.want...)
				}
				if !slices.Equal(controls[0].rang, want) {
					t.Errorf("%s, queue %v, %d connections: rang at %v, want %v", c.name, kind, connections, controls[0].rang, want)
				}
				if end := 8*rtt + unit.Time(connections-1)*apart; l.Bound() != sim.Forever {
					t.Errorf("%s: something is to happen at %v, after the end at %v", c.name, l.Bound(), end)
				}
			}
		}
	}
}

// TestDeadlinesOfManyConnections has connections of a host wait for times of their own at once.
func TestDeadlinesOfManyConnections(t *testing.T) {
	const n, us = 40, unit.Microsecond
	for _, kind := range queues {
		p := params(payload)
		var made []*alarmed
		p.Congestion.New = func(protocol.Env) protocol.Congestion {
			first := unit.Time(100-2*len(made)) * us / 10
			every := unit.Time(3+len(made)%7) * us / 3
			k := &alarmed{fixed: fixed{window: payload}}
			k.script = func(k *alarmed, n int, now unit.Time) {
				if n == 0 {
					k.at = now + first
				}
			}
			k.ring = func(k *alarmed, now unit.Time) { k.at = now + every }
			made = append(made, k)
			return k
		}
		messages := make([]workload.Message, n)
		for i := range messages {
			messages[i] = workload.Message{Dst: int32(i%3 + 1), Size: 10 * payload}
		}
		l := labConfig{Graph: star(t, 4), Queue: kind, Groups: []Group{{Params: p, Sources: from(0, 4, messages...)}}}.build(t)
		ends := l.finish(t)
		for i, k := range made {
			first, every := unit.Time(100-2*i)*us/10, unit.Time(3+i%7)*us/3
			var want []unit.Time
			for at := first; at < ends[i].SenderEnd; at += every {
				want = append(want, at)
			}
			if len(want) < 5 || !slices.Equal(k.rang, want) {
				t.Errorf("queue %v, connection %d: rang at %v, want %v", kind, i, k.rang, want)
			}
		}
	}
}

// TestDeadlinesWhileIdle: an idle connection sets no timer, and its control is called for what it
// missed when the connection goes on, before it is told to restart.
func TestDeadlinesWhileIdle(t *testing.T) {
	const us = unit.Microsecond
	for _, pooled := range []bool{false, true} {
		p := params(unit.MiB)
		p.PerPair = !pooled
		if pooled {
			p.Pool = 1
		}
		control, restarts := &alarmed{fixed: fixed{window: unit.MiB}}, []string(nil)
		control.script = func(c *alarmed, n int, now unit.Time) {
			if n == 0 {
				c.at = now + 20*us
			}
		}
		control.ring = func(c *alarmed, now unit.Time) {
			restarts = append(restarts, fmt.Sprintf("ring %v", now))
			if now < 80*us {
				c.at = now + 20*us
			}
		}
		p.Congestion.New = func(protocol.Env) protocol.Congestion { return awake{control, &restarts} }
		l := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2,
			workload.Message{Dst: 1, Size: payload}, workload.Message{At: 100 * us, Dst: 1, Size: payload})}}}.build(t)
		l.run(t, 21*us)
		if at := l.Bound(); at != 100*us {
			t.Errorf("while the connection is idle something happens at %v, before the next message at 100us", at)
		}
		l.finish(t)
		if want := []string{"ring 20us", "ring 40us", "ring 60us", "ring 80us", "restart 100us"}; !slices.Equal(restarts, want) {
			t.Errorf("pooled %t: %v, want %v", pooled, restarts, want)
		}
	}
}

type awake struct {
	*alarmed
	log *[]string
}

func (c awake) Restart(now unit.Time) { *c.log = append(*c.log, fmt.Sprintf("restart %v", now)) }

// TestAlarmsAreFew: connections that end leave no deadlines behind, but for one that the next one
// takes over.
func TestAlarmsAreFew(t *testing.T) {
	const n = 10_000
	messages := make(list, n)
	for i := range messages {
		messages[i] = workload.Message{At: unit.Time(i) * unit.Microsecond, Dst: 1, Size: payload}
	}
	p := params(unit.MiB)
	p.Congestion.New = func(protocol.Env) protocol.Congestion {
		return &alarmed{fixed: fixed{window: unit.MiB}, script: func(c *alarmed, n int, now unit.Time) {
			c.at = now + 90*unit.Millisecond
		}}
	}
	l := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: []workload.Source{&messages, nil}}}}.build(t)
	l.run(t, n*unit.Microsecond)
	if waits := len(l.transport.endpoints[0].Host(0).Agenda); waits > 40 {
		t.Errorf("%d deadlines after %d messages", waits, n)
	}
	l.finish(t)
}

// stuck is a control whose deadline stays.
type stuck struct{ fixed }

func (c *stuck) Deadline() unit.Time { return unit.Microsecond }
func (c *stuck) Expire(unit.Time)    { c.log = true }

// TestDeadlineThatStays ends in a breach, not in a run that never does.
func TestDeadlineThatStays(t *testing.T) {
	for _, first := range []unit.Bytes{payload, 100 * payload} { // idle when it comes, or not
		p := params(payload)
		p.PerPair = true
		p.Congestion.New = func(protocol.Env) protocol.Congestion { return &stuck{fixed{window: payload}} }
		l := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2,
			workload.Message{Dst: 1, Size: first}, workload.Message{At: unit.Millisecond, Dst: 1, Size: payload})}}}.build(t)
		l.finish(t)
		b := l.transport.Breach()
		if b == nil || b.Promise != "protocol.Timed" || b.Hosted || b.At != unit.Microsecond || !strings.Contains(b.Rule, "must be later") {
			t.Errorf("breach %+v", b)
		}
	}
}

// paced is a congestion control with a rate.
type paced struct {
	alarmed
	rate unit.Rate
	wire unit.Bytes // that was sent
}

func (c *paced) Pace() protocol.Pace            { return protocol.Pace{Rate: c.rate} }
func (c *paced) Sent(_ unit.Time, n unit.Bytes) { c.wire += n }
func pacing(rate unit.Rate, w unit.Bytes) *paced {
	return &paced{rate: rate, alarmed: alarmed{fixed: fixed{window: w}, script: func(*alarmed, int, unit.Time) {}}}
}

// pacedLab sends n packets from host 0 to host 1 over a star, and notes when they leave.
func pacedLab(t *testing.T, kind sim.QueueKind, c *paced, change func(*Params), n unit.Bytes) (*lab, *[]sim.Time) {
	p := params(0)
	p.Congestion.New = func(protocol.Env) protocol.Congestion { return c }
	if change != nil {
		change(&p)
	}
	sent := new([]sim.Time)
	return labConfig{
		Graph: star(t, 2), Queue: kind, Groups: []Group{{Params: p, Sources: from(0, 2, message1(n*payload))}},
		hooks: hooks{sent: func(now sim.Time, _ int32, f *fabric.Frame) {
			if f.Kind == end.Data {
				*sent = append(*sent, now)
			}
		}},
	}.build(t), sent
}

// TestPacingByRate: packet n leaves n·wire·8/rate after the first, to the picosecond.
func TestPacingByRate(t *testing.T) {
	for _, kind := range queues {
		for _, rate := range []unit.Rate{unit.Mbps, 123_456_789, 7 * unit.Gbps, 50 * unit.Gbps, 99_999_999_999, 100*unit.Gbps - 1} {
			c := pacing(rate, unit.MiB)
			l, sent := pacedLab(t, kind, c, nil, 20)
			l.finish(t)
			for i, at := range *sent {
				want := unit.Time(uint64(i) * (payload + header) * 8 / uint64(rate) * bitWork) // whole seconds
				want += unit.Time(uint64(i) * (payload + header) * 8 % uint64(rate) * 1_000_000 / uint64(rate) * 1_000_000)
				left := uint64(i) * (payload + header) * 8 % uint64(rate) * 1_000_000 % uint64(rate)
				want += unit.Time(left * 1_000_000 / uint64(rate))
				if at != want {
					t.Fatalf("queue %v, %v: packet %d left at %d, want %d", kind, rate, i, at, want)
				}
			}
			if want := unit.Bytes(20 * (payload + header)); c.wire != want {
				t.Errorf("the control was told of %d B, want %d", c.wire, want)
			}
		}
	}
}

// TestPacingAtLineRate costs nothing: neither events nor time.
func TestPacingAtLineRate(t *testing.T) {
	plain, sent := pacedLab(t, sim.Heap, pacing(0, unit.MiB), nil, 40)
	plain.finish(t)
	for _, rate := range []unit.Rate{100 * unit.Gbps, unit.Tbps} {
		l, s := pacedLab(t, sim.Heap, pacing(rate, unit.MiB), nil, 40)
		l.finish(t)
		if l.Events() != plain.Events() || !slices.Equal(*s, *sent) {
			t.Errorf("%v: %d events, %d without rate; packets left at %v, %v without", rate, l.Events(), plain.Events(), *s, *sent)
		}
	}
}

// TestRateChanges: what is left of a gap when the rate changes is rescaled by old/new.
func TestRateChanges(t *testing.T) {
	// The first acknowledgement comes a round trip after the first packet. At 4 Gb/s a packet's gap
	// is 8.32 µs, so that the second packet still waits.
	const wire = (payload + header) * 8
	l := labConfig{Graph: star(t, 2)}.build(t)
	rtt := Ideal(l.hops(0, 1), payload, payload, header) + Ideal(l.hops(1, 0), 0, payload, ackSize)
	const old = 4 * unit.Gbps
	left := wire*bitWork/int64(old) - int64(rtt)
	if left <= 0 {
		t.Fatalf("a gap of %v ps is over at the first acknowledgement", left)
	}
	const line = 100 * unit.Gbps
	for _, c := range []struct {
		rate   unit.Rate
		second unit.Time
	}{
		{8 * unit.Gbps, rtt + unit.Time(left)/2},
		{unit.Gbps, rtt + unit.Time(left)*4},
		{40 * unit.Gbps, rtt + unit.Time(left)/10},
		{old, rtt + unit.Time(left)},
		{line, rtt + unit.Time(left)/25}, // what is left of a slow gap is waited for
		{0, rtt},
	} {
		for _, kind := range queues {
			k := pacing(old, unit.MiB)
			k.script = func(_ *alarmed, n int, _ unit.Time) {
				if n == 1 {
					k.rate = c.rate
				}
			}
			l, sent := pacedLab(t, kind, k, nil, 3)
			l.finish(t)
			next := c.second + unit.Time(wire*bitWork/int64(line))
			if c.rate > 0 && c.rate < line {
				next = c.second + unit.Time(wire*bitWork/int64(c.rate))
			}
			if want := []sim.Time{0, c.second, next}; !slices.Equal(*sent, want) {
				t.Errorf("%v to %v, queue %v: packets left at %v, want %v", old, c.rate, kind, *sent, want)
			}
		}
	}

	// A deadline changes the rate as well, and a packet at line rate counts when the rate falls
	// while the wire has it.
	for _, c := range []struct {
		name     string
		old, new unit.Rate
		at       unit.Time
		second   unit.Time
	}{
		{"to a fifth", 5 * unit.Gbps, unit.Gbps, unit.Microsecond, unit.Microsecond + 5*(6_656_000-unit.Microsecond)},
		{"to the double", 5 * unit.Gbps, 10 * unit.Gbps, unit.Microsecond, unit.Microsecond + (6_656_000-unit.Microsecond)/2},
		{"from line rate", line, line / 2, 100_000, 100_000 + 2*(332_800-100_000)},
	} {
		k := pacing(c.old, unit.MiB)
		k.script = func(a *alarmed, n int, _ unit.Time) {
			if n == 0 {
				a.at = c.at
			}
		}
		k.ring = func(*alarmed, unit.Time) { k.rate = c.new }
		l, sent := pacedLab(t, sim.Swept, k, nil, 2)
		l.finish(t)
		if want := []sim.Time{0, c.second}; !slices.Equal(*sent, want) {
			t.Errorf("%s: packets left at %v, want %v", c.name, *sent, want)
		}
	}
}

// TestRateChangesWhileIdle: a rate that recovers while the connection is idle counts for the next
// packet from when it did.
func TestRateChangesWhileIdle(t *testing.T) {
	const us = unit.Microsecond
	k := pacing(100*unit.Mbps, unit.MiB) // a gap of 332.8 µs
	k.script = func(a *alarmed, n int, _ unit.Time) {
		if n == 0 {
			a.at = 100 * us
		}
	}
	k.ring = func(*alarmed, unit.Time) { k.rate = 200 * unit.Mbps }
	var sent []sim.Time
	p := params(0)
	p.PerPair = true
	p.Congestion.New = func(protocol.Env) protocol.Congestion { return k }
	l := labConfig{
		Graph: star(t, 2),
		Groups: []Group{{Params: p, Sources: from(0, 2,
			workload.Message{Dst: 1, Size: payload}, workload.Message{At: 150 * us, Dst: 1, Size: payload})}},
		hooks: hooks{sent: func(now sim.Time, _ int32, f *fabric.Frame) {
			if f.Kind == end.Data {
				sent = append(sent, now)
			}
		}},
	}.build(t)
	l.finish(t)
	if want := []sim.Time{0, 100*us + (332_800_000-100*us)/2}; !slices.Equal(sent, want) {
		t.Errorf("packets left at %v, want %v", sent, want)
	}
}

// TestPacingAsksForNoAck: a packet after which the sender waits for its rate only does not make
// the receiver acknowledge at once; one that fills the window does.
func TestPacingAsksForNoAck(t *testing.T) {
	for _, c := range []struct {
		window unit.Bytes
		acks   uint64
	}{{unit.MiB, 4}, {2 * payload, 8}} {
		l, _ := pacedLab(t, sim.Swept, pacing(50*unit.Gbps, c.window), func(p *Params) { p.AckEvery = 4 }, 16)
		l.finish(t)
		if got := l.transport.Counts().Acks; got != c.acks {
			t.Errorf("a window of %v: %d acknowledgements, want %d", c.window, got, c.acks)
		}
	}
}

// TestPacedConnectionsShareTheWire: two connections of a host keep their own rates, whether frames
// are pulled or queue at the NIC.
func TestPacedConnectionsShareTheWire(t *testing.T) {
	rates := []unit.Rate{60 * unit.Gbps, 30 * unit.Gbps, 5 * unit.Gbps}
	for _, nic := range []*NICQueue{nil, {Thresholds: slices.Repeat([]unit.Bytes{unit.MiB}, 4)}} {
		p := params(0)
		made := 0
		p.Congestion.New = func(protocol.Env) protocol.Congestion {
			made++
			return pacing(rates[made-1], unit.MiB)
		}
		last := map[int32][]sim.Time{}
		l := labConfig{
			Graph: star(t, 4), NIC: nic,
			Groups: []Group{{Params: p, Sources: from(0, 4,
				workload.Message{Dst: 1, Size: 120 * payload}, workload.Message{Dst: 2, Size: 60 * payload}, workload.Message{Dst: 3, Size: 10 * payload})}},
			hooks: hooks{sent: func(now sim.Time, _ int32, f *fabric.Frame) {
				if f.Kind == end.Data {
					last[f.Dst()] = append(last[f.Dst()], now)
				}
			}},
		}.build(t)
		l.finish(t)
		for i, rate := range rates {
			at := last[int32(i+1)]
			took := at[len(at)-1] - at[0]
			want := unit.Time(int64(len(at)-1) * wireBits * bitWork / 1000 / (int64(rate) / 1000))
			// A frame may find the wire taken by one each of the others, and its own gap begins when
			// it is begun.
			if took < want-2*332_800 || took > want+unit.Time(len(at))*2*332_800 {
				t.Errorf("queue %t, %v: %d packets took %v, want about %v", nic != nil, rate, len(at), took, want)
			}
		}
	}
}

const (
	wireBits = (payload + header) * 8
	// bitWork is what a bit costs in units of which a rate of r bit/s does r in a picosecond.
	bitWork = 1_000_000_000_000
)

// restless is a control whose deadline and rate move at random, and which checks that it is called
// at its deadline, not before and not after.
type restless struct {
	wander
	at    unit.Time
	rate  unit.Rate
	wrong func(string, ...any)
	rings uint64
}

func (c *restless) Start(now unit.Time) {
	c.wander.Start(now)
	c.at, c.rate = unit.Forever, 0
	c.move(now)
}

func (c *restless) move(now unit.Time) {
	switch r := c.rng.Uint64(); r % 8 {
	case 0:
		c.at = unit.Forever
	case 1, 2, 3:
		c.at = now + unit.Time(r>>8%uint64(30*unit.Microsecond))
	case 4:
		c.at = now + unit.Time(r>>8%uint64(unit.Microsecond))
	}
	switch r := c.rng.Uint64(); r % 6 {
	case 0:
		c.rate = 0
	case 1, 2, 3:
		c.rate = unit.Rate(r>>8%uint64(120*unit.Gbps)) + 50*unit.Mbps
	}
}

func (c *restless) check(now unit.Time) {
	if c.at < now {
		c.wrong("a control is called at %d, but its deadline was at %d", now, c.at)
	}
}

func (c *restless) Acked(a *protocol.Ack) {
	c.check(a.Now)
	c.wander.Acked(a)
	c.move(a.Now)
}

func (c *restless) Lost(l *protocol.Loss) {
	c.check(l.Now)
	c.wander.Lost(l)
	c.move(l.Now)
}

func (c *restless) Sent(now unit.Time, _ unit.Bytes) {
	c.check(now)
	if c.rng.Uint64()%4 == 0 {
		c.move(now)
	}
}

func (c *restless) Restart(now unit.Time) { c.check(now) }
func (c *restless) Deadline() unit.Time   { return c.at }

func (c *restless) Expire(now unit.Time) {
	if c.at != now {
		c.wrong("Expire is called at %d, but the deadline is at %d", now, c.at)
	}
	c.rings++
	c.at = unit.Forever
	c.step()
	c.move(now + 1)
}

func (c *restless) Pace() protocol.Pace { return protocol.Pace{Rate: c.rate} }

func restlessly(env protocol.Env, t rapid.TB) *restless {
	return &restless{wander: *wandering(env), wrong: func(f string, args ...any) { t.Errorf(f, args...) }}
}

// TestNoAllocationOfClocks runs connections with deadlines, rates and answers until everything has
// reached its size, and counts allocations from then on.
func TestNoAllocationOfClocks(t *testing.T) {
	for _, every := range []int{1, 8} {
		const hosts = 6
		p := params(0)
		p.AckEvery, p.RTO = every, 50*unit.Microsecond
		p.Balancer = spraying()
		p.Env.Payload = payload
		var controls []*restless
		p.Congestion = protocol.CongestionControl{
			New: func(env protocol.Env) protocol.Congestion {
				c := restlessly(env, t)
				controls = append(controls, c)
				return c
			},
			NewAnswerer: func(protocol.HostEnv) protocol.Answerer { return &echoer{} },
		}
		sources := make([]workload.Source, hosts)
		for h := range sources {
			s := &loop{dst: int32((h + 2) % hosts), size: 40 * payload, left: 1 << 30, ready: 2}
			s.completed = make([]unit.Time, 0, 1<<16)
			sources[h] = s
		}
		lab := labConfig{
			Graph:  graph(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 1, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, SwitchLatency: 0}),
			Port:   func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: 20 * payload} },
			Groups: []Group{{Params: p, Sources: sources}},
		}.build(t)
		lab.transport.from, lab.transport.to = 0, 0 // no records
		lab.run(t, 20*unit.Millisecond)
		rings := func() (n uint64) {
			for _, c := range controls {
				n += c.rings
			}
			return n
		}
		var before, after runtime.MemStats
		start, rang := lab.transport.Counts(), rings()
		runtime.ReadMemStats(&before)
		lab.Run(40*unit.Millisecond, 1)
		runtime.ReadMemStats(&after)
		end := lab.transport.Counts()
		packets := end.Packets - start.Packets
		if allocations := after.Mallocs - before.Mallocs; packets < 5000 || allocations*1000 > packets {
			t.Errorf("an ACK for %d packets: %d allocations for %d packets", every, allocations, packets)
		}
		if rings()-rang < 100 {
			t.Errorf("%d deadlines came", rings()-rang)
		}
	}
}
