package sird

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

// replace has a new host take the place of one.
func (n *net) replace(i int32, o Options, env protocol.HostEnv) {
	n.Replace(i, func(out *protocol.HostOutput) protocol.HostTransport {
		env.Host, env.Out = i, out
		n.hosts[i] = newHost(newConfig(o, env), env)
		return tapped{n.hosts[i], n, i}
	})
}

// TestCancelFrees takes a message back whose receiver has granted to it, with others beside it: it is gone on both sides a
// silence later at most, and the others lose no more than what it took.
func TestCancelFrees(t *testing.T) {
	for _, lost := range []bool{false, true} { // what tells the receiver
		o := testOptions()
		n := newNet(t, o, 3, testEnv(3))
		n.Fate = func(_ int32, p *protocol.Packet) []unit.Time {
			if lost && p.Kind == kindWithdraw {
				lost = false
				return nil
			}
			return []unit.Time{0}
		}
		tag := n.Send(0, 1, 50*unit.MB, 0)
		n.Send(2, 1, 5*unit.MB, 0)
		n.Run(100 * unit.Microsecond)
		if !n.Cancel(0, tag) || n.Cancel(0, tag) {
			t.Fatal("the message is not there once")
		}
		other := n.Send(0, 1, 200*unit.KB, 0)
		n.Finish(100 * unit.Millisecond)
		if n.Cancel(0, other) {
			t.Error("a message that is done was cancelled")
		}
	}
}

// TestComeAndGo has messages taken back and hosts replaced at random, under losses: all that is not taken back is delivered
// once, and no credit is left anywhere.
func TestComeAndGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := testOptions()
		o.Preset = rapid.SampledFrom([]string{Paper, NSDI25}).Draw(t, "preset")
		o.Policy = rapid.SampledFrom([]string{"srpt", "round-robin"}).Draw(t, "policy")
		o.Silence = 200 * unit.Microsecond
		env := testEnv(4)
		n := newNet(t, o, 4, env)
		n.Fate = hosttest.Chance(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), rapid.SampledFrom([]float64{0, 0.02, 0.1}).Draw(t, "loss"),
			rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "repeat"), rapid.SampledFrom([]unit.Time{0, 20 * unit.Microsecond}).Draw(t, "jitter"))
		pick := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
		n.ComeAndGo(pick, 3_000_000, func(host int32) { n.replace(host, o, env) })
	})
}

// TestOthersGoOn takes a long message back that has had all of the credit: another one between the same hosts goes on at the
// full rate once a round trip has told how much of it was sent, and none waits for a silence.
func TestOthersGoOn(t *testing.T) {
	for _, preset := range []string{Paper, NSDI25} {
		o := testOptions()
		o.Preset = preset
		n := newNet(t, o, 3, testEnv(3))
		const while = 100 * unit.Microsecond
		came := n.AfterCancel(5*unit.MB, 20*unit.MB, 150*unit.Microsecond, 5*testEnv(3).BaseRTT/2, while)
		if rate := came.Over(while); rate < 90*unit.Gbps {
			t.Errorf("%s: the other message arrives at %v", preset, rate)
		}
		n.Finish(unit.Second)
	}
}

// TestUngrantedGoesAlone takes a message back that waits for its turn: the credit of its sender stays where it is.
func TestUngrantedGoesAlone(t *testing.T) {
	for _, preset := range []string{Paper, NSDI25} {
		o := testOptions()
		o.Preset = preset
		n := newNet(t, o, 2, testEnv(2))
		n.Send(0, 1, 5*unit.MB, 0)
		n.Run(20 * unit.Microsecond)
		tag := n.Send(0, 1, 20*unit.MB, 0)
		n.Run(100 * unit.Microsecond)
		n.Cancel(0, tag)
		n.Run(120 * unit.Microsecond)
		if s := n.hosts[1].senders[0]; s.generation != 0 || s.used == 0 || len(n.hosts[1].wanting) != 1 {
			t.Errorf("%s: credit was called in %d times, %v is outstanding and %d messages want some", preset, s.generation, s.used, len(n.hosts[1].wanting))
		}
		n.Finish(unit.Second)
	}
}
