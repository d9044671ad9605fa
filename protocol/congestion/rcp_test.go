package congestion

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

func newRCP(t testing.TB, change func(*RCP)) (*rcp, *rcpQueue) {
	o := defaults[RCP](t, "rcp")
	if change != nil {
		change(&o)
	}
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	c := b.New(env()).(*rcp)
	c.Start(0)
	return c, b.Controller.New(protocol.QueueEnv{Rate: 100 * unit.Gbps, BaseRTT: 10 * us}).(*rcpQueue)
}

func preset(name string) func(*RCP) { return func(o *RCP) { o.Preset = name } }

// A flow sends one packet, then at the rate that its acknowledgement brings, and at each later one. A message
// after idleness asks anew.
func TestRCPAsksFirst(t *testing.T) {
	c, _ := newRCP(t, nil)
	if c.Window() != 4096 || c.Pace().Rate != 100*unit.Gbps || c.Field(0) != (protocol.Field{100e9, 0}) {
		t.Errorf("begins with window %v, rate %v, field %v", c.Window(), c.Pace().Rate, c.Field(0))
	}
	c.Acked(&protocol.Ack{Now: 12 * us, RTT: 12 * us, Fielded: true, Field: protocol.Field{30e9, 0}})
	if c.Window() != unlimited || c.Pace().Rate != 30*unit.Gbps || c.Field(0) != (protocol.Field{100e9, uint64(12 * us)}) {
		t.Errorf("goes on with window %v, rate %v, field %v", c.Window(), c.Pace().Rate, c.Field(0))
	}
	c.Acked(&protocol.Ack{Now: 13 * us, Fielded: true, Field: protocol.Field{300e9}})
	c.Acked(&protocol.Ack{Now: 14 * us})
	if c.Pace().Rate != 100*unit.Gbps {
		t.Errorf("rate %v beyond the link's", c.Pace().Rate)
	}
	if c.Restart(0); c.Window() != 4096 {
		t.Errorf("window %v of the next message", c.Window())
	}
	c, _ = newRCP(t, func(o *RCP) { o.Start = ptr(10 * unit.Gbps) })
	if c.Window() != unlimited || c.Pace().Rate != 10*unit.Gbps {
		t.Errorf("starts with window %v at %v", c.Window(), c.Pace().Rate)
	}
}

// A flow whose packets are more than an RTT apart, of 4160 B here, probes one RTT after it heard of its rate.
func TestRCPProbes(t *testing.T) {
	c, _ := newRCP(t, nil)
	hear := func(at unit.Time, rate uint64) {
		c.Acked(&protocol.Ack{Now: at, RTT: 10 * us, Fielded: true, Field: protocol.Field{rate}})
	}
	if hear(10*us, 3_328_000_000); c.Deadline() != unit.Forever {
		t.Errorf("a probe at %v of a flow with a packet per RTT", c.Deadline())
	}
	if hear(20*us, 3_327_000_000); c.Deadline() != 30*us || c.Probe(20*us) {
		t.Errorf("the next probe is at %v", c.Deadline())
	}
	c.Expire(30 * us)
	if !c.Probe(30*us) || c.Probe(30*us) || c.Deadline() != unit.Forever {
		t.Error("want one probe, and none until its answer")
	}
	c.Probed(34*us, protocol.Field{1e9}, 4*us)
	if c.Pace().Rate != unit.Gbps || c.Deadline() != 38*us {
		t.Errorf("rate %v and a probe at %v", c.Pace().Rate, c.Deadline())
	}
	if c.Probed(40*us, protocol.Field{50e9}, 4*us); c.Deadline() != unit.Forever {
		t.Errorf("a probe at %v of a fast flow", c.Deadline())
	}
}

// A queue lowers the rate of a frame to its own, and leaves a lower one.
func TestRCPLowers(t *testing.T) {
	_, q := newRCP(t, nil)
	for asked, want := range map[uint64]uint64{100e9: 50e9, 20e9: 20e9} {
		f := protocol.Field{asked, 7}
		if q.Left(0, 1000, &f); f != (protocol.Field{want, 7}) {
			t.Errorf("%d becomes %v, want %d", asked, f, want)
		}
	}
	q.Left(0, 1000, nil)
}

// Single steps, of 10 us: an idle queue raises its rate by alpha, a full link without a queue keeps it, and each
// BDP that waits takes beta off. The frame in service does not wait.
func TestRCPSteps(t *testing.T) {
	const full, bdp = 125_000, 125_000
	for _, tt := range []struct {
		name        string
		came, waits unit.Bytes
		period      unit.Time
		want        float64 // times the rate
	}{
		{"idle", 0, 0, 10 * us, 1.4},
		{"full", full, 0, 10 * us, 1},
		{"full, and a BDP waits", full, bdp, 10 * us, 0.8},
		{"half full, half a BDP waits", full / 2, bdp / 2, 10 * us, 1.1},
		{"twice as much", 2 * full, bdp, 10 * us, 0.4},
		{"so much that the rate would be negative", 3 * full, 3 * bdp, 10 * us, 0},
		{"idle, half an RTT", 0, 0, 5 * us, 1.2},
		{"idle, two RTTs", 0, 0, 20 * us, 1.4},
	} {
		_, q := newRCP(t, func(o *RCP) { o.Period = &tt.period })
		now := unit.Millisecond
		q.rate = 30e9
		q.arrived = uint64(tt.came)
		q.Left(now-100*unit.Nanosecond, 4160, nil) // which takes 332.8 ns
		notice, tell := q.Tick(now, tt.waits+4160)
		if want := max(30e9*tt.want, 8e6); !near(q.rate, want) || tell || notice != (protocol.Notice{}) {
			t.Errorf("%s: %v, want %v", tt.name, q.rate, want)
		}
		if q.Tick(now+tt.period, 0); tt.want > 0 && q.rate < 30e9*tt.want { // what came counts once
			t.Errorf("%s: then %v", tt.name, q.rate)
		}
	}
}

// A frame that comes 100 ns before the end of a period of 10 us, and takes 400 ns, counts for a quarter in it.
func TestRCPSplitsFrames(t *testing.T) {
	for _, at := range []unit.Time{0, 9900 * unit.Nanosecond, 10 * us} {
		_, q := newRCP(t, nil)
		q.rate = 30e9
		q.Arrived(at, 5000, nil)
		part := map[unit.Time]uint64{0: 0, 10 * us: 0}
		want, is := part[at]
		if !is {
			want = 1250
		}
		if q.arrived != want || q.spilled != 5000-want {
			t.Errorf("at %v: %d and %d bytes, want %d", at, q.arrived, q.spilled, want)
		}
		if q.Tick(10*us, 0); q.arrived != 5000-want || q.spilled != 0 || q.Settled() {
			t.Errorf("at %v: then %d and %d", at, q.arrived, q.spilled)
		}
	}
}

// An idle queue comes from its first rate to gamma·C in as many periods as (1 + alpha)^k takes, and rests.
func TestRCPRests(t *testing.T) {
	for name, want := range map[string]int{"ns2": 9, "netfpga": 9, "perc": 3, "iwqos": 32} {
		_, q := newRCP(t, preset(name))
		gains := q.most / q.rate
		if got := int(math.Ceil(math.Log(gains) / math.Log(1+q.alpha))); got != want {
			t.Errorf("%s: %d periods by its gains, want %d", name, got, want)
		}
		ticks := 0
		for ; !q.Settled(); ticks++ {
			q.Tick(0, 0)
		}
		if q.Tick(0, 0); ticks != want || !q.Settled() {
			t.Errorf("%s: settled after %d ticks, want %d", name, ticks, want)
		}
	}
}

// Without a queue, and with rates that take effect at once, a small deviation shrinks to 1 - alpha of itself per
// period, and the rates go as x' = x·(1 + alpha·(1 - x)), with x = y/(gamma·C).
func TestRCPStepResponse(t *testing.T) {
	const n = 10
	_, q := newRCP(t, func(o *RCP) { o.Beta = ptr(0.0) })
	q.rate = 0.3 * q.most / n
	x := 0.3
	for range 40 {
		q.arrived = uint64(math.Round(n * q.rate / 8 * 10e-6))
		q.Tick(0, 0)
		before := x
		x *= 1 + 0.4*(1-x)
		if got := n * q.rate / q.most; math.Abs(got-x) > 1e-4 {
			t.Fatalf("load %v, want %v", got, x)
		}
		if off := 1 - before; off > 1e-3 && off < 1e-2 && math.Abs((1-x)/off-0.6) > 0.01 {
			t.Errorf("a deviation of %v becomes %v", off, 1-x)
		}
	}
}

// The mean RTT takes a longer one over with the weight T/d, a shorter one with R/C·mean/d·T/d.
func TestRCPMeansRTTs(t *testing.T) {
	_, q := newRCP(t, nil)
	q.rate = 25e9
	q.Arrived(0, 1000, &protocol.Field{0, uint64(30 * us)})
	q.Arrived(0, 3000, &protocol.Field{0, uint64(10 * us)})
	q.Arrived(0, 5000, &protocol.Field{0, 0}) // which knows none
	q.Arrived(0, 5000, nil)
	if q.Tick(0, 0); !near(q.rtt, float64(15*us)) {
		t.Errorf("mean of %v us, want 15", q.rtt/float64(us))
	}
	q.rate, q.rtt = 25e9, float64(20*us)
	q.Arrived(0, 1000, &protocol.Field{0, uint64(10 * us)})
	if q.Tick(0, 0); !near(q.rtt, float64(20*us)-0.25*0.5*0.5*float64(10*us)) {
		t.Errorf("mean of %v us, want 19.375", q.rtt/float64(us))
	}
}

// In a fluid model, in which n flows send at what they were told an RTT ago, each gets gamma·C/n in the end, and nothing
// waits: with all presets, at several rates, however many flows begin at once.
func TestRCPSettles(t *testing.T) {
	for _, name := range []string{"perc", "ns2", "netfpga", "iwqos"} {
		for _, gbps := range []unit.Rate{10, 100, 400} {
			for _, n := range []float64{2, 10, 100} {
				o := defaults[RCP](t, "rcp")
				o.Preset = name
				q := o.queue(protocol.QueueEnv{Rate: gbps * unit.Gbps, BaseRTT: 12 * us})
				link, share := float64(gbps)*1e9, q.most/n
				told, waits, settles := q.rate, 0.0, 0
				const most = 12000 // d falls slowly after 100 flows began with half the link each
				for tick := range most {
					came := n * told / 8 * 12e-6
					waits = max(0, waits+came-link/8*12e-6)
					rtt := 12*us + unit.Time(waits*8/link*1e12)
					q.arrived, q.told, q.sum = uint64(math.Round(came)), 1, uint64(rtt)
					told = q.rate
					q.Tick(0, unit.Bytes(math.Round(waits)))
					if math.Abs(told-share) > 0.01*share || waits > 0.01*link/8*12e-6 {
						settles = tick + 1
					}
				}
				if settles > most-100 {
					t.Errorf("%s, %d Gb/s, %v flows: at %.4g of %.4g bit/s, and %.0f B wait", name, gbps, n, told, share, waits)
				}
			}
		}
	}
}

// Whatever comes, rates and RTTs stay within bounds.
func TestRCPStaysWithinBounds(t *testing.T) {
	given := defaults[RCP](t, "rcp")
	rapid.Check(t, func(t *rapid.T) {
		o := given
		o.Preset = rapid.SampledFrom([]string{"perc", "ns2", "netfpga", "iwqos"}).Draw(t, "preset")
		q := o.queue(protocol.QueueEnv{Rate: 100 * unit.Gbps, BaseRTT: unit.Time(rapid.IntRange(0, 100).Draw(t, "us")) * us})
		now := unit.Time(0)
		for range rapid.IntRange(1, 200).Draw(t, "ticks") {
			now += unit.Time(q.period)
			for range rapid.IntRange(0, 3).Draw(t, "frames") {
				f := protocol.Field{100e9, rapid.Uint64Range(0, uint64(10*unit.Millisecond)).Draw(t, "rtt")}
				q.Arrived(now, unit.Bytes(rapid.IntRange(64, 1<<16-1).Draw(t, "wire")), &f)
				if q.Left(now, 9000, &f); f[0] < 1 || f[0] > 100e9 {
					t.Fatalf("rate %d", f[0])
				}
			}
			q.Tick(now, unit.Bytes(rapid.IntRange(0, 1<<30).Draw(t, "queue")))
			if !(q.rate > 0 && q.rate <= q.most) || !(q.rtt >= 1 && q.rtt <= float64(10*unit.Millisecond)) {
				t.Fatalf("rate %v, RTT %v ps", q.rate, q.rtt)
			}
		}
	})
}

func TestRCPRefuses(t *testing.T) {
	for want, change := range map[string]func(*RCP){
		`rcp: preset is "x"; it must be ns2, netfpga, perc or iwqos`: preset("x"),
		"rcp: alpha is -1; it must be 0 to 2":                        func(o *RCP) { o.Alpha = ptr(-1.0) },
		"rcp: beta is 5; it must be 0 to 4":                          func(o *RCP) { o.Beta = ptr(5.0) },
		"rcp: gamma is 0; it must be 0.01 to 1":                      func(o *RCP) { o.Gamma = ptr(0.0) },
		"rcp: initial is NaN; it must be 0.0001 to 1":                func(o *RCP) { o.Initial = ptr(math.NaN()) },
		"rcp: period is 1ns; it must be at least 100ns":              func(o *RCP) { o.Period = ptr(unit.Nanosecond) },
		"rcp: least is 0bps; it must be positive":                    func(o *RCP) { o.Least = ptr(unit.Rate(0)) },
		"rcp: start is 0bps; it must be positive":                    func(o *RCP) { o.Start = ptr(unit.Rate(0)) },
		"rcp: header_bytes is 2KiB":                                  func(o *RCP) { o.Header = 2 * unit.KiB },
		"rcp: window is 10%":                                         func(o *RCP) { o.Window = &unit.Amount{Share: 0.1} },
	} {
		o := defaults[RCP](t, "rcp")
		change(&o)
		if _, err := o.Build(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestRCPAllocatesNothing(t *testing.T) {
	c, q := newRCP(t, nil)
	now := unit.Time(0)
	var f protocol.Field
	a := &protocol.Ack{RTT: 10 * us, Fielded: true}
	if n := testing.AllocsPerRun(1000, func() {
		now += 7 * us
		f = c.Field(now)
		q.Arrived(now, 4160, &f)
		q.Left(now, 4160, &f)
		q.Tick(now, 400_000)
		a.Now, a.Field = now, f
		c.Acked(a)
		c.Expire(max(now, c.Deadline()))
		c.Probe(now)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
