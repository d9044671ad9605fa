package phost

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
	o.FreeFor = rapid.SampledFrom([]string{all, short}).Draw(t, "free_for")
	o.Free.BDPs = rapid.SampledFrom([]float64{0, 0.1, 1, 3}).Draw(t, "free")
	o.Window.BDPs = rapid.SampledFrom([]float64{0.02, 1, 2}).Draw(t, "window")
	o.Downgrade.BDPs = rapid.SampledFrom([]float64{0.5, 3}).Draw(t, "downgrade")
	o.Resend.BDPs = rapid.SampledFrom([]float64{0.5, 1, 3}).Draw(t, "resend")
	o.Life = rapid.SampledFrom([]unit.Ratio{1, 1.5, 50}).Draw(t, "life")
	return o
}

// drawMessages submits messages at random times.
func drawMessages(t *rapid.T, l *net) {
	pick := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
	l.Draw(pick, 3, [2]int{1, 3000}, [2]int{94000, 96000}, [2]int{1, 600000})
}

// TestMessages checks that every message arrives once, that nothing is left of any and that
// all hosts sleep then, under loss, repetition and reordering. Books are checked at each
// event.
func TestMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.Int32Range(2, 5).Draw(t, "hosts")
		env := hosttest.Env(hosts)
		env.Echo = protocol.GroupSet(rapid.SampledFrom([]uint32{0, 1, 2, 3}).Draw(t, "echo"))
		n := newNet(t, drawOptions(t), hosts, env)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		loss := rapid.SampledFrom([]float64{0, 0.001, 0.05, 0.4}).Draw(t, "loss")
		n.Fate = hosttest.Chance(rng, loss, rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "repeat"), rapid.SampledFrom([]unit.Time{0, 3 * unit.Microsecond, 500 * unit.Microsecond}).Draw(t, "jitter"))
		n.CheckEchoes(env.Echo, func() bool { return rng.IntN(3) == 0 })
		drawMessages(t, n)
		n.Finish(10 * unit.Second)
	})
}

// TestEachKindLost loses the first packets of each kind.
func TestEachKindLost(t *testing.T) {
	for kind := tokens.Data; kind <= tokens.Done; kind++ {
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

// TestLinkFull sends a long message alone: the link is full but for room for control.
func TestLinkFull(t *testing.T) {
	n := newNet(t, testOptions(), 2, hosttest.Env(2))
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
	if least := 2*n.Delay + 2*packet + n.Rate.Transmit(84); first < least || first > least+packet {
		t.Errorf("the first packet came at %v, want shortly after %v", first, least)
	}
	// 1538 of 1622 bytes are data.
	if rate := bytes.Over(n.Now - first); rate < 94*unit.Gbps || rate > 95500*unit.Mbps {
		t.Errorf("%v while tokens are given", rate)
	}
}

// TestSilentSender has a receiver whose shortest message is of a dead sender: that costs a
// BDP of tokens each time it is tried, and the rest of the link goes to another.
func TestSilentSender(t *testing.T) {
	n := newNet(t, testOptions(), 3, hosttest.Env(3))
	n.Send(0, 2, 10*unit.MB, 0)
	n.Run(5 * unit.Microsecond) // so that the receiver knows of it
	n.Dead[0] = true
	n.Send(1, 2, 20*unit.MB, 0)
	n.Run(500 * unit.Microsecond)
	before := n.Fresh
	n.Run(unit.Millisecond)
	if rate := (n.Fresh - before).Over(500 * unit.Microsecond); rate < 85*unit.Gbps {
		t.Errorf("%v of payload beside a dead sender", rate)
	}
}

// TestNothingAllocated passes packets of long messages between hosts.
func TestNothingAllocated(t *testing.T) {
	data := func(p *protocol.Packet) bool { return p.Kind == tokens.Data }
	hosttest.CheckAllocations(t, 60*unit.Nanosecond, 10000, data, func(i int32, out *protocol.HostOutput) protocol.HostTransport {
		env := hosttest.Env(2)
		env.Host, env.Out = i, out
		return newHost(newConfig(testOptions(), env), env)
	})
}
