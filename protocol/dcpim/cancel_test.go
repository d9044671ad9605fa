package dcpim

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
		env.Host, env.Out, env.Rand = i, out, rand.NewPCG(uint64(i), uint64(n.Now))
		n.hosts[i] = newHost(newConfig(o, env), env)
		return n.hosts[i]
	})
}

// TestComeAndGo has messages taken back and hosts replaced at random, under losses: all that is not taken back is delivered
// once, nothing is left of any message, and no channel stays matched. Packets are held up only where stages are long enough:
// a request that comes after its stage is void, so that with shorter ones not even a lone message ends.
func TestComeAndGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := hosttest.Env(4)
		env.Echo = protocol.GroupSet(rapid.SampledFrom([]uint32{0, 1}).Draw(t, "echo"))
		o := drawOptions(t)
		jitter := rapid.SampledFrom([]unit.Time{0, 20 * unit.Microsecond}).Draw(t, "jitter")
		if jitter > 0 {
			o.Alpha, o.Beta = 3, 2
		}
		n := newNet(t, o, 4, env)
		n.Fate = hosttest.Chance(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), rapid.SampledFrom([]float64{0, 0.02, 0.1}).Draw(t, "loss"),
			rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "repeat"), jitter)
		pick := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
		n.ComeAndGo(pick, 3_000_000, func(host int32) { n.replace(host, o, env) })
		for i, h := range n.hosts {
			if k := len(h.matching.links) + len(h.running.links) + len(h.requests) + len(h.grants); k != 0 {
				t.Fatalf("host %d has %d links and offers when all is done", i, k)
			}
		}
	})
}

// TestOthersGoOn takes a long message back that has had all channels: another one between the same hosts has them a round
// trip later, since channels are matched with hosts.
func TestOthersGoOn(t *testing.T) {
	n := newNet(t, testOptions(), 3, hosttest.Env(3))
	const while = 100 * unit.Microsecond
	came := n.AfterCancel(5*unit.MB, 20*unit.MB, 150*unit.Microsecond, 3*hosttest.Env(3).BaseRTT/2, while)
	if rate := came.Over(while); rate < 92*unit.Gbps {
		t.Errorf("the other message arrives at %v", rate)
	}
	n.Finish(unit.Second)
}

// TestOtherHostsGoOn takes back the only message of a host that has all channels of a receiver: those of others have them
// two epochs later at most.
func TestOtherHostsGoOn(t *testing.T) {
	n := newNet(t, testOptions(), 3, hosttest.Env(3))
	tag := n.Send(0, 1, 5*unit.MB, 0)
	n.Send(2, 1, 20*unit.MB, 0)
	n.Run(5 * period)
	n.Cancel(0, tag)
	n.Run(7*period + 10*unit.Microsecond)
	before := n.Fresh
	n.Run(n.Now + 2*period)
	if rate := (n.Fresh - before).Over(2 * period); rate < 92*unit.Gbps {
		t.Errorf("the other message arrives at %v", rate)
	}
	n.Finish(unit.Second)
}

// TestHeldTokensComeBack takes a short message back for which tokens are held back: they are given.
func TestHeldTokensComeBack(t *testing.T) {
	b := newBare(t, nil)
	notice := func(number uint32, size unit.Bytes) {
		b.Receive(b.Now, &protocol.Packet{Kind: tokens.Notice, Peer: 1, Message: number, Size: size, Wire: 84})
	}
	withdraw := func(number uint32) {
		b.Receive(b.Now, &protocol.Packet{Kind: tokens.Withdraw, Peer: 1, Message: number, Wire: 84})
		b.check()
	}
	notice(0, 60*mss)
	notice(1, 1000*mss)
	notice(2, 50*mss)
	withdraw(1)
	withdraw(0)
	if b.held != 50 {
		t.Errorf("%d tokens are held back for a message of 50 packets", b.held)
	}
	withdraw(2)
	if b.held != 0 {
		t.Errorf("%d tokens are held back for nothing", b.held)
	}
}

// TestForgottenChannels: a host that is forgotten takes no channels with it, neither matched nor offered ones.
func TestForgottenChannels(t *testing.T) {
	n := newNet(t, testOptions(), 3, hosttest.Env(3))
	n.Send(0, 2, 20*unit.MB, 0)
	n.Send(1, 2, 20*unit.MB, 0)
	n.Run(3*period + period/2)
	h := n.hosts[2]
	for peer := range int32(2) {
		h.Forget(n.Now, peer)
		hosttest.Check(t, h)
		for _, e := range []*epoch{&h.matching, &h.running} {
			if e.from(peer) != nil {
				t.Errorf("host %d is matched after it was forgotten", peer)
			}
		}
	}
	if c := h.matching.channels + h.running.channels; c != 0 || len(h.requests)+len(h.grants) != 0 {
		t.Errorf("%d channels are matched with nobody, %d offers are left", c, len(h.requests)+len(h.grants))
	}
}

// TestOffersAreFew: a host that asks all the time takes no more memory.
func TestOffersAreFew(t *testing.T) {
	b := newBare(t, nil)
	for range 1000 {
		b.Receive(b.Now, &protocol.Packet{Kind: kindRequest, Peer: 1, Amount: 1, Wire: 84})
		b.check()
	}
	if n := len(b.requests); n < 1 || n > int(b.Hosts) {
		t.Errorf("%d requests wait, of %d hosts", n, b.Hosts)
	}
}
