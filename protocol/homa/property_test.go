package homa

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
	"weft/workload"
)

func drawOptions(t *rapid.T) Options {
	o := testOptions(rapid.SampledFrom([]string{Paper, SIRD}).Draw(t, "preset"))
	o.RTTBytes.BDPs = rapid.SampledFrom([]float64{0.1, 1, 1.5}).Draw(t, "rtt_bytes")
	if rapid.Bool().Draw(t, "unscheduled") {
		o.Unscheduled = &unit.Amount{Bytes: unit.Bytes(rapid.SampledFrom([]int{1, 1442, 5000, 400000}).Draw(t, "bytes"))}
	}
	o.Priorities = rapid.IntRange(2, 8).Draw(t, "priorities")
	switch rapid.IntRange(0, 2).Draw(t, "levels") {
	case 0:
		o.Sizes = &workload.SizeSpec{Fixed: unit.Bytes(rapid.SampledFrom([]int{100, 70000, 300000}).Draw(t, "size"))}
	case 1:
		s := rapid.IntRange(1, o.Priorities-1).Draw(t, "scheduled")
		o.Scheduled = &s
		for i := range o.Priorities - s - 1 {
			o.Cutoffs = append(o.Cutoffs, unit.Bytes(500)<<(2*i))
		}
	}
	k := rapid.IntRange(1, 9).Draw(t, "overcommit")
	o.Overcommit, o.ShareLevels = &k, true
	o.TailBoost.BDPs = rapid.SampledFrom([]float64{0, 1}).Draw(t, "boost")
	o.Saved = unit.Bytes(rapid.SampledFrom([]int{0, 14}).Draw(t, "saved"))
	return o
}

// drawMessages submits messages at random times.
func drawMessages(t *rapid.T, l *net) {
	pick := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
	l.Draw(pick, 2, [2]int{1, 3000}, [2]int{99990, 101500}, [2]int{1, 600000})
}

// TestLossless checks that without losses every message arrives once, that no grant is
// left anywhere and nothing was asked for, whatever the order of arrival.
func TestLossless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		hosts := rapid.Int32Range(2, 6).Draw(t, "hosts")
		env := testEnv(hosts)
		env.Echo = protocol.GroupSet(rapid.SampledFrom([]uint32{0, 1, 2, 3}).Draw(t, "echo"))
		l := newNet(t, o, hosts, env)
		if rapid.Bool().Draw(t, "reorder") {
			l.Fate = hosttest.Chance(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), 0, 0, 5*unit.Microsecond)
		}
		l.Arrived = func(_ int32, p *protocol.Packet) {
			if p.Flags&protocol.Resent != 0 || p.Kind == kindResend || p.Kind == kindAsk {
				t.Fatalf("at %v: packet of kind %d, though nothing was lost", l.Now, p.Kind)
			}
		}
		drawMessages(t, l)
		l.Finish(unit.Second)
	})
}

// TestLossy checks the same under loss, repetition and reordering, with timeouts.
func TestLossy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		resend := rapid.SampledFrom([]unit.Time{50 * unit.Microsecond, unit.Millisecond}).Draw(t, "resend")
		o.Resend = &resend
		hosts := rapid.Int32Range(2, 4).Draw(t, "hosts")
		env := testEnv(hosts)
		env.Echo = protocol.GroupSet(rapid.SampledFrom([]uint32{0, 1, 2, 3}).Draw(t, "echo"))
		l := newNet(t, o, hosts, env)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		loss := rapid.SampledFrom([]float64{0.001, 0.05, 0.4}).Draw(t, "loss")
		l.Fate = hosttest.Chance(rng, loss, rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "repeat"), rapid.SampledFrom([]unit.Time{0, 3 * unit.Microsecond, 500 * unit.Microsecond}).Draw(t, "jitter"))
		l.CheckEchoes(env.Echo, func() bool { return rng.IntN(3) == 0 })
		drawMessages(t, l)
		l.Finish(1000 * unit.Second)
	})
}
