package solo

import (
	"fmt"
	"reflect"
	"strings"

	"weft/fabric"
	"weft/protocol"
	"weft/transport"
	"weft/unit"
	"weft/workload"
)

// Carry returns a control that wraps another one. It runs each of that control's
// transports on a simulated host of its own, with number 0 and one group of
// traffic. Each wrapped transport has a method that reports differences:
//
//	// Differs returns how the latest call, or the construction, went differently than expected:
//	// what differs, the expected value, and the actual one. what is empty if nothing differs.
//	Differs() (what, want, got string)
func Carry(c protocol.CongestionControl) protocol.CongestionControl {
	carried := c
	if c.NewHost != nil {
		carried.NewHost = func(env protocol.HostEnv) protocol.HostTransport { return newHost(c, env) }
	}
	return carried
}

// host is a simulated host whose caller plays network and clock.
type host struct {
	core
	network   *fabric.Network
	transport *transport.Transport
	endpoint  *transport.Endpoint
	domain    *fabric.Domain
	// ready reports that the carrier has something to send, due that its timer waits for Expire.
	ready, due      bool
	what, want, got string // see Differs
}

// Differs returns what the carrier did differently than expected.
func (h *host) Differs() (what, want, got string) { return h.what, h.want, h.got }

// differ records a difference, unless an earlier one of this call is recorded.
func (h *host) differ(what string, want, got any) {
	if h.what == "" {
		h.what, h.want, h.got = what, fmt.Sprint(want), fmt.Sprint(got)
	}
}

// compare records the first field in which two structures differ.
func (h *host) compare(of string, want, got any) {
	if reflect.DeepEqual(want, got) {
		return
	}
	a, b := reflect.ValueOf(want), reflect.ValueOf(got)
	for i := range a.NumField() {
		if x, y := a.Field(i).Interface(), b.Field(i).Interface(); !reflect.DeepEqual(x, y) {
			h.differ(strings.ToLower(a.Type().Field(i).Name)+" of the "+of, fmt.Sprintf("%+v", x), fmt.Sprintf("%+v", y))
		}
	}
}

// begin runs the simulator up to the time of a call, and begins that call.
func (h *host) begin(c call) {
	h.what, h.given, h.calls = "", c, h.calls[:0]
	h.fresh, h.sends, h.filled = 0, false, protocol.Packet{}
	h.network.Run(c.Now+1, 1)
}

// others reports whether a group is not the host's, and records that as a difference.
func (h *host) others(group uint8) bool {
	if group != 0 {
		h.differ("group", 0, group)
	}
	return group != 0
}

// settle compares the call that was made with the calls that it led to.
func (h *host) settle() {
	if b := h.transport.Breach(); b != nil {
		h.differ("promise of the transport", "kept", b.Rule)
	}
	if len(h.calls) != 1 {
		h.differ("number of calls", 1, len(h.calls))
		return
	}
	h.compare("message", h.given.Message, h.calls[0].Message)
	h.compare("packet", h.given.Packet, h.calls[0].Packet)
	h.compare("call", h.given, h.calls[0])
}

// Submit begins a message of the host.
func (h *host) Submit(now unit.Time, m *protocol.HostMessage) {
	h.begin(call{Name: "submit", Now: now, Message: *m})
	if h.others(m.Group) {
		return
	}
	h.endpoint.Submit(now, 0, 0, workload.Message{Dst: m.Peer, At: now, Size: m.Bytes})
	h.settle()
}

// Receive delivers a frame to the host.
func (h *host) Receive(now unit.Time, p *protocol.Packet) (fresh unit.Bytes) {
	h.begin(call{Name: "receive", Now: now, Packet: *p})
	if h.others(p.Group) {
		return 0
	}
	q := *p
	q.Tag = standIn(p.Tag)
	h.ready = h.endpoint.Receive(now, 0, h.endpoint.Arrival(0, &q)) || h.ready
	h.settle()
	return h.fresh
}

// Next asks for a packet, since the wire is free.
func (h *host) Next(now unit.Time, p *protocol.Packet) bool {
	h.begin(call{Name: "next", Now: now})
	asks := h.ready || h.due
	id, more, ok := h.endpoint.Pull(now, 0)
	h.ready = more
	if ok && !asks {
		h.differ("wish to send", true, false)
	}
	if ok {
		h.compareFrame(id)
		h.domain.Free(id)
	}
	h.settle()
	*p = h.filled
	return h.sends
}

// compareFrame compares a frame with the packet that it must contain.
func (h *host) compareFrame(id fabric.FrameID) {
	got, want := h.endpoint.Departure(id), h.sent
	if want.Flags&protocol.Pinned == 0 {
		want.Entropy = got.Entropy
	}
	want.Flags &^= protocol.Pinned
	h.compare("frame", want, got)
}

// Ready forwards to the transport.
func (h *host) Ready() (unit.Time, bool) { return h.core.Ready() }

// Deadline forwards to the transport.
func (h *host) Deadline() (unit.Time, bool) { return h.core.Deadline() }

// Expire runs the host's timer.
func (h *host) Expire(now unit.Time) {
	h.begin(call{Name: "expire", Now: now})
	if !h.due {
		h.differ("timer", "due", "not due")
	}
	h.due = false
	h.ready = h.endpoint.Timer(now, 0) || h.ready
	h.settle()
}

// Cancel cancels a message of the host.
func (h *host) Cancel(now unit.Time, m *protocol.HostMessage) bool {
	h.begin(call{Name: "cancel", Now: now, Message: *m})
	if h.others(m.Group) {
		return false
	}
	ok := h.transport.Cancel(now, 0, 0, uint64(uint32(h.names[m.Peer][m.Tag])))
	h.settle()
	return ok
}

// Forget makes the host forget a peer.
func (h *host) Forget(now unit.Time, peer int32) {
	h.begin(call{Name: "forget", Now: now, Peer: peer})
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
