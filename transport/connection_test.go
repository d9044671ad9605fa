package transport

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// TestConnections sends four messages, of which the second begins while the first
// is in flight and the others after a pause, and compares when the cores of their
// connections are started and resumed.
func TestConnections(t *testing.T) {
	const us = unit.Microsecond
	messages := []workload.Message{
		{At: 0, Dst: 1, Size: 20 * payload},
		{At: 2 * us, Dst: 1, Size: payload},
		{At: 100 * us, Dst: 1, Size: payload},
		{At: 200 * us, Dst: 2, Size: payload},
	}
	tests := []struct {
		perPair         bool
		starts, resumes []unit.Time
	}{
		{false, []unit.Time{0, 2 * us, 100 * us, 200 * us}, nil},
		{true, []unit.Time{0, 200 * us}, []unit.Time{100 * us}},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("per pair %v", test.perPair), func(t *testing.T) {
			p := params(unit.MiB)
			p.PerPair = test.perPair
			control, chooser := watch(&p, unit.MiB), count(&p)
			l := labConfig{Graph: star(t, 3), Groups: []Group{{Params: p, Sources: from(0, 3, messages...)}}}.build(t)
			if n := len(l.finish(t)); n != 4 {
				t.Fatalf("%d messages, want 4", n)
			}
			for name, starts := range map[string][]unit.Time{"control": control.starts, "chooser": chooser.starts} {
				if diff := cmp.Diff(test.starts, starts); diff != "" {
					t.Errorf("%s started (-want +got):\n%s", name, diff)
				}
			}
			if diff := cmp.Diff(test.resumes, chooser.resumes); diff != "" {
				t.Errorf("chooser resumed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOneConnectionIsAFIFO sends messages of one pair: a message's packets go
// before those of the next, and the window is that of all together.
func TestOneConnectionIsAFIFO(t *testing.T) {
	p := params(3 * payload)
	p.PerPair = true
	var serials []uint32
	l := labConfig{
		Graph: star(t, 2),
		Groups: []Group{{Params: p, Sources: from(0, 2,
			message1(5*payload), message1(payload), message1(4*payload))}},
		hooks: hooks{sent: func(_ sim.Time, h int32, f *fabric.Frame) {
			if h == 0 {
				serials = append(serials, f.Serial)
			}
		}},
	}.build(t)
	m := l.finish(t)
	if diff := cmp.Diff([]uint32{0, 0, 0, 0, 0, 1, 2, 2, 2, 2}, serials); diff != "" {
		t.Errorf("packets of messages (-want +got):\n%s", diff)
	}
	// Three packets a round trip; ten packets leave in four rounds.
	rtt := Ideal(l.hops(0, 1), payload, payload, header) + Ideal(l.hops(1, 0), 0, payload, ackSize)
	if end := m[2].SenderEnd; end != 4*rtt {
		t.Errorf("done at %d, want 4 round trips of %d", end, rtt)
	}
}

// TestStreamsAreTheConnections compares what the list of one host draw from
// their streams, alone and with other traffic, another transport, other hosts and
// another cut beside them.
func TestStreamsAreTheConnections(t *testing.T) {
	type drawn struct {
		Src, Dst int32
		Entropy  []uint16
	}
	messages := []workload.Message{
		{Dst: 3, Size: 5 * payload},
		{Dst: 4, Size: 2 * payload},
		{Dst: 3, Size: 7 * payload},
		{At: unit.Millisecond, Dst: 3, Size: payload},
	}
	g := graph(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, SwitchLatency: 0})
	run := func(seed uint64, perPair, busy bool, domains int) []drawn {
		p := params(unit.MiB)
		p.PerPair = perPair
		p.Balancer = spraying()
		groups := []Group{{Params: p, Sources: from(0, 6, messages...)}}
		if busy {
			other := params(10 * payload)
			other.Balancer = spraying()
			other.Congestion.New = func(env protocol.Env) protocol.Congestion { return wandering(env) }
			other.Env.Payload = payload
			sources := make([]workload.Source, 6)
			for h := range sources {
				sources[h] = &list{
					{Dst: int32((h + 1) % 6), Size: 50 * payload},
					{At: unit.Millisecond / 2, Dst: int32((h + 2) % 6), Size: payload},
				}
				if h > 0 {
					groups[0].Sources[h] = &list{{Dst: int32(5 - h), Size: 3 * payload}}
				}
			}
			groups = append(groups, Group{Params: other, Sources: sources})
		}
		all := make([]map[uint32]*drawn, 6) // by host and serial number of the message
		order := make([][]uint32, 6)
		labConfig{
			Graph: g, Seed: seed, Domains: domains, Groups: groups,
			hooks: hooks{sent: func(_ sim.Time, h int32, f *fabric.Frame) {
				if f.Kind != end.Data || f.Group() != 0 {
					return
				}
				if all[h] == nil {
					all[h] = map[uint32]*drawn{}
				}
				if all[h][f.Serial] == nil {
					all[h][f.Serial] = &drawn{Src: f.Src(), Dst: f.Dst()}
					order[h] = append(order[h], f.Serial)
				}
				d := all[h][f.Serial]
				d.Entropy = append(d.Entropy, f.Entropy)
			}},
		}.build(t).finish(t)
		var of0 []drawn
		for _, serial := range order[0] {
			of0 = append(of0, *all[0][serial])
		}
		return of0
	}
	for _, perPair := range []bool{false, true} {
		alone := run(1, perPair, false, 1)
		if len(alone) != len(messages) {
			t.Fatalf("%d messages drew, want %d", len(alone), len(messages))
		}
		for _, domains := range []int{1, 3} {
			if diff := cmp.Diff(alone, run(1, perPair, true, domains)); diff != "" {
				t.Errorf("per pair %v, %d domains: other traffic changes the draws (-alone +beside):\n%s", perPair, domains, diff)
			}
		}
		if cmp.Equal(alone, run(2, perPair, false, 1)) {
			t.Errorf("per pair %v: seeds 1 and 2 draw the same", perPair)
		}
		seen := map[string]int{}
		for i, d := range alone {
			key := fmt.Sprint(d.Entropy[:1])
			if j, ok := seen[key]; ok {
				t.Errorf("per pair %v: messages %d and %d both begin with %v", perPair, j, i, d.Entropy)
			}
			seen[key] = i
		}
	}
}

// loop is a source that keeps messages outstanding.
type loop struct {
	dst         int32
	size        unit.Bytes
	left, ready int
	completed   []unit.Time
}

func (l *loop) Next() (workload.Message, bool) {
	if l.left == 0 || l.ready == 0 {
		return workload.Message{}, false
	}
	l.left--
	l.ready--
	return workload.Message{Dst: l.dst, Size: l.size}, true // as soon as may be
}

func (l *loop) Completed(now unit.Time, _ uint64) {
	l.ready++
	l.completed = append(l.completed, now)
}

// TestClosedLoop keeps one message outstanding: each begins when the one before
// is acknowledged, and the source hears of every completion once.
func TestClosedLoop(t *testing.T) {
	const total = 50
	for _, perPair := range []bool{false, true} {
		p := params(unit.MiB)
		p.PerPair = perPair
		source := &loop{dst: 1, size: 3*payload + 1, left: total, ready: 1}
		l := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: []workload.Source{source, nil}}}}.build(t)
		messages := l.finish(t)
		if len(messages) != total || len(source.completed) != total {
			t.Fatalf("%d messages and %d completions, want %d", len(messages), len(source.completed), total)
		}
		for i, m := range messages {
			if m.Ordinal != uint64(i) || m.SenderEnd != source.completed[i] {
				t.Errorf("message %d is %+v, its completion was reported at %d", i, m, source.completed[i])
			}
			if i > 0 && m.Start != messages[i-1].SenderEnd {
				t.Errorf("message %d begins at %d, the one before is acknowledged at %d", i, m.Start, messages[i-1].SenderEnd)
			}
			if m.End-m.Start != messages[0].End-messages[0].Start {
				t.Errorf("message %d takes %d, the first took %d", i, m.End-m.Start, messages[0].End-messages[0].Start)
			}
		}
	}
}

// TestNothingLostNothingRepeated sends over paths of different length, with any
// coalescing and any constant window, or one that changes at random if a packet
// does not wait too long for its report: nothing is lost, so no timeout may come.
func TestNothingLostNothingRepeated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graph(t, topo.LeafSpine{ToRs: 2, HostsPerToR: 1, Spines: 4, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, SwitchLatency: 0})
		for i := range g.Links {
			g.Links[i].Delay = unit.Time(rapid.IntRange(1, 10).Draw(t, "delay")) * unit.Microsecond
		}
		p := params(unit.Bytes(rapid.IntRange(1, 40).Draw(t, "window")) * payload)
		p.AckEvery = rapid.IntRange(1, 40).Draw(t, "packets an ACK")
		p.Balancer = spraying()
		p.Balancer.Spray.Way = protocol.ByRandom
		if rapid.Bool().Draw(t, "changing window") {
			p.Env.Payload = payload
			p.Congestion.New = func(env protocol.Env) protocol.Congestion { return wandering(env) }
			p.AckDelay = 20 * unit.Microsecond
		}
		l := labConfig{
			Graph: g, Seed: rapid.Uint64().Draw(t, "seed"),
			Groups: []Group{{Params: p, Sources: from(0, 2, message1(100*payload))}},
		}.build(t)
		if m := l.finish(t)[0]; m.Timeouts != 0 || m.Retransmits != 0 {
			t.Errorf("%d timeouts and %d retransmissions, but nothing was lost", m.Timeouts, m.Retransmits)
		}
	})
}

// TestNoAllocationPerPacket runs closed loops until everything has reached its
// size, and counts allocations from then on.
func TestNoAllocationPerPacket(t *testing.T) {
	for _, every := range []int{1, 8} {
		const hosts = 6
		p := params(20 * payload)
		p.AckEvery = every
		p.RTO = 50 * unit.Microsecond
		p.Balancer = spraying()
		sources := make([]workload.Source, hosts)
		for h := range sources {
			s := &loop{dst: int32((h + 2) % hosts), size: 40 * payload, left: 1 << 30, ready: 2}
			s.completed = make([]unit.Time, 0, 1<<16)
			sources[h] = s
		}
		l := labConfig{
			Graph:  graph(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 1, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, SwitchLatency: 0}),
			Port:   func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: 20 * payload} },
			Groups: []Group{{Params: p, Sources: sources}},
		}
		lab := l.build(t)
		lab.transport.from, lab.transport.to = 0, 0 // no records
		lab.run(t, 3*unit.Millisecond)
		var before, after runtime.MemStats
		start := lab.transport.Counts()
		runtime.ReadMemStats(&before)
		lab.Run(8*unit.Millisecond, 1)
		runtime.ReadMemStats(&after)
		end := lab.transport.Counts()
		packets := end.Packets - start.Packets
		if allocations := after.Mallocs - before.Mallocs; packets < 5000 || allocations*1000 > packets {
			t.Errorf("an ACK for %d packets: %d allocations for %d packets", every, allocations, packets)
		}
		if end.Retransmits == start.Retransmits {
			t.Error("nothing was lost")
		}
	}
}

// TestNagle holds the last packet of a message back until all before it is acknowledged,
// if it is not full; it is not held back if it is full or the only one.
func TestNagle(t *testing.T) {
	for _, test := range []struct {
		name  string
		nagle bool
		size  unit.Bytes
		waits bool
	}{
		{"two packets and a part", true, 2*payload + payload/2, true},
		{"the same without", false, 2*payload + payload/2, false},
		{"full packets", true, 3 * payload, false},
		{"a part", true, payload / 2, false},
	} {
		p := params(100 * payload)
		p.Nagle = test.nagle
		l := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(test.size))}}}.build(t)
		m := l.finish(t)[0]
		way, back := l.hops(0, 1), l.hops(1, 0)
		want := Ideal(way, test.size, payload, header)
		if test.waits {
			want = Ideal(way, 2*payload, payload, header) + Ideal(back, 0, payload, ackSize) + Ideal(way, test.size%payload, payload, header)
		}
		if m.End != want {
			t.Errorf("%s: delivered at %v, want %v", test.name, m.End, want)
		}
	}
}
