package dcpim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/internal/lan"
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
	o.Short.BDPs = rapid.SampledFrom([]float64{0, 0.1, 1, 3}).Draw(t, "short")
	o.TokenWindow.BDPs = rapid.SampledFrom([]float64{0.1, 1, 2}).Draw(t, "token_window")
	o.TokenResend.BDPs = rapid.SampledFrom([]float64{0.5, 1, 3}).Draw(t, "token_resend")
	return o
}

// drawMessages submits messages at random times.
func drawMessages(t *rapid.T, n *net) {
	hosts := int32(len(n.hosts))
	for range rapid.IntRange(1, 12).Draw(t, "messages") {
		n.Run(n.Now + unit.Time(rapid.IntRange(0, int(20*unit.Microsecond)).Draw(t, "gap")))
		from := rapid.Int32Range(0, hosts-1).Draw(t, "from")
		to := rapid.Int32Range(0, hosts-2).Draw(t, "to")
		if to >= from {
			to++
		}
		size := rapid.OneOf(rapid.IntRange(1, 3000), rapid.IntRange(94000, 96000), rapid.IntRange(1, 600000)).Draw(t, "size")
		n.Send(from, to, unit.Bytes(size), uint8(rapid.IntRange(0, 2).Draw(t, "group")))
	}
}

// TestMessages checks that every message arrives once, that nothing is left of any and that
// all hosts sleep then, under loss, repetition and reordering. Books are checked at each
// event. Much longer delays would let hardly any request come in time.
func TestMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.Int32Range(2, 5).Draw(t, "hosts")
		env := testEnv(hosts)
		env.Echo = rapid.Bool().Draw(t, "echo")
		n := newNet(t, drawOptions(t), hosts, env)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		loss := rapid.SampledFrom([]float64{0, 0.001, 0.05, 0.4}).Draw(t, "loss")
		n.Fate = lan.Chance(rng, loss, rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "repeat"), rapid.SampledFrom([]unit.Time{0, unit.Microsecond, 8 * unit.Microsecond}).Draw(t, "jitter"))
		drawMessages(t, n)
		if n.Run(10 * unit.Second) {
			t.Fatal("something goes on for ever")
		}
		if err := n.settled(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestEachKindLost loses the first packets of each kind.
func TestEachKindLost(t *testing.T) {
	for kind := tokens.Data; kind <= kindReturn; kind++ {
		for _, size := range []unit.Bytes{1, 20 * mss, 300 * mss} {
			t.Run(fmt.Sprint(kind, " ", size), func(t *testing.T) {
				n := newNet(t, testOptions(), 3, testEnv(3))
				lost := 0
				n.Fate = func(_ int32, p *protocol.Packet) []unit.Time {
					if p.Kind == kind && lost < 3 {
						lost++
						return nil
					}
					return []unit.Time{0}
				}
				n.Send(0, 1, size, 0)
				n.Send(2, 1, size, 0)
				if n.Run(10 * unit.Second) {
					t.Fatal("something goes on for ever")
				}
				if err := n.settled(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestSenderRevives lets a sender die in the middle and come back.
func TestSenderRevives(t *testing.T) {
	n := newNet(t, testOptions(), 3, testEnv(3))
	n.Send(1, 0, 3*unit.MB, 0)
	n.Send(1, 0, 50*unit.KB, 0)
	n.Run(100 * unit.Microsecond)
	n.Dead[1] = true
	n.Send(2, 0, 2*unit.MB, 0)
	n.Run(5 * unit.Millisecond)
	if n.Delivered[[2]uint64{2, 3}] != 1 {
		t.Fatal("the message of another host did not arrive while one was dead")
	}
	n.Revive(1)
	if n.Run(10 * unit.Second) {
		t.Fatal("something goes on for ever")
	}
	if err := n.settled(); err != nil {
		t.Error(err)
	}
}

// TestLinkFull sends a long message alone: its first packet comes after the matching, and from
// then on the link is full.
func TestLinkFull(t *testing.T) {
	for _, alpha := range []unit.Ratio{1, 3} {
		o := testOptions()
		o.Alpha = alpha
		n := newNet(t, o, 2, testEnv(2))
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
	n := newNet(t, testOptions(), hosts, testEnv(hosts))
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
	var hosts [2]*host
	var outs [2]protocol.HostOutput
	env := testEnv(2)
	for i := range hosts {
		env.Host, env.Out, env.Rand = int32(i), &outs[i], rand.NewPCG(1, uint64(i))
		hosts[i] = newHost(newConfig(testOptions(), env), env)
	}
	now, moved := unit.Time(0), 0
	for i, h := range hosts {
		h.Submit(0, &protocol.HostMessage{Peer: int32(1 - i), Bytes: 100 * unit.MB})
	}
	var p protocol.Packet
	step := func() {
		for i, h := range hosts {
			if at, ok := h.Deadline(); ok && at <= now {
				h.Expire(now)
			}
			p = protocol.Packet{}
			if h.Next(now, &p) {
				if p.Kind == tokens.Data {
					moved++
				}
				p.Peer = int32(i)
				hosts[1-i].Receive(now, &p)
			}
			outs[i].Events = outs[i].Events[:0]
		}
		now += 60 * unit.Nanosecond
	}
	for range 5000 {
		step()
	}
	moved = 0
	if n := testing.AllocsPerRun(10000, step); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
	if moved < 5000 {
		t.Errorf("only %d packets moved", moved)
	}
}
