package expresspass

import (
	"math/rand/v2"
	"testing"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

// FuzzStranger has a host that is let in say what it likes: no books break, and nothing of it is left once it is forgotten.
func FuzzStranger(f *testing.F) {
	for i, script := range hosttest.Scripts() {
		f.Add(uint8(i), script)
	}
	f.Fuzz(func(t *testing.T, variant uint8, script []byte) {
		o := testOptions([]string{Paper, SIRD}[variant%2])
		pool, reply := []int{0, 1, 3}[variant>>1%3], variant>>3&1 != 0
		o.Pool, o.Reply = &pool, &reply
		env := testEnv(3)
		env.Largest = unit.MB
		n := newNetOf(t, o, env, 1)
		n.Done = n.idle // the stranger's credits are in nobody's books
		n.Misuse(script, env.Payload)
	})
}

// TestAnnouncements: what another host says of its messages costs little.
func TestAnnouncements(t *testing.T) {
	env := testEnv(2)
	env.Largest, env.Out, env.Rand = unit.TiB, &protocol.HostOutput{}, rand.NewPCG(1, 1)
	h := newHost(newConfig(testOptions(Paper), env), env)
	hosttest.CheckAnnouncements(t, h, env.Largest, func(number uint32, size unit.Bytes) protocol.Packet {
		return protocol.Packet{Kind: kindRequest, Peer: 1, Message: number, Tag: 1, Size: size, Entropy: uint16(number), Wire: 84}
	})
}

// TestAnswersAreFew: a host that gives no credits for answers has few of them wait, and hears of the others' arrival.
func TestAnswersAreFew(t *testing.T) {
	env := testEnv(2)
	env.Largest, env.Out, env.Rand = unit.MB, &protocol.HostOutput{}, rand.NewPCG(1, 1)
	h := newHost(newConfig(testOptions(SIRD), env), env)
	const messages = 1000
	done := 0
	for number := range uint32(messages) {
		h.Receive(0, &protocol.Packet{Kind: kindRequest, Peer: 1, Message: number, Tag: 1, Size: 100, Entropy: uint16(number), Wire: 84})
		h.Receive(0, &protocol.Packet{Kind: kindData, Peer: 1, Message: number, Tag: 1, Size: 100, Payload: 100, Wire: 178})
		done += len(hosttest.Drain(t, h, 0, kindDone))
	}
	if waiting := len(h.outbox); waiting != h.mostAnswers() || done != messages-waiting || len(h.senders[1].known) > h.pool {
		t.Errorf("%d answers wait of at most %d, %d messages are confirmed, %d connections are known of %d", waiting, h.mostAnswers(), done, len(h.senders[1].known), h.pool)
	}
}

// TestCreditsThatNeverWere: data on a credit that was never sent, or at a time that was not, changes no rate.
func TestCreditsThatNeverWere(t *testing.T) {
	env := testEnv(2)
	env.Out, env.Rand = &protocol.HostOutput{}, rand.NewPCG(1, 1)
	h := newHost(newConfig(testOptions(Paper), env), env)
	h.Receive(0, &protocol.Packet{Kind: kindRequest, Peer: 1, Tag: 1, Size: unit.MB, Wire: 84})
	credit := h.inbox[0].credit
	for k, p := range []protocol.Packet{{Number: credit}, {Number: credit + 1<<31 - 2}, {Number: 1 << 31}, {EchoAt: -1 << 62}, {EchoAt: 1}} {
		p.Kind, p.Peer, p.Tag, p.Size, p.Offset, p.Payload, p.Wire = kindData, 1, 1, unit.MB, unit.Bytes(k)*env.Payload, env.Payload, env.Packet
		before := h.inbox[0].feedback
		if fresh := h.Receive(0, &p); fresh != env.Payload || h.inbox[0].feedback != before {
			t.Errorf("%+v: %v fresh, %+v", p, fresh, h.inbox[0].feedback)
		}
	}
}
