package entropy_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/entropy"
	"weft/unit"
)

const us = unit.Microsecond

type builder interface {
	Build() (protocol.Balancer, error)
}

// env is ARCANE's default network (§4.1).
func env(rng *rand.PCG) protocol.Env {
	return protocol.Env{
		Rand: rng, Payload: 4096, Packet: 4160, BDP: 12 * 4160, BDPPackets: 12,
		BaseRTT: 10 * us, RTO: 70 * us, LineRate: 400 * unit.Gbps,
	}
}

// connect starts a connection at 0.
func connect(t testing.TB, o builder) (protocol.Entropy, *rand.PCG) {
	t.Helper()
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.NewPCG(7, 1)
	c := b.New(env(rng))
	c.Start(0)
	return c, rng
}

// next tells the entropy that a draw of 16 bits gives now.
func next(rng *rand.PCG) uint16 {
	p := *rng
	return uint16(p.Uint64() >> 48)
}

// defaults returns the options that a scenario which sets none has.
func defaults[O any](t testing.TB, name string) O {
	t.Helper()
	for _, e := range entropy.Entries() {
		if e.Name == name {
			o, err := e.Defaults()
			if err != nil {
				t.Fatal(err)
			}
			return *o.(*O)
		}
	}
	t.Fatalf("no entry %s", name)
	panic("unreachable")
}

func acked(c protocol.Entropy, at unit.Time, ev uint16, rtt unit.Time, marked bool) {
	a := &protocol.Ack{Now: at, Entropy: ev, Packets: 1, RTT: rtt, Marked: marked}
	if marked {
		a.MarkedPackets = 1
	}
	c.Acked(a)
}

func TestRoundRobinTakesEachInTurn(t *testing.T) {
	for _, size := range []int{1, 2, 7, 65536} {
		o := defaults[entropy.RoundRobin](t, "round-robin")
		o.Entropies = size
		c, _ := connect(t, o)
		for turn := range 2 {
			first := int(c.Next(0))
			for i := 1; i < size; i++ {
				use(c, 0)
				if got := int(c.Next(0)); got != (first+i)%size {
					t.Fatalf("size %d, turn %d: packet %d has entropy %d after %d at first", size, turn, i, got, first)
				}
			}
		}
	}
	b, err := entropy.RoundRobin{At: entropy.AtSwitch, Entropies: 1}.Build()
	if err != nil || b.Spray.Way != protocol.ByRoundRobin || b.StateBits != 0 {
		t.Errorf("at switches: %+v, %v", b, err)
	}
}

func TestFlowletEndsWithAPause(t *testing.T) {
	gap := 3 * us
	for _, tt := range []struct {
		o   entropy.Flowlet
		gap unit.Time
	}{
		{defaults[entropy.Flowlet](t, "flowlet"), 5 * us}, // half of the RTT
		{entropy.Flowlet{Pause: entropy.Pause{GapRTTs: 2}, Entropies: 65536}, 20 * us},
		{entropy.Flowlet{Pause: entropy.Pause{Gap: &gap, GapRTTs: 2}, Entropies: 65536}, 3 * us},
	} {
		c, rng := connect(t, tt.o)
		now := unit.Time(0)
		ev := c.Next(now)
		for range 20 {
			use(c, now)
			now += tt.gap
			before := *rng
			if got := c.Next(now); got != ev || *rng != before {
				t.Fatalf("gap %v: another entropy within it", tt.gap)
			}
			now += tt.gap + 1
			want := next(rng)
			if ev = c.Next(now); ev != want {
				t.Fatalf("gap %v: kept its entropy after a pause", tt.gap)
			}
		}
	}
}

func TestLetFlowHasATableAtSwitches(t *testing.T) {
	b, err := defaults[entropy.LetFlow](t, "letflow").Build()
	if err != nil {
		t.Fatal(err)
	}
	s := b.Spray.Resolved(10 * us)
	if want := (protocol.Spray{Way: protocol.ByFlowlet, Gap: 5 * us, Flowlets: 65536}); s != want {
		t.Errorf("spray %+v, want %+v", s, want)
	}
	c := b.New(env(rand.NewPCG(1, 1)))
	c.Start(0)
	if ev := c.Next(0); ev != c.Next(unit.Second) {
		t.Error("the entropy of a connection changes")
	}
	if b.StateBits != 16 || b.SwitchBits != 655360 {
		t.Errorf("state of %d bits, and %d at switches", b.StateBits, b.SwitchBits)
	}
}

func TestAdaptivePolicies(t *testing.T) {
	o := defaults[entropy.Adaptive](t, "adaptive-roce")
	for _, tt := range []struct {
		change func(*entropy.Adaptive)
		want   protocol.Spray
	}{
		{func(*entropy.Adaptive) {}, protocol.Spray{Way: protocol.ByLoad}},
		{func(o *entropy.Adaptive) { o.Bin, o.Step = 100, us }, protocol.Spray{Way: protocol.ByLoad, Bin: 100}},
		{func(o *entropy.Adaptive) { o.Load, o.Bin, o.Step = entropy.Time, 100, us }, protocol.Spray{Way: protocol.ByLoad, Load: protocol.QueuedTime, Step: us}},
		{func(o *entropy.Adaptive) { o.Ties, o.Choices = entropy.FirstTie, 2 }, protocol.Spray{Way: protocol.ByLoad, Tie: protocol.FirstTie, Choices: 2}},
		{func(o *entropy.Adaptive) { o.LocalFailures = entropy.Avoid }, protocol.Spray{Way: protocol.ByLoad, AvoidDown: true}},
	} {
		o := o
		tt.change(&o)
		b, err := o.Build()
		if err != nil || b.Spray != tt.want || b.StateBits != 0 {
			t.Errorf("%+v: spray %+v, %v; want %+v", o, b.Spray, err, tt.want)
		}
	}
}

// FlowBender's setting: one round trip with 5 % of marks.
func TestPLBChangesPathAfterACongestedRound(t *testing.T) {
	o := defaults[entropy.PLB](t, "plb")
	o.Threshold, o.Rounds = 0.5, 2
	c, rng := connect(t, o)
	ev := c.Next(0)
	now := unit.Time(0)
	// round is one of four packets, the last of which was sent since it began.
	round := func(marked int) (changed bool) {
		t.Helper()
		want := next(rng)
		began := now
		now += 20 * us
		for i := range 4 {
			rtt := now - began + 1
			if i == 3 {
				rtt = now - began
			}
			if c.Next(now) != ev {
				t.Fatal("the path changed within a round")
			}
			acked(c, now, ev, rtt, i < marked)
		}
		if got := c.Next(now); got != ev {
			if got != want {
				t.Fatalf("changed to entropy %d, want the random %d", got, want)
			}
			ev = got
			return true
		}
		return false
	}
	for i, tt := range []struct {
		marked int
		want   bool
	}{{0, false}, {2, false}, {1, false}, {2, false}, {3, true}, {4, false}, {4, true}, {2, false}, {0, false}, {2, false}, {2, true}} {
		if got := round(tt.marked); got != tt.want {
			t.Fatalf("round %d, %d of 4 marked: changed %v, want %v", i, tt.marked, got, tt.want)
		}
	}
}

func TestPLBTakesNoNoticeOfEarlierPaths(t *testing.T) {
	c, _ := connect(t, defaults[entropy.PLB](t, "plb"))
	ev := c.Next(0)
	for i := range 100 {
		acked(c, unit.Time(i)*10*us, ev+1, us, true)
		c.Lost(&protocol.Loss{Now: unit.Time(i) * 10 * us, Entropy: ev + 1})
	}
	if got := c.Next(unit.Millisecond); got != ev {
		t.Error("the path changed for what happened on another one")
	}
}

func TestPLBThresholdOfZeroNeedsAMark(t *testing.T) {
	o := defaults[entropy.PLB](t, "plb")
	o.Threshold = 0
	c, _ := connect(t, o)
	ev := c.Next(0)
	acked(c, 20*us, ev, 10*us, false)
	if c.Next(20*us) != ev {
		t.Error("the path changed without a mark")
	}
	acked(c, 40*us, ev, 10*us, true)
	if c.Next(40*us) == ev {
		t.Error("the path did not change for a mark")
	}
}

// Retransmitted packets have no RTT; the round ends nevertheless.
func TestPLBRoundEndsWithoutRTT(t *testing.T) {
	c, _ := connect(t, defaults[entropy.PLB](t, "plb"))
	ev := c.Next(0)
	acked(c, 69*us, ev, 0, true)
	if c.Next(69*us) != ev {
		t.Error("a round of less than an RTO ended without a round trip")
	}
	acked(c, 70*us, ev, 0, true)
	if c.Next(70*us) == ev {
		t.Error("a round of an RTO did not end")
	}
}

func TestPLBAfterTimeoutsAndIdleness(t *testing.T) {
	o := defaults[entropy.PLB](t, "plb")
	o.Rounds, o.IdleRounds, o.Pause = 5, 2, 100*us
	timeout := func(c protocol.Entropy, at unit.Time, ev uint16) {
		c.Lost(&protocol.Loss{Now: at, Entropy: ev, Cause: protocol.Timeout})
	}
	congest := func(c protocol.Entropy, from unit.Time, rounds int) unit.Time {
		for range rounds {
			from += 20 * us
			acked(c, from, c.Next(from), 10*us, true)
		}
		return from
	}

	c, _ := connect(t, o)
	ev := c.Next(0)
	timeout(c, 80*us, ev)
	second := c.Next(80 * us)
	if second == ev {
		t.Error("a timeout did not change the path")
	}
	timeout(c, 80*us, ev) // of the same window
	if c.Next(80*us) != second {
		t.Error("a second timeout of the former path changed it again")
	}
	if at := congest(c, 80*us, 5); at > 180*us || c.Next(at) != second {
		t.Errorf("congestion changed the path within the pause, at %v", at)
	}
	if at := congest(c, 280*us, 1); c.Next(at) == second {
		t.Error("congestion did not change the path after the pause")
	}

	o.OnTimeout = false
	c, _ = connect(t, o)
	ev = c.Next(0)
	timeout(c, 80*us, ev)
	if c.Next(80*us) != ev {
		t.Error("a timeout changed the path although it may not")
	}
	c.Resume(100 * us)
	if c.Next(100*us) != ev {
		t.Error("idleness without congestion changed the path")
	}
	at := congest(c, 100*us, 2)
	if c.Next(at) != ev {
		t.Error("two rounds changed the path, which takes five")
	}
	c.Resume(at)
	if c.Next(at) == ev {
		t.Error("idleness after two congested rounds did not change the path")
	}
	// A trimmed packet is a marked one.
	o.Rounds = 1
	c, _ = connect(t, o)
	ev = c.Next(0)
	c.Lost(&protocol.Loss{Now: us, Entropy: ev, Cause: protocol.Trimmed})
	acked(c, 20*us, ev, 10*us, false)
	if c.Next(20*us) == ev {
		t.Error("a trimmed packet is no congestion")
	}
}

// ack1 is the acknowledgement of one packet that leaves room for some.
func ack1(c protocol.Entropy, ev uint16, room int) {
	c.Acked(&protocol.Ack{Entropy: ev, Packets: 1, Room: unit.Bytes(room) * 4096})
}

func TestMPRDMASendsWhereTheAcknowledgementCameFrom(t *testing.T) {
	o := defaults[entropy.MPRDMA](t, "mprdma")
	o.Probe = 0
	c, rng := connect(t, o)
	random := func(why string) {
		t.Helper()
		want, before := next(rng), *rng
		if got := c.Next(0); got != want || *rng == before {
			t.Errorf("%s: entropy %d, want the random %d", why, got, want)
		}
	}
	same := func(why string, want uint16) {
		t.Helper()
		before := *rng
		if got := c.Next(0); got != want || *rng != before {
			t.Errorf("%s: entropy %d, want %d", why, got, want)
		}
	}
	random("first window")
	ack1(c, 5, 1)
	same("clocked out", 5)
	random("not clocked out")
	ack1(c, 6, 0) // the window shrank by what was acknowledged
	ack1(c, 7, 1)
	same("after one that clocked nothing out", 7)
	ack1(c, 8, 2) // the window grew
	same("two", 8)
	same("two", 8)
	ack1(c, 1, 1)
	ack1(c, 2, 2)
	ack1(c, 3, 3) // the wire is busy
	same("in order", 1)
	ack1(c, 4, 3)
	same("in order", 2)
	same("in order", 3)
	same("in order", 4)

	// Part of the first window waits for the wire: its packets go before those
	// that acknowledgements clock out.
	c.Start(0)
	random("first window")
	ack1(c, 5, 3)
	random("still the first window")
	random("still the first window")
	same("clocked out", 5)

	ack1(c, 6, 1)
	c.Lost(&protocol.Loss{Cause: protocol.Trimmed})
	same("a trimmed packet is no timeout", 6)
	ack1(c, 7, 1)
	c.Lost(&protocol.Loss{Cause: protocol.Timeout})
	random("after a timeout")
	ack1(c, 8, 1)
	c.Resume(0)
	random("after idleness")
}

func TestMPRDMAProbes(t *testing.T) {
	o := defaults[entropy.MPRDMA](t, "mprdma")
	o.Probe = 0.25
	c, _ := connect(t, o)
	const packets = 40000
	probes, now := 0, unit.Time(0)
	for range packets {
		now += us
		ack1(c, 9, 1)
		if c.Next(now) != 9 {
			probes++
		}
	}
	// A round-trip time holds ten packets, one of which probes with 25 %.
	if probes < 900 || probes > 1100 {
		t.Errorf("%d probes in %d packets, want about 1000", probes, packets)
	}
}

// bitmapModel is the rule in its plainest form.
type bitmapModel struct {
	penalties []int
	most, at  int
	order     int
	all       bool
	draw      func() int
}

func (m *bitmapModel) step() {
	if m.at++; m.at == len(m.penalties) {
		m.at, m.order = 0, m.draw()
	}
}

func (m *bitmapModel) next() int {
	first := true
	for range m.penalties {
		ev := m.at ^ m.order
		if m.penalties[ev] == 0 {
			break
		}
		if first || m.all {
			m.penalties[ev]--
		}
		first = false
		m.step()
	}
	ev := m.at ^ m.order
	m.step()
	return ev
}

func TestBitmapAgreesWithItsRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := entropy.Bitmap{
			Entropies: 1 << rapid.IntRange(0, 5).Draw(t, "log of entropies"), MaxPenalty: rapid.SampledFrom([]int{1, 2, 15, 255}).Draw(t, "max"),
			OnMark: 1, OnTrim: 4, OnTimeout: 255, AllSkipped: rapid.Bool().Draw(t, "all"),
		}
		b, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		rng, twin := rand.NewPCG(3, 3), rand.NewPCG(3, 3)
		c := b.New(env(rng))
		c.Start(0)
		m := &bitmapModel{penalties: make([]int, o.Entropies), most: o.MaxPenalty, all: o.AllSkipped}
		m.draw = func() int { return int(twin.Uint64() >> 32 * uint64(o.Entropies) >> 32) }
		m.order = m.draw()
		punish := func(ev uint16, by int) {
			m.penalties[ev] = min(m.penalties[ev]+by, m.most)
		}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			ev := uint16(rapid.IntRange(0, o.Entropies-1).Draw(t, "entropy"))
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				acked(c, 0, ev, us, true)
				punish(ev, 1)
			case 1:
				c.Lost(&protocol.Loss{Entropy: ev, Cause: protocol.Trimmed})
				punish(ev, 4)
			case 2:
				c.Lost(&protocol.Loss{Entropy: ev, Cause: protocol.Timeout})
				punish(ev, 255)
			case 3:
				acked(c, 0, ev, us, false)
			default:
				if got, want := int(c.Next(0)), m.next(); got != want {
					t.Fatalf("entropy %d, want %d", got, want)
				}
			}
		}
	})
}

// A connection that begins again knows nothing of the last one.
func TestBitmapStartForgets(t *testing.T) {
	o := defaults[entropy.Bitmap](t, "bitmap")
	c, _ := connect(t, o)
	for ev := range o.Entropies {
		acked(c, 0, uint16(ev), us, ev != 5)
	}
	if ev := c.Next(0); ev != 5 {
		t.Errorf("took entropy %d, but 5 alone was not marked", ev)
	}
	c.Start(0)
	seen := map[uint16]bool{}
	for range o.Entropies {
		seen[c.Next(0)] = true
	}
	if len(seen) != o.Entropies {
		t.Errorf("%d of %d entropies in one turn after a start", len(seen), o.Entropies)
	}
}

func TestStateIsCounted(t *testing.T) {
	bitmap := defaults[entropy.Bitmap](t, "bitmap")
	bitmap.Entropies = 65536
	marks := bitmap
	marks.MaxPenalty = 15
	for _, tt := range []struct {
		o    builder
		want int
	}{
		{bitmap, 65536 + 32}, // ARCANE §3.3: 64 Kib, and the place of the walk
		{marks, 4*65536 + 32},
		{defaults[entropy.PLB](t, "plb"), 85},
		{defaults[entropy.Flowlet](t, "flowlet"), 48},
		{defaults[entropy.MPRDMA](t, "mprdma"), 32},
	} {
		if b, err := tt.o.Build(); err != nil || b.StateBits != tt.want {
			t.Errorf("%+v: %d bits, %v; want %d", tt.o, b.StateBits, err, tt.want)
		}
	}
}

func TestNeeds(t *testing.T) {
	b, _ := defaults[entropy.MPRDMA](t, "mprdma").Build()
	if b.Needs != protocol.AckClock|protocol.PacketAcks || len(b.Needs.Words()) != 2 {
		t.Errorf("mprdma needs %v", b.Needs.Words())
	}
}

func TestChoosersRefuse(t *testing.T) {
	negative := -us
	for _, tt := range []struct {
		o    builder
		want string
	}{
		{entropy.RoundRobin{At: "nic", Entropies: 8}, `round-robin: at is "nic"; use host or switch`},
		{entropy.RoundRobin{At: entropy.AtHost}, "round-robin: entropies is 0"},
		{entropy.Flowlet{Pause: entropy.Pause{GapRTTs: 1}}, "flowlet: entropies is 0"},
		{entropy.Flowlet{Entropies: 8}, "flowlet: gap_rtts is 0%"},
		{entropy.Flowlet{Pause: entropy.Pause{Gap: &negative}, Entropies: 8}, "flowlet: gap is -1us"},
		{entropy.LetFlow{Pause: entropy.Pause{GapRTTs: 1}, Flowlets: 3}, "power of two"},
		{entropy.PLB{}, "plb: entropies is 0"},
		{entropy.PLB{Entropies: 8, Threshold: 1.5, Rounds: 1}, "plb: threshold is 150%"},
		{entropy.PLB{Entropies: 8}, "plb: rounds is 0; it must be 1 to 31"},
		{entropy.PLB{Entropies: 8, Rounds: 1, IdleRounds: 32}, "plb: idle_rounds is 32"},
		{entropy.PLB{Entropies: 8, Rounds: 1, Pause: negative}, "plb: pause is negative"},
		{entropy.MPRDMA{Probe: 2, Entropies: 8}, "mprdma: probe is 200%"},
		{entropy.MPRDMA{}, "mprdma: entropies is 0"},
		{entropy.Bitmap{Entropies: 12}, "a power of two, such as 8"},
		{entropy.Bitmap{Entropies: 8}, "bitmap: max_penalty is 0; it must be 1 to 255"},
		{entropy.Bitmap{Entropies: 8, MaxPenalty: 1, OnTrim: 256}, "bitmap: on_trim is 256"},
		{entropy.Adaptive{}, `adaptive-roce: load is ""; use bytes or time`},
		{entropy.Adaptive{Load: entropy.Bytes, Ties: "last"}, `ties is "last"; use random or first`},
		{entropy.Adaptive{Load: entropy.Bytes, Ties: entropy.RandomTie, LocalFailures: "x"}, `local_failures is "x"`},
		{entropy.Adaptive{Load: entropy.Bytes, Ties: entropy.RandomTie, LocalFailures: entropy.Avoid, Choices: -1}, "number of ports"},
	} {
		if _, err := tt.o.Build(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.o, err, tt.want)
		}
	}
}

func all(t testing.TB, visit func(name string, b protocol.Balancer)) {
	t.Helper()
	for _, e := range entropy.Entries() {
		o, err := e.Defaults()
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.Build(o)
		if err != nil {
			t.Fatal(err)
		}
		visit(e.Name, b)
	}
}

func TestNoChooserAllocates(t *testing.T) {
	all(t, func(name string, b protocol.Balancer) {
		c := b.New(env(rand.NewPCG(1, 1)))
		c.Start(0)
		now := unit.Time(0)
		if n := testing.AllocsPerRun(100, func() {
			now += us
			c.Next(now)
			use(c, now)
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	})
}

// One packet and one acknowledgement, unmarked but for every eighth.
func BenchmarkChooser(b *testing.B) {
	all(b, func(name string, balancer protocol.Balancer) {
		b.Run(name, func(b *testing.B) {
			c := balancer.New(env(rand.NewPCG(1, 1)))
			c.Start(0)
			a := &protocol.Ack{Packets: 1, RTT: 10 * us, Room: 4096}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				a.Now += 80 * unit.Nanosecond
				a.Entropy = c.Next(a.Now) & 255
				a.Marked, a.MarkedPackets = i&7 == 0, 0
				if a.Marked {
					a.MarkedPackets = 1
				}
				c.Acked(a)
			}
		})
	})
}
