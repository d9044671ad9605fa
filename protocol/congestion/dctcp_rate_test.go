package congestion

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

func newDCTCPRate(t testing.TB, change func(*DCTCPRate)) *dctcpRate {
	t.Helper()
	o := defaults[DCTCPRate](t, "dctcp-rate")
	if change != nil {
		change(&o)
	}
	return buildIn(t, o, wan()).(*dctcpRate)
}

// It starts at line rate with a window of one BDP, and grows by a packet per base RTT: 615 Mb/s
// with 1000 B and 13 us.
func TestDCTCPRateStarts(t *testing.T) {
	c := newDCTCPRate(t, nil)
	if c.Pace().Rate != line || c.Window() != 100_000 || !near(c.additive, 1e9) || c.alpha != 1 {
		t.Errorf("rate %v, window %v, additive %v, alpha %v", c.Pace().Rate, c.Window(), c.additive, c.alpha)
	}
	e := wan()
	e.BaseRTT = 13 * us
	if got := buildIn(t, defaults[DCTCPRate](t, "dctcp-rate"), e).(*dctcpRate).additive; math.Round(got/1e6) != 615 {
		t.Errorf("additive is %v, want 615 Mb/s", got)
	}
	c.rate = 50e9
	if c.Window() != 50_000 {
		t.Errorf("window %v at half the line", c.Window())
	}
	c.Lost(&protocol.Loss{Now: us})
	if c.rate != 50e9 {
		t.Error("a loss changes the rate")
	}
}

// Marks cut once per round trip, by alpha/2, and alpha follows the share of marked packets.
func TestDCTCPRateCutsOncePerRoundTrip(t *testing.T) {
	const g = 1.0 / 16
	c := newDCTCPRate(t, nil)
	c.Acked(ack(8*us, 0, 1, 1)) // the first round trip leaves alpha
	if !near(c.rate, 50e9) || c.alpha != 1 {
		t.Fatalf("rate %v, alpha %v after the first mark", c.rate, c.alpha)
	}
	for i := range 7 { // packets that were sent before the cut
		c.Acked(ack(9*us, unit.Time(i)*us, 1, 1))
	}
	if !near(c.rate, 50e9) {
		t.Errorf("rate %v: marks of the same round trip cut again", c.rate)
	}
	c.Acked(ack(10*us, -1, 1, 1)) // of unknown time
	if !near(c.rate, 50e9) {
		t.Errorf("rate %v: a packet that was sent more than once cuts", c.rate)
	}
	c.Acked(ack(16*us, 8*us, 8, 0)) // 8 of 16 marked; no cut, so it grows
	alpha := (1-g)*1 + g*0.5
	if !near(c.alpha, alpha) || !near(c.rate, 51e9) {
		t.Errorf("alpha %v and rate %v, want %v and 51 Gb/s", c.alpha, c.rate, alpha)
	}
	c.Acked(ack(17*us, 9*us, 1, 1)) // cuts within the round trip, at once
	if !near(c.rate, 51e9*(1-alpha/2)) {
		t.Errorf("rate %v, want %v", c.rate, 51e9*(1-alpha/2))
	}
	rate := c.rate
	c.Acked(ack(24*us, 16*us, 1, 0)) // the round trip is over, but not that of the cut
	if c.rate != rate {
		t.Errorf("rate %v grows in the round trip of a cut", c.rate)
	}
	c.Acked(ack(33*us, 25*us, 1, 0))
	if !near(c.rate, rate+1e9) {
		t.Errorf("rate %v, want %v", c.rate, rate+1e9)
	}
}

// Without marks the rate grows by additive each round trip, up to the line.
func TestDCTCPRateGrows(t *testing.T) {
	c := newDCTCPRate(t, func(o *DCTCPRate) { o.Additive = ptr(30 * unit.Gbps) })
	c.rate = 20e9
	for n, want := range []float64{50e9, 80e9, 100e9, 100e9} {
		now := unit.Time(n+1) * 8 * us
		c.Acked(ack(now, now-8*us, 10, 0))
		c.Acked(ack(now, now-9*us, 10, 0))
		if !near(c.rate, want) {
			t.Errorf("round trip %d: rate %v, want %v", n, c.rate, want)
		}
	}
}

func TestDCTCPRateStaysWithinBounds(t *testing.T) {
	d := defaults[DCTCPRate](t, "dctcp-rate")
	rapid.Check(t, func(t *rapid.T) {
		o := d
		o.Least = unit.Rate(rapid.Int64Range(1, int64(2*line)).Draw(t, "least"))
		o.Gain, o.Alpha = unit.Ratio(rapid.Float64Range(0, 1).Draw(t, "gain")), unit.Ratio(rapid.Float64Range(0, 1).Draw(t, "alpha"))
		b, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		c := b.New(wan()).(*dctcpRate)
		now := unit.Time(0)
		for range rapid.IntRange(1, 60).Draw(t, "acks") {
			now += unit.Time(rapid.Int64Range(0, int64(20*us)).Draw(t, "passed"))
			sent := max(0, now-unit.Time(rapid.Int64Range(0, int64(20*us)).Draw(t, "ago")))
			c.Acked(ack(now, sent, rapid.Int32Range(0, 64).Draw(t, "packets"), rapid.Int32Range(0, 64).Draw(t, "marked")))
			if !(c.rate >= min(float64(o.Least), 1e11) && c.rate <= 1e11 && c.alpha >= 0 && c.alpha <= 1) {
				t.Fatalf("rate %v, alpha %v", c.rate, c.alpha)
			}
		}
	})
}

func TestDCTCPRateRefuses(t *testing.T) {
	d := defaults[DCTCPRate](t, "dctcp-rate")
	for want, change := range map[string]func(*DCTCPRate){
		"gain is 2":     func(o *DCTCPRate) { o.Gain = 2 },
		"alpha is -1":   func(o *DCTCPRate) { o.Alpha = -1 },
		"additive is":   func(o *DCTCPRate) { o.Additive = ptr(unit.Rate(-1)) },
		"least is":      func(o *DCTCPRate) { o.Least = 0 },
		"window is 50%": func(o *DCTCPRate) { o.Window = &unit.Amount{Share: 0.5} },
	} {
		o := d
		change(&o)
		if _, err := o.Build(); err == nil || !strings.HasPrefix(err.Error(), "dctcp-rate: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
