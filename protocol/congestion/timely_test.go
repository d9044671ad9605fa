package congestion

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

func newTimely(t testing.TB, change func(*Timely)) *timely {
	t.Helper()
	o := defaults[Timely](t, "timely")
	if change != nil {
		change(&o)
	}
	return buildIn(t, o, wan()).(*timely)
}

// rounds gives a control one RTT after another, each of a packet that was sent after the last
// one, and returns the rate after each.
func rounds(c *timely, rtts ...unit.Time) (rates []float64) {
	now := 10 * unit.Millisecond
	for _, r := range rtts {
		now += r
		c.Acked(&protocol.Ack{Now: now, Packets: 100, RTT: r})
		rates = append(rates, c.rate)
	}
	return rates
}

func repeated(r unit.Time, n int) []unit.Time {
	list := make([]unit.Time, n)
	for i := range list {
		list[i] = r
	}
	return list
}

// With a constant RTT between the thresholds the rate grows by δ, and by 5δ after five rounds.
func TestTimelyGrowsInGradientZone(t *testing.T) {
	for _, tt := range []struct {
		preset string
		rtt    unit.Time
		delta  float64 // Mb/s
	}{{"hpcc", 100 * us, 100}, {"scaled", 100 * us, 100}, {"paper", 100 * us, 10}, {"hpcc", 30 * us, 100}} {
		c := newTimely(t, func(o *Timely) { o.Preset = tt.preset })
		c.rate = 10e9
		want := 10e9
		for i, got := range rounds(c, repeated(tt.rtt, 12)...) {
			switch { // the first only counts as the one before
			case i > 5:
				want += 5 * tt.delta * 1e6
			case i > 0:
				want += tt.delta * 1e6
			}
			if math.Abs(got-want) > 1 {
				t.Errorf("%s: after %d rounds of %v the rate is %v, want %v", tt.preset, i, tt.rtt, got, want)
			}
		}
	}
}

// Below T_low the paper's step stays δ, and such a round ends the row.
func TestTimelyPaperStepsBelowLow(t *testing.T) {
	c := newTimely(t, func(o *Timely) { o.Preset = "paper" })
	c.rate = 10e9
	rates := rounds(c, repeated(30*us, 20)...)
	if got, want := rates[19], 10e9+19*10e6; math.Abs(got-want) > 1 {
		t.Errorf("rate %v, want %v", got, want)
	}
	c.raised = 5
	c.raise(false)
	if c.raised != 0 {
		t.Errorf("%d rounds in a row after one below low", c.raised)
	}
}

// A rising RTT takes beta times the gradient off, a long one beta·(1 - high/RTT), and a falling one
// lets the rate grow again.
func TestTimelyCuts(t *testing.T) {
	c := newTimely(t, func(o *Timely) { o.MinRTT, o.EWMA = ptr(20*us), 0.5 })
	c.rate = 50e9
	rates := rounds(c, 100*us, 104*us, 108*us, 100*us)
	// d is 2, 3 and -2.5 us.
	first := 50e9 * (1 - 0.8*2.0/20)
	second := first * (1 - 0.8*3.0/20)
	for i, want := range []float64{50e9, first, second, second + 100e6} {
		if math.Abs(rates[i]-want) > 1 {
			t.Errorf("round %d: rate %v, want %v", i, rates[i], want)
		}
	}
	c = newTimely(t, nil)
	c.rate = 50e9
	rates = rounds(c, 1000*us, 1000*us, 2000*us)
	for i, want := range []float64{50e9, 50e9 * (1 - 0.8*0.5), 50e9 * (1 - 0.8*0.5) * (1 - 0.8*0.75)} {
		if math.Abs(rates[i]-want) > 1 {
			t.Errorf("long RTT %d: rate %v, want %v", i, rates[i], want)
		}
	}
	// A gradient above 1/beta leaves the least rate, and ends the row.
	c = newTimely(t, nil)
	c.raised = 4
	rates = rounds(c, 60*us, 160*us)
	if rates[1] != 100e6 || c.raised != 0 {
		t.Errorf("rate %v, and %d rounds in a row", rates[1], c.raised)
	}
}

// There is one update per round trip, or one per segment of payload.
func TestTimelyUpdates(t *testing.T) {
	for _, tt := range []struct {
		change func(*Timely)
		every  int // packets between updates
	}{
		{nil, 40}, // 100 us at an acknowledgement each 2.5 us
		{func(o *Timely) { o.Preset = "paper" }, 64},
		{func(o *Timely) { o.Update, o.Segment = ptr("segment"), 1 }, 1},
		{func(o *Timely) { o.Preset, o.Update = "paper", ptr("rtt") }, 40},
	} {
		c := newTimely(t, tt.change)
		c.rate = 10e9
		updates, before := 0, c.rate
		for i := range 6 * tt.every {
			c.Acked(&protocol.Ack{Now: 100*us + unit.Time(i)*2500*unit.Nanosecond, Packets: 1, RTT: 100 * us})
			if c.rate != before {
				updates, before = updates+1, c.rate
			}
		}
		if updates < 4 || updates > 5 {
			t.Errorf("%d packets for each update, want %d", 6*tt.every/max(1, updates), tt.every)
		}
		c.Acked(&protocol.Ack{Now: unit.Second, Packets: 200})
		c.Lost(&protocol.Loss{Now: unit.Second})
		if c.rate != before {
			t.Error("a packet without an RTT, or a loss, changes the rate")
		}
	}
}

// The thresholds of a preset, and the window that the rate may have.
func TestTimelyPresets(t *testing.T) {
	c := newTimely(t, func(o *Timely) { o.Preset = "scaled"; o.Window = &unit.Amount{BDPs: 1} })
	if c.low != 24*us || c.high != 240*us || c.minRTT != 8*us || c.Window() != 100_000 || c.Pace().Rate != line {
		t.Errorf("scaled: %v, %v, %v, window %v, rate %v", c.low, c.high, c.minRTT, c.Window(), c.Pace().Rate)
	}
	if c.rate = 25e9; c.Window() != 25_000 {
		t.Errorf("window %v at a quarter of the line", c.Window())
	}
	c = newTimely(t, func(o *Timely) { o.Window, o.Scales = &unit.Amount{BDPs: 1}, false })
	if c.rate = 25e9; c.Window() != 100_000 || c.low != 50*us || c.high != 500*us || c.minRTT != 20*us {
		t.Errorf("hpcc: %v, %v, %v, window %v", c.low, c.high, c.minRTT, c.Window())
	}
	if c = newTimely(t, nil); c.Window() < unit.TiB {
		t.Errorf("window %v without one", c.Window())
	}
	if c = newTimely(t, func(o *Timely) { o.Low = ptr(unit.Second) }); c.high != unit.Second {
		t.Errorf("high %v is below low", c.high)
	}
}

func TestTimelyStaysWithinBounds(t *testing.T) {
	d := defaults[Timely](t, "timely")
	rapid.Check(t, func(t *rapid.T) {
		o := d
		o.Preset = rapid.SampledFrom([]string{"paper", "hpcc", "scaled"}).Draw(t, "preset")
		o.Least = unit.Rate(rapid.Int64Range(1, int64(2*line)).Draw(t, "least"))
		o.EWMA, o.Beta = unit.Ratio(rapid.Float64Range(0, 1).Draw(t, "ewma")), rapid.Float64Range(0, 1).Draw(t, "beta")
		b, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		c := b.New(wan()).(*timely)
		now := unit.Time(0)
		for range rapid.IntRange(1, 60).Draw(t, "acks") {
			now += unit.Time(rapid.Int64Range(0, int64(unit.Millisecond)).Draw(t, "passed"))
			c.Acked(&protocol.Ack{Now: now, Packets: rapid.Int32Range(0, 64).Draw(t, "packets"), RTT: unit.Time(rapid.Int64Range(0, int64(now)).Draw(t, "RTT"))})
			if !(c.rate >= min(float64(o.Least), 1e11) && c.rate <= 1e11) {
				t.Fatalf("rate %v", c.rate)
			}
		}
	})
}

func TestTimelyRefuses(t *testing.T) {
	d := defaults[Timely](t, "timely")
	for want, change := range map[string]func(*Timely){
		`preset is "x"; it must be paper, hpcc or scaled`: func(o *Timely) { o.Preset = "x" },
		`update is "ack"`:    func(o *Timely) { o.Update = ptr("ack") },
		"low is":             func(o *Timely) { o.Low = ptr(unit.Time(0)) },
		"min_rtt is":         func(o *Timely) { o.MinRTT = ptr(unit.Time(-1)) },
		"high is 1us":        func(o *Timely) { o.Low, o.High = ptr(2*us), ptr(us) },
		"ewma is 2":          func(o *Timely) { o.EWMA = 2 },
		"beta is NaN":        func(o *Timely) { o.Beta = math.NaN() },
		"additive is":        func(o *Timely) { o.Additive = ptr(unit.Rate(-1)) },
		"hyper is 0":         func(o *Timely) { o.Hyper = 0 },
		"hyper_after is -1":  func(o *Timely) { o.After = -1 },
		"segment is 0":       func(o *Timely) { o.Segment = 0 },
		"least is":           func(o *Timely) { o.Least = 0 },
		"window is 50%, but": func(o *Timely) { o.Window = &unit.Amount{Share: 0.5} },
	} {
		o := d
		change(&o)
		if _, err := o.Build(); err == nil || !strings.HasPrefix(err.Error(), "timely: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
