package dart

import (
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// measured are what a receiver measured, in order.
type measured []struct{ since, now unit.Time }

func (m *measured) Add(since, now unit.Time) {
	*m = append(*m, struct{ since, now unit.Time }{since, now})
}

// talk is a receiver that measures, with senders whose packets and answers take their time.
type talk struct {
	*lab
	measured measured
	senders  []talker
}

// talker is a sender: its packets and its answers are under way in order.
type talker struct {
	limit   protocol.Confirmer
	conn    int32
	open    bool
	sending bool
	packets []sent
	answers []said
	// heard is when the last answer was given that came, and last that of the last packet that came.
	heard, last unit.Time
}

type sent struct {
	begins, ends, confirms bool
	heard                  unit.Time
}

type said struct {
	answer protocol.Answer
	at     unit.Time
}

func newTalk(t testing.TB, senders int) *talk {
	k := &talk{senders: make([]talker, senders)}
	e := env
	e.Convergence = &k.measured
	k.lab = newLab(t, options(), e)
	c := build(t, options())
	for i := range k.senders {
		k.senders[i].limit = c.NewBundle(protocol.Env{LineRate: 8 * unit.Gbps}).(protocol.Confirmer)
		k.senders[i].heard = -1
	}
	return k
}

// send has a packet leave.
func (k *talk) send(i int, ends bool) {
	s := &k.senders[i]
	s.packets = append(s.packets, sent{begins: !s.sending, ends: ends, confirms: s.limit.Confirms(), heard: s.heard})
	s.sending = !ends
}

// arrive has the oldest packet arrive, and be answered.
func (k *talk) arrive(i int) {
	s := &k.senders[i]
	p := s.packets[0]
	s.packets = s.packets[1:]
	s.last = p.heard
	if !s.open {
		s.conn, s.open = k.Open(k.now, int32(i), 0), true
	}
	k.Heard(&protocol.Heard{Now: k.now, Peer: s.conn, Wire: packet, Begins: p.begins, Ends: p.ends, Confirms: p.confirms})
	a, _ := k.Answer(k.now, s.conn)
	s.answers = append(s.answers, said{a, k.now})
}

// hear has the oldest answer arrive, or be lost.
func (k *talk) hear(i int, lost bool) {
	s := &k.senders[i]
	a := s.answers[0]
	s.answers = s.answers[1:]
	if !lost {
		s.limit.Answered(k.now, a.answer)
		s.heard = a.at
	}
}

// exchange has a sender send a packet that arrives 1 us later, and its answer come after another one.
func (k *talk) exchange(i int) {
	k.send(i, false)
	k.now += us
	k.arrive(i)
	k.now += us
	k.hear(i, false)
}

func (k *talk) want(t *testing.T, what string, want ...unit.Time) {
	t.Helper()
	if len(k.measured)*2 != len(want) {
		t.Fatalf("%s: measured %v, want %v", what, k.measured, want)
	}
	for i, m := range k.measured {
		if m.since != want[2*i] || m.now != want[2*i+1] {
			t.Errorf("%s: measured %v, want %v", what, k.measured, want)
		}
	}
}

// TestNotice: what is measured lasts from the packet of who comes to the first packet that was sent after an answer with the
// smaller share.
func TestNotice(t *testing.T) {
	k := newTalk(t, 2)
	k.exchange(0) // ends at 2 us
	k.send(0, false)
	k.send(1, false)
	k.now = 10 * us
	k.arrive(1)
	k.now = 11 * us
	k.arrive(0) // answered with 1/2
	k.send(0, false)
	k.now = 12 * us
	k.hear(0, false)
	k.send(0, false)
	k.now = 13 * us
	k.arrive(0) // sent before
	k.want(t, "not noticed yet")
	k.now = 14 * us
	k.arrive(0)
	k.want(t, "noticed", 10*us, 14*us)
	k.send(0, false)
	k.arrive(0)
	k.want(t, "told once", 10*us, 14*us)
}

// TestNoticeOfShortMessages: who comes and goes before a sender is told leaves nothing to take notice of; who goes later does.
func TestNoticeOfShortMessages(t *testing.T) {
	k := newTalk(t, 2)
	k.exchange(0)
	k.send(1, true) // comes and goes with one packet
	k.arrive(1)
	for range 3 {
		k.exchange(0)
	}
	k.want(t, "a message of one packet")
	k.send(1, false)
	k.arrive(1)
	began := k.now
	k.exchange(0) // told
	k.send(1, true)
	k.arrive(1)
	k.send(0, false)
	k.now += us
	k.arrive(0)
	k.want(t, "a message of two packets", began, k.now)
}

// TestNoticeOfSeveral: while a measurement goes on with a sender, no other one begins with it. One goes on with each sender.
func TestNoticeOfSeveral(t *testing.T) {
	k := newTalk(t, 3)
	k.exchange(0)
	k.send(1, false)
	k.arrive(1)
	first := k.now
	k.now += us
	k.send(2, false)
	k.arrive(2) // sender 1 was answered before, and has yet to hear of both
	second := k.now
	k.hear(1, false)
	k.exchange(0)
	k.exchange(1)
	k.send(0, false)
	k.arrive(0)
	k.send(1, false)
	k.arrive(1)
	k.want(t, "two came", first, k.now, second, k.now)
}

// TestNoticeOfWhoLeaves: a sender that leaves before it confirms is not measured, nor again until it confirmed what it was asked for.
func TestNoticeOfWhoLeaves(t *testing.T) {
	k := newTalk(t, 2)
	k.exchange(0)
	k.send(1, false)
	k.arrive(1)
	k.send(0, true)
	k.arrive(0) // told, and gone
	k.send(0, false)
	k.arrive(0) // back, and has not heard
	k.send(1, true)
	k.arrive(1)
	k.send(1, false)
	k.arrive(1) // comes again: sender 0 may still confirm the first time
	for len(k.senders[0].answers) > 0 {
		k.hear(0, false)
	}
	k.exchange(0)
	k.want(t, "not settled")
	k.send(1, true)
	k.arrive(1)
	k.exchange(0)
	k.exchange(0)
	k.now += us
	k.send(1, false)
	k.arrive(1)
	began := k.now
	k.exchange(0)
	k.send(0, false)
	k.arrive(0)
	k.want(t, "settled", began, k.now)
}

// TestNoticesAreOfTheirChange: whatever is sent, lost and late, a measurement begins when a sender comes and ends with a packet
// that was sent after an answer from then on. There are no more than senders for each time that one came.
func TestNoticesAreOfTheirChange(t *testing.T) {
	total := 0
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(rt, "senders")
		k := newTalk(t, n)
		came := map[unit.Time]bool{}
		for range 300 {
			k.now += us
			i := rapid.IntRange(0, n-1).Draw(rt, "sender")
			s := &k.senders[i]
			before, entered := len(k.measured), k.set.entered
			switch rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0, 1:
				k.send(i, rapid.IntRange(0, 5).Draw(rt, "ends") == 0)
			case 2, 3:
				if len(s.packets) > 0 {
					k.arrive(i)
				}
			default:
				if len(s.answers) > 0 {
					k.hear(i, rapid.IntRange(0, 3).Draw(rt, "lost") == 0)
				}
			}
			if k.set.entered > entered {
				came[k.now] = true
			}
			for _, m := range k.measured[before:] {
				if m.now != k.now || !came[m.since] || s.last < m.since {
					rt.Fatalf("%v: it was sent by who heard last of %v, and others came at %v", m, s.last, came)
				}
			}
		}
		if most := len(came) * (n - 1); len(k.measured) > most {
			rt.Fatalf("%d measurements, and %d at most", len(k.measured), most)
		}
		total += len(k.measured)
	})
	if total == 0 {
		t.Error("nothing was measured")
	}
}

// TestNobodyAsks: a receiver that does not measure asks for nothing.
func TestNobodyAsks(t *testing.T) {
	k := newTalk(t, 2)
	k.convergence = nil
	for range 3 {
		k.exchange(0)
		k.exchange(1)
	}
	if k.senders[0].limit.Confirms() || k.senders[1].limit.Confirms() || len(k.measured) > 0 {
		t.Error("a bit was asked for")
	}
}

// TestNoticesTakeNoMemory: what is measured of a sender is kept in place.
func TestNoticesTakeNoMemory(t *testing.T) {
	k := newTalk(t, 2)
	k.exchange(0)
	k.exchange(1)
	k.measured = make(measured, 0, 1000)
	h := &protocol.Heard{Peer: k.senders[0].conn, Wire: packet}
	if n := testing.AllocsPerRun(1, func() { // of all together, since means are rounded down
		for range 100 {
			h.Confirms = !h.Confirms
			k.Heard(h)
			k.receiver.Answer(k.now, h.Peer)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
