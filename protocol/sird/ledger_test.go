package sird

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// ledger follows credit on its way over a network, by the frames alone: from the receiver
// in a CREDIT to the sender, and with the data that it pays for back to the receiver.
type ledger struct {
	*net
	credits map[creditKey]*slip
	data    map[dataKey]*slip
	to      int32 // whom the packet goes to that is being sent
	// seen counts what was under way when the books were looked at.
	seen *places
}

// places count where credit was found, in looks at a receiver and one of its senders.
type places struct{ held, inCredits, withData, lost, uncharged, reclaimed, calledIn, beyondB int }

// A creditKey names a CREDIT: no two of a generation have the same total.
type creditKey struct {
	receiver, sender  int32
	generation, total uint32
}

// A dataKey names a packet's payload.
type dataKey struct {
	receiver, sender int32
	message          uint32
	offset           unit.Bytes
}

// slip is the credit that a CREDIT brings, or that a data packet was paid with.
type slip struct {
	generation uint32
	amount     unit.Bytes
	copies     int // under way
	arrived    bool
}

// keepLedger lets a ledger see all packets of a network with a fate.
func keepLedger(l *net, seen *places, fate func(int32, *protocol.Packet) []unit.Time) *ledger {
	k := &ledger{net: l, credits: map[creditKey]*slip{}, data: map[dataKey]*slip{}, seen: seen}
	l.sent = func(_ int32, p *protocol.Packet) { k.to = p.Peer }
	l.Fate = func(from int32, p *protocol.Packet) []unit.Time {
		copies := fate(from, p)
		k.sending(from, p).copies += len(copies)
		return copies
	}
	l.Arrived = func(to int32, p *protocol.Packet) {
		var s *slip
		switch p.Kind {
		case kindCredit:
			s = k.credits[creditKey{p.Peer, to, p.Number, uint32(p.Offset)}]
		case kindData:
			s = k.data[dataKey{to, p.Peer, p.Message, p.Offset}]
		default:
			return
		}
		s.copies--
		s.arrived = true
	}
	return k
}

// sending returns the slip of a packet that is being sent, a new one at its first time.
func (k *ledger) sending(from int32, p *protocol.Packet) *slip {
	switch p.Kind {
	case kindCredit:
		s := &slip{generation: p.Number, amount: p.Amount}
		k.credits[creditKey{from, k.to, p.Number, uint32(p.Offset)}] = s
		return s
	case kindData:
		key := dataKey{k.to, from, p.Message, p.Offset}
		if s := k.data[key]; s != nil { // a copy takes no credit
			return s
		}
		s := &slip{generation: p.Number, amount: max(84, p.Payload+80)}
		if k.config.paper && p.Offset < p.Amount {
			s.amount = 0 // unscheduled
		}
		k.data[key] = s
		return s
	}
	return &slip{}
}

// look compares what a receiver counts as outstanding with a sender with where it is: held
// by the sender, in CREDITs under way, with data under way, or lost and neither made good nor
// taken back.
// With nsdi25 a sender has besides what it gave itself for messages of which the receiver
// knows nothing yet. What was called in belongs to an older generation, and nobody counts it.
func (k *ledger) look(receiver, sender int32) error {
	r, s := k.hosts[receiver].senders[sender], k.hosts[sender].receivers[receiver]
	if r == nil {
		r = &senderState{}
	}
	if s == nil {
		s = &receiverState{}
	}
	var held, inCredits, withData, lost, uncharged unit.Bytes
	seen := uint32(0) // the total of credit that the sender has taken up
	if s.generation == r.generation {
		held, seen = s.credit, s.seen
		uncharged = k.uncharged(receiver, sender, r)
	} else {
		k.seen.calledIn++
	}
	for key, c := range k.credits {
		switch {
		case key.receiver != receiver || key.sender != sender || c.generation != r.generation || key.total <= seen:
		case c.copies > 0:
			inCredits += c.amount
		default:
			lost += c.amount
		}
	}
	for key, d := range k.data {
		switch {
		case key.receiver != receiver || key.sender != sender || d.generation != r.generation || d.arrived:
		case k.takenBack(r, key):
			k.seen.reclaimed++
		case d.copies > 0:
			withData += d.amount
		default:
			lost += d.amount
		}
	}
	for _, c := range []struct {
		n *int
		b unit.Bytes
	}{{&k.seen.held, held}, {&k.seen.inCredits, inCredits}, {&k.seen.withData, withData}, {&k.seen.lost, lost}, {&k.seen.uncharged, uncharged}} {
		if c.b > 0 {
			*c.n++
		}
	}
	if r.used != held-uncharged+inCredits+withData+lost {
		return fmt.Errorf("receiver %d counts %v as outstanding with sender %d, which holds %v, of which %v is not charged yet; %v is in CREDITs and %v with data under way, and %v is lost",
			receiver, r.used, sender, held, uncharged, inCredits, withData, lost)
	}
	return nil
}

// takenBack tells whether a receiver no longer counts the credit of a packet that has not come.
func (k *ledger) takenBack(r *senderState, key dataKey) bool {
	i := r.Find(key.message)
	return i >= 0 && key.offset < k.hosts[key.receiver].inbox[i].reclaimed
}

// uncharged is what a sender gave itself for messages that the receiver has yet to hear of.
func (k *ledger) uncharged(receiver, sender int32, r *senderState) (sum unit.Bytes) {
	if k.config.paper {
		return 0
	}
	for i := range k.hosts[sender].outbox {
		m := &k.hosts[sender].outbox[i]
		if m.live && m.peer == receiver && r.Find(m.number) == numbered.Unknown {
			sum += k.config.total(max(m.prefix, m.boundary)) - k.config.total(m.boundary)
		}
	}
	return sum
}

// check looks at every pair of hosts. Nothing is lost in a network without losses. With
// nsdi25 unscheduled data can take what is outstanding beyond B, and only it.
func (k *ledger) check(t rapid.TB, lossless bool) {
	t.Helper()
	lost := k.seen.lost
	for receiver, h := range k.hosts {
		if h.used > h.b {
			k.seen.beyondB++
		}
		if err := h.Check(); err != nil || k.config.paper && h.used > h.b {
			t.Fatalf("at %v: host %d has %v of credit outstanding, of at most %v, error %v", k.Now, receiver, h.used, h.b, err)
		}
		for sender := range k.hosts {
			if err := k.look(int32(receiver), int32(sender)); err != nil {
				t.Fatalf("at %v: %v", k.Now, err)
			}
		}
	}
	if lossless && k.seen.lost > lost {
		t.Fatalf("at %v: credit is lost though nothing else is", k.Now)
	}
}

// TestCreditConserved looks at the whole network at random instants, while messages go to
// and fro, and packets are lost, repeated and overtake each other, or a host is dead.
func TestCreditConserved(t *testing.T) {
	var seen places
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		hosts := rapid.Int32Range(2, 4).Draw(t, "hosts")
		l := newNet(t, o, hosts, testEnv(hosts))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		loss := rapid.SampledFrom([]float64{0, 0, 0.01, 0.1, 0.4}).Draw(t, "loss")
		k := keepLedger(l, &seen, hosttest.Chance(rng, loss, rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "repeat"),
			rapid.SampledFrom([]unit.Time{0, 3 * unit.Microsecond, 300 * unit.Microsecond}).Draw(t, "jitter")))
		dies := rapid.Bool().Draw(t, "dies")
		wait := func(mean unit.Time) {
			l.Run(l.Now + unit.Time(rng.ExpFloat64()*float64(mean)))
			k.check(t, loss == 0 && !dies)
		}
		sizes := [][2]int{{1, 3000}, {1458 * 60, 1458 * 70}, {1, 600000}}
		for range rapid.IntRange(1, 12).Draw(t, "messages") {
			for range 3 {
				wait(2 * unit.Microsecond)
			}
			from := rapid.Int32Range(0, hosts-1).Draw(t, "from")
			to := (from + rapid.Int32Range(1, hosts-1).Draw(t, "to")) % hosts
			size := rapid.SampledFrom(sizes).Draw(t, "range")
			l.Send(from, to, unit.Bytes(rapid.IntRange(size[0], size[1]).Draw(t, "size")), 0)
		}
		if dies {
			wait(5 * unit.Microsecond)
			l.Dead[0] = true
		}
		for range 30 {
			wait(3 * unit.Microsecond)
		}
		for range 20 {
			wait(o.Silence / 2)
		}
		if dies {
			l.Revive(0)
			for range 20 {
				wait(5 * unit.Microsecond)
			}
		}
		l.Finish(1000 * unit.Second)
		k.check(t, loss == 0 && !dies)
	})
	if testing.Short() { // there were too few draws to see everything
		return
	}
	for name, n := range map[string]int{"held": seen.held, "in CREDITs": seen.inCredits, "with data": seen.withData, "lost": seen.lost, "uncharged": seen.uncharged, "reclaimed": seen.reclaimed, "called in": seen.calledIn, "beyond B": seen.beyondB} {
		if n < 10 {
			t.Errorf("credit was seen %s %d times only", name, n)
		}
	}
}
