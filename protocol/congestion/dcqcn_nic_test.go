package congestion

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

func newNIC(t testing.TB, change func(*DCQCNNIC)) *dcqcnNIC {
	t.Helper()
	o := defaults[DCQCNNIC](t, "dcqcn-nic")
	if change != nil {
		change(&o)
	}
	return buildIn(t, o, wan()).(*dcqcnNIC)
}

// ringNIC calls a control at its deadlines up to a time.
func ringNIC(c *dcqcnNIC, until unit.Time) (at []unit.Time) {
	for c.Deadline() <= until {
		at = append(at, c.Deadline())
		c.Expire(c.Deadline())
	}
	return at
}

func wantNIC(t testing.TB, c *dcqcnNIC, what string, rate, target float64) {
	t.Helper()
	if !near(c.rate, rate) || !near(c.target, target) {
		t.Errorf("%s: rate %.9g of target %.9g, want %.9g of %.9g", what, c.rate, c.target, rate, target)
	}
}

// The first cut comes 4 us after the first notification. With a single one alpha has decayed by
// four updates until then.
func TestDCQCNNICCutsFirstAfterCutTimer(t *testing.T) {
	const g = 1.0 / 256
	c := newNIC(t, nil)
	c.Acked(&protocol.Ack{Now: us, Packets: 1, Marked: true, MarkedPackets: 1})
	if c.Pace().Rate != line || c.Deadline() != unit.Forever || c.Window() < unit.TiB {
		t.Errorf("rate %v, window %v, deadline %v", c.Pace().Rate, c.Window(), c.Deadline())
	}
	c.Acked(cnp(10 * us))
	wantNIC(t, c, "notified", 1e11, 1e11)
	if at := ringNIC(c, 14*us); !slices.Equal(at, []unit.Time{14 * us}) {
		t.Errorf("deadlines at %v, want 14us", at)
	}
	alpha := math.Pow(1-g, 4)
	wantNIC(t, c, "first cut", 1e11*(1-alpha/2), 1e11)

	// Notifications in each microsecond keep alpha at 1: the rate halves each 4 us.
	c = newNIC(t, nil)
	for i := range 25 {
		now := 10*us + unit.Time(i)*us/2
		ringNIC(c, now)
		c.Acked(cnp(now))
	}
	if !near(c.alpha, 1) || !near(c.rate, 1e11/8) {
		t.Errorf("after three checks alpha is %v and the rate %v", c.alpha, c.rate)
	}
}

// The clocks run on from the first notification: a later one waits for the next multiple of 4 us,
// and alpha has an update each microsecond.
func TestDCQCNNICClocksRunFree(t *testing.T) {
	const g = 1.0 / 256
	c := newNIC(t, func(o *DCQCNNIC) { o.RateTimer = unit.Second })
	c.Acked(cnp(10 * us))
	ringNIC(c, 50*us)
	rate := c.rate
	c.Acked(cnp(53*us + 1)) // after 43 updates; the next check is at 54 us
	if at := ringNIC(c, unit.Millisecond); !slices.Equal(at, []unit.Time{54 * us}) {
		t.Errorf("cuts at %v, want 54us", at)
	}
	alpha := (1-g)*math.Pow(1-g, 43) + g
	if !near(c.alpha, alpha) || !near(c.rate, rate*(1-alpha/2)) {
		t.Errorf("alpha %v and rate %v, want %v and %v", c.alpha, c.rate, alpha, rate*(1-alpha/2))
	}
	// One at the time of a check waits for the next.
	c.Acked(cnp(58 * us))
	if c.Deadline() != 62*us {
		t.Errorf("the next check is at %v, want 62us", c.Deadline())
	}
	if c.settle(62 * us); c.told {
		t.Error("an update of alpha forgets no notification")
	}
	for range 5 { // more of them make no further cut
		c.Acked(cnp(60 * us))
	}
	if c.Deadline() != 62*us {
		t.Errorf("the next check is at %v, want 62us", c.Deadline())
	}
}

// A cut moves the target only if the rate grew since the last, unless clamp_target says so.
func TestDCQCNNICKeepsTarget(t *testing.T) {
	for _, clamp := range []bool{false, true} {
		c := newNIC(t, func(o *DCQCNNIC) { o.Clamp, o.Gain = clamp, 0 })
		for k := 1; k <= 3; k++ {
			c.Acked(cnp(unit.Time(4*k) * us))
			ringNIC(c, unit.Time(4*k+4)*us)
			target := 1e11
			if clamp {
				target = 1e11 / math.Pow(2, float64(k-1))
			}
			wantNIC(t, c, "cut", 1e11/math.Pow(2, float64(k)), target)
		}
		grown := c.grow
		ringNIC(c, grown)
		rate := c.rate
		c.Acked(cnp(grown))
		ringNIC(c, grown+4*us)
		wantNIC(t, c, "after growth", rate/2, rate)
	}
}

// A stage comes each 300 us after the cut: one of fast recovery, one additive, then hyper.
func TestDCQCNNICRecovers(t *testing.T) {
	c := newNIC(t, func(o *DCQCNNIC) { o.Gain, o.Clamp = 0, true })
	for k := range 3 {
		c.Acked(cnp(unit.Time(4*k) * us))
		ringNIC(c, unit.Time(4*k+4)*us)
	}
	target, rate := 25e9, 12.5e9
	wantNIC(t, c, "cuts", rate, target)
	for n := range 20 {
		if at := ringNIC(c, 12*us+unit.Time(n+1)*300*us); len(at) != 1 || at[0] != 12*us+unit.Time(n+1)*300*us {
			t.Errorf("stage %d at %v", n, at)
		}
		switch {
		case n == 1:
			target += 20e6
		case n > 1:
			target += 200e6
		}
		rate = (rate + target) / 2
		wantNIC(t, c, "stage", rate, target)
	}
	ringNIC(c, unit.Second)
	if c.Deadline() != unit.Forever || c.rate != 1e11 {
		t.Errorf("rate %v, deadline %v: not at rest", c.rate, c.Deadline())
	}
	// At rest the clocks still run: a notification waits for its check.
	c.Acked(cnp(unit.Second + us))
	if at := ringNIC(c, unit.Second+5*us); !slices.Equal(at, []unit.Time{unit.Second + 4*us}) {
		t.Errorf("after rest cuts at %v", at)
	}
	c.Lost(&protocol.Loss{Now: unit.Second})
	wantNIC(t, c, "after rest", 50e9, 1e11)
}

// Each acknowledgement of a marked packet notifies.
func TestDCQCNNICNotifies(t *testing.T) {
	b, err := defaults[DCQCNNIC](t, "dcqcn-nic").Build()
	if err != nil {
		t.Fatal(err)
	}
	n := b.NewAnswerer(protocol.HostEnv{})
	peer := n.Open(0, 7, 0)
	for i, marked := range []bool{false, true, true, false, true} {
		at := unit.Time(i) * unit.Nanosecond
		n.Heard(&protocol.Heard{Now: at, Peer: peer, Marked: marked})
		if _, ok := n.Answer(at, peer); ok != marked {
			t.Errorf("frame %d notifies: %v, want %v", i, ok, marked)
		}
	}
}

func TestDCQCNNICStaysWithinBounds(t *testing.T) {
	d := defaults[DCQCNNIC](t, "dcqcn-nic")
	rapid.Check(t, func(t *rapid.T) {
		o := d
		o.Least = unit.Rate(rapid.Int64Range(1, int64(2*line)).Draw(t, "least"))
		o.Gain = unit.Ratio(rapid.Float64Range(0, 1).Draw(t, "gain"))
		o.Fast, o.Clamp = rapid.IntRange(0, 5).Draw(t, "fast"), rapid.Bool().Draw(t, "clamp")
		o.RateTimer = unit.Time(rapid.IntRange(1, 300).Draw(t, "rate timer")) * us
		o.AlphaTimer = unit.Time(rapid.IntRange(1, 9).Draw(t, "alpha timer")) * us
		b, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		c := b.New(wan()).(*dcqcnNIC)
		now := unit.Time(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += unit.Time(rapid.Int64Range(0, int64(50*us)).Draw(t, "passed"))
			ringNIC(c, now)
			if rapid.Bool().Draw(t, "notified") {
				c.Acked(cnp(now))
			}
			least := min(float64(o.Least), 1e11)
			if !(c.rate >= least && c.rate <= 1e11 && c.target <= 1e11 && c.alpha >= 0 && c.alpha <= 1) || c.Deadline() <= now {
				t.Fatalf("rate %v, target %v, alpha %v, deadline %v at %v", c.rate, c.target, c.alpha, c.Deadline(), now)
			}
		}
	})
}

func TestDCQCNNICRefuses(t *testing.T) {
	d := defaults[DCQCNNIC](t, "dcqcn-nic")
	for want, change := range map[string]func(*DCQCNNIC){
		"gain is 2":      func(o *DCQCNNIC) { o.Gain = 2 },
		"alpha_timer is": func(o *DCQCNNIC) { o.AlphaTimer = 0 },
		"cut_timer is":   func(o *DCQCNNIC) { o.CutTimer = -1 },
		"rate_timer is":  func(o *DCQCNNIC) { o.RateTimer = 0 },
		"interval is":    func(o *DCQCNNIC) { o.Interval = -1 },
		"fast is -1":     func(o *DCQCNNIC) { o.Fast = -1 },
		"additive is":    func(o *DCQCNNIC) { o.Additive = ptr(unit.Rate(-1)) },
		"hyper is":       func(o *DCQCNNIC) { o.Hyper = ptr(unit.Rate(-1)) },
		"least is":       func(o *DCQCNNIC) { o.Least = 0 },
		"window is 50%":  func(o *DCQCNNIC) { o.Window = &unit.Amount{Share: 0.5} },
	} {
		o := d
		change(&o)
		if _, err := o.Build(); err == nil || !strings.HasPrefix(err.Error(), "dcqcn-nic: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
