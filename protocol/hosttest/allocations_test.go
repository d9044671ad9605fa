package hosttest_test

import (
	"fmt"
	"testing"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

// wasteful allocates for some packets of data.
type wasteful struct {
	protocol.HostTransport
	allocates func(packet int) bool
	packets   int
	kept      *protocol.Packet
}

func (w *wasteful) Next(now unit.Time, p *protocol.Packet) bool {
	ok := w.HostTransport.Next(now, p)
	if p.Payload > 0 {
		if w.packets++; w.allocates(w.packets) {
			w.kept = new(protocol.Packet)
		}
	}
	return ok
}

// noted keeps what is wrong.
type noted struct{ wrong []string }

func (n *noted) Helper() {}
func (n *noted) Fatalf(format string, args ...any) {
	n.wrong = append(n.wrong, fmt.Sprintf(format, args...))
}

// TestCheckAllocations finds one allocation a packet, also where steps are more than packets, and
// one in thousands of packets; and none where there is none.
func TestCheckAllocations(t *testing.T) {
	const steps = 10_000
	for name, tt := range map[string]struct {
		allocates func(packet int) bool
		found     bool
	}{
		"none":             {func(int) bool { return false }, false},
		"one a packet":     {func(int) bool { return true }, true},
		"one in all":       {func(packet int) bool { return packet == 5000 }, true},
		"before it counts": {func(packet int) bool { return packet < 1000 }, false},
	} {
		var n noted
		hosttest.CheckAllocations(&n, 60*unit.Nanosecond, steps, func(p *protocol.Packet) bool { return p.Payload > 0 },
			func(host int32, out *protocol.HostOutput) protocol.HostTransport {
				return &wasteful{HostTransport: pHost(2)(host, out), allocates: tt.allocates}
			})
		if got := len(n.wrong) > 0; got != tt.found {
			t.Errorf("%s: %q", name, n.wrong)
		}
	}
}
