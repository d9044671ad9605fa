package expresspass

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// TestDeferred hands the same packets to two hosts, of which one is told of every credit that
// is due at its time, and the other asks to be woken only for those that its NIC has room for,
// and makes up for the rest. Both send the same packets, with the same counts and rates.
func TestDeferred(t *testing.T) {
	deferred, refused := 0, uint64(0)
	rapid.Check(t, func(t *rapid.T) {
		env := testEnv(4)
		c := newConfig(drawOptions(t), env)
		seed := rapid.Uint64().Draw(t, "seed")
		fresh := func() *host {
			env.Out, env.Rand = new(protocol.HostOutput), rand.NewPCG(seed, 1)
			return newHost(c, env)
		}
		told, asked := fresh(), fresh()
		both := [2]*host{told, asked}
		now := unit.Time(0)
		var credits []protocol.Packet // to answer
		message := [4]uint32{}
		// wake does what either wants to be woken for before now, and with it if its turn at
		// that instant has passed.
		wake := func(passed bool) {
			due := func(at unit.Time) bool { return at < now || at == now && passed }
			for {
				_, a := told.pacing.First()
				_, b := told.waits.First()
				if at := min(a, b); due(at) {
					told.Expire(at)
				} else {
					break
				}
			}
			for at, ok := asked.Deadline(); ok && due(at); at, ok = asked.Deadline() {
				asked.Expire(at)
			}
			if _, at := asked.pacing.First(); due(at) {
				deferred++
			}
			asked.CatchUp(now, passed)
		}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			now += unit.Time(rapid.Int64Range(0, int64(2*unit.Microsecond)).Draw(t, "pause"))
			if _, at := told.pacing.First(); at > now && at < now+unit.Microsecond && rapid.IntRange(0, 3).Draw(t, "tie") == 0 {
				now = at // the two meet at one instant
			}
			wake(rapid.Bool().Draw(t, "passed"))
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				peer := rapid.Int32Range(1, 3).Draw(t, "peer")
				p := protocol.Packet{
					Kind: kindRequest, Peer: peer, Message: message[peer], Entropy: uint16(rapid.IntRange(0, 5).Draw(t, "entropy")),
					Size: unit.Bytes(rapid.IntRange(1, 1<<20).Draw(t, "size")),
				}
				message[peer]++
				for _, h := range both {
					q := p
					h.Receive(now, &q)
				}
			case 1:
				if len(credits) == 0 {
					continue
				}
				i := rapid.IntRange(0, len(credits)-1).Draw(t, "credit")
				k := credits[i]
				credits = append(credits[:i], credits[i+1:]...)
				s := told.sender(k.Peer).Find(k.Message)
				if s < 0 {
					continue
				}
				m := &told.inbox[s]
				p := protocol.Packet{
					Kind: kindData, Peer: k.Peer, Message: k.Message, Number: k.Number, EchoAt: k.SentAt,
					Size: m.size, Offset: m.arrived, Payload: min(1460, m.size-m.arrived),
				}
				for _, h := range both {
					q := p
					h.Receive(now, &q)
				}
			default:
				var p, q protocol.Packet
				a, b := told.Next(now, &p), asked.Next(now, &q)
				if a != b || p != q {
					t.Fatalf("at %v: %v %+v, and made up for %v %+v", now, a, p, b, q)
				}
				if a && p.Kind == kindCredit {
					credits = append(credits, p)
				}
			}
		}
		wake(true)
		if told.counts != asked.counts {
			t.Fatalf("credits are counted as %+v, and made up for as %+v", told.counts, asked.counts)
		}
		for i := range told.inbox {
			if told.inbox[i] != asked.inbox[i] {
				t.Fatalf("message %d is %+v, and made up for %+v", i, told.inbox[i], asked.inbox[i])
			}
		}
		for _, h := range both {
			if err := h.Check(); err != nil {
				t.Fatal(err)
			}
		}
		refused += told.counts.Refused
	})
	if deferred == 0 || refused == 0 {
		t.Errorf("%d times something was made up for, and %d credits were refused: nothing was tested", deferred, refused)
	}
}
