package entropy_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/catalog"
	"weft/protocol"
	"weft/protocol/entropy"
	"weft/unit"
)

func build(t testing.TB, o interface {
	Build() (protocol.Balancer, error)
}, seed uint64) (protocol.Balancer, protocol.Entropy, *rand.PCG) {
	t.Helper()
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.NewPCG(seed, 1)
	c := b.New(protocol.Env{Rand: rng})
	c.Start(0)
	return b, c, rng
}

var (
	acks   = []*protocol.Ack{{Entropy: 1, Packets: 1}, {Entropy: 1, Marked: true, Packets: 1, MarkedPackets: 1}}
	losses = []*protocol.Loss{{Entropy: 1, Cause: protocol.Timeout}, {Entropy: 1, Cause: protocol.Trimmed}}
)

// use lets all happen to a chooser that it must not take notice of.
func use(c protocol.Entropy, now unit.Time) {
	for _, a := range acks {
		c.Acked(a)
	}
	for _, l := range losses {
		c.Lost(l)
	}
	c.Resume(now)
}

func TestEntriesAreSound(t *testing.T) {
	var set catalog.Set[protocol.Balancer]
	if err := set.Add(entropy.Entries()...); err != nil {
		t.Fatal(err)
	}
	if got, want := set.Names(), []string{"ecmp", "ops", "round-robin", "flowlet", "fatpaths", "spritz", "flicr", "letflow", "plb", "mprdma", "mptcp", "bitmap", "adaptive-roce"}; !slices.Equal(got, want) {
		t.Errorf("entries %v, want %v", got, want)
	}
	for _, e := range entropy.Entries() {
		o, err := e.Defaults()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Build(o); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

func TestECMPKeepsItsEntropy(t *testing.T) {
	b, c, _ := build(t, entropy.ECMP{}, 1)
	if b.Spray.Way != protocol.ByHash || b.StateBits != 16 {
		t.Errorf("spray %d, %d bits of state; want by hash and 16", b.Spray.Way, b.StateBits)
	}
	first := c.Next(0)
	for i := range 100 {
		use(c, unit.Time(i))
		if got := c.Next(unit.Time(i)); got != first {
			t.Fatalf("packet %d has entropy %d, the first had %d", i, got, first)
		}
	}
	// The next connection draws anew, and all 16 bits of it.
	var ones, zeros uint16
	for range 200 {
		c.Start(0)
		ones |= c.Next(0)
		zeros |= ^c.Next(0)
	}
	if ones != math.MaxUint16 || zeros != math.MaxUint16 {
		t.Errorf("bits that were 1 in some connection: %016b, 0: %016b; want all", ones, zeros)
	}
}

func TestOPSDrawsEveryPacket(t *testing.T) {
	for _, size := range []int{1, 3, 32, 256, 65536} {
		b, c, _ := build(t, entropy.OPS{At: entropy.AtHost, Entropies: size}, 2)
		if b.Spray.Way != protocol.ByHash || b.StateBits != 0 {
			t.Errorf("spray %d, %d bits of state; want by hash and none", b.Spray.Way, b.StateBits)
		}
		const each = 16
		counts := make([]int, size)
		for i := range each * size {
			use(c, unit.Time(i))
			ev := int(c.Next(unit.Time(i)))
			if ev >= size {
				t.Fatalf("entropy %d from a set of %d", ev, size)
			}
			counts[ev]++
		}
		// Chi-squared has mean size-1 and variance 2(size-1).
		var chi2 float64
		for _, n := range counts {
			chi2 += float64((n-each)*(n-each)) / each
		}
		if dof := float64(size - 1); math.Abs(chi2-dof) > 6*math.Sqrt(2*dof) {
			t.Errorf("set of %d: chi-squared %.0f with %.0f degrees of freedom", size, chi2, dof)
		}
	}
}

func TestOPSAtSwitchDrawsNothing(t *testing.T) {
	b, c, rng := build(t, entropy.OPS{At: entropy.AtSwitch, Entropies: 65536}, 3)
	if b.Spray.Way != protocol.ByRandom {
		t.Errorf("spray %d, want by random", b.Spray.Way)
	}
	before := *rng
	for i := range 10 {
		use(c, unit.Time(i))
		if ev := c.Next(unit.Time(i)); ev != 0 {
			t.Errorf("entropy %d, want 0", ev)
		}
	}
	if *rng != before {
		t.Error("drew from the connection's stream")
	}
}

func TestOPSRefuses(t *testing.T) {
	for _, tt := range []struct {
		o    entropy.OPS
		want string
	}{
		{entropy.OPS{At: entropy.AtHost}, "entropies is 0; it must be 1 to 65536"},
		{entropy.OPS{At: entropy.AtHost, Entropies: 65537}, "entropies is 65537"},
		{entropy.OPS{At: "nic", Entropies: 8}, `at is "nic"; use host or switch`},
	} {
		if _, err := tt.o.Build(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.o, err, tt.want)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	for _, tt := range []struct {
		name string
		o    interface {
			Build() (protocol.Balancer, error)
		}
	}{
		{"ecmp", entropy.ECMP{}},
		{"ops", entropy.OPS{At: entropy.AtHost, Entropies: 65536}},
		{"ops at switches", entropy.OPS{At: entropy.AtSwitch, Entropies: 65536}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			_, c, _ := build(b, tt.o, 1)
			b.ReportAllocs()
			for b.Loop() {
				c.Next(0)
			}
		})
	}
}

func TestNothingIsAllocated(t *testing.T) {
	for _, o := range []interface {
		Build() (protocol.Balancer, error)
	}{
		entropy.ECMP{},
		entropy.OPS{At: entropy.AtHost, Entropies: 256},
		entropy.OPS{At: entropy.AtSwitch, Entropies: 256},
	} {
		_, c, _ := build(t, o, 1)
		if n := testing.AllocsPerRun(1, func() { // one run, since a mean is rounded down
			for range 100 {
				c.Start(0)
				c.Next(0)
				use(c, 0)
			}
		}); n != 0 {
			t.Errorf("%T: %v allocations", o, n)
		}
	}
}
