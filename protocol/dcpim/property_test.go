package dcpim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/protocol/internal/tokens"
	"weft/unit"
)

func drawOptions(t *rapid.T) Options {
	o := testOptions()
	o.Rounds = rapid.IntRange(1, 6).Draw(t, "rounds")
	o.Channels = rapid.SampledFrom([]int{1, 3, 4, 8}).Draw(t, "channels")
	o.Beta = rapid.SampledFrom([]unit.Ratio{1, 1.3, 2}).Draw(t, "beta")
	o.Alpha = rapid.SampledFrom([]unit.Ratio{1, 1.7, 3}).Draw(t, "alpha")
	o.MinRounds = rapid.IntRange(0, 2).Draw(t, "min_rounds")
	o.Padded = rapid.Bool().Draw(t, "padded")
	o.Short.BDPs = rapid.SampledFrom([]float64{0, 0.1, 1, 3}).Draw(t, "short")
	o.TokenWindow.BDPs = rapid.SampledFrom([]float64{0.1, 1, 2}).Draw(t, "token_window")
	o.TokenResend.BDPs = rapid.SampledFrom([]float64{0.5, 1, 3}).Draw(t, "token_resend")
	return o
}

// drawMessages submits messages at random times.
func drawMessages(t *rapid.T, l *net) {
	pick := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
	l.Draw(pick, 3, [2]int{1, 3000}, [2]int{94000, 96000}, [2]int{1, 600000})
}

// TestMessages checks that every message arrives once, that nothing is left of any and that
// all hosts sleep then, under loss, repetition and reordering. Books are checked at each
// event. Much longer delays would let hardly any request come in time.
func TestMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.Int32Range(2, 5).Draw(t, "hosts")
		env := hosttest.Env(hosts)
		env.Echo = protocol.GroupSet(rapid.SampledFrom([]uint32{0, 1, 2, 3}).Draw(t, "echo"))
		n := newNet(t, drawOptions(t), hosts, env)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		loss := rapid.SampledFrom([]float64{0, 0.001, 0.05, 0.4}).Draw(t, "loss")
		n.Fate = hosttest.Chance(rng, loss, rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "repeat"), rapid.SampledFrom([]unit.Time{0, unit.Microsecond, 8 * unit.Microsecond}).Draw(t, "jitter"))
		n.CheckEchoes(env.Echo, func() bool { return rng.IntN(3) == 0 })
		drawMessages(t, n)
		n.Finish(10 * unit.Second)
	})
}

// TestEachKindLost loses the first packets of each kind.
func TestEachKindLost(t *testing.T) {
	for kind := tokens.Data; kind <= kindReturn; kind++ {
		for _, size := range []unit.Bytes{1, 20 * mss, 300 * mss} {
			t.Run(fmt.Sprint(kind, " ", size), func(t *testing.T) {
				n := newNet(t, testOptions(), 3, hosttest.Env(3))
				n.Fate = hosttest.LoseFirst(kind, 3)
				n.Send(0, 1, size, 0)
				n.Send(2, 1, size, 0)
				n.Finish(10 * unit.Second)
			})
		}
	}
}

// TestSenderRevives lets a sender die in the middle and come back.
func TestSenderRevives(t *testing.T) { newNet(t, testOptions(), 3, hosttest.Env(3)).CheckRevival() }

// TestLinkFull sends a long message alone: its first packet comes after the matching, and from
// then on the link is full.
func TestLinkFull(t *testing.T) {
	for _, alpha := range []unit.Ratio{1, 3} {
		o := testOptions()
		o.Alpha = alpha
		n := newNet(t, o, 2, hosttest.Env(2))
		first, bytes := unit.Time(0), unit.Bytes(0)
		n.Arrived = func(_ int32, p *protocol.Packet) {
			if p.Payload > 0 {
				bytes += p.Wire
				if first == 0 {
					first = n.Now
				}
			}
			if p.Flags&protocol.Resent != 0 {
				t.Fatalf("at %v: %+v was sent again, though nothing was lost", n.Now, p)
			}
		}
		n.Send(0, 1, 20*unit.MB, 0)
		n.Run(unit.Millisecond)
		// A token's way and a packet's after the end of the matching.
		if least := period + 4*n.Delay; first < least || first > least+unit.Microsecond {
			t.Errorf("alpha %v: the first packet came at %v, want shortly after %v", alpha, first, least)
		}
		if rate := bytes.Over(n.Now - first); rate < 99*unit.Gbps {
			t.Errorf("alpha %v: %v in the data phases", alpha, rate)
		}
	}
}

// TestMatching lets all hosts send to all: channels of senders and receivers are given once,
// and most are given.
func TestMatching(t *testing.T) {
	const hosts = 8
	n := newNet(t, testOptions(), hosts, hosttest.Env(hosts))
	for from := range int32(hosts) {
		for to := range int32(hosts) {
			if from != to {
				n.Send(from, to, 20*unit.MB, 0)
			}
		}
	}
	matched, epochs := 0, 10
	for e := range epochs {
		n.Run(unit.Time(e+1)*period + 5*unit.Microsecond)
		var sends [hosts]int
		for _, h := range n.hosts {
			if h.running.number != int64(e) {
				t.Fatalf("epoch %d runs, want %d", h.running.number, e)
			}
			for _, l := range h.running.links {
				sends[l.peer] += l.channels
				matched += l.channels
			}
		}
		for i, channels := range sends {
			if channels > 4 {
				t.Errorf("epoch %d: host %d sends over %d channels", e, i, channels)
			}
		}
	}
	// PIM finds 3 of 4 matches in a round, and misses 1/4^r of them.
	if share := float64(matched) / float64(epochs*hosts*4); share < 0.95 {
		t.Errorf("%.3f of the channels were matched", share)
	}
}

// TestNothingAllocated passes packets of long messages between hosts.
func TestNothingAllocated(t *testing.T) {
	data := func(p *protocol.Packet) bool { return p.Kind == tokens.Data }
	hosttest.CheckAllocations(t, 60*unit.Nanosecond, 10000, data, func(i int32, out *protocol.HostOutput) protocol.HostTransport {
		env := hosttest.Env(2)
		env.Host, env.Out, env.Rand = i, out, rand.NewPCG(1, uint64(i))
		return newHost(newConfig(testOptions(), env), env)
	})
}
