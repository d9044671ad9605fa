package congestion

import (
	"testing"

	"weft/protocol"
	"weft/unit"
)

// nsccOf returns a control with a target of 6 µs over a base RTT of 10 µs, whose
// coefficients are those of a base BDP, and a window of w packets.
func nsccOf(t testing.TB, w int) *nscc {
	t.Helper()
	o := defaults[NSCC](t, "nscc")
	o.Initial, o.Least, o.Largest = *amount(w), amount(1), *amount(30)
	o.Target = new(unit.Time)
	*o.Target = 6 * us
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	e := env()
	c := b.New(e).(*nscc)
	scale := float64(e.BDP) / nsccBDP
	c.alpha, c.fair, c.eta, c.fast = c.alpha/scale, c.fair/scale, c.eta/scale, c.fast/scale
	c.Start(0)
	return c
}

// after acknowledges n packets after a delay beyond the base RTT.
func after(c *nscc, now, delay unit.Time, n int32, marked bool) {
	a := &protocol.Ack{Now: now, Packets: n, Marked: marked, RTT: 10*us + delay}
	if marked {
		a.MarkedPackets = n
	}
	c.Acked(a)
}

func TestNSCCProportionalIncrease(t *testing.T) {
	c := nsccOf(t, 10)
	after(c, 20*us, 0, 0, false) // a duplicate
	if c.window != 10 || c.received != 0 {
		t.Fatal("a duplicate counted")
	}
	c.adjusted = 20 * us
	for range 8 {
		after(c, 21*us, 3*us, 1, false)
	}
	if c.window != 10 {
		t.Fatalf("window %v before more than 8 packets were acknowledged", c.window)
	}
	after(c, 21*us, 3*us, 1, false)
	// alpha·n·(T-delay)/12 µs, over the window.
	if want := 10 + 4*9*3./12/10; !near(c.window, want) {
		t.Errorf("window %v, want %v", c.window, want)
	}
	if c.sum != 0 || c.received != 0 {
		t.Error("increases were added and kept")
	}
}

func TestNSCCFairIncrease(t *testing.T) {
	c := nsccOf(t, 10)
	c.adjusted = 20 * us
	after(c, 21*us, 6*us, 9, false)
	if want := 10 + 5*9./10; !near(c.window, want) {
		t.Errorf("window %v, want %v", c.window, want)
	}
	// Once a round trip, eta is added too.
	after(c, 32*us, 6*us, 1, false)
	if want := 14.5 + 5/14.5 + 0.15; !near(c.window, want) {
		t.Errorf("window %v, want %v", c.window, want)
	}
}

func TestNSCCFastIncrease(t *testing.T) {
	c := nsccOf(t, 10)
	c.adjusted = 20 * us
	after(c, 21*us, us/2, 8, false)
	if c.rising || c.window != 10 {
		t.Fatal("fast increase before a whole window met an empty path")
	}
	after(c, 21*us, us/2, 4, false)
	w := 10 + 4*0.25
	w += 4 * 8 * 5.5 / 12 / w // what was due before
	if !c.rising || !near(c.window, w) {
		t.Fatalf("window %v, want %v", c.window, w)
	}
	after(c, 21*us, us/2, 1, false)
	if w += 0.25; !near(c.window, w) {
		t.Errorf("window %v, want %v", c.window, w)
	}
	after(c, 21*us, us, 1, false)
	if c.rising || c.empty != 0 {
		t.Error("fast increase goes on over a path that is not empty")
	}
	for range 100 {
		after(c, 21*us, 0, 10, false)
	}
	if c.window != 30 {
		t.Errorf("window %v, want the largest", c.window)
	}
}

func TestNSCCIgnoresMarksBelowTheTarget(t *testing.T) {
	c := nsccOf(t, 10)
	c.adjusted, c.avg = 20*us, float64(20*us)
	after(c, 21*us, 5*us, 9, true)
	if c.window != 10 {
		t.Errorf("window %v, want 10", c.window)
	}
}

func TestNSCCMultiplicativeDecrease(t *testing.T) {
	c := nsccOf(t, 10)
	c.adjusted = 100 * us
	after(c, 90*us, 8*us, 1, true) // the average is still below the target
	if c.window != 10 {
		t.Fatalf("window %v though the averaged delay is low", c.window)
	}
	c.avg = float64(8 * us)
	after(c, 91*us, 8*us, 1, true)
	w := 10 * (1 - 0.8*2/8)
	if !near(c.window, w) {
		t.Fatalf("window %v, want %v", c.window, w)
	}
	after(c, 100*us, 8*us, 1, true)
	if !near(c.window, w) {
		t.Fatal("it decreased twice in a round trip")
	}
	after(c, 102*us, 8*us, 1, true)
	if w *= 1 - 0.8*2/8; !near(c.window, w) {
		t.Fatalf("window %v after a round trip, want %v", c.window, w)
	}
	c.avg, c.adjusted = float64(600*us), 120*us
	after(c, 120*us, 23*us, 1, true)
	if w /= 2; !near(c.window, w) {
		t.Errorf("window %v, want at most half taken: %v", c.window, w)
	}
}

func TestNSCCAverage(t *testing.T) {
	c := nsccOf(t, 10)
	after(c, 20*us, 4*us, 1, false)
	avg := 0.0125 * float64(4*us)
	if !near(c.avg, avg) {
		t.Fatalf("average %v, want %v", c.avg, avg)
	}
	after(c, 20*us, 8*us, 1, false) // unmarked beyond the target: a quarter of the base
	avg = 0.0125*float64(10*us/4) + 0.9875*avg
	if !near(c.avg, avg) {
		t.Fatalf("average %v, want %v", c.avg, avg)
	}
	after(c, 20*us, 8*us, 1, true)
	avg = 0.0125*float64(8*us) + 0.9875*avg
	if !near(c.avg, avg) {
		t.Fatalf("average %v, want %v", c.avg, avg)
	}
	c.Lost(&protocol.Loss{Now: 20 * us, Cause: protocol.Trimmed})
	avg = 0.0125*float64(10*us) + 0.9875*avg
	if !near(c.avg, avg) {
		t.Errorf("average %v, want %v", c.avg, avg)
	}
	c.Acked(&protocol.Ack{Now: 20 * us, Packets: 1}) // sent twice
	if !near(c.avg, avg) {
		t.Error("a packet without RTT changed the average")
	}
}

func TestNSCCQuickAdapt(t *testing.T) {
	lost := func(c *nscc, now, sent unit.Time) {
		c.Lost(&protocol.Loss{Now: now, SentAt: sent, Cause: protocol.Trimmed})
	}
	c := nsccOf(t, 20)
	lost(c, 20*us, 5*us) // the first period begins
	if c.window != 19 {
		t.Fatalf("window %v after a loss, want 19", c.window)
	}
	after(c, 30*us, 20*us, 3, true)
	w := c.window
	lost(c, 36*us, 10*us) // the period ends only after base RTT and target
	if !near(c.window, w-1) {
		t.Fatalf("window %v, want %v", c.window, w-1)
	}
	lost(c, 37*us, 10*us)
	if c.window != 3 {
		t.Fatalf("window %v, want the 3 packets acknowledged in the period", c.window)
	}
	lost(c, 38*us, 36*us)
	after(c, 38*us, 20*us, 1, true)
	if c.window != 3 {
		t.Fatalf("window %v: losses and marks of packets sent before count again", c.window)
	}
	lost(c, 60*us, 45*us)
	if c.window != 1 {
		t.Errorf("window %v, want 1 after a period with one packet", c.window)
	}

	// Not if the gate is passed: 30/8 packets are acknowledged.
	c = nsccOf(t, 20)
	lost(c, 20*us, 5*us)
	after(c, 30*us, 20*us, 4, true)
	w = c.window
	lost(c, 37*us, 10*us)
	if !near(c.window, w-1) {
		t.Errorf("window %v though much was acknowledged", c.window)
	}
	// A delay above four targets does what a loss does.
	c = nsccOf(t, 20)
	after(c, 20*us, 0, 1, false)
	after(c, 40*us, 25*us, 1, true)
	if c.window != 2 && c.window != 1 {
		t.Errorf("window %v after a long delay, want what was acknowledged", c.window)
	}
	// And nothing does if it is off.
	c = nsccOf(t, 20)
	c.quick = false
	after(c, 20*us, 0, 1, false)
	lost(c, 37*us, 10*us)
	if c.window < 18 {
		t.Errorf("window %v without quick adapt", c.window)
	}
}

func TestNSCCFollowsTheBaseRTT(t *testing.T) {
	c := nsccOf(t, 30)
	after(c, 20*us, -5*us, 1, false)
	if c.base != 5*us || c.largest != 15 || c.window > 15 {
		t.Errorf("base %v, largest %v, window %v; want half of all", c.base, c.largest, c.window)
	}
	c.Start(0)
	if c.base != 10*us || c.largest != 30 || c.window != 30 {
		t.Error("a new connection keeps the path of the last one")
	}
}

func TestNSCCDefaults(t *testing.T) {
	b, err := defaults[NSCC](t, "nscc").Build()
	if err != nil {
		t.Fatal(err)
	}
	if !b.PromptMarks {
		t.Error("receivers hold marks back")
	}
	e := env()
	c := b.New(e).(*nscc)
	scale := float64(e.BDP) / nsccBDP
	if c.target != 10*us || c.window != 30 || !near(c.fair, 5*scale) || !near(c.fast, 0.25*scale) {
		t.Errorf("%+v", c)
	}
	e.Trims = true
	if c := b.New(e).(*nscc); c.target != 7500*unit.Nanosecond {
		t.Errorf("target %v with trimming, want 3/4 of the base RTT", c.target)
	}
	e.Trims, e.Queue = false, 10*4160
	if c := b.New(e).(*nscc); c.target != e.LineRate.Transmit(e.Queue)*3/4 {
		t.Errorf("target %v with a queue of half a BDP, want 3/4 of it", c.target)
	}
	o := defaults[NSCC](t, "nscc")
	o.Gamma = 2
	if _, err := o.Build(); err == nil {
		t.Error("gamma 2 was built")
	}
}
