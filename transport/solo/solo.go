package solo

import (
	"fmt"
	"strings"

	"weft/fabric"
	"weft/protocol"
	"weft/transport"
	"weft/unit"
	"weft/workload"
)

// Carry returns a control that makes what a control makes, each transport on a simulated host of its own. The host has number 0
// and one group of traffic. What it does otherwise than it is told, its transport tells by a method:
//
//	// Differs returns what the latest call, or the making, led to otherwise than it was to: what of it, as it was to be, and as
//	// it was. What is empty if nothing was.
//	Differs() (what, want, got string)
func Carry(c protocol.CongestionControl) protocol.CongestionControl {
	carried := c
	if c.NewHost != nil {
		carried.NewHost = func(env protocol.HostEnv) protocol.HostTransport { return newHost(c, env) }
	}
	return carried
}

// host is a simulated host that is told what happens.
type host struct {
	core
	network   *fabric.Network
	transport *transport.Transport
	endpoint  *transport.Endpoint
	domain    *fabric.Domain
	// ready tells that the carrier has something to send, due that its timer has come and waits for Expire.
	ready, due      bool
	what, want, got string // see Differs
}

// Differs tells what the carrier did otherwise.
func (h *host) Differs() (what, want, got string) { return h.what, h.want, h.got }

// differ notes the first difference.
func (h *host) differ(what string, want, got any) {
	if h.what == "" {
		h.what, h.want, h.got = what, fmt.Sprint(want), fmt.Sprint(got)
	}
}

// begin has the host's timer come up to now, and begins a call.
func (h *host) begin(c call) {
	h.what, h.given, h.calls = "", c, h.calls[:0]
	h.fresh, h.sends, h.filled = 0, false, protocol.Packet{}
	h.network.Run(c.now+1, 1)
}

// settle compares the call that was made with those that it led to.
func (h *host) settle() {
	if b := h.transport.Breach(); b != nil {
		h.differ("rule", "kept", b.Rule)
	}
	if len(h.calls) != 1 {
		var names []string
		for _, c := range h.calls {
			names = append(names, c.name)
		}
		h.differ("call", h.given.name, fmt.Sprintf("%d calls (%s)", len(names), strings.Join(names, ", ")))
	} else if got := h.calls[0]; !same(got, h.given) {
		h.differ("call", h.given, got)
	}
}

// Submit begins a message of the host's.
func (h *host) Submit(now unit.Time, m *protocol.HostMessage) {
	h.begin(call{name: "submit", now: now, message: *m})
	h.endpoint.Submit(now, 0, int(m.Group), workload.Message{Dst: m.Peer, At: now, Size: m.Bytes})
	h.settle()
}

// Receive has a frame arrive.
func (h *host) Receive(now unit.Time, p *protocol.Packet) (fresh unit.Bytes) {
	h.begin(call{name: "receive", now: now, packet: *p})
	q := *p
	q.Tag = standIn(p.Tag)
	h.ready = h.endpoint.Receive(now, 0, h.endpoint.Arrival(0, &q)) || h.ready
	h.settle()
	return h.fresh
}

// Next has the wire be free.
func (h *host) Next(now unit.Time, p *protocol.Packet) bool {
	h.begin(call{name: "next", now: now})
	asks := h.ready || h.due
	id, more, ok := h.endpoint.Pull(now, 0)
	h.ready = more
	if ok && !asks {
		h.differ("asks", true, false)
	}
	if ok {
		h.compareFrame(id)
		h.domain.Free(id)
	}
	h.settle()
	*p = h.filled
	return h.sends
}

// compareFrame compares a frame with the packet that it is to have.
func (h *host) compareFrame(id fabric.FrameID) {
	got, want := h.endpoint.Departure(id), h.sent
	if want.Flags&protocol.Pinned == 0 {
		want.Entropy = got.Entropy
	}
	want.Flags &^= protocol.Pinned
	if !same(got, want) {
		h.differ("frame", fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got))
	}
}

// Ready is the transport's.
func (h *host) Ready() (unit.Time, bool) { return h.core.Ready() }

// Deadline is likewise.
func (h *host) Deadline() (unit.Time, bool) { return h.core.Deadline() }

// Expire has the host's timer take effect.
func (h *host) Expire(now unit.Time) {
	h.begin(call{name: "expire", now: now})
	if !h.due {
		h.differ("timer", true, false)
	}
	h.due = false
	h.ready = h.endpoint.Timer(now, 0) || h.ready
	h.settle()
}

// Cancel takes a message of the host back.
func (h *host) Cancel(now unit.Time, m *protocol.HostMessage) bool {
	h.begin(call{name: "cancel", now: now, message: *m})
	ok := h.transport.Cancel(now, 0, int(m.Group), uint64(uint32(h.names[m.Peer][m.Tag])))
	h.settle()
	return ok
}

// Forget has the host forget another one.
func (h *host) Forget(now unit.Time, peer int32) {
	h.begin(call{name: "forget", now: now, peer: peer})
	h.transport.Forget(now, 0, peer)
	h.settle()
}

// Check checks the books of the transport, its carrier and the network.
func (h *host) Check() error {
	if err := h.transport.Check(); err != nil {
		return err
	}
	return h.network.Check()
}
