package expresspass

import (
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

// net is ExpressPass's hosts on one switch, whose ports to the hosts limit credits.
type net struct {
	*hosttest.LAN
	hosts []*host
	lost  int // credits, less copies, on their way to the switch
}

const (
	rate = 100 * unit.Gbps
	rtt  = 5500 * unit.Nanosecond
)

var class = protocol.CreditClass{Credit: 84, Data: 1538, Queue: 672, Burst: 168}

func testOptions(preset string) Options {
	return Options{
		Preset: preset, Alpha: 1. / 16, WInit: 1. / 16, WMin: 0.01, WMax: 0.5, Jitter: 0.1, CreditMax: 92, ReplySize: 4, Retry: 100 * unit.Microsecond,
	}
}

func testEnv(hosts int32) protocol.HostEnv {
	return protocol.HostEnv{
		LineRate: rate, Packet: 1538, BDP: 68750, BaseRTT: rtt, Hosts: hosts,
		Payload: 1460, Header: 78, Control: 84, Classes: 2, Credits: class,
	}
}

func newNet(t rapid.TB, o Options, hosts int32, seed uint64) *net {
	t.Helper()
	env := testEnv(hosts)
	if _, err := o.Build(); err != nil {
		t.Fatal(err)
	}
	if err := o.checkIn(env); err != nil {
		t.Fatal(err)
	}
	c := newConfig(o, env)
	n := &net{}
	n.LAN = hosttest.New(t, hosts, func(i int32, out *protocol.HostOutput) protocol.HostTransport {
		env.Host, env.Out, env.Rand = i, out, rand.NewPCG(seed, uint64(i))
		h := newHost(c, env)
		n.hosts = append(n.hosts, h)
		return h
	})
	n.Classes, n.Credits, n.Done = 2, class, n.done
	n.Header = func(p *protocol.Packet) unit.Bytes { return max(c.header, c.control-p.Payload) }
	n.fate(func(int32, *protocol.Packet) []unit.Time { return []unit.Time{0} })
	return n
}

// fate sets what happens to packets, of which only credits may have class 0 and all must
// have a path of their own.
func (n *net) fate(of func(int32, *protocol.Packet) []unit.Time) {
	n.Fate = func(from int32, p *protocol.Packet) []unit.Time {
		if (p.Kind == kindCredit) != (p.Class == 0) || p.Flags&protocol.Pinned == 0 {
			n.T.Fatalf("packet %+v", p)
		}
		p.Flags &^= protocol.Pinned
		copies := of(from, p)
		if p.Kind == kindCredit {
			n.lost += 1 - len(copies)
		}
		return copies
	}
}

// done fails unless nothing is left of any message, and all credits are accounted for.
func (n *net) done() error {
	var sum protocol.CreditCounts
	for _, h := range n.hosts {
		sum.Add(h.CreditCounts())
	}
	if int(sum.Sent) != int(sum.Received)+n.Dropped+n.lost {
		return fmt.Errorf("%d credits sent, %d received, %d dropped and %d lost", sum.Sent, sum.Received, n.Dropped, n.lost)
	}
	return n.idle()
}

// idle fails unless nothing is left of any message.
func (n *net) idle() error {
	for i, h := range n.hosts {
		if k := h.waits.Len() + h.pacing.Len() + h.packets.Len() + h.credits.Len() + h.gone.Len(); k != 0 {
			return fmt.Errorf("host %d waits for %d things", i, k)
		}
		if len(h.freeOut) != len(h.outbox) || len(h.freeIn) != len(h.inbox) {
			return fmt.Errorf("host %d has %d and %d messages left", i, len(h.outbox)-len(h.freeOut), len(h.inbox)-len(h.freeIn))
		}
		for _, s := range h.senders {
			if s != nil && s.open != 0 {
				return fmt.Errorf("host %d counts %d messages of another one that it does not have", i, s.open)
			}
		}
	}
	return nil
}
