package entropy_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

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

// TestShuffledRounds looks for each entropy once in every round, in orders that differ.
func TestShuffledRounds(t *testing.T) {
	for _, size := range []int{1, 2, 7, 8, 100, 65536} {
		o := defaults[entropy.RoundRobin](t, "round-robin")
		o.Entropies, o.Shuffle = size, true
		c, _ := connect(t, o)
		var rounds [4][]uint16
		for r := range rounds {
			seen := make([]bool, size)
			for range size {
				ev := c.Next(0)
				if int(ev) >= size || seen[ev] {
					t.Fatalf("size %d, round %d: entropy %d again, or beyond the set", size, r, ev)
				}
				seen[ev] = true
				rounds[r] = append(rounds[r], ev)
			}
		}
		if size > 7 && slices.Equal(rounds[0], rounds[1]) && slices.Equal(rounds[1], rounds[2]) && slices.Equal(rounds[2], rounds[3]) {
			t.Errorf("size %d: four rounds in the same order", size)
		}
	}
	b, err := entropy.RoundRobin{At: entropy.AtSwitch, Entropies: 1, Shuffle: true, HashBelow: 128}.Build()
	if err != nil || !b.Spray.Shuffled || b.Spray.HashBelow != 128 {
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

// TestEndlessGap: a share of the round-trip time that no clock reaches is a gap that never ends.
func TestEndlessGap(t *testing.T) {
	s := protocol.Spray{Way: protocol.ByFlowlet, GapRTTs: 1e298, Flowlets: 1}.Resolved(10 * us)
	if s.Gap != unit.Forever || s.Check() != nil {
		t.Errorf("the gap is %v: %v", s.Gap, s.Check())
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
		{func(o *entropy.Adaptive) { o.Ties = entropy.RankedTie }, protocol.Spray{Way: protocol.ByLoad, Tie: protocol.RankedTie}},
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
	if b.Needs.Must != protocol.AckClock|protocol.PacketAcks {
		t.Errorf("mprdma needs %b", b.Needs.Must)
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
		{entropy.RoundRobin{At: entropy.AtSwitch, Entropies: 8, HashBelow: -1}, "round-robin: hash_below is -1B"},
		{entropy.Flowlet{Pause: entropy.Pause{GapRTTs: 1}}, "flowlet: entropies is 0"},
		{entropy.Flowlet{Entropies: 8}, "flowlet: gap_rtts is 0%"},
		{entropy.Flowlet{Pause: entropy.Pause{Gap: &negative}, Entropies: 8}, "flowlet: gap is -1us"},
		{entropy.LetFlow{Pause: entropy.Pause{GapRTTs: 1}, Flowlets: 3}, "power of two"},
		{entropy.PLB{}, "plb: entropies is 0"},
		{entropy.PLB{Entropies: 8, Threshold: 1.5, Rounds: 1}, "plb: threshold is 150%"},
		{entropy.PLB{Entropies: 8}, "plb: rounds is 0; it must be 1 to 31"},
		{entropy.PLB{Entropies: 8, Rounds: 1, IdleRounds: 32}, "plb: idle_rounds is 32"},
		{entropy.PLB{Entropies: 8, Rounds: 1, Pause: negative}, "plb: pause is negative"},
		{entropy.MPRDMA{Keep: entropy.KeepAll, Probe: 2, Entropies: 8}, "mprdma: probe is 200%"},
		{entropy.MPRDMA{}, "mprdma: entropies is 0"},
		{entropy.MPRDMA{Keep: "some", Entropies: 8}, `keep is "some"; it must be all, last or room`},
		{entropy.Bitmap{Entropies: 12}, "a power of two, such as 8"},
		{entropy.Bitmap{Entropies: 8}, "bitmap: max_penalty is 0; it must be 1 to 255"},
		{entropy.Bitmap{Entropies: 8, MaxPenalty: 1, OnTrim: 256}, "bitmap: on_trim is 256"},
		{entropy.Adaptive{}, `adaptive-roce: load is ""; use bytes or time`},
		{entropy.Adaptive{Load: entropy.Bytes, Ties: "last"}, `ties is "last"; use random, first or ranked`},
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
		if n := testing.AllocsPerRun(1, func() { // one run, since a mean is rounded down
			for range 100 {
				now += us
				c.Next(now)
				use(c, now)
			}
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
