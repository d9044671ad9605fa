package congestion

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

func newRoCC(t testing.TB, change func(*RoCC)) *rocc {
	o := defaults[RoCC](t, "rocc")
	if change != nil {
		change(&o)
	}
	return build(t, o).(*rocc)
}

func notice(rate unit.Rate) protocol.Notice { return protocol.Notice{uint64(rate)} }

// A notice counts if it is no faster than the rate, or from the queue in force, or if none is
// (reaction point).
func TestRoCCTakesTheSlowest(t *testing.T) {
	c := newRoCC(t, func(o *RoCC) { o.Reaction = 0 })
	for i, step := range []struct {
		from       int32
		says, want unit.Rate
	}{
		{7, 50, 50}, {8, 60, 50}, {7, 55, 55}, {8, 55, 55}, {7, 56, 55}, {8, 70, 70}, {7, 70, 70}, {7, 100, 100},
		{8, 90, 90}, {7, 91, 90}, {8, 400, 100},
	} {
		c.Notify(unit.Time(i)*us, step.from, notice(step.says*unit.Gbps))
		if got := c.Pace().Rate; got != step.want*unit.Gbps {
			t.Errorf("step %d: %v, want %v Gb/s", i, got, step.want)
		}
	}
	if c.Deadline() != unit.Forever {
		t.Errorf("a timer at %v though nothing is limited", c.Deadline())
	}
}

// Without notices the rate doubles each 55 us until it is that of the line. A notice that does
// not count leaves the timer alone.
func TestRoCCDoubles(t *testing.T) {
	c := newRoCC(t, func(o *RoCC) { o.Reaction = 0 })
	c.Notify(10*us, 1, notice(30*unit.Gbps))
	c.Notify(40*us, 2, notice(31*unit.Gbps))
	for _, want := range []unit.Rate{60, 100} {
		at := c.Deadline()
		if due := (65 + 55*unit.Time(want/100)) * us; at != due {
			t.Fatalf("timer at %v, want %v", at, due)
		}
		c.Expire(at)
		if got := c.Pace().Rate; got != want*unit.Gbps {
			t.Errorf("rate %v at %v, want %v Gb/s", got, at, want)
		}
	}
	if c.Deadline() != unit.Forever {
		t.Errorf("a timer at %v at line rate", c.Deadline())
	}
	c.Notify(200*us, 2, notice(80*unit.Gbps)) // no queue is in force any more
	if got := c.Pace().Rate; got != 80*unit.Gbps {
		t.Errorf("rate %v, want 80 Gb/s", got)
	}
}

// An adapter acts on notices 15 us after they came, in order, and before its timer.
func TestRoCCReactsLate(t *testing.T) {
	c := newRoCC(t, nil)
	c.Notify(10*us, 1, notice(20*unit.Gbps))
	c.Notify(12*us, 2, notice(10*unit.Gbps))
	c.Notify(65*us, 2, notice(5*unit.Gbps)) // comes with the timer of the one before, at 82 us
	for _, step := range []struct {
		at   unit.Time
		want unit.Rate
	}{{25, 20}, {27, 10}, {80, 5}, {135, 10}} {
		if c.Deadline() != step.at*us {
			t.Fatalf("deadline %v, want %v us", c.Deadline(), step.at)
		}
		c.Expire(step.at * us)
		if got := c.Pace().Rate; got != step.want*unit.Gbps {
			t.Errorf("rate %v after %v us, want %v Gb/s", got, step.at, step.want)
		}
	}
}

// Whatever comes, in whatever number, the rate is from 1 bit/s to the line's, and deadlines move on.
func TestRoCCStaysWithinBounds(t *testing.T) {
	o := defaults[RoCC](t, "rocc")
	rapid.Check(t, func(t *rapid.T) {
		o.Reaction = unit.Time(rapid.IntRange(0, 60).Draw(t, "reaction")) * us
		b, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		c := b.New(env()).(*rocc)
		now := unit.Time(0)
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "notice") {
				now += unit.Time(rapid.IntRange(0, 3).Draw(t, "us")) * us
				for c.Deadline() < now {
					c.Expire(c.Deadline())
				}
				c.Notify(now, rapid.Int32Range(0, 3).Draw(t, "from"), notice(unit.Rate(rapid.Int64Range(0, 2e11).Draw(t, "rate"))))
			} else if at := c.Deadline(); at < unit.Forever {
				now = max(now, at)
				c.Expire(now)
				if c.Deadline() <= now {
					t.Fatalf("deadline %v at %v", c.Deadline(), now)
				}
			}
			if r := c.Pace().Rate; r < 1 || r > 100*unit.Gbps || (c.Deadline() == unit.Forever && r != 100*unit.Gbps) {
				t.Fatalf("rate %v, deadline %v", r, c.Deadline())
			}
		}
	})
}

// point makes the controller of a queue.
func point(t testing.TB, rate unit.Rate, change func(*RoCC)) *roccPoint {
	o := defaults[RoCC](t, "rocc")
	if change != nil {
		change(&o)
	}
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	return b.Controller.New(protocol.QueueEnv{Rate: rate}).(*roccPoint)
}

// The published parameters, and what follows for other rates.
func TestRoCCParameters(t *testing.T) {
	for _, tt := range []struct {
		gbps                    unit.Rate
		reference, middle, most float64 // kB
		alpha, beta             float64
	}{
		{1, 7.5, 15, 21, 0.3, 1.5}, {10, 75, 150, 210, 0.3, 1.5}, {25, 112.5, 225, 285, 0.3, 1.5}, {40, 150, 300, 360, 0.3, 1.5},
		{70, 225, 450, 510, 0.375, 1.875}, {100, 300, 600, 660, 0.45, 2.25}, {200, 600, 1200, 1320, 0.6, 3}, {400, 1200, 2400, 2640, 0.9, 4.5},
		{800, 2400, 4800, 5280, 0.9, 4.5},
	} {
		c := point(t, tt.gbps*unit.Gbps, nil)
		for _, q := range []struct {
			what string
			got  int64
			want float64
		}{{"reference", c.reference, tt.reference}, {"middle", c.middle, tt.middle}, {"most", c.most, tt.most}} {
			if q.got != int64(1000*q.want/600) {
				t.Errorf("%d Gb/s: %s of %d quanta, want %v kB", tt.gbps, q.what, q.got, q.want)
			}
		}
		if !near(c.alpha, tt.alpha) || !near(c.beta, tt.beta) || c.link != float64(tt.gbps*100) || c.least != 10 {
			t.Errorf("%d Gb/s: %+v", tt.gbps, c)
		}
	}
}

// Steps of the controller, at 100 Gb/s: least beyond most, half upon growth, gains by region.
func TestRoCCSteps(t *testing.T) {
	const quantum = 600
	for _, tt := range []struct {
		name         string
		rate, before float64 // in 10 Mb/s, and quanta
		queue        unit.Bytes
		want         float64
	}{
		{"the queue is full", 5000, 1000, 1100 * quantum, 10},
		{"but the rate is low", 1250, 1100, 1100 * quantum, 1250 - 0.45/4*600},
		{"it grows by much", 5000, 0, 1000 * quantum, 2500},
		{"but the rate is low", 1000, 0, 1000 * quantum, 1000 - 0.45/8*500 - 2.25/8*1000},
		{"it grows", 8000, 500, 600*quantum + 599, 8000 - 0.45*100 - 2.25*100},
		{"it shrinks", 5000, 600, 500 * quantum, 5000 + 2.25*100},
		{"the second region", 4999, 500, 501 * quantum, 4999 - 0.45/2 - 2.25/2},
		{"the last region", 100, 500, 501 * quantum, 100 - 0.45/32 - 2.25/32},
		{"no less than least", 11, 500, 1099 * quantum, 10},
		{"no more than the link", 9999, 500, 0, 10000},
	} {
		c := point(t, 100*unit.Gbps, nil)
		c.rate, c.before = tt.rate, int64(tt.before)
		n, tell := c.Tick(0, tt.queue)
		if !near(c.rate, tt.want) || !tell || n[0] != uint64(math.Round(c.rate*1e7)) {
			t.Errorf("%s: %v, want %v (notice %v)", tt.name, c.rate, tt.want, n)
		}
	}
}

// In a fluid model, in which n flows send at what they are told, the queue settles at its
// reference and each flow at C/n, with the published parameters and weft's for faster links.
func TestRoCCSettles(t *testing.T) {
	for _, gbps := range []unit.Rate{10, 25, 40, 100, 200, 400} {
		for _, n := range []float64{2, 10, 100} {
			if gbps == 10 && n == 100 {
				continue // the share is the least rate
			}
			c := point(t, gbps*unit.Gbps, nil)
			line := float64(gbps) * 1e9
			rate, queue, settles := line, 0.0, 0
			for tick := range 5000 {
				queue = max(0, queue+(n*rate-line)/8*40e-6)
				notice, _ := c.Tick(0, unit.Bytes(queue))
				rate = float64(notice[0])
				off := math.Abs(queue/600-float64(c.reference)) - 2
				if share := line / n; off > 0.02*float64(c.reference) || math.Abs(rate-share) > 0.02*share {
					settles = tick + 1
				}
			}
			if settles > 1000 { // 40 ms
				t.Errorf("%d Gb/s, %v flows: settles after %d ticks, at %.0f B of %d and %.3g of %.3g bit/s", gbps, n, settles, queue, 600*c.reference, rate, line/n)
			}
		}
	}
}

// With nothing in its queue the controller comes to rest at the rate of the link, and stays.
func TestRoCCRests(t *testing.T) {
	c := point(t, 100*unit.Gbps, nil)
	if !c.Settled() {
		t.Error("a new one is not settled")
	}
	c.Tick(0, 700_000)
	ticks := 0
	for ; !c.Settled(); ticks++ {
		c.Tick(0, 0)
	}
	c.Tick(0, 0)
	if !c.Settled() || ticks < 140 || ticks > 400 {
		t.Errorf("settled after %d ticks: %v", ticks, c.Settled())
	}
}

func TestRoCCRefuses(t *testing.T) {
	for _, tt := range []struct {
		want   string
		change func(*RoCC)
	}{
		{"rocc: most is 0B; it must be positive", func(o *RoCC) { o.Most = ptr(unit.Bytes(0)) }},
		{"rocc: beta is -1; it must be 0 to 1000", func(o *RoCC) { o.Beta = ptr(-1.0) }},
		{"rocc: quantum is 0B", func(o *RoCC) { o.Quantum = 0 }},
		{"rocc: period is 0s", func(o *RoCC) { o.Period = 0 }},
		{"rocc: offset is 40us; it must be less than the period, 40us", func(o *RoCC) { o.Offset = o.Period }},
		{"rocc: reaction is -1us", func(o *RoCC) { o.Reaction = -us }},
		{"rocc: window is 10%", func(o *RoCC) { o.Window = &unit.Amount{Share: 0.1} }},
	} {
		o := defaults[RoCC](t, "rocc")
		tt.change(&o)
		if _, err := o.Build(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

func TestRoCCAllocatesNothing(t *testing.T) {
	c, p := newRoCC(t, nil), point(t, 100*unit.Gbps, nil)
	now := unit.Time(0)
	if n := testing.AllocsPerRun(1000, func() {
		now += 7 * us
		n, _ := p.Tick(now, 400_000)
		c.Notify(now, 3, n)
		c.Expire(max(now, c.Deadline()))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
