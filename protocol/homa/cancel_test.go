package homa

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
func (n *net) replace(i int32, c *config, env protocol.HostEnv) {
	n.Replace(i, func(out *protocol.HostOutput) protocol.HostTransport {
		env.Host, env.Out = i, out
		n.hosts[i] = newHost(c, env)
		return n.hosts[i]
	})
}

// TestComeAndGo has messages taken back and hosts replaced at random, under losses: all that is not taken back is delivered
// once, and no grant is left anywhere.
func TestComeAndGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		resend := 50 * unit.Microsecond
		o.Resend = &resend
		env := testEnv(4)
		env.Echo = protocol.GroupSet(rapid.SampledFrom([]uint32{0, 1}).Draw(t, "echo"))
		n := newNet(t, o, 4, env)
		n.Fate = hosttest.Chance(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), rapid.SampledFrom([]float64{0, 0.02, 0.1}).Draw(t, "loss"),
			rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "repeat"), rapid.SampledFrom([]unit.Time{0, 20 * unit.Microsecond}).Draw(t, "jitter"))
		c := build(t, o, env)
		pick := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
		n.ComeAndGo(pick, 3_000_000, func(host int32) { n.replace(host, c, env) })
	})
}

// TestOthersGoOn takes a long message back that has had all grants: another one between the same hosts has them at once, and
// a round trip later the full rate. Where what tells the receiver is lost, that takes as long as an answer can take more.
func TestOthersGoOn(t *testing.T) {
	for _, preset := range []string{Paper, SIRD} {
		for lost := range 2 {
			n := newNet(t, testOptions(preset), 3, testEnv(3))
			n.Fate = hosttest.LoseFirst(kindWithdraw, lost)
			const while = 100 * unit.Microsecond
			rtt := testEnv(3).BaseRTT
			came := n.AfterCancel(5*unit.MB, 20*unit.MB, 150*unit.Microsecond, 3*rtt/2+4*rtt*unit.Time(lost), while)
			if rate := came.Over(while); rate < 92*unit.Gbps {
				t.Errorf("%s, %d lost: the other message arrives at %v", preset, lost, rate)
			}
			n.Finish(unit.Second)
		}
	}
}

// TestOtherHostsGoOn takes back the only messages of hosts that are granted to: others are granted to in their place.
func TestOtherHostsGoOn(t *testing.T) {
	one := 1
	for _, preset := range []string{Paper, SIRD} {
		o := testOptions(preset)
		o.Overcommit = &one
		n := newNet(t, o, 4, testEnv(4))
		var tags []uint64
		for from := range int32(3) {
			tags = append(tags, n.Send(from, 3, 4*unit.MB+unit.MB*unit.Bytes(from), 0))
		}
		for from := range int32(2) {
			n.Run(n.Now + 100*unit.Microsecond)
			n.Cancel(from, tags[from])
		}
		n.Run(n.Now + 2*testEnv(4).BaseRTT)
		before := n.Fresh
		n.Run(n.Now + 100*unit.Microsecond)
		if rate := (n.Fresh - before).Over(100 * unit.Microsecond); rate < 92*unit.Gbps {
			t.Errorf("%s: the last message arrives at %v", preset, rate)
		}
		n.Finish(unit.Second)
	}
}

// TestUnevenGrants: grants to where no packet ends, and at levels that there are not, change nothing.
func TestUnevenGrants(t *testing.T) {
	n := newNet(t, testOptions(Paper), 2, testEnv(2))
	n.Send(0, 1, unit.MB, 0)
	h := n.hosts[0]
	m := &h.outbox[0]
	for to := m.first + 1; to < m.first+3000; to += 7 {
		h.Receive(0, &protocol.Packet{Kind: kindGrant, Peer: 1, Offset: to, Amount: to % 3, Wire: 86})
		hosttest.Check(t, h)
		if aligned := m.first + (m.may-m.first)/h.schedPayload*h.schedPayload; m.may != aligned {
			t.Fatalf("it may be sent up to %v, where no packet ends", m.may)
		}
	}
	h.Receive(0, &protocol.Packet{Kind: kindGrant, Peer: 1, Offset: m.first + 10*h.schedPayload, Amount: -1, Wire: 86})
	for _, p := range hosttest.Drain(t, h, 0, kindScheduled) {
		if int(p.Class) >= h.priorities {
			t.Errorf("%+v has a class that ports do not have", p)
		}
	}
}
