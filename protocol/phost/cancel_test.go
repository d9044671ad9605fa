package phost

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/protocol/internal/tokens"
	"weft/unit"
)

var (
	_ protocol.Canceler  = (*host)(nil)
	_ protocol.Forgetter = (*host)(nil)
)

// replace has a new host take the place of one.
func (n *net) replace(i int32, o Options, env protocol.HostEnv) {
	n.Replace(i, func(out *protocol.HostOutput) protocol.HostTransport {
		env.Host, env.Out = i, out
		n.hosts[i] = newHost(newConfig(o, env), env)
		return n.hosts[i]
	})
}

// TestComeAndGo has messages taken back and hosts replaced at random, under losses: all that is not taken back is delivered
// once, and nothing is left of any message.
func TestComeAndGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := hosttest.Env(4)
		env.Echo = protocol.GroupSet(rapid.SampledFrom([]uint32{0, 1}).Draw(t, "echo"))
		o := drawOptions(t)
		n := newNet(t, o, 4, env)
		n.Fate = hosttest.Chance(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), rapid.SampledFrom([]float64{0, 0.02, 0.1}).Draw(t, "loss"),
			rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "repeat"), rapid.SampledFrom([]unit.Time{0, 20 * unit.Microsecond}).Draw(t, "jitter"))
		pick := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
		n.ComeAndGo(pick, 3_000_000, func(host int32) { n.replace(host, o, env) })
	})
}

// TestOthersGoOn takes a long message back that has had all tokens: another one between the same hosts has one at once, and
// when that is answered the full rate, since its free tokens were in vain and it is downgraded until then.
func TestOthersGoOn(t *testing.T) {
	n := newNet(t, testOptions(), 3, hosttest.Env(3))
	const while = 100 * unit.Microsecond
	came := n.AfterCancel(5*unit.MB, 20*unit.MB, 150*unit.Microsecond, 5*hosttest.Env(3).BaseRTT/2, while)
	if rate := came.Over(while); rate < 88*unit.Gbps {
		t.Errorf("the other message arrives at %v", rate)
	}
	n.Finish(unit.Second)
}

// TestFreeTokensComeBack takes messages back that were announced with free tokens and sent nothing: the time that the
// receiver set aside for these goes to another one.
func TestFreeTokensComeBack(t *testing.T) {
	b := newBare(t, nil)
	b.announce(1, 0, 1000)
	for number := range uint32(10) {
		b.announce(2, number, 1000)
	}
	later := b.busy
	for number := range uint32(10) {
		b.Receive(b.Now, &protocol.Packet{Peer: 2, Kind: tokens.Withdraw, Message: number, Wire: 84})
		b.check()
	}
	free := unit.Time(b.Free(1000 * mss))
	if later != 11*free*gap || b.busy != free*gap || b.due != free*gap {
		t.Errorf("busy until %v and then %v, the next token is due at %v; want that after %v", later, b.busy, b.due, free*gap)
	}
	if given := b.until(b.downgrade); len(given) != 1 || given[0].Peer != 1 {
		t.Errorf("tokens %+v once the other is not downgraded any more, want one", given)
	}
}
