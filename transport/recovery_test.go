package transport

import (
	"fmt"
	"slices"
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

// recovering are the kinds of recovery of which losses are reported.
func recovering() map[string]Recovery {
	return map[string]Recovery{
		"go-back-n": {Kind: GoBackN, Again: 500 * unit.Microsecond},
		"sack":      {Kind: SACK, Duplicates: 3},
		"irn":       {Kind: IRN, Few: 3, High: 320 * unit.Microsecond},
	}
}

// allRecovering are these and recovery by the order of packets, of which a group needs more.
func allRecovering() map[string]Recovery {
	all := recovering()
	all["order"] = Recovery{Kind: Order, Silence: 1.25}
	return all
}

// losing loses frames of one kind the first times that they are sent.
func losing(kind uint8, times map[uint32]int) func(sim.Time, int32, *fabric.Frame) bool {
	return func(_ sim.Time, _ int32, f *fabric.Frame) bool {
		if f.Kind == kind && times[f.Seq] > 0 {
			times[f.Seq]--
			return false
		}
		return true
	}
}

// TestOneLostPacket: with go-back-N a lost packet costs as many retransmissions as packets
// are in flight when its sender hears of it: its window, or what it sends in a round trip. With
// IRN it costs one.
func TestOneLostPacket(t *testing.T) {
	const lost = 50
	for _, window := range []uint32{4, 12, 64} {
		for kind := range recovering() {
			sent, flying, times := uint32(0), uint32(0), map[uint32]int{lost: 1}
			p := params(unit.Bytes(window) * payload)
			p.Recovery = recovering()[kind]
			control, entropy := watch(&p, unit.Bytes(window)*payload), count(&p)
			l := labConfig{
				Graph:  star(t, 2),
				Groups: []Group{{Params: p, Sources: from(0, 2, message1(200*payload))}},
				hooks: hooks{
					sent: func(_ sim.Time, h int32, f *fabric.Frame) {
						if h == 0 && f.Bits&end.Again == 0 {
							sent++
						}
					},
					received: func(now sim.Time, h int32, f *fabric.Frame) bool {
						if f.Kind == end.Nack && flying == 0 {
							flying = sent - lost
						}
						return losing(end.Data, times)(now, h, f)
					},
				},
			}.build(t)
			m := l.finish(t)[0]
			c := l.transport.Counts()
			want := uint32(1)
			if kind == "go-back-n" {
				want = flying
				if round := uint32(17); flying != min(window, round) { // from packet 50 to the report of packet 51 are 5.41 µs, and each takes 333 ns
					t.Errorf("%d packets are in flight, want %d", flying, min(window, round))
				}
			}
			if m.Retransmits != want || m.Timeouts != 0 || c.Spurious != 0 {
				t.Errorf("%s, window %d: %d retransmissions, %d timeouts, %d spurious; want %d, 0, 0", kind, window, m.Retransmits, m.Timeouts, c.Spurious, want)
			}
			if len(control.losses) != 1 || control.losses[0].Cause != protocol.Missing || len(entropy.losses) != 1 {
				t.Errorf("%s: the control is told of %+v", kind, control.losses)
			}
		}
	}
}

// TestFewInFlight: fewer packets than the window allows are in flight at the end of a message.
func TestFewInFlight(t *testing.T) {
	p := params(unit.MiB)
	p.Recovery = recovering()["go-back-n"]
	l := labConfig{
		Graph:  star(t, 2),
		Groups: []Group{{Params: p, Sources: from(0, 2, message1(10*payload))}},
		hooks:  hooks{received: losing(end.Data, map[uint32]int{3: 1})},
	}.build(t)
	// All ten are sent within a round trip.
	if m := l.finish(t)[0]; m.Retransmits != 7 || m.Timeouts != 0 {
		t.Errorf("%d retransmissions and %d timeouts of packets 3 to 9, want 7 and 0", m.Retransmits, m.Timeouts)
	}
}

// TestLostTail: nothing comes after the last packet, so that a timeout finds it.
func TestLostTail(t *testing.T) {
	for kind, r := range recovering() {
		p := params(unit.MiB)
		p.RTO, p.Recovery = 100*unit.Microsecond, r
		l := labConfig{
			Graph:  star(t, 2),
			Groups: []Group{{Params: p, Sources: from(0, 2, message1(10*payload))}},
			hooks:  hooks{received: losing(end.Data, map[uint32]int{9: 2})},
		}.build(t)
		m := l.finish(t)[0]
		ideal := Ideal(l.hops(0, 1), 10*payload, payload, header)
		if m.Retransmits != 2 || m.Timeouts != 2 || m.End < 200*unit.Microsecond || m.End > 200*unit.Microsecond+2*ideal {
			t.Errorf("%s: %d retransmissions and %d timeouts, delivered at %v", kind, m.Retransmits, m.Timeouts, m.End)
		}
	}
}

// TestTimeoutsOfIRN: few packets in flight have the low timeout, more of them the high one.
func TestTimeoutsOfIRN(t *testing.T) {
	const low, high = 100 * unit.Microsecond, 320 * unit.Microsecond
	for packets, rto := range map[uint32]unit.Time{1: low, 3: low, 4: high, 20: high} {
		p := params(unit.MiB)
		p.RTO, p.Recovery = low, recovering()["irn"]
		lost := map[uint32]int{}
		for seq := range packets {
			lost[seq] = 1
		}
		l := labConfig{
			Graph:  star(t, 2),
			Groups: []Group{{Params: p, Sources: from(0, 2, message1(unit.Bytes(packets)*payload))}},
			hooks:  hooks{received: losing(end.Data, lost)},
		}.build(t)
		m := l.finish(t)[0]
		ideal := Ideal(l.hops(0, 1), unit.Bytes(packets)*payload, payload, header)
		if m.Timeouts != packets || m.Retransmits != packets || m.End < rto || m.End > rto+ideal+10*unit.Microsecond {
			t.Errorf("%d packets, all lost: %d timeouts, delivered at %v, want about %v", packets, m.Timeouts, m.End, rto)
		}
	}
}

// TestLostLastAck: the packets that the sender repeats are acknowledged again.
func TestLostLastAck(t *testing.T) {
	for kind, r := range recovering() {
		for _, every := range []int{1, 4} {
			p := params(unit.MiB)
			p.RTO, p.Recovery, p.AckEvery, p.AckDelay = 100*unit.Microsecond, r, every, 10*unit.Microsecond
			l := labConfig{
				Graph:  star(t, 2),
				Groups: []Group{{Params: p, Sources: from(0, 2, message1(9*payload))}},
				hooks:  hooks{received: losing(end.Ack, map[uint32]int{8: 1})},
			}.build(t)
			m := l.finish(t)[0]
			if m.Retransmits == 0 || m.Timeouts == 0 || l.transport.Counts().Spurious == 0 || m.SenderEnd > unit.Millisecond {
				t.Errorf("%s, an acknowledgement of %d: %d retransmissions, %d timeouts, acknowledged at %v", kind, every, m.Retransmits, m.Timeouts, m.SenderEnd)
			}
		}
	}
}

// TestMissingIsAskedForAgain: a receiver asks for a packet once, and again after a time.
func TestMissingIsAskedForAgain(t *testing.T) {
	reports := 0
	p := params(8 * payload)
	p.RTO, p.Recovery = 100*unit.Millisecond, Recovery{Kind: GoBackN, Again: 500 * unit.Microsecond}
	lost := map[uint32]int{20: 2}
	l := labConfig{
		Graph:  star(t, 2),
		Groups: []Group{{Params: p, Sources: from(0, 2, message1(4000*payload))}},
		hooks: hooks{received: func(now sim.Time, h int32, f *fabric.Frame) bool {
			if f.Kind == end.Nack {
				reports++
			}
			return losing(end.Data, lost)(now, h, f)
		}},
	}.build(t)
	m := l.finish(t)[0]
	// The first report is answered by 8 packets, of which the first is lost again. No more
	// come until the timeout, since nothing is acknowledged.
	if reports != 1 || m.Timeouts != 1 || m.Retransmits != 16 {
		t.Errorf("%d reports, %d timeouts, %d retransmissions; want 1, 1 and 16", reports, m.Timeouts, m.Retransmits)
	}
}

// TestReorderingAndRecovery sprays over two paths of which one takes longer. With go-back-N
// each reordering costs a rewind. IRN sends again only what seems to be missing, and nothing
// if it tolerates how far packets overtake each other.
func TestReorderingAndRecovery(t *testing.T) {
	run := func(r Recovery) (Message, Counts) {
		g := graph(t, topo.LeafSpine{ToRs: 2, HostsPerToR: 1, Spines: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
		for i := range g.Links { // of one spine
			if from, to := g.Nodes[g.Links[i].A].Name, g.Nodes[g.Links[i].B].Name; from == "spine1" || to == "spine1" {
				g.Links[i].Delay = 4 * unit.Microsecond
			}
		}
		p := params(64 * payload)
		p.RTO, p.Recovery, p.Balancer = 10*unit.Millisecond, r, spraying()
		l := labConfig{Graph: g, Seed: 1, Groups: []Group{{Params: p, Sources: from(0, 2, workload.Message{Dst: 1, Size: 500 * payload})}}}.build(t)
		return l.finish(t)[0], l.transport.Counts()
	}
	back, counts := run(recovering()["go-back-n"])
	if back.Retransmits < 500 || back.Timeouts > 0 {
		t.Errorf("go-back-N: %d retransmissions, %d timeouts", back.Retransmits, back.Timeouts)
	}
	selective, _ := run(Recovery{})
	irn, counts := run(recovering()["irn"])
	if irn.Retransmits > 500 || uint64(irn.Retransmits) != counts.Spurious || irn.Timeouts > 0 {
		t.Errorf("IRN: %d retransmissions, %d spurious, %d timeouts", irn.Retransmits, counts.Spurious, irn.Timeouts)
	}
	r := recovering()["irn"]
	r.Tolerance = 64
	tolerant, _ := run(r)
	if tolerant.Retransmits != 0 || tolerant.End != selective.End {
		t.Errorf("IRN that tolerates it: %d retransmissions, delivered at %v, and at %v with timeouts alone", tolerant.Retransmits, tolerant.End, selective.End)
	}
	if back.End < 2*selective.End {
		t.Errorf("go-back-N takes %v, and %v without rewinds", back.End, selective.End)
	}
}

// TestRecoveryUnderChaos loses data, acknowledgements and reports at random, and delivers
// each byte all the same.
func TestRecoveryUnderChaos(t *testing.T) {
	for kind, r := range allRecovering() {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r := r
				r.Again = unit.Time(rapid.IntRange(0, 1000).Draw(t, "again us")) * unit.Microsecond
				r.Tolerance = uint32(rapid.IntRange(0, 5).Draw(t, "tolerance"))
				p := params(unit.Bytes(rapid.IntRange(0, 30).Draw(t, "window")) * payload)
				p.RTO, p.Recovery, p.Balancer = 100*unit.Microsecond, r, spraying()
				p.Adaptive = (kind == "go-back-n" || kind == "order") && rapid.Bool().Draw(t, "adaptive")
				p.ConnectionTimer = (kind == "go-back-n" || kind == "order") && !p.Adaptive && rapid.Bool().Draw(t, "connection timer")
				p.AckEvery = rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "every")
				p.AckBitmap = rapid.Bool().Draw(t, "bitmap") || kind == "order"
				p.AckDelay = 5 * unit.Microsecond
				p.PerPair = rapid.Bool().Draw(t, "pair")
				sources := make([]workload.Source, 4)
				for h := range sources {
					sources[h] = &list{{Dst: int32(h+1) % 4, Size: 1 + unit.Bytes(rapid.IntRange(0, 60*payload).Draw(t, "size"))}, {At: 5 * unit.Microsecond, Dst: int32(h+1) % 4, Size: 20 * payload}}
				}
				odds := uint64(rapid.IntRange(3, 40).Draw(t, "odds"))
				var nic *NICQueue
				if rapid.Bool().Draw(t, "fifo") {
					nic = &NICQueue{Thresholds: slices.Repeat([]unit.Bytes{unit.MiB}, 4)}
				}
				n := uint64(0)
				l := labConfig{
					Graph: graph(t, topo.LeafSpine{ToRs: 2, HostsPerToR: 2, Spines: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond}), Seed: 1,
					Groups: []Group{{Params: p, Sources: sources}}, NIC: nic,
					hooks: hooks{received: func(now sim.Time, _ int32, f *fabric.Frame) bool {
						n++
						return now > 20*unit.Millisecond || sim.Mix(n)%odds > 0
					}},
				}.build(t)
				if messages := l.finish(t); len(messages) != 8 {
					t.Fatalf("%d messages", len(messages))
				}
			})
		})
	}
}

// TestRecoveryOnDomains: results do not depend on domains and threads.
func TestRecoveryOnDomains(t *testing.T) {
	for kind, r := range allRecovering() {
		var want string
		for _, domains := range []int{1, 2} {
			p := params(20 * payload)
			p.RTO, p.Recovery, p.Balancer, p.AckBitmap = 100*unit.Microsecond, r, spraying(), kind == "order"
			sources := make([]workload.Source, 8)
			for h := range 7 {
				sources[h] = &list{{Dst: 7, Size: 100 * payload}}
			}
			l := labConfig{
				Graph: graph(t, topo.LeafSpine{ToRs: 2, HostsPerToR: 4, Spines: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond}), Seed: 1, Domains: domains, Threads: domains,
				Groups: []Group{{Params: p, Sources: sources}},
				Port:   func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: 30 * payload} },
			}.build(t)
			messages := l.finish(t)
			if l.transport.Counts().Retransmits == 0 {
				t.Errorf("%s: nothing was lost", kind)
			}
			text := fmt.Sprintf("%+v", messages)
			if want == "" {
				want = text
			} else if text != want {
				t.Errorf("%s on %d domains:\n%s\nand on one:\n%s", kind, domains, text, want)
			}
		}
	}
}
