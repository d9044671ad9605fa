package main

import (
	"fmt"

	"weft/catalog"
	"weft/protocol"
	"weft/unit"
)

// This file has what a scenario says of the transport and the state of a host. How it sends is
// in sender.go, how it receives in receiver.go.
//
// The first packet of a message goes at once and announces it. Every other one waits for a
// grant of its receiver that names it. A receiver grants at the rate of its link, to the
// messages that come to it in turn, and no more than a window ahead of what arrives. When the
// last byte is there it says so, and the message is complete.
//
// Packets are lost where queues overflow. What was granted and did not come for a while is
// granted again, and of a message of which its sender heard nothing for a while the first packet
// goes again. A receiver remembers which messages are done for as long as their sender may ask:
// first packets say what the oldest message is that is not complete.

// options are what a scenario can say, as in
//
//	congestion: {kind: turns, window: 2BDP}
type options struct {
	Window  unit.Amount `yaml:"window" default:"1.5BDP" doc:"Granted bytes on the wire that have not arrived, at most."`
	Silence unit.Time   `yaml:"silence" default:"200us" min:"1us" doc:"Time without an answer after which a sender asks again."`
}

// turns is the entry under which scenarios find the transport.
func turns() catalog.Entry[protocol.CongestionControl] {
	return catalog.Define("turns", "host transport: receivers grant one packet after another, to their messages in turn", "",
		func(o options) (protocol.CongestionControl, error) {
			if err := protocol.CheckAmounts("1.5BDP or 150KB", protocol.NamedAmount{Name: "window", Amount: o.Window}); err != nil {
				return protocol.CongestionControl{}, err
			}
			return protocol.CongestionControl{
				NewHost:   func(env protocol.HostEnv) protocol.HostTransport { return newHost(o, env) },
				Receivers: o,
				CheckHost: o.check,
				Needs:     protocol.Needs{Wants: []protocol.Want{{Need: protocol.DeepQueues, Without: protocol.LateLosses}}},
				Host: protocol.HostTraits{
					ControlClass: true, // which grants take
					Recovery:     8 * o.Silence,
					Silence:      o.Silence, SilenceOption: "silence",
				},
			}, nil
		})
}

// check tells what does not fit a fabric.
func (o options) check(env protocol.HostEnv) (warnings []string, err error) {
	if w := o.Window.Resolve(env.BDP, 0); w < env.Packet {
		return nil, fmt.Errorf("turns: window is %v, less than one frame of %v", w, env.Packet)
	}
	return nil, env.CheckWait("silence", o.Silence)
}

// Kinds of packet. Data uses Tag, Size, Offset and Payload, and the first packet of a message
// Number for the oldest message to the peer that is not complete. Grants use Offset.
const (
	kindData uint8 = iota
	kindGrant
	kindDone
)

// key names a message: it is one to a peer, or from it.
type key struct {
	peer   int32
	number uint32
}

// host is the transport of one host.
type host struct {
	env    protocol.HostEnv
	window unit.Bytes
	// silence is the time without an answer after which one is asked for again, tick when the
	// host looks for such messages; Forever while it has none.
	silence, tick unit.Time

	// As a sender.
	peers    []peer
	outgoing map[key]*outgoing
	granted  queue[packet]

	// As a receiver.
	froms    []from // by peer
	incoming map[key]*incoming
	wanting  queue[*incoming] // that may be granted more, in turn
	dones    queue[*incoming]
	flying   unit.Bytes // granted, and did not arrive
	next     unit.Time  // when the next grant may go
}

func newHost(o options, env protocol.HostEnv) *host {
	return &host{
		env: env, window: o.Window.Resolve(env.BDP, 0), silence: o.Silence, tick: unit.Forever,
		peers: make([]peer, env.Hosts), outgoing: map[key]*outgoing{},
		froms: make([]from, env.Hosts), incoming: map[key]*incoming{},
	}
}

// Next implements protocol.HostTransport: what is short goes first.
func (h *host) Next(now unit.Time, p *protocol.Packet) bool {
	return h.sendDone(p) || h.sendGrant(now, p) || h.sendData(p)
}

// Ready implements protocol.HostTransport.
func (h *host) Ready() (unit.Time, bool) {
	switch {
	case h.dones.len() > 0 || h.granted.len() > 0:
		return 0, true
	case h.mayGrant():
		return h.next, true
	}
	return 0, false
}

// Receive implements protocol.HostTransport.
func (h *host) Receive(now unit.Time, p *protocol.Packet) unit.Bytes {
	switch p.Kind {
	case kindData:
		return h.onData(now, p)
	case kindGrant:
		h.onGrant(now, p)
	case kindDone:
		h.onDone(p)
	}
	return 0
}

// Deadline implements protocol.HostTransport.
func (h *host) Deadline() (unit.Time, bool) { return h.tick, h.tick < unit.Forever }

// Expire implements protocol.HostTransport. It looks at messages twice in a silence.
func (h *host) Expire(now unit.Time) {
	if now < h.tick {
		return
	}
	h.tick = unit.Forever
	h.askAgain(now)
	h.grantAgain(now)
}

// watch has the host look at its messages later on.
func (h *host) watch(now unit.Time) { h.tick = min(h.tick, now+h.silence/2) }

// packets is how many packets a message of a size has.
func (h *host) packets(size unit.Bytes) int { return int((size + h.env.Payload - 1) / h.env.Payload) }

// Check implements protocol.HostTransport.
func (h *host) Check() error {
	flying := unit.Bytes(0)
	for _, m := range h.incoming {
		flying += m.flying
		if m.left < 0 || m.flying < 0 {
			return fmt.Errorf("message %d of host %d has %v left and %v in flight", m.number, m.peer, m.left, m.flying)
		}
	}
	if flying != h.flying || flying > h.window {
		return fmt.Errorf("%v are in flight to a host that counts %v, in a window of %v", flying, h.flying, h.window)
	}
	return nil
}
