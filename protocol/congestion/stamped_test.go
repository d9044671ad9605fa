package congestion

import (
	"testing"

	"weft/protocol"
	"weft/unit"
)

// wan has a base RTT of 8 us at 100 Gb/s: 100 packets of 1000 B, 80 ns each.
func wan() protocol.Env {
	return protocol.Env{
		Payload: 1000, Packet: 1000, BDP: 100_000, BDPPackets: 100,
		BaseRTT: 8 * us, RTO: 100 * us, LineRate: 100 * unit.Gbps,
	}
}

// port stamps as a port does that is busy for a share of the time, in the given queue.
type port struct {
	rate unit.Rate
	busy float64
	// queue is what waits there.
	queue unit.Bytes
}

// stamp returns the stamp at a time.
func (p port) stamp(at unit.Time) protocol.Stamp {
	return protocol.Stamp{At: at, Queue: p.queue, Rate: p.rate, Sent: unit.Bytes(p.busy * float64(p.rate.In(at)))}
}

// stamped acknowledges a packet that was sent a while ago, over ports with these loads.
func stamped(now, ago unit.Time, path uint32, ports ...port) *protocol.Ack {
	a := &protocol.Ack{Now: now, Packets: 1, RTT: ago, Stamps: protocol.Stamps{Path: path}}
	for _, p := range ports {
		a.Stamps.Hops = append(a.Stamps.Hops, p.stamp(now))
	}
	return a
}

func newHPCC(t testing.TB, change func(*HPCC)) *hpcc {
	t.Helper()
	o := defaults[HPCC](t, "hpcc")
	if change != nil {
		change(&o)
	}
	return buildIn(t, o, wan()).(*hpcc)
}

func newFNCC(t testing.TB, change func(*FNCC)) *hpcc {
	t.Helper()
	o := defaults[FNCC](t, "fncc")
	if change != nil {
		change(&o)
	}
	return buildIn(t, o, wan()).(*hpcc)
}

// buildIn builds a control in an environment.
func buildIn(t testing.TB, o options, env protocol.Env) protocol.Congestion {
	t.Helper()
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	c := b.New(env)
	c.Start(0)
	return c
}

// link is one link of 100 Gb/s with a queue and hosts at the same rate behind it, in steps of 4 ns:
// a fabric with one switch. Acknowledgements come a base RTT after transmission began.
type link struct {
	flows []*sending
	queue []*packet
	acks  []*packet
	now   unit.Time
	busy  unit.Time // until when the link is
	sent  unit.Bytes
	most  int // packets that the queue held
}

type packet struct {
	of        *sending
	sent, due unit.Time
	stamps    [1]protocol.Stamp
}

// sending is a flow that always has more to send.
type sending struct {
	protocol.Congestion
	next     unit.Time
	inflight unit.Bytes
	acked    unit.Bytes
}

const tick = 4 * unit.Nanosecond

// add lets a flow begin.
func (l *link) add(c protocol.Congestion) *sending {
	f := &sending{Congestion: c, next: l.now}
	l.flows = append(l.flows, f)
	return f
}

// run lets time pass.
func (l *link) run(until unit.Time) {
	env := wan()
	for ; l.now < until; l.now += tick {
		for len(l.acks) > 0 && l.acks[0].due <= l.now {
			p := l.acks[0]
			l.acks = l.acks[1:]
			p.of.inflight -= env.Payload
			p.of.acked += env.Payload
			p.of.Acked(&protocol.Ack{
				Now: l.now, Packets: 1, RTT: l.now - p.sent,
				Stamps:   protocol.Stamps{Path: 1, Hops: p.stamps[:]},
				Answered: true, Answer: protocol.Answer{uint64(len(l.flows))},
			})
		}
		for _, f := range l.flows {
			pace := f.Congestion.(protocol.Pacer).Pace().Rate
			if f.next > l.now || f.inflight+env.Payload > f.Window() {
				continue
			}
			f.next = max(f.next, l.now-tick) + pace.Transmit(env.Packet)
			f.inflight += env.Payload
			l.queue = append(l.queue, &packet{of: f, sent: l.now})
		}
		l.most = max(l.most, len(l.queue))
		if len(l.queue) > 0 && l.busy <= l.now {
			p := l.queue[0]
			l.queue = l.queue[1:]
			p.stamps[0] = protocol.Stamp{At: l.now, Queue: unit.Bytes(len(l.queue)) * env.Packet, Sent: l.sent, Rate: env.LineRate}
			p.due = l.now + env.BaseRTT
			l.sent += env.Packet
			l.busy = l.now + env.LineRate.Transmit(env.Packet)
			l.acks = append(l.acks, p)
		}
	}
}

// share returns what each flow had of the link while a function lets time pass.
func (l *link) share(pass func()) []float64 {
	began := l.now
	shares := make([]float64, len(l.flows))
	for i, f := range l.flows {
		shares[i] = -float64(f.acked)
	}
	pass()
	whole := float64(wan().LineRate.In(l.now - began))
	for i, f := range l.flows {
		shares[i] = (shares[i] + float64(f.acked)) / whole
	}
	return shares
}

// BenchmarkStamped is an acknowledgement with the stamps of five switches.
func BenchmarkStamped(b *testing.B) {
	c := newFNCC(b, nil)
	busy := port{100 * unit.Gbps, 0.9, 3000}
	a := stamped(0, 8*us, 1, busy, busy, busy, busy, busy)
	b.ReportAllocs()
	for b.Loop() {
		a.Now += 80 * unit.Nanosecond
		for i := range a.Stamps.Hops {
			a.Stamps.Hops[i].At = a.Now
			a.Stamps.Hops[i].Sent += 900
		}
		c.Acked(a)
		c.Window()
	}
}
