package transport

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// tied is a bundle of a constant rate, which counts its starts.
type tied struct {
	rate   unit.Rate
	starts int
}

func (b *tied) Start(unit.Time)                     { b.starts++ }
func (b *tied) Answered(unit.Time, protocol.Answer) {}
func (b *tied) Pace() protocol.Pace                 { return protocol.Pace{Rate: b.rate} }

// leaving notes when data frames leave, and of which message, by receiver.
type leaving struct {
	at      map[int32][]sim.Time
	serials map[int32][]uint32
}

func (l *leaving) hook() hooks {
	l.at, l.serials = map[int32][]sim.Time{}, map[int32][]uint32{}
	return hooks{sent: func(now sim.Time, _ int32, f *fabric.Frame) {
		if f.Kind == end.Data {
			l.at[f.Dst()] = append(l.at[f.Dst()], now)
			l.serials[f.Dst()] = append(l.serials[f.Dst()], f.Serial)
		}
	}}
}

// TestBundlePaces: what a host sends to another one leaves at the bundle's rate, to the picosecond, whatever number of
// connections it is, and these take turns.
func TestBundlePaces(t *testing.T) {
	for _, nic := range []*NICQueue{nil, {Thresholds: slices.Repeat([]unit.Bytes{unit.MiB}, 2)}} {
		for _, perPair := range []bool{false, true} {
			for _, rate := range []unit.Rate{30 * unit.Gbps, 99_999_999_999} {
				p := params(unit.MiB)
				p.PerPair = perPair
				b := &tied{rate: rate}
				p.Congestion.NewBundle = func(protocol.Env) protocol.Bundle { return b }
				var l leaving
				message := workload.Message{Dst: 1, Size: 10 * payload}
				lab := labConfig{
					Graph: star(t, 2), NIC: nic, hooks: l.hook(),
					Groups: []Group{{Params: p, Sources: from(0, 2, message, message, message)}},
				}.build(t)
				lab.finish(t)
				if b.starts != 1 {
					t.Errorf("the bundle began %d times", b.starts)
				}
				for i, at := range l.at[1] {
					if want := l.at[1][0] + unit.Time(int64(i)*wireBits*bitWork/int64(rate)); at != want {
						t.Fatalf("queue %t, %v: frame %d leaves at %v, want %v", nic != nil, rate, i, at, want)
					}
					if serial := l.serials[1][i]; !perPair && i >= 4 && i < 28 && serial != l.serials[1][i-3] {
						t.Fatalf("queue %t, %v: frame %d is of message %d, the one three before of %d", nic != nil, rate, i, serial, l.serials[1][i-3])
					}
				}
			}
		}
	}
}

// TestBundlesOfGroups: groups of one tenant that agree share bundles, those of others do not.
func TestBundlesOfGroups(t *testing.T) {
	for _, c := range []struct {
		tenants   [2]uint8
		receivers [2]any
		made      int
	}{
		{[2]uint8{0, 0}, [2]any{"a", "a"}, 1}, {[2]uint8{0, 1}, [2]any{"a", "a"}, 2},
		{[2]uint8{0, 0}, [2]any{"a", "b"}, 2}, {[2]uint8{0, 0}, [2]any{nil, nil}, 2},
	} {
		made := 0
		var groups []Group
		for i, tenant := range c.tenants {
			p := params(unit.MiB)
			p.Congestion.NewBundle = func(protocol.Env) protocol.Bundle { made++; return &tied{rate: 10 * unit.Gbps} }
			p.Congestion.Receivers = c.receivers[i]
			groups = append(groups, Group{Name: fmt.Sprint(i), Params: p, Sources: from(0, 2, message1(4*payload)), Tenant: tenant})
		}
		labConfig{Graph: star(t, 2), Groups: groups}.build(t).finish(t)
		if made != c.made {
			t.Errorf("%+v: %d bundles, want %d", c, made, c.made)
		}
	}
}

// TestBundleBeginsAnew: a bundle begins with each message that finds none under way.
func TestBundleBeginsAnew(t *testing.T) {
	p := params(unit.MiB)
	b := &tied{rate: 10 * unit.Gbps}
	p.Congestion.NewBundle = func(protocol.Env) protocol.Bundle { return b }
	labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2,
		workload.Message{Dst: 1, Size: 20 * payload}, workload.Message{Dst: 1, Size: payload, At: unit.Microsecond},
		workload.Message{Dst: 1, Size: payload, At: unit.Millisecond})}}}.build(t).finish(t)
	if b.starts != 2 {
		t.Errorf("the bundle began %d times, want 2", b.starts)
	}
}

// TestBundlesWithPaces: connections with paces of their own keep to them, and to that of their bundle together. Nobody
// waits for ever.
func TestBundlesWithPaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := unit.Rate(rapid.Int64Range(1e9, 120e9).Draw(t, "bundle"))
		p := params(0)
		p.Congestion.New = func(protocol.Env) protocol.Congestion {
			return pacing(unit.Rate(rapid.Int64Range(1e9, 120e9).Draw(t, "pace")), unit.Bytes(rapid.IntRange(1, 40).Draw(t, "window"))*payload)
		}
		p.Congestion.NewBundle = func(protocol.Env) protocol.Bundle { return &tied{rate: rate} }
		p.PerPair = rapid.Bool().Draw(t, "per pair")
		var messages []workload.Message
		for range rapid.IntRange(1, 12).Draw(t, "messages") {
			messages = append(messages, workload.Message{
				Dst: rapid.Int32Range(1, 2).Draw(t, "to"), Size: rapid.SampledFrom([]unit.Bytes{1, payload, 10 * payload}).Draw(t, "size"),
				At: 0,
			})
		}
		var l leaving
		lab := labConfig{Graph: star(t, 3), hooks: l.hook(), Groups: []Group{{Params: p, Sources: from(0, 3, messages...)}}}.build(t)
		lab.finish(t)
		for _, at := range l.at {
			for i := 1; i < len(at); i++ {
				// A small frame takes less; of full ones none is early.
				if least := rate.Transmit(1 + header); at[i]-at[i-1] < least-1 {
					t.Fatalf("frames leave %v apart, want at least %v", at[i]-at[i-1], least)
				}
			}
		}
	})
}

// inRounds lists the same senders with every message.
type inRounds struct {
	*loop
	round workload.Round
}

func (s *inRounds) Next() (workload.Message, bool) {
	m, ok := s.loop.Next()
	s.round.Number++
	m.Round = &s.round
	return m, ok
}

// TestNoAllocationOfBundles runs connections with bundles, lists and marks of sources until everything has reached its
// size, and counts allocations from then on.
func TestNoAllocationOfBundles(t *testing.T) {
	const hosts = 6
	p := params(0)
	p.Balancer = spraying()
	p.Env.Packet = payload + header
	p.Congestion = protocol.CongestionControl{
		New:         func(protocol.Env) protocol.Congestion { return pacing(90*unit.Gbps, unit.MiB) },
		NewAnswerer: func(protocol.HostEnv) protocol.Answerer { return &echoer{} },
		NewBundle:   func(env protocol.Env) protocol.Bundle { return &roving{line: env.LineRate} },
		ListBytes:   2, SourceMarks: true, Receivers: "roving",
	}
	sources := make([]workload.Source, hosts)
	for h := range sources {
		s := &loop{dst: int32((h + 2) % hosts), size: 40 * payload, left: 1 << 30, ready: 3}
		s.completed = make([]unit.Time, 0, 1<<16)
		sources[h] = &inRounds{loop: s, round: workload.Round{Senders: []int32{1, 2, 3}}}
	}
	lab := labConfig{
		Graph: star(t, hosts), Groups: []Group{{Params: p, Sources: sources}},
		SourceMarks: SourceMarks{On: true, KMin: payload, KMax: 4 * payload, PMax: 1 << 30},
	}.build(t)
	lab.transport.from, lab.transport.to = 0, 0 // no records
	lab.run(t, 10*unit.Millisecond)
	var before, after runtime.MemStats
	start := lab.transport.Counts().Packets
	runtime.ReadMemStats(&before)
	lab.Run(20*unit.Millisecond, 1)
	runtime.ReadMemStats(&after)
	packets := lab.transport.Counts().Packets - start
	if allocations := after.Mallocs - before.Mallocs; packets < 5000 || allocations*1000 > packets {
		t.Errorf("%d allocations for %d packets", allocations, packets)
	}
}

// confirming is a bundle that confirms what it heard from an answer on.
type confirming struct {
	tied
	after, answers int
	heard          func()
}

func (b *confirming) Answered(unit.Time, protocol.Answer) {
	if b.answers++; b.answers == b.after {
		b.heard()
	}
}

func (b *confirming) Confirms() bool { return b.answers >= b.after }

// heeding is a receiving end that answers, and counts the packets that confirm something.
type heeding struct{ heard, confirm int }

func (c *heeding) Open(unit.Time, int32, uint8) int32 { return 0 }
func (c *heeding) Close(unit.Time, int32)             {}
func (c *heeding) Answer(unit.Time, int32) (protocol.Answer, bool) {
	return protocol.Answer{}, true
}

func (c *heeding) Heard(h *protocol.Heard) {
	c.heard++
	if h.Confirms {
		c.confirm++
	}
}

// TestConfirms: the packets that a host sends after its bundle heard an answer confirm it to their receiver, and none before.
func TestConfirms(t *testing.T) {
	for _, nic := range []*NICQueue{nil, {Thresholds: slices.Repeat([]unit.Bytes{unit.MiB}, 2)}} {
		for _, confirms := range []bool{true, false} {
			p := params(unit.MiB)
			sent, before := 0, 0
			b := &confirming{tied: tied{rate: 10 * unit.Gbps}, after: 7, heard: func() { before = sent }}
			c := &heeding{}
			p.Congestion.NewBundle = func(protocol.Env) protocol.Bundle {
				if confirms {
					return b
				}
				return &b.tied
			}
			p.Congestion.NewAnswerer = func(protocol.HostEnv) protocol.Answerer { return c }
			const packets = 100
			labConfig{
				Graph: star(t, 2), NIC: nic, Groups: []Group{{Params: p, Sources: from(0, 2, message1(packets*payload))}},
				hooks: hooks{sent: func(_ sim.Time, _ int32, f *fabric.Frame) {
					if f.Kind == end.Data {
						sent++
					}
				}},
			}.build(t).finish(t)
			want := packets - before
			if !confirms {
				want = 0
			} else if before == 0 || before == packets {
				t.Fatalf("%d of %d packets were sent before", before, packets)
			}
			if c.heard != packets || c.confirm != want {
				t.Errorf("queue %t, confirms %t: of %d packets %d confirm, want %d of %d", nic != nil, confirms, c.heard, c.confirm, want, packets)
			}
		}
	}
}
