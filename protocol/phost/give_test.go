package phost

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

// compared is a host whose choice is compared with that of looking at all messages, after
// everything that happens to it.
type compared struct {
	*host
	t       rapid.TB
	reached map[string]int
}

// Ready implements protocol.HostTransport.
func (c compared) Ready() (unit.Time, bool) {
	best, soonest, downgraded := int32(-1), unit.Forever, 0
	for _, s := range c.Active {
		for _, i := range s.Messages {
			if c.Message(i).Unanswered() >= c.window {
				downgraded++
			}
			switch at := c.eligible(i); {
			case at > c.Now:
				soonest = min(soonest, at)
			case best < 0 || c.Better(i, best):
				best = i
			}
		}
	}
	if got := c.best(); got != best {
		c.t.Fatalf("at %v: message %d is to have a token, and of all %d", c.Now, got, best)
	}
	if _, at := c.held.First(); at != soonest {
		c.t.Fatalf("at %v: the next message may have a token at %v, and of all at %v", c.Now, at, soonest)
	}
	if c.open.Len() > 5 {
		c.reached["many"]++
	}
	if downgraded > 5 {
		c.reached["many downgraded"]++
	}
	if best >= 0 && soonest < unit.Forever {
		c.reached["both"]++
	}
	if best < 0 && soonest < unit.Forever {
		c.reached["none now"]++
	}
	return c.host.Ready()
}

// TestBestOfAll lets many messages wait for tokens, of few sizes, with and without losses.
func TestBestOfAll(t *testing.T) {
	reached := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		hosts := rapid.Int32Range(2, 8).Draw(t, "hosts")
		env := hosttest.Env(hosts)
		l := hosttest.New(t, hosts, func(i int32, out *protocol.HostOutput) protocol.HostTransport {
			env.Host, env.Out = i, out
			return compared{newHost(newConfig(o, env), env), t, reached}
		})
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		loss := rapid.SampledFrom([]float64{0, 0.01, 0.2}).Draw(t, "loss")
		l.Fate = hosttest.Chance(rng, loss, 0.02, rapid.SampledFrom([]unit.Time{0, 3 * unit.Microsecond}).Draw(t, "jitter"))
		sizes := rapid.SliceOfN(rapid.SampledFrom([]unit.Bytes{1, mss, 5 * mss, 20*mss - 1, 70 * mss}), 1, 3).Draw(t, "sizes")
		for range rapid.IntRange(1, 50).Draw(t, "messages") {
			l.Run(l.Now + unit.Time(rng.IntN(int(unit.Microsecond))))
			l.Send(1+rng.Int32N(hosts-1), 0, sizes[rng.IntN(len(sizes))], 0)
		}
		l.Finish(10 * unit.Second)
	})
	for _, what := range []string{"many", "many downgraded", "both", "none now"} {
		if reached[what] < 100 {
			t.Errorf("%s: reached %d times only", what, reached[what])
		}
	}
}
