package homa

import (
	"fmt"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

// net is Homa's hosts on one switch.
type net struct {
	*hosttest.LAN
	hosts []*host
}

const rate = 100 * unit.Gbps

// testOptions are those of SIRD's evaluation for WKc.
func testOptions(preset string) Options {
	bdp := 100 * unit.KB
	return Options{
		Preset: preset, BDP: &bdp, RTTBytes: unit.Amount{BDPs: 1}, Priorities: 8, Saved: 14, Confirm: true,
	}
}

func testEnv(hosts int32) protocol.HostEnv {
	return protocol.HostEnv{
		LineRate: rate, Packet: 1538, BDP: 100 * unit.KB, BaseRTT: 5500 * unit.Nanosecond,
		Hosts: hosts, Payload: 1442, Header: 96, Control: 86, Classes: 8,
	}
}

// build returns the configuration of options.
func build(t rapid.TB, o Options, env protocol.HostEnv) *config {
	t.Helper()
	if err := o.check(); err != nil {
		t.Fatal(err)
	}
	rows, err := o.workload()
	if err != nil {
		t.Fatal(err)
	}
	c := newConfig(o, rows, env)
	if err := o.checkIn(c, env); err != nil {
		t.Fatal(err)
	}
	return c
}

func newNet(t rapid.TB, o Options, hosts int32, env protocol.HostEnv) *net {
	c := build(t, o, env)
	n := &net{}
	n.LAN = hosttest.New(t, hosts, func(i int32, out *protocol.HostOutput) protocol.HostTransport {
		env.Host, env.Out = i, out
		h := newHost(c, env)
		n.hosts = append(n.hosts, h)
		return h
	})
	n.Classes, n.Done = c.priorities, n.done
	n.Header = func(p *protocol.Packet) unit.Bytes {
		if p.Kind == kindScheduled {
			return c.schedHeader
		}
		return c.header
	}
	return n
}

// done fails unless nothing is left of any message.
func (n *net) done() error {
	for i, h := range n.hosts {
		if c := h.Credit(); c.Outstanding != 0 || c.Held != 0 || c.Own != 0 {
			return fmt.Errorf("host %d: %+v when all is done", i, c)
		}
		if len(h.ranked)+len(h.timed)+h.ready.Len()+h.incomplete+h.unconfirmed != 0 {
			return fmt.Errorf("host %d: %d senders want grants, %d wait for it, %d messages are ready, %d incomplete and %d unconfirmed",
				i, len(h.ranked), len(h.timed), h.ready.Len(), h.incomplete, h.unconfirmed)
		}
	}
	return nil
}
