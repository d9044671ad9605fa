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

// testOptions are the published ones, in SIRD's network.
func testOptions() Options {
	bdp, rtt := 100*unit.KB, 7*unit.Microsecond
	one := unit.Amount{BDPs: 1}
	return Options{
		BDP: &bdp, ControlRTT: &rtt, Rounds: 4, Channels: 4, Beta: 1.3, Alpha: 1, MinRounds: 1,
		Short: one, TokenWindow: one, WindowTimeout: unit.Amount{BDPs: 1.1}, TokenResend: one, Resend: unit.Millisecond,
	}
}

// net is dcPIM's hosts on one switch.
type net struct {
	*hosttest.LAN
	hosts []*host
}

func newNet(t rapid.TB, o Options, hosts int32, env protocol.HostEnv) *net {
	t.Helper()
	if err := o.check(); err != nil {
		t.Fatal(err)
	}
	n := &net{}
	n.LAN = hosttest.New(t, hosts, func(i int32, out *protocol.HostOutput) protocol.HostTransport {
		env.Host, env.Out, env.Rand = i, out, rand.NewPCG(uint64(i), 1)
		h := newHost(newConfig(o, env), env)
		n.hosts = append(n.hosts, h)
		return h
	})
	n.Classes, n.Done = 2+max(1, len(o.Cutoffs)), n.done
	n.Header = func(p *protocol.Packet) unit.Bytes {
		if o.Padded {
			return env.Packet - p.Payload
		}
		return env.Header
	}
	return n
}

// done fails unless all hosts sleep.
func (n *net) done() error {
	for i, h := range n.hosts {
		if at, ok := h.Deadline(); ok || !h.Idle() {
			return fmt.Errorf("host %d is not done with its messages, and waits until %v", i, at)
		}
	}
	return nil
}

// bare is a host for itself, number 0 of 16, which is given packets and asked for packets.
type bare struct {
	*host
	out protocol.HostOutput
	t   *testing.T
}

func newBare(t *testing.T, change func(*Options)) *bare {
	o := testOptions()
	if change != nil {
		change(&o)
	}
	b := &bare{t: t}
	env := hosttest.Env(16)
	env.Out, env.Rand = &b.out, rand.NewPCG(1, 2)
	b.host = newHost(newConfig(o, env), env)
	return b
}

// next returns the next packet, which must be of a kind.
func (b *bare) next(kind uint8) protocol.Packet {
	b.t.Helper()
	var p protocol.Packet
	if !b.Next(b.Now, &p) || p.Kind != kind {
		b.t.Fatalf("at %v: packet %+v, want one of kind %d", b.Now, p, kind)
	}
	b.check()
	return p
}

// all returns the packets of a kind that can go now, and drops the others.
func (b *bare) all(kind uint8) []protocol.Packet {
	b.t.Helper()
	return hosttest.Drain(b.t, b.host, b.Now, kind)
}

func (b *bare) check() {
	b.t.Helper()
	hosttest.Check(b.t, b.host)
}

// until lets the host act on all times up to one.
func (b *bare) until(now unit.Time) {
	b.t.Helper()
	hosttest.Wake(b.t, b.host, b.Now, now)
	b.Expire(now)
}

// announce lets a notice of a message of so many full packets arrive.
func (b *bare) announce(peer int32, number uint32, packets unit.Bytes) {
	b.t.Helper()
	b.Receive(b.Now, &protocol.Packet{Peer: peer, Kind: tokens.Notice, Message: number, Size: packets * b.Payload, Wire: 84})
	b.check()
}

// data lets a packet of such a message arrive, on its token.
func (b *bare) data(peer int32, number uint32, packets, packet unit.Bytes, token uint32) unit.Bytes {
	b.t.Helper()
	fresh := b.Receive(b.Now, &protocol.Packet{
		Peer: peer, Kind: tokens.Data, Message: number, Size: packets * b.Payload, Offset: packet * b.Payload,
		Payload: b.Payload, Amount: unit.Bytes(token), Wire: 1538,
	})
	b.check()
	return fresh
}

// match lets a packet of the matching arrive.
func (b *bare) match(kind uint8, peer int32, number, round uint32, channels, left unit.Bytes) {
	b.t.Helper()
	b.Receive(b.Now, &protocol.Packet{Peer: peer, Kind: kind, Number: number, Extra: round, Amount: channels, Offset: left, Wire: 84})
	b.check()
}
