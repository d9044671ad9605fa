package expresspass

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

var (
	_ protocol.Canceler  = (*host)(nil)
	_ protocol.Forgetter = (*host)(nil)
)

// replace has a new host take the place of one.
func (n *net) replace(i int32, o Options) {
	env := testEnv(int32(len(n.hosts)))
	n.Replace(i, func(out *protocol.HostOutput) protocol.HostTransport {
		env.Host, env.Out, env.Rand = i, out, rand.NewPCG(uint64(i), uint64(n.Now))
		n.hosts[i] = newHost(newConfig(o, env), env)
		return n.hosts[i]
	})
}

// TestComeAndGo has messages taken back and hosts replaced at random, under losses: all that is not taken back is delivered
// once, no connection stays in use, and nobody sends credits any more.
func TestComeAndGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		n := newNet(t, o, 4, rapid.Uint64().Draw(t, "seed"))
		n.Done = n.idle // hosts that are gone have taken their counts of credits with them
		n.fate(hosttest.Chance(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "fates"), 1)), rapid.SampledFrom([]float64{0, 0.02, 0.1}).Draw(t, "loss"),
			rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "repeat"), rapid.SampledFrom([]unit.Time{0, 3 * unit.Microsecond}).Draw(t, "jitter")))
		n.ComeAndGo(pick(t), 1_000_000, func(host int32) { n.replace(host, o) })
	})
}

// TestOthersGoOn takes a long message back: another one between the same hosts, which has half of the credits, goes up to the
// full rate as if the first one had ended, and one that waited for its connection has it at once.
func TestOthersGoOn(t *testing.T) {
	for _, preset := range []string{Paper, SIRD} {
		for _, pool := range []int{1, 2} {
			o := testOptions(preset)
			o.Pool = &pool
			n := newNet(t, o, 2, 1)
			const while = 100 * unit.Microsecond
			came := n.AfterCancel(20*unit.MB, 20*unit.MB, 500*unit.Microsecond, 30*rtt, while)
			if rate := came.Over(while); rate < 85*unit.Gbps {
				t.Errorf("%s, %d connections: the other message arrives at %v", preset, pool, rate)
			}
			n.Finish(10 * unit.Second)
		}
	}
}

// TestConnectionIsFree takes back the message that has the only connection, and one that waits for it: the next one asks for
// credits at once, and credits that still come for the first draw nothing.
func TestConnectionIsFree(t *testing.T) {
	one := 1
	for _, preset := range []string{Paper, SIRD} {
		o := testOptions(preset)
		o.Pool = &one
		n := newNet(t, o, 2, 1)
		first := n.Send(0, 1, 5*unit.MB, 0)
		second := n.Send(0, 1, 5*unit.MB, 0)
		n.Send(0, 1, unit.MB, 0)
		n.Run(100 * unit.Microsecond)
		requests, stops := 0, 0
		fate := n.Fate
		n.Fate = func(from int32, p *protocol.Packet) []unit.Time {
			switch {
			case from == 0 && p.Kind == kindRequest:
				if requests++; p.Message != 2 {
					t.Errorf("%s, at %v: %+v", preset, n.Now, *p)
				}
			case from == 0 && p.Kind == kindStop:
				stops++
			}
			return fate(from, p)
		}
		n.Cancel(0, second)
		n.Cancel(0, first)
		n.Run(102 * unit.Microsecond)
		if requests != 1 {
			t.Errorf("%s: %d requests at once", preset, requests)
		}
		n.Run(120 * unit.Microsecond)
		if requests != 1 || stops != 0 {
			t.Errorf("%s: %d requests and %d stops, want a request", preset, requests, stops)
		}
		n.Finish(10 * unit.Second)
	}
}

// TestNobodyIsCalledArrived: a receiver that claims to have a message of which it never heard changes nothing.
func TestNobodyIsCalledArrived(t *testing.T) {
	one := 1
	for _, preset := range []string{Paper, SIRD} {
		o := testOptions(preset)
		o.Pool = &one
		n := newNet(t, o, 2, 1)
		n.Send(0, 1, 50*unit.KB, 0)
		n.Send(0, 1, 50*unit.KB, 0)
		n.hosts[0].Receive(0, &protocol.Packet{Kind: kindDone, Peer: 1, Message: 1, Wire: 84})
		hosttest.Check(t, n.hosts[0])
		n.Finish(unit.Second)
	}
}
