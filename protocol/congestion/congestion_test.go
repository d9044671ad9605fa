package congestion

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/catalog"
	"weft/protocol"
	"weft/unit"
)

const us = unit.Microsecond

// env has a BDP of 20 packets of 4 KiB.
func env() protocol.Env {
	return protocol.Env{
		Payload: 4096, Packet: 4160,
		BDP: 20 * 4160, BDPPackets: 20,
		BaseRTT: 10 * us, RTO: 70 * us, LineRate: 100 * unit.Gbps,
	}
}

// defaults returns the options of an entry as a scenario that sets none has them.
func defaults[O any](t testing.TB, name string) O {
	t.Helper()
	for _, e := range Entries() {
		if e.Name == name {
			o, err := e.Defaults()
			if err != nil {
				t.Fatal(err)
			}
			return *o.(*O)
		}
	}
	t.Fatalf("no entry %q", name)
	panic("unreachable")
}

type options interface {
	Build() (protocol.CongestionControl, error)
}

func build(t testing.TB, o options) protocol.Congestion {
	t.Helper()
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	c := b.New(env())
	c.Start(0)
	return c
}

func amount(packets int) *unit.Amount { return &unit.Amount{Bytes: unit.Bytes(packets) * 4160} }

// near compares windows up to the rounding of sums.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(a, b) }

// ack acknowledges n packets, the last marked of them marked, whose trigger was
// sent at the given time; before the start of time if that is not known.
func ack(now, sent unit.Time, n, marked int32) *protocol.Ack {
	a := &protocol.Ack{Now: now, Packets: n, MarkedPackets: marked, Marked: marked > 0}
	if sent >= 0 {
		a.RTT = now - sent
	}
	return a
}

func TestEntriesAreSound(t *testing.T) {
	var set catalog.Set[protocol.CongestionControl]
	if err := set.Add(Entries()...); err != nil {
		t.Fatal(err)
	}
	if got, want := set.Names(), []string{"mprdma", "dctcp", "reno", "nscc", "swift", "dcqcn", "dcqcn-nic", "timely", "dctcp-rate", "hpcc", "fncc", "direct", "rocc", "rcp", "constant"}; !slices.Equal(got, want) {
		t.Errorf("entries %v, want %v", got, want)
	}
	for _, e := range Entries() {
		o, err := e.Defaults()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Build(o); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// The windows that connections start with, in payload.
func TestInitialWindows(t *testing.T) {
	m, d := defaults[MPRDMA](t, "mprdma"), defaults[DCTCP](t, "dctcp")
	with := func(o MPRDMA, change func(*MPRDMA)) MPRDMA { change(&o); return o }
	for _, tt := range []struct {
		name string
		o    options
		want unit.Bytes
	}{
		{"mprdma: 1.5 BDP", m, 30 * 4096},
		{"mprdma: a part of a packet counts whole", with(m, func(o *MPRDMA) { o.Initial = unit.Amount{Bytes: 4161} }), 2 * 4096},
		{"mprdma: no less than a packet", with(m, func(o *MPRDMA) { o.Initial = unit.Amount{} }), 4096},
		{"mprdma: no less than the least", with(m, func(o *MPRDMA) { o.Initial, o.Least = *amount(1), amount(3) }), 3 * 4096},
		{"mprdma: no more than the largest", with(m, func(o *MPRDMA) { o.Initial, o.Largest = *amount(9), *amount(5) }), 5 * 4096},
		{"mprdma: the least wins", with(m, func(o *MPRDMA) { o.Least, o.Largest = amount(7), *amount(5) }), 7 * 4096},
		{"dctcp: 10 packets", d, 10 * 4096},
		{"constant: 1 BDP", defaults[Constant](t, "constant"), 20 * 4096},
		{"constant: huge", Constant{unit.Amount{Bytes: math.MaxInt64}}, math.MaxInt64 / 4160 * 4096},
	} {
		if got := build(t, tt.o).Window(); got < tt.want || got > tt.want+4096 {
			t.Errorf("%s: window %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestConstantStays(t *testing.T) {
	c := build(t, Constant{unit.Amount{BDPs: 2}})
	c.Acked(ack(us, 0, 1, 1))
	c.Acked(ack(us, 0, 1, 0))
	c.Lost(&protocol.Loss{Now: us})
	c.Start(2 * us)
	if got, want := c.Window(), unit.Bytes(40*4096); got != want {
		t.Errorf("window %v, want %v", got, want)
	}
}

func TestBuildRefuses(t *testing.T) {
	m, d := defaults[MPRDMA](t, "mprdma"), defaults[DCTCP](t, "dctcp")
	for _, tt := range []struct {
		want string
		o    func() options
	}{
		{`mprdma: initial is 50%, but a share`, func() options { o := m; o.Initial = unit.Amount{Share: 0.5}; return o }},
		{`mprdma: least is negative`, func() options { o := m; o.Least = &unit.Amount{Bytes: -1}; return o }},
		{`mprdma: largest is negative or not`, func() options { o := m; o.Largest = unit.Amount{BDPs: math.NaN()}; return o }},
		{`mprdma: cut_marked is -1; it must be 0 to`, func() options { o := m; o.CutMarked = -1; return o }},
		{`mprdma: cut_lost is NaN`, func() options { o := m; o.CutLost = math.NaN(); return o }},
		{`dctcp: initial is 10%, but a share`, func() options { o := d; o.Initial = &unit.Amount{Share: 0.1}; return o }},
		{`dctcp: gain is 1.5; it must be 0 to 1`, func() options { o := d; o.Gain = 1.5; return o }},
		{`dctcp: alpha is -1`, func() options { o := d; o.Alpha = -1; return o }},
		{`constant: window is 10%`, func() options { return Constant{unit.Amount{Share: 0.1}} }},
	} {
		if _, err := tt.o().Build(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

// Whatever happens, windows stay within their bounds and are numbers.
func TestWindowsStayWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.IntRange(1, 40).Draw(t, "least")
		largest := rapid.IntRange(1, 200).Draw(t, "largest")
		var o options
		if rapid.Bool().Draw(t, "mprdma") {
			o = MPRDMA{
				Initial: *amount(rapid.IntRange(0, 300).Draw(t, "initial")), Least: amount(least), Largest: *amount(largest),
				CutMarked: rapid.Float64Range(0, 50).Draw(t, "cut marked"), CutLost: rapid.Float64Range(0, maxCut).Draw(t, "cut lost"),
				TrimmedIsLost: rapid.Bool().Draw(t, "trimmed"),
			}
		} else {
			o = DCTCP{
				Gain: unit.Ratio(rapid.Float64Range(0, 1).Draw(t, "gain")), Alpha: unit.Ratio(rapid.Float64Range(0, 1).Draw(t, "alpha")),
				SlowStart: rapid.Bool().Draw(t, "slow start"), Least: amount(least), Largest: *amount(largest),
				TrimmedIsLost: rapid.Bool().Draw(t, "trimmed"),
			}
		}
		b, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		c := b.New(env())
		now := unit.Time(0)
		c.Start(now)
		lowest, highest := unit.Bytes(least)*4096, unit.Bytes(max(least, largest))*4096
		check := func(t *rapid.T) {
			if w := c.Window(); w < lowest || w > highest {
				t.Fatalf("window %v, want %v to %v", w, lowest, highest)
			}
			if d, ok := c.(*dctcp); ok && !(d.alpha >= 0 && d.alpha <= 1) {
				t.Fatalf("alpha %v", d.alpha)
			}
		}
		pass := func(t *rapid.T) unit.Time {
			now += unit.Time(rapid.IntRange(0, 20).Draw(t, "us")) * us
			return max(0, now-unit.Time(rapid.IntRange(0, 30).Draw(t, "ago"))*us)
		}
		t.Repeat(map[string]func(*rapid.T){
			"ack": func(t *rapid.T) {
				sent := pass(t)
				n := rapid.Int32Range(0, 64).Draw(t, "packets")
				c.Acked(ack(now, sent, n, rapid.Int32Range(0, 64).Draw(t, "marked")))
			},
			"loss": func(t *rapid.T) {
				sent := pass(t)
				cause := rapid.SampledFrom([]protocol.LossCause{protocol.Timeout, protocol.Trimmed}).Draw(t, "cause")
				c.Lost(&protocol.Loss{Now: now, SentAt: sent, Cause: cause})
			},
			"": check,
		})
	})
}

func BenchmarkAcked(b *testing.B) {
	for _, tt := range []struct {
		name string
		o    options
	}{
		{"mprdma", defaults[MPRDMA](b, "mprdma")},
		{"dctcp", defaults[DCTCP](b, "dctcp")},
		{"constant", defaults[Constant](b, "constant")},
	} {
		b.Run(tt.name, func(b *testing.B) {
			c := build(b, tt.o)
			a := ack(0, -1, 1, 0)
			b.ReportAllocs()
			now := unit.Time(0)
			for i := 0; b.Loop(); i++ {
				now += 80 * unit.Nanosecond
				a.Now, a.RTT = now, 10*us
				a.MarkedPackets = 0
				if i&31 == 0 {
					a.MarkedPackets = 1
				}
				c.Acked(a)
				c.Window()
			}
		})
	}
}

func TestNothingIsAllocated(t *testing.T) {
	l := &protocol.Loss{Now: 3 * us}
	good, bad := ack(us, 0, 4, 0), ack(2*us, us, 4, 1)
	for _, o := range []options{
		defaults[MPRDMA](t, "mprdma"), defaults[DCTCP](t, "dctcp"), defaults[Constant](t, "constant"),
		defaults[NSCC](t, "nscc"), defaults[Swift](t, "swift"), defaults[DCQCN](t, "dcqcn"),
		defaults[DCQCNNIC](t, "dcqcn-nic"), defaults[Timely](t, "timely"), defaults[DCTCPRate](t, "dctcp-rate"),
	} {
		c := build(t, o)
		const rounds = 1000
		if n := testing.AllocsPerRun(1, func() { // one run, since a mean is rounded down
			for range rounds {
				c.Start(0)
				c.Acked(good)
				c.Acked(bad)
				c.Lost(l)
				c.Window()
			}
		}); n != 0 {
			t.Errorf("%T: %v allocations in %d rounds", o, n, rounds)
		}
	}
}
