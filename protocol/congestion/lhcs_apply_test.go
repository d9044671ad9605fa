package congestion

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// While the last hop is the most loaded one, above alpha, direct has the rate at beta·B/N and scaled at
// beta·B/N/(U/eta) + WAI, whatever U is. When it is not, both have Equation 6.
func TestLHCSAppliesAsRead(t *testing.T) {
	direct := newFNCC(t, func(o *FNCC) { o.Apply = "direct" })
	scaled := newFNCC(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		now := rtt
		idle, first := port{line, 0.2, 0}, stamped(now, rtt, 1, port{line, 0.2, 0}, port{line, 1, 0})
		direct.Start(0)
		scaled.Start(0)
		direct.Acked(first)
		scaled.Acked(first)
		for range rapid.IntRange(1, 30).Draw(t, "acks") {
			now += unit.Time(rapid.IntRange(1, 3*int(rtt/us)).Draw(t, "us")) * us
			n := uint64(rapid.IntRange(1, 20).Draw(t, "n"))
			last := port{line, 1, unit.Bytes(rapid.IntRange(0, 200_000).Draw(t, "queue"))}
			a := counted(n, stamped(now, rapid.SampledFrom([]unit.Time{rtt, now}).Draw(t, "ago"), 1, idle, last))
			least := min(last.queue, direct.last[1].Queue)
			load := float64(least)*bitsPerSecond/float64(rtt)/1e11 + 1
			before := direct.steady
			ends := direct.round.over(a)
			direct.Acked(a)
			scaled.Acked(a)
			if math.Abs(load-direct.alpha) < 1e-6 {
				continue
			}
			share := direct.clamp(0.9 * 1e11 / float64(n))
			if load < direct.alpha {
				if want := before/(direct.use/0.95) + direct.additive; direct.use >= 0.95 && math.Abs(direct.rate/direct.clamp(want)-1) > 1e-9 {
					t.Fatalf("load %v: direct sends at %v, Equation 6 has %v", load, direct.rate, want)
				}
				continue
			}
			if direct.rate != share || direct.steady != share || ends && direct.stage != 0 {
				t.Fatalf("load %v: direct sends at %v with reference %v, want %v; stage %d", load, direct.rate, direct.steady, share, direct.stage)
			}
			if want := scaled.clamp(share/(scaled.use/0.95) + scaled.additive); scaled.use >= 0.95 && math.Abs(scaled.rate/want-1) > 1e-9 {
				t.Fatalf("load %v: scaled sends at %v, want %v", load, scaled.rate, want)
			}
		}
	})
}

// Two flows of which one joins have beta·C/2 each from the first acknowledgements that tell of the queue until it is gone:
// 45 % of the link each, where scaled sends less. Then they take the link back.
func TestLHCSDirectSettles(t *testing.T) {
	for _, apply := range []string{"direct", "scaled"} {
		l, flows := joined(t, func(o *FNCC) { o.Apply = apply })
		for l.now < 33*rtt && (flows[0].rate > 0.5e11 || flows[1].rate > 0.5e11) {
			l.run(l.now + tick)
		}
		if l.now == 33*rtt {
			t.Fatalf("%s: the flows send at %.4g and %.4g", apply, flows[0].rate, flows[1].rate)
		}
		low := math.Inf(1)
		for len(l.queue) > 5 {
			l.run(l.now + tick)
			low = min(low, flows[0].rate, flows[1].rate)
		}
		if exact := low == 0.45e11; exact != (apply == "direct") || low > 0.45e11 {
			t.Errorf("%s: while the queue drains the lowest rate is %.6g", apply, low)
		}
		l.run(90 * rtt)
		shares := l.share(func() { l.run(120 * rtt) })
		if shares[0]+shares[1] < 0.9 {
			t.Errorf("%s: later the flows have %v of the link", apply, shares)
		}
	}
}
