package expresspass

import (
	"math/rand/v2"
	"testing"

	"weft/protocol"
	"weft/unit"
)

// alone returns a host that talks to host 1, and what it sends at a time.
func alone(t *testing.T, o Options) (*host, *protocol.HostOutput, func(now unit.Time) []protocol.Packet) {
	t.Helper()
	env := testEnv(3)
	out := &protocol.HostOutput{}
	env.Out, env.Rand = out, rand.NewPCG(1, 2)
	h := newHost(newConfig(o, env), env)
	return h, out, func(now unit.Time) (sent []protocol.Packet) {
		h.Expire(now)
		for {
			var p protocol.Packet
			if !h.Next(now, &p) {
				if err := h.Check(); err != nil {
					t.Fatal(err)
				}
				return sent
			}
			sent = append(sent, p)
		}
	}
}

func kinds(sent []protocol.Packet) (k []uint8) {
	for _, p := range sent {
		k = append(k, p.Kind)
	}
	return k
}

func creditFor(p protocol.Packet, number uint32, at unit.Time) *protocol.Packet {
	return &protocol.Packet{Kind: kindCredit, Peer: 1, Message: p.Message, Entropy: p.Entropy, Number: number, SentAt: at, Wire: 84}
}

// TestNIC lets many flows send their first credits at once: two go, eight wait (of 84 B),
// the rest is dropped, and the next ones go as tokens are earned.
func TestNIC(t *testing.T) {
	o := testOptions(Paper)
	o.CreditMax = 84
	h, _, take := alone(t, o)
	for i := range uint32(20) {
		h.Receive(0, &protocol.Packet{Kind: kindRequest, Peer: 1, Message: i, Size: 10 * unit.MB})
	}
	if n := len(take(0)); n != 2 {
		t.Errorf("%d credits at once, want 2", n)
	}
	if c := h.CreditCounts(); c.Issued != 20 || c.Refused != 12 || c.Sent != 2 {
		t.Errorf("%+v", c)
	}
	for i := range unit.Time(6) {
		at, ok := h.Ready()
		if want := (i + 1) * 129760; !ok || at != want {
			t.Errorf("ready at %v, want %v", at, want)
		}
		var p protocol.Packet
		if h.Next(at-1, &p) || !h.Next(at, &p) {
			t.Errorf("credit %d does not go at %v", i, at)
		}
	}
}
