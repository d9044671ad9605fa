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

const gbps = float64(unit.Gbps)

// cnp is an acknowledgement with a notification.
func cnp(now unit.Time) *protocol.Ack {
	return &protocol.Ack{Now: now, Packets: 1, Answered: true, Answer: protocol.Answer{notification}}
}

// ringTo calls a control at its deadlines up to a time.
func ringTo(c *dcqcn, until unit.Time) (at []unit.Time) {
	for c.Deadline() <= until {
		at = append(at, c.Deadline())
		c.Expire(c.Deadline())
	}
	return at
}

func newDCQCN(t testing.TB, change func(*DCQCN)) *dcqcn {
	o := defaults[DCQCN](t, "dcqcn")
	if change != nil {
		change(&o)
	}
	return build(t, o).(*dcqcn)
}

func wantRate(t testing.TB, c *dcqcn, what string, rate, target float64) {
	t.Helper()
	if !near(c.rate, rate) || !near(c.target, target) {
		t.Errorf("%s: rate %.9g of target %.9g, want %.9g of %.9g", what, c.rate, c.target, rate, target)
	}
}

// A connection starts at line rate, and neither timer nor counter runs before a notification.
func TestDCQCNStarts(t *testing.T) {
	c := newDCQCN(t, nil)
	c.Sent(us, unit.GiB)
	c.Acked(&protocol.Ack{Now: us, Packets: 1, Marked: true, MarkedPackets: 1})
	c.Acked(&protocol.Ack{Now: us, Packets: 1, Answered: true})
	c.Lost(&protocol.Loss{Now: us})
	if c.Pace().Rate != 100*unit.Gbps || c.Deadline() != unit.Forever || c.Window() < unit.TiB {
		t.Errorf("rate %v, window %v, deadline %v", c.Pace().Rate, c.Window(), c.Deadline())
	}
}

// After k notifications in a row the rate is C/2^k, since alpha stays 1, and no less than the least.
func TestDCQCNCuts(t *testing.T) {
	c := newDCQCN(t, func(o *DCQCN) { o.Least = unit.Gbps })
	for k := 1; k <= 6; k++ {
		c.Acked(cnp(unit.Time(k) * us))
		wantRate(t, c, "cut", 100*gbps/math.Pow(2, float64(k)), 100*gbps/math.Pow(2, float64(k-1)))
	}
	c.Acked(cnp(7 * us))
	wantRate(t, c, "least", gbps, 100*gbps/64)
	if got, want := c.Pace().Rate, unit.Gbps; got != want {
		t.Errorf("pace %v, want %v", got, want)
	}
}

// m alpha timers without notification make alpha (1-g)^m, so that the next one takes half of that
// off the rate; then alpha = (1-g)·alpha + g. That holds while nothing is limited as well.
func TestDCQCNAlphaDecays(t *testing.T) {
	const g = 1.0 / 256
	for _, m := range []int64{0, 1, 2, 10, 100, 5000} {
		for _, early := range []unit.Time{0, 54 * us} {
			c := newDCQCN(t, func(o *DCQCN) { o.RateTimer = unit.Second; o.ByteCounter = ptr(unit.TiB) })
			c.Acked(cnp(10 * us))
			c.Acked(cnp(10*us + unit.Time(m)*55*us + early))
			alpha := math.Pow(1-g, float64(m))
			wantRate(t, c, "second cut", 50*gbps*(1-alpha/2), 50*gbps)
			if want := (1-g)*alpha + g; !near(c.alpha, want) {
				t.Errorf("after %d timers alpha is %v, want %v", m, c.alpha, want)
			}
		}
	}
	c := newDCQCN(t, nil)
	c.Acked(cnp(0))
	ringTo(c, 5500*us) // at rest long before
	if c.Deadline() != unit.Forever {
		t.Fatal("the rate does not recover")
	}
	c.Acked(cnp(5500 * us))
	wantRate(t, c, "after rest", 100*gbps*(1-math.Pow(1-g, 100)/2), 100*gbps)
}

// Recovery by the timer alone: each of the first F-1 stages halves the gap to the target, which
// then grows by R_AI a stage, of which the rate takes the half at once.
func TestDCQCNRecovers(t *testing.T) {
	c := newDCQCN(t, nil)
	c.Acked(cnp(0))
	c.Acked(cnp(0)) // target 50, rate 25
	if got, want := ringTo(c, 4*55*us), []unit.Time{55 * us, 110 * us, 165 * us, 220 * us}; !slices.Equal(got, want) {
		t.Errorf("stages at %v, want %v", got, want)
	}
	wantRate(t, c, "four stages", (50-25.0/16)*gbps, 50*gbps)
	target, rate := 50*gbps, (50-25.0/16)*gbps
	for n := 5; n <= 40; n++ {
		ringTo(c, unit.Time(n)*55*us)
		target += gbps / 10
		rate = (rate + target) / 2
		wantRate(t, c, "additive", rate, target)
	}
	// The rest of the way takes (C - T)/R_AI stages, and the gap to the line halves from then on,
	// until it is less than half a bit per second.
	at := ringTo(c, unit.Second)
	stages := 36 + len(at)
	least := 500 + int(math.Log2(gbps/10)) // T is C after 500 stages, and lags R_AI behind
	if c.Deadline() != unit.Forever || c.rate != 100*gbps || stages < least || stages > least+4 {
		t.Errorf("at line rate after %d stages, want about %d", stages, least)
	}

	// One notification at line rate: C - R is C/2^(n+1) after n stages, additive or not.
	c = newDCQCN(t, nil)
	c.Acked(cnp(0))
	for n := 1; n <= 20; n++ {
		ringTo(c, unit.Time(n)*55*us)
		wantRate(t, c, "capped", 100*gbps*(1-math.Pow(2, -float64(n+1))), 100*gbps)
	}
}

// The counter of bytes makes stages as the timer does; both above F make the increase hyperactive.
func TestDCQCNCountsBytes(t *testing.T) {
	c := newDCQCN(t, nil) // 25 MB: 2 ms at 100 Gb/s
	for range 3 {
		c.Acked(cnp(0))
	}
	target, rate := 25*gbps, 12.5*gbps
	for n := 1; n <= 10; n++ {
		c.Sent(us, 24_999_999)
		wantRate(t, c, "a byte before the stage", rate, target)
		c.Sent(us, 1)
		if n >= 5 {
			target += gbps / 10
		}
		rate = (rate + target) / 2
		wantRate(t, c, "stage of bytes", rate, target)
	}
	for n := 1; n <= 8; n++ {
		ringTo(c, unit.Time(n)*55*us)
		if i := n - 5; i > 0 {
			target += float64(i) * gbps
		} else {
			target += gbps / 10
		}
		rate = (rate + target) / 2
		wantRate(t, c, "stage of the timer", rate, target)
	}
	c.Sent(us, 12_000_000)
	c.Acked(cnp(9 * 55 * us)) // both begin anew
	if at := c.Deadline(); at != 10*55*us || c.sent != 0 || c.timerStages != 0 || c.byteStages != 0 {
		t.Errorf("after a notification the timer ends at %v, and %v are counted", at, c.sent)
	}
}

// A receiver notifies at once, then once an interval if anything was marked in it, and each
// connection for itself.
func TestDCQCNNotifies(t *testing.T) {
	b, err := defaults[DCQCN](t, "dcqcn").Build()
	if err != nil {
		t.Fatal(err)
	}
	n := b.NewAnswerer(protocol.HostEnv{})
	one, other := n.Open(0, 7, 0), n.Open(0, 8, 0)
	for _, step := range []struct {
		at       unit.Time
		peer     int32
		marked   bool
		notifies bool
	}{
		{us, one, false, false}, {2 * us, one, true, true}, {3 * us, one, true, false}, {3 * us, other, true, true},
		{51 * us, one, false, false}, {52 * us, one, false, true}, // the mark of 3us
		{102 * us, one, false, false}, {140 * us, one, true, true}, {190*us - 1, one, true, false}, {190 * us, one, false, true},
		{300 * us, other, false, false},
	} {
		n.Heard(&protocol.Heard{Now: step.at, Peer: step.peer, Marked: step.marked})
		a, ok := n.Answer(step.at, step.peer)
		if ok != step.notifies || ok && a != (protocol.Answer{notification}) {
			t.Errorf("at %v connection %d: answer %v %v, want %v", step.at, step.peer, a, ok, step.notifies)
		}
	}
	n.Heard(&protocol.Heard{Now: 300 * us, Peer: one, Trimmed: true})
	n.Close(300*us, one)
	if again := n.Open(301*us, 9, 0); again != one {
		t.Errorf("connection %d is not used again, but %d", one, again)
	} else if _, ok := n.Answer(301*us, again); ok {
		t.Error("a new connection has the mark of the one before")
	}
	n.Heard(&protocol.Heard{Now: 302 * us, Peer: other, Trimmed: true})
	if _, ok := n.Answer(302*us, other); !ok {
		t.Error("a trimmed packet is no mark")
	}
}

// Rates stay between the least one and the line's, the target is no less than the rate, and alpha
// is a share.
func TestDCQCNStaysWithinBounds(t *testing.T) {
	d := defaults[DCQCN](t, "dcqcn")
	rapid.Check(t, func(t *rapid.T) {
		o := d
		o.Least = unit.Rate(rapid.Int64Range(1, int64(200*unit.Gbps)).Draw(t, "least"))
		o.Gain = unit.Ratio(rapid.Float64Range(0, 1).Draw(t, "gain"))
		o.Fast = rapid.IntRange(1, 10).Draw(t, "fast")
		o.ByteCounter = ptr(unit.Bytes(rapid.IntRange(1, 1_000_000).Draw(t, "counter")))
		b, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		c := b.New(env()).(*dcqcn)
		now := unit.Time(0)
		pass := func(t *rapid.T) {
			now += unit.Time(rapid.IntRange(0, 200).Draw(t, "us")) * us
			ringTo(c, now)
		}
		t.Repeat(map[string]func(*rapid.T){
			"notification": func(t *rapid.T) { pass(t); c.Acked(cnp(now)) },
			"sent":         func(t *rapid.T) { pass(t); c.Sent(now, unit.Bytes(rapid.IntRange(64, 9000).Draw(t, "wire"))) },
			"": func(t *rapid.T) {
				least := min(float64(o.Least), 100*gbps)
				if !(c.rate >= least && c.rate <= c.target && c.target <= 100*gbps && c.alpha >= 0 && c.alpha <= 1) || c.due <= now {
					t.Fatalf("rate %v, target %v, alpha %v, due %v at %v", c.rate, c.target, c.alpha, c.due, now)
				}
			},
		})
	})
}

func TestDCQCNRefuses(t *testing.T) {
	d := defaults[DCQCN](t, "dcqcn")
	for want, change := range map[string]func(*DCQCN){
		"gain is 2":       func(o *DCQCN) { o.Gain = 2 },
		"window is 50%":   func(o *DCQCN) { o.Window = &unit.Amount{Share: 0.5} },
		"interval is":     func(o *DCQCN) { o.Interval = -1 },
		"rate_timer is":   func(o *DCQCN) { o.RateTimer = 0 },
		"byte_counter is": func(o *DCQCN) { o.ByteCounter = ptr(unit.Bytes(0)) },
		"fast is 0":       func(o *DCQCN) { o.Fast = 0 },
		"hyper is":        func(o *DCQCN) { o.Hyper = ptr(unit.Rate(-1)) },
		"least is":        func(o *DCQCN) { o.Least = 0 },
	} {
		o := d
		change(&o)
		if _, err := o.Build(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func ptr[T any](v T) *T { return &v }
