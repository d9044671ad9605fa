package phost

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/protocol/internal/tokens"
	"weft/unit"
)

// testOptions are the published ones.
func testOptions() Options {
	bdp := 100 * unit.KB
	return Options{
		BDP: &bdp, Free: unit.Amount{BDPs: 1}, FreeFor: all, Window: unit.Amount{BDPs: 1},
		Downgrade: unit.Amount{BDPs: 3.125}, Resend: unit.Amount{BDPs: 1.125}, Life: 1.5, Silence: unit.Millisecond,
	}
}

// net is pHost's hosts on one switch.
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
		env.Host, env.Out = i, out
		h := newHost(newConfig(o, env), env)
		n.hosts = append(n.hosts, h)
		return h
	})
	n.Classes, n.Done = 2+max(1, len(o.Cutoffs)), n.done
	n.Header = func(*protocol.Packet) unit.Bytes { return env.Header }
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
	env.Out = &b.out
	b.host = newHost(newConfig(o, env), env)
	return b
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

// until lets the host act on all times up to one, and returns the tokens that it gave.
func (b *bare) until(now unit.Time) (given []protocol.Packet) {
	b.t.Helper()
	hosttest.Wake(b.t, b.host, b.Now, now)
	b.Now = max(b.Now, now)
	return b.all(tokens.Token)
}

// announce lets a notice of a message of so many full packets arrive.
func (b *bare) announce(peer int32, number uint32, packets unit.Bytes) {
	b.t.Helper()
	b.Receive(b.Now, &protocol.Packet{Peer: peer, Kind: tokens.Notice, Message: number, Size: packets * mss, Wire: 84})
	b.check()
}

// data lets a packet of such a message arrive, on its token.
func (b *bare) data(peer int32, number uint32, packets, packet unit.Bytes, token uint32) {
	b.t.Helper()
	b.Receive(b.Now, &protocol.Packet{
		Peer: peer, Kind: tokens.Data, Message: number, Size: packets * mss, Offset: packet * mss,
		Payload: mss, Amount: unit.Bytes(token), Wire: 1538,
	})
	b.check()
}
