package congestion

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

const (
	line = 100 * unit.Gbps
	rtt  = 8 * us // of wan
)

func wantRates(t testing.TB, c *hpcc, what string, rate, steady float64) {
	t.Helper()
	if math.Abs(c.rate-rate) > 1e-6*rate || math.Abs(c.steady-steady) > 1e-6*steady {
		t.Errorf("%s: rate %.9g from %.9g, want %.9g from %.9g", what, c.rate, c.steady, rate, steady)
	}
}

// The link of a single connection at the start: line rate and a window of one BDP. The first
// acknowledgement, and one without stamps, change nothing.
func TestHPCCStarts(t *testing.T) {
	c := newHPCC(t, nil)
	check := func(what string) {
		t.Helper()
		if c.Pace().Rate != line || c.Window() != 100_000 {
			t.Errorf("%s: rate %v, window %v", what, c.Pace().Rate, c.Window())
		}
	}
	check("at the start")
	c.Acked(&protocol.Ack{Now: us, Packets: 1, RTT: us})
	check("without stamps")
	c.Acked(stamped(rtt, rtt, 1, port{line, 1, 500_000}))
	check("after the first stamps")
	c.Lost(&protocol.Loss{Now: rtt})
	check("after a loss")
	c.Acked(stamped(2*rtt, rtt, 1, port{line, 1, 500_000}))
	if c.Pace().Rate >= line {
		t.Error("the second stamps change nothing")
	}
	c.Start(0)
	check("after a new start")
}

// After a base RTT, U of a link that is busy for a share of the time, with a queue q, is that share
// + q/BDP: 1 + q/BDP if it is saturated. At a faster link a queue counts less.
func TestHPCCMeasures(t *testing.T) {
	for _, tt := range []struct {
		port port
		want float64
	}{
		{port{line, 1, 0}, 1},
		{port{line, 1, 100_000}, 2},
		{port{line, 1, 25_000}, 1.25},
		{port{line, 0.5, 0}, 0.5},
		{port{line, 0, 10_000}, 0.1},
		{port{4 * line, 1, 100_000}, 1.25},
		{port{line / 4, 1, 100_000}, 5},
	} {
		for _, others := range [][]port{nil, {{line, 0.01, 0}}, {{line, 0.01, 0}, {2 * line, 0.01, 0}}} {
			for at := range len(others) + 1 {
				ports := append(append(append([]port(nil), others[:at]...), tt.port), others[at:]...)
				c := newHPCC(t, nil)
				c.Acked(stamped(rtt, rtt, 1, ports...))
				c.Acked(stamped(2*rtt, rtt, 1, ports...))
				if math.Abs(c.use-tt.want) > 1e-6 {
					t.Errorf("U of %v among %v is %v, want %v", tt.port, ports, c.use, tt.want)
				}
			}
		}
	}
}

// Of two lengths of the queue the smaller one counts, and U moves by the share of a base RTT that
// passed between the stamps, at most to the whole.
func TestHPCCSmooths(t *testing.T) {
	for _, tt := range []struct {
		passed unit.Time
		weight float64
	}{{rtt / 100, 0.01}, {rtt / 4, 0.25}, {rtt, 1}, {7 * rtt, 1}} {
		for _, queues := range [][2]unit.Bytes{{50_000, 200_000}, {200_000, 50_000}} {
			c := newHPCC(t, nil)
			c.Acked(stamped(rtt, rtt, 1, port{line, 1, queues[0]}))
			c.Acked(stamped(rtt+tt.passed, 0, 1, port{line, 1, queues[1]}))
			if want := 1 - tt.weight + tt.weight*1.5; math.Abs(c.use-want) > 1e-6 {
				t.Errorf("after %v with queues %v U is %v, want %v", tt.passed, queues, c.use, want)
			}
		}
	}
}

// Each acknowledgement sets the rate from the same reference, which follows once a round trip.
func TestHPCCReactsFromReference(t *testing.T) {
	const additive = 1e9
	for _, react := range []string{"ack", "rtt"} {
		c := newHPCC(t, func(o *HPCC) { o.Additive, o.React = ptr(unit.Gbps), react })
		busy := port{line, 1, 100_000}
		c.Acked(stamped(rtt, rtt, 1, busy))
		for i := range 10 { // sent before the first stamps came
			c.Acked(stamped(rtt+unit.Time(i+1)*rtt/20, rtt, 1, busy))
			if react == "rtt" {
				wantRates(t, c, "within a round trip", 1e11, 1e11)
				continue
			}
			use := 2 - math.Pow(0.95, float64(i+1))
			wantRates(t, c, "within a round trip", 1e11*0.95/use+additive, 1e11)
		}
		c.Acked(stamped(3*rtt, rtt, 1, busy))
		wantRates(t, c, "a round trip", 1e11*0.95/2+additive, 1e11*0.95/2+additive)
		// A copy of a packet, whose time is not known, ends none.
		before := c.steady
		c.Acked(stamped(5*rtt, 0, 1, port{line, 0.5, 0}))
		if c.steady != before {
			t.Error("a packet that was sent more than once ends a round trip")
		}
	}
}

// Below eta the rate grows by additive for max_stage round trips, and then by eta/U.
func TestHPCCGrowsInStages(t *testing.T) {
	for preset, stages := range map[string]int{"paper": 5, "code": 0} {
		c := newHPCC(t, func(o *HPCC) { o.Preset = preset })
		additive := 1e11 * 80 / 162_500
		if preset == "code" {
			additive = 40e6
		}
		c.Acked(stamped(rtt, rtt, 1, port{line, 1, 400_000}))
		c.Acked(stamped(2*rtt, rtt, 1, port{line, 1, 400_000}))
		rate := 1e11*0.95/5 + additive
		wantRates(t, c, preset+": cut", rate, rate)
		c.path = 2 // as if other ports stamped, of which half is used
		c.Acked(stamped(3*rtt, rtt, 1, port{line, 0.5, 0}))
		for n := range 2*stages + 2 {
			c.Acked(stamped(unit.Time(n+4)*rtt, rtt, 1, port{line, 0.5, 0}))
			if n%(stages+1) == stages {
				rate = rate * 0.95 / 0.5
			}
			rate = min(rate+additive, 1e11)
			wantRates(t, c, preset+": growth", rate, rate)
		}
	}
}

// New ports only replace what was known, as does another number of them. So does an
// acknowledgement that was overtaken nothing at all, or one with the same times.
func TestHPCCIgnoresOtherPorts(t *testing.T) {
	busy := port{line, 1, 300_000}
	for what, a := range map[string]*protocol.Ack{
		"another path": stamped(2*rtt, rtt, 2, busy), "more ports": stamped(2*rtt, rtt, 1, busy, busy),
		"same time": stamped(rtt, rtt, 1, busy), "overtaken": stamped(rtt-1, rtt, 1, busy),
	} {
		c := newHPCC(t, nil)
		c.Acked(stamped(rtt, rtt, 1, busy))
		c.Acked(a)
		wantRates(t, c, what, 1e11, 1e11)
		path, ports := a.Stamps.Path, []port{busy, busy}[:len(a.Stamps.Hops)]
		c.Acked(stamped(4*rtt, rtt, path, ports...))
		if c.rate > 0.3e11 || math.Abs(c.use-4) > 1e-6 {
			t.Errorf("%s: then rate %v with U %v", what, c.rate, c.use)
		}
	}
	many := make([]port, protocol.MostStamps+3)
	for i := range many {
		many[i] = busy
	}
	c := newHPCC(t, nil)
	c.Acked(stamped(rtt, rtt, 1, many...))
	c.Acked(stamped(2*rtt, rtt, 1, many...))
	if c.rate > 0.3e11 {
		t.Errorf("with %d stamps the rate is %v", len(many), c.rate)
	}
}

// A single flow settles at eta of the link, with hardly a queue, in both presets.
func TestHPCCAloneUsesEta(t *testing.T) {
	for _, preset := range []string{"paper", "code"} {
		for _, eta := range []float64{0.95, 0.8} {
			var l link
			l.add(newHPCC(t, func(o *HPCC) { o.Preset, o.Eta = preset, unit.Ratio(eta) }))
			l.run(30 * rtt)
			l.most = 0
			share := l.share(func() { l.run(80 * rtt) })
			if math.Abs(share[0]-eta) > 0.01 || l.most > 2 {
				t.Errorf("%s: the flow has %.4f of the link, want %v, and queues %d packets", preset, share[0], eta, l.most)
			}
		}
	}
}

// Two flows share by their additive increase alone. With a increase by shares of the link the sum
// settles at eta + 2a, and each round trip the difference falls by eta/(eta + 2a).
func TestHPCCSharesByAdditive(t *testing.T) {
	const a, eta, trips = 0.01, 0.95, 40
	var l link
	for _, r := range []float64{0.75e11, 0.2e11} {
		c := newHPCC(t, func(o *HPCC) { o.Additive = ptr(unit.Gbps); o.Preset = "code" })
		c.rate, c.steady, c.use = r, r, eta
		l.add(c)
	}
	l.run(10 * rtt)
	first := l.share(func() { l.run(15 * rtt) })
	l.run((10 + trips) * rtt)
	last := l.share(func() { l.run((15 + trips) * rtt) })
	got, want := (last[0]-last[1])/(first[0]-first[1]), math.Pow(eta/(eta+2*a), trips)
	if math.Abs(got/want-1) > 0.15 {
		t.Errorf("in %d round trips the difference falls to %.3f of what it was, want %.3f: %v, then %v", trips, got, want, first, last)
	}
	if sum := last[0] + last[1]; math.Abs(sum-eta-2*a) > 0.02 {
		t.Errorf("flows have %.3f of the link together, want %.3f", sum, eta+2*a)
	}
	l.run(300 * rtt)
	l.most = 0
	last = l.share(func() { l.run(320 * rtt) })
	if math.Abs(last[0]-last[1]) > 0.02 || l.most > 10 {
		t.Errorf("shares at the end are %v, with %d packets queued", last, l.most)
	}
}

// A flow that joins at line rate halves the other within a few round trips, and the queue that
// this makes drains.
func TestHPCCMakesRoom(t *testing.T) {
	var l link
	l.add(newHPCC(t, nil))
	l.run(30 * rtt)
	l.add(newHPCC(t, nil))
	l.run(40 * rtt)
	l.most = 0
	shares := l.share(func() { l.run(60 * rtt) })
	if math.Abs(shares[0]-shares[1]) > 0.1 || shares[0]+shares[1] < 0.9 || l.most > 5 {
		t.Errorf("shares are %v, with %d packets queued", shares, l.most)
	}
}

// Without a window only the pace limits; with it the window is the rate times base RTT, in whole
// packets.
func TestHPCCWindow(t *testing.T) {
	c := newHPCC(t, nil)
	for rate, want := range map[float64]unit.Bytes{1e11: 100_000, 0.5e11: 50_000, 0.501e11: 51_000, 1e8: 1000} {
		if c.rate = rate; c.Window() != want {
			t.Errorf("window %v at %v, want %v", c.Window(), rate, want)
		}
	}
	c = newHPCC(t, func(o *HPCC) { o.Window = false })
	if c.rate = 1e8; c.Window() < unit.TiB {
		t.Errorf("window %v without one", c.Window())
	}
}

// Whatever switches stamp, the rates stay within their bounds and U is a number.
func TestHPCCStaysWithinBounds(t *testing.T) {
	d := defaults[HPCC](t, "hpcc")
	rapid.Check(t, func(t *rapid.T) {
		o := d
		o.Preset = rapid.SampledFrom([]string{"paper", "code"}).Draw(t, "preset")
		o.React = rapid.SampledFrom([]string{"ack", "rtt"}).Draw(t, "react")
		o.LHCS = rapid.Bool().Draw(t, "lhcs")
		o.Least = unit.Rate(rapid.Int64Range(1, int64(2*line)).Draw(t, "least"))
		b, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		c := b.New(wan()).(*hpcc)
		stamps := make([]protocol.Stamp, 3)
		now, least := unit.Time(0), min(float64(o.Least), 1e11)
		for range rapid.IntRange(1, 60).Draw(t, "acks") {
			now += unit.Time(rapid.Int64Range(0, int64(2*rtt)).Draw(t, "passed"))
			for i := range stamps {
				s := &stamps[i]
				s.At += unit.Time(rapid.Int64Range(0, int64(rtt)).Draw(t, "at"))
				s.Sent += unit.Bytes(rapid.Int64Range(0, 1_000_000).Draw(t, "sent"))
				s.Queue = unit.Bytes(rapid.Int64Range(0, 10_000_000).Draw(t, "queue"))
				s.Rate = unit.Rate(rapid.Int64Range(0, int64(8*line)).Draw(t, "rate"))
			}
			c.Acked(&protocol.Ack{
				Now: now, Packets: 1, RTT: unit.Time(rapid.Int64Range(0, int64(2*rtt)).Draw(t, "RTT")),
				Answered: true, Answer: protocol.Answer{rapid.Uint64Range(0, 100).Draw(t, "N")},
				Stamps: protocol.Stamps{Path: rapid.Uint32Range(1, 2).Draw(t, "path"), Hops: stamps[:rapid.IntRange(0, 3).Draw(t, "hops")]},
			})
			if !(c.rate >= least && c.rate <= 1e11 && c.steady >= least && c.steady <= 1e11 && c.use >= 0 && !math.IsInf(c.use, 0)) || c.Window() < 1000 {
				t.Fatalf("rate %v from %v, U %v, window %v", c.rate, c.steady, c.use, c.Window())
			}
		}
	})
}

func TestHPCCRefuses(t *testing.T) {
	d := defaults[HPCC](t, "hpcc")
	for want, change := range map[string]func(*HPCC){
		`preset is "ns3"; it must be paper or code`: func(o *HPCC) { o.Preset = "ns3" },
		`react is "x"`:       func(o *HPCC) { o.React = "x" },
		"eta is 0;":          func(o *HPCC) { o.Eta = 0 },
		"max_stage is -1":    func(o *HPCC) { o.MaxStage = ptr(-1) },
		"additive is":        func(o *HPCC) { o.Additive = ptr(unit.Rate(-1)) },
		"least is":           func(o *HPCC) { o.Least = 0 },
		"int_bytes is":       func(o *HPCC) { o.Bytes = -1 },
		"lhcs_alpha is NaN":  func(o *HPCC) { o.Alpha = math.NaN() },
		"lhcs_beta is 2":     func(o *HPCC) { o.Beta = 2 },
		`count is "flows"; `: func(o *HPCC) { o.Count = "flows" },
	} {
		o := d
		change(&o)
		if _, err := o.Build(); err == nil || !strings.HasPrefix(err.Error(), "hpcc: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
