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
			if lost && p.Kind == kindStatus && p.Flags&protocol.Own1 != 0 {
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
		if n.Run(100 * unit.Millisecond) {
			t.Error("something is left to happen")
		}
		if err := n.Settled(); err != nil {
			t.Error(err)
		}
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
		o.Silence = 200 * unit.Microsecond
		env := testEnv(4)
		n := newNet(t, o, 4, env)
		n.Fate = hosttest.Chance(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), rapid.SampledFrom([]float64{0, 0.02, 0.1}).Draw(t, "loss"), 0, 0)
		type sent struct {
			from int32
			tag  uint64
		}
		var messages []sent
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			n.Run(n.Now + unit.Time(rapid.IntRange(0, 200).Draw(t, "wait"))*unit.Microsecond)
			host := rapid.Int32Range(0, 3).Draw(t, "host")
			switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
			case what < 6:
				to := (host + rapid.Int32Range(1, 3).Draw(t, "to")) % 4
				size := unit.Bytes(rapid.SampledFrom([]int{1, 5_000, 90_000, 400_000, 3_000_000}).Draw(t, "size"))
				messages = append(messages, sent{host, n.Send(host, to, size, 0)})
			case what < 9 && len(messages) > 0:
				m := rapid.SampledFrom(messages).Draw(t, "which")
				n.Cancel(m.from, m.tag)
			case what == 9:
				n.replace(host, o, env)
			}
		}
		if n.Run(n.Now + 10*unit.Second) {
			t.Fatal("something is left to happen")
		}
		if err := n.Settled(); err != nil {
			t.Fatal(err)
		}
	})
}
