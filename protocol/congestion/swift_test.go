package congestion

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// swiftOf builds a control with a window of 4 packets and a target of 20 µs without
// hops or scaling.
func swiftOf(t testing.TB, change func(*Swift)) *swift {
	t.Helper()
	o := defaults[Swift](t, "swift")
	base, span := 20*us, unit.Time(0)
	o.BaseTarget, o.Range, o.Initial = &base, &span, *amount(4)
	if change != nil {
		change(&o)
	}
	return build(t, o).(*swift)
}

// The lines of Algorithm 1 one after another, as round trips and windows.
func TestSwiftSteps(t *testing.T) {
	always, never := "always", "never"
	type step struct {
		now, rtt unit.Time
		n        int32
		want     float64
	}
	for _, tt := range []struct {
		name   string
		change func(*Swift)
		window float64
		steps  []step
	}{
		{"below the target: additive increase", nil, 4, []step{{10, 19, 1, 4.25}, {11, 19, 2, 4.25 + 2/4.25}}},
		{"at the target: decrease by nothing", nil, 4, []step{{10, 20, 1, 4}}},
		{"above: in proportion to the excess", nil, 4, []step{{10, 25, 1, 4 * (1 - 0.8*5/25)}}},
		{"above: at most max_mdf", nil, 4, []step{{10, 400, 1, 2}}},
		{"once a round trip", nil, 4, []step{{10, 25, 1, 3.36}, {34, 40, 1, 3.36}}},
		{"again after one", nil, 4, []step{{10, 25, 1, 3.36}, {35, 25, 1, 3.36 * 0.84}}},
		{"no change counts as a decrease", func(o *Swift) { o.Restamp = &always }, 4, []step{{10, 25, 1, 3.36}, {34, 40, 1, 3.36}, {60, 40, 1, 3.36}, {100, 40, 1, 3.36 * (1 - 0.8*20/40)}}},
		{"unless it is not to", func(o *Swift) { o.Restamp = &never }, 4, []step{{10, 25, 1, 3.36}, {34, 40, 1, 3.36}, {60, 40, 1, 3.36 * 0.6}}},
		{"by default if it is a whole number of bytes", nil, 4, []step{{10, 25, 1, 3.36}, {34, 40, 1, 3.36}, {60, 40, 1, 3.36 * 0.6}}},
		{"which the initial window is", nil, 4, []step{{10, 20, 1, 4}, {29, 40, 1, 4}, {50, 40, 1, 4}, {90, 40, 1, 2.4}}},
		{"increase below one packet", nil, 0.25, []step{{10, 19, 1, 1.25}}},
		{"down to the least", nil, 0.0015, []step{{10, 400, 1, 0.001}}},
		{"without a round-trip time nothing", nil, 4, []step{{10, 0, 1, 4}, {11, 25, 1, 3.36}}},
		{"duplicates count for nothing", nil, 4, []step{{10, 19, 0, 4}, {11, 25, 1, 3.36}}},
	} {
		c := swiftOf(t, tt.change)
		c.window = tt.window
		for i, s := range tt.steps {
			c.Acked(&protocol.Ack{Now: s.now * us, RTT: s.rtt * us, Packets: s.n})
			if !near(c.window, s.want) {
				t.Fatalf("%s, step %d: window %v, want %v", tt.name, i, c.window, s.want)
			}
		}
	}
}

// The target by hops and window, against the numbers of the equations.
func TestSwiftTarget(t *testing.T) {
	c := swiftOf(t, func(o *Swift) {
		base, span := 15*us, 75*us
		o.BaseTarget, o.Range = &base, &span
	})
	for _, tt := range []struct {
		hops   int
		window float64
		want   float64 // µs
	}{
		{0, 100, 15}, {1, 100, 16}, {3, 100, 18}, {3, 1000, 18},
		{3, 66, 18.565}, {3, 1, 18 + 24.491 - 2.4491}, {1, 0.1, 16 + 75}, {1, 0.001, 16 + 75},
	} {
		c.Start(0)
		c.SetHops(tt.hops)
		c.window = tt.window
		if got := c.goal() / float64(us); math.Abs(got-tt.want) > 0.002 {
			t.Errorf("%d hops, window %v: target %.4f µs, want %.4f", tt.hops, tt.window, got, tt.want)
		}
	}
	if paper := swiftOf(t, func(o *Swift) { o.Preset, o.Range, o.BaseTarget = "paper", nil, nil }); paper.span != float64(50*us) || paper.base != 20*us {
		t.Errorf("preset paper: base %v, fs_range %v", paper.base, paper.span)
	}
	if code := swiftOf(t, func(o *Swift) { o.Range, o.BaseTarget = nil, nil }); code.span != float64(100*us) {
		t.Errorf("preset nsdi25: fs_range %v", code.span)
	}
}

func TestSwiftPacesBelowAPacket(t *testing.T) {
	c := swiftOf(t, nil)
	if c.Pace().Gap != 0 {
		t.Errorf("gap %v at a window of %v", c.Pace().Gap, c.window)
	}
	c.Acked(&protocol.Ack{Now: us, RTT: 10 * us, Packets: 1})
	c.window = 0.25
	if got := c.Pace().Gap; got != 40*us {
		t.Errorf("gap %v, want 40 µs", got)
	}
	c.window = 1
	if c.Pace().Gap != 0 {
		t.Errorf("gap %v at one packet", c.Pace().Gap)
	}
}

// TestSwiftIdle: who has sent nothing for a retransmission timeout begins with the initial
// window again, when it is known that it sent, whatever kept it from sending.
func TestSwiftIdle(t *testing.T) {
	const ms = unit.Millisecond
	ack := func(c *swift, sent, rtt unit.Time) {
		c.Acked(&protocol.Ack{Now: sent + rtt, RTT: rtt, Packets: 1})
	}
	learnt := func(change func(*Swift)) *swift {
		c := swiftOf(t, change)
		for i := range unit.Time(100) { // the deviation begins at 250 ms
			ack(c, i*100*us, 10*us)
		}
		c.window = 0.01
		return c
	}
	last := 99 * 100 * us
	for _, tt := range []struct {
		name   string
		change func(*Swift)
		sent   unit.Time
		want   float64
	}{
		{"10 ms are not enough", nil, last + 10*ms, 0.005},
		{"anything above is", nil, last + 10*ms + us, 2},
		{"never", func(o *Swift) { o.Idle = new(unit.Time) }, last + 100*ms, 0.005},
		{"not with preset paper", func(o *Swift) { o.Preset = "paper" }, last + 100*ms, 0.005},
		{"another time", func(o *Swift) { idle := 20 * ms; o.Idle = &idle }, last + 15*ms, 0.005},
	} {
		c := learnt(tt.change)
		ack(c, tt.sent, 400*us) // twice the target at any window: halved
		if !near(c.window, tt.want) {
			t.Errorf("%s: window %v, want %v", tt.name, c.window, tt.want)
		}
	}

	// Of a new connection the timeout is about a second.
	c := swiftOf(t, nil)
	ack(c, 0, 400*us)
	ack(c, 100*ms, 400*us)
	if !near(c.window, 1) {
		t.Errorf("window %v of a connection that knows two round trips, want 1", c.window)
	}
}

func TestSwiftLosses(t *testing.T) {
	c := swiftOf(t, nil)
	lose := func(now unit.Time, cause protocol.LossCause) {
		c.Lost(&protocol.Loss{Now: now * us, SentAt: (now - 1) * us, Cause: cause})
	}
	lose(10, protocol.Trimmed)
	lose(11, protocol.Timeout) // within the round trip of 10 µs
	if c.window != 2 {
		t.Fatalf("window %v, want 2", c.window)
	}
	lose(20, protocol.Timeout)
	if c.window != 1 {
		t.Fatalf("window %v, want 1", c.window)
	}
	for i := range unit.Time(10) {
		lose(21+i, protocol.Timeout)
	}
	for range 100 { // others of the same time
		c.Lost(&protocol.Loss{Now: 31 * us, Cause: protocol.Timeout})
	}
	if c.timeouts != 12 {
		t.Errorf("%d timeouts in a row", c.timeouts)
	}
	if c.window != 0.001 {
		t.Errorf("window %v after 12 timeouts in a row", c.window)
	}
	c.Acked(&protocol.Ack{Now: 50 * us, Packets: 1})
	c.window = 4
	lose(90, protocol.Timeout)
	if c.window != 2 {
		t.Errorf("window %v, want 2: an acknowledgement ends the row", c.window)
	}
}

func TestRestartKeepsWhatWasLearnt(t *testing.T) {
	s := swiftOf(t, nil)
	s.window = 1
	s.Restart(us)
	if s.window != 4 {
		t.Errorf("swift: window %v, want 4", s.window)
	}
	o := defaults[DCTCP](t, "dctcp")
	o.Initial, o.Alpha, o.Restart, o.Largest = amount(8), 0, true, *amount(100)
	d := build(t, o).(*dctcp)
	d.Acked(ack(10*us, 0, 8, 4)) // alpha 1/32, in slow start to 12 and a cut
	threshold := 12 * (1 - d.alpha/2)
	if !near(d.window, threshold) || d.alpha != 1./32 {
		t.Fatalf("dctcp: window %v, alpha %v", d.window, d.alpha)
	}
	d.Restart(20 * us)
	if d.window != 8 || d.alpha != 1./32 || !d.slow {
		t.Errorf("dctcp: window %v, alpha %v, slow start %v after the restart", d.window, d.alpha, d.slow)
	}
	d.Acked(ack(30*us, -1, 5, 0)) // 9, 10, 11, 12: past the threshold; then +1/12
	if want := 12 + 1./12; !near(d.window, want) {
		t.Errorf("dctcp: window %v, want %v: slow start ends at the threshold", d.window, want)
	}
	o.Restart = false
	d = build(t, o).(*dctcp)
	d.Acked(ack(10*us, 0, 8, 4))
	d.Restart(20 * us)
	if !near(d.window, threshold) {
		t.Errorf("dctcp without restart: window %v", d.window)
	}
}

func TestSwiftRefuses(t *testing.T) {
	d := defaults[Swift](t, "swift")
	for _, change := range []func(*Swift){
		func(o *Swift) { o.Preset = "code" },
		func(o *Swift) { o.ScaleMin = 100 },
		func(o *Swift) { o.ScaleMin = 0 },
		func(o *Swift) { o.Hop = -1 },
		func(o *Swift) { zero := unit.Time(0); o.BaseTarget = &zero },
		func(o *Swift) { o.Least = 0 },
		func(o *Swift) { o.Initial = unit.Amount{Share: 1} },
		func(o *Swift) { o.Beta = math.NaN() },
	} {
		o := d
		change(&o)
		if _, err := o.Build(); err == nil {
			t.Errorf("%+v was built", o)
		}
	}
}

// Whatever happens, the window is a number within its bounds, and so is the gap.
func TestSwiftStaysWithinBounds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c, t := swiftOf(t, nil), r
		c.SetHops(rapid.IntRange(0, 5).Draw(t, "hops"))
		now := unit.Time(0)
		for range rapid.IntRange(1, 100).Draw(t, "events") {
			now += unit.Time(rapid.Int64Range(0, int64(100*us)).Draw(t, "gap"))
			if rapid.Bool().Draw(t, "ack") {
				c.Acked(&protocol.Ack{Now: now, RTT: unit.Time(rapid.Int64Range(0, int64(unit.Second)).Draw(t, "rtt")), Packets: rapid.Int32Range(0, 8).Draw(t, "n")})
			} else {
				c.Lost(&protocol.Loss{Now: now, Cause: protocol.LossCause(rapid.IntRange(0, 1).Draw(t, "cause"))})
			}
			if !(c.window >= 0.001 && c.window <= swiftLargest) || c.Pace().Gap < 0 || c.Pace().Gap > unit.Second {
				t.Fatalf("window %v, gap %v", c.window, c.Pace().Gap)
			}
		}
	})
}
