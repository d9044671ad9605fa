package sird

import (
	"fmt"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

// net is SIRD's hosts on one switch, whose queues know no priorities.
type net struct {
	*hosttest.LAN
	hosts  []*host
	config *config
	// sent, if not nil, sees a packet before the network does, while its Peer is still the
	// host that it goes to.
	sent func(from int32, p *protocol.Packet)
}

// tapped is a host whose packets the test sees.
type tapped struct {
	*host
	net  *net
	self int32
}

// Next implements protocol.HostTransport.
func (h tapped) Next(now unit.Time, p *protocol.Packet) bool {
	if !h.host.Next(now, p) {
		return false
	}
	if h.net.sent != nil {
		h.net.sent(h.self, p)
	}
	return true
}

// testOptions are those of the paper's simulations.
func testOptions() Options {
	bdp := 100 * unit.KB
	return Options{
		Preset: Paper, BDP: &bdp, B: unit.Amount{BDPs: 1.5}, SenderBucket: unit.Amount{BDPs: 1},
		UnschT: unit.Threshold{Amount: unit.Amount{BDPs: 1}}, SThr: unit.Threshold{Amount: unit.Amount{BDPs: 0.5}},
		Gain: 0.08, SenderFloor: unit.Amount{BDPs: 0.1}, NetFloor: unit.Amount{BDPs: 0.03},
		Policy: "srpt", FairShare: 0.5, Priority: "control+unscheduled", Confirm: true, Silence: 5 * unit.Millisecond,
	}
}

func testEnv(hosts int32) protocol.HostEnv {
	return protocol.HostEnv{
		LineRate: 100 * unit.Gbps, Packet: 1538, BDP: 100 * unit.KB, BaseRTT: 5500 * unit.Nanosecond,
		Hosts: hosts, Payload: 1458, Header: 80, Control: 84, Classes: 2,
	}
}

func newNet(t rapid.TB, o Options, hosts int32, env protocol.HostEnv) *net {
	n := &net{config: newConfig(o, env)}
	n.LAN = hosttest.New(t, hosts, func(i int32, out *protocol.HostOutput) protocol.HostTransport {
		env.Host, env.Out = i, out
		h := newHost(newConfig(o, env), env)
		n.hosts = append(n.hosts, h)
		return tapped{h, n, i}
	})
	n.FIFO, n.Rate, n.Done = true, env.LineRate, n.done
	n.Header = func(*protocol.Packet) unit.Bytes { return n.config.header }
	return n
}

// done fails unless all credit is back where it came from.
func (n *net) done() error {
	for i, h := range n.hosts {
		if c := h.Credit(); c.Outstanding != 0 || c.Held != 0 {
			return fmt.Errorf("host %d has %v of credit outstanding and holds %v when all is done", i, c.Outstanding, c.Held)
		}
		if len(h.wanting)+len(h.active)+h.incomplete+h.unfinished+h.unconfirmed != 0 {
			return fmt.Errorf("host %d: %d messages want credit, %d receivers are active, %d messages are incomplete, %d unfinished and %d unconfirmed",
				i, len(h.wanting), len(h.active), h.incomplete, h.unfinished, h.unconfirmed)
		}
	}
	return nil
}
