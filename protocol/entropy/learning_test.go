package entropy_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/entropy"
	"weft/unit"
)

// What PLB, MP-RDMA and the bitmap learn from what comes back.

// plbRound is a round of so many packets, some of them marked.
type plbRound struct {
	marked int
	change bool
}

func TestPLBChangesPathAfterCongestedRounds(t *testing.T) {
	flowBender := defaults[entropy.PLB](t, "plb")
	two := flowBender
	two.Threshold, two.Rounds = 0.5, 2
	for _, tt := range []struct {
		name    string
		options entropy.PLB
		packets int
		rounds  []plbRound
	}{
		// One round trip with 5 % of marks.
		{"FlowBender's setting, the default", flowBender, 40, []plbRound{{0, false}, {1, false}, {2, true}, {1, false}, {3, true}, {40, true}, {0, false}}},
		{"two rounds with half of the packets marked", two, 4, []plbRound{{0, false}, {2, false}, {1, false}, {2, false}, {3, true}, {4, false}, {4, true}, {2, false}, {0, false}, {2, false}, {2, true}}},
	} {
		t.Run(tt.name, func(t *testing.T) { plbRounds(t, tt.options, tt.packets, tt.rounds) })
	}
}

func plbRounds(t *testing.T, o entropy.PLB, packets int, rounds []plbRound) {
	c, rng := connect(t, o)
	ev := c.Next(0)
	now := unit.Time(0)
	for i, r := range rounds {
		want := ev
		if r.change {
			want = next(rng)
		}
		began := now
		now += 20 * us
		for i := range packets {
			// The last packet was sent since the round began.
			rtt := now - began + 1
			if i == packets-1 {
				rtt = now - began
			}
			if c.Next(now) != ev {
				t.Fatal("the path changed within a round")
			}
			acked(c, now, ev, rtt, i < r.marked)
		}
		if ev = c.Next(now); ev != want {
			t.Fatalf("round %d, %d of %d marked: entropy %d, want %d (a change: %v)", i, r.marked, packets, ev, want, r.change)
		}
	}
}

func TestPLBTakesNoNoticeOfEarlierPaths(t *testing.T) {
	c, _ := connect(t, defaults[entropy.PLB](t, "plb"))
	ev := c.Next(0)
	for i := range 100 {
		acked(c, unit.Time(i)*10*us, ev+1, us, true)
		c.Lost(&protocol.Loss{Now: unit.Time(i) * 10 * us, Entropy: ev + 1})
	}
	if got := c.Next(unit.Millisecond); got != ev {
		t.Error("the path changed for what happened on another one")
	}
}

func TestPLBThresholdOfZeroNeedsAMark(t *testing.T) {
	o := defaults[entropy.PLB](t, "plb")
	o.Threshold = 0
	c, _ := connect(t, o)
	ev := c.Next(0)
	acked(c, 20*us, ev, 10*us, false)
	if c.Next(20*us) != ev {
		t.Error("the path changed without a mark")
	}
	acked(c, 40*us, ev, 10*us, true)
	if c.Next(40*us) == ev {
		t.Error("the path did not change for a mark")
	}
}

// Retransmitted packets have no RTT; the round ends nevertheless.
func TestPLBRoundEndsWithoutRTT(t *testing.T) {
	c, _ := connect(t, defaults[entropy.PLB](t, "plb"))
	ev := c.Next(0)
	acked(c, 69*us, ev, 0, true)
	if c.Next(69*us) != ev {
		t.Error("a round of less than an RTO ended without a round trip")
	}
	acked(c, 70*us, ev, 0, true)
	if c.Next(70*us) == ev {
		t.Error("a round of an RTO did not end")
	}
}

// Under transports of hosts nothing tells how long a round trip took, and nobody knows the path
// of what was lost.
func TestPLBUnderTransportsOfHosts(t *testing.T) {
	o := defaults[entropy.PLB](t, "plb")
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	e := env(rand.NewPCG(3, 3))
	e.Untimed = true
	c := b.New(e)
	c.Start(0)
	ev, round := c.Next(0), 2*e.BaseRTT
	acked(c, round-1, ev, 0, true)
	if c.Next(round) != ev {
		t.Error("a round ended within two base round-trip times")
	}
	acked(c, round, ev, 0, true)
	next := c.Next(round)
	if next == ev {
		t.Error("a round of two base round-trip times did not end")
	}
	c.Lost(&protocol.Loss{Now: round, Unplaced: true})
	if c.Next(round) == next {
		t.Error("the path did not change for a loss")
	}
}

func TestPLBAfterTimeoutsAndIdleness(t *testing.T) {
	o := defaults[entropy.PLB](t, "plb")
	o.Rounds, o.IdleRounds, o.Pause = 5, 2, 100*us
	timeout := func(c protocol.Entropy, at unit.Time, ev uint16) {
		c.Lost(&protocol.Loss{Now: at, Entropy: ev, Cause: protocol.Timeout})
	}
	congest := func(c protocol.Entropy, from unit.Time, rounds int) unit.Time {
		for range rounds {
			from += 20 * us
			acked(c, from, c.Next(from), 10*us, true)
		}
		return from
	}

	c, _ := connect(t, o)
	ev := c.Next(0)
	timeout(c, 80*us, ev)
	second := c.Next(80 * us)
	if second == ev {
		t.Error("a timeout did not change the path")
	}
	timeout(c, 80*us, ev) // of the same window
	if c.Next(80*us) != second {
		t.Error("a second timeout of the former path changed it again")
	}
	if at := congest(c, 80*us, 5); at > 180*us || c.Next(at) != second {
		t.Errorf("congestion changed the path within the pause, at %v", at)
	}
	if at := congest(c, 280*us, 1); c.Next(at) == second {
		t.Error("congestion did not change the path after the pause")
	}

	o.OnTimeout = false
	c, _ = connect(t, o)
	ev = c.Next(0)
	timeout(c, 80*us, ev)
	if c.Next(80*us) != ev {
		t.Error("a timeout changed the path although it may not")
	}
	c.Resume(100 * us)
	if c.Next(100*us) != ev {
		t.Error("idleness without congestion changed the path")
	}
	at := congest(c, 100*us, 2)
	if c.Next(at) != ev {
		t.Error("two rounds changed the path, which takes five")
	}
	c.Resume(at)
	if c.Next(at) == ev {
		t.Error("idleness after two congested rounds did not change the path")
	}
	// A trimmed packet is a marked one.
	o.Rounds = 1
	c, _ = connect(t, o)
	ev = c.Next(0)
	c.Lost(&protocol.Loss{Now: us, Entropy: ev, Cause: protocol.Trimmed})
	acked(c, 20*us, ev, 10*us, false)
	if c.Next(20*us) == ev {
		t.Error("a trimmed packet is no congestion")
	}
}

// ack1 is the acknowledgement of one packet that leaves room for some.
func ack1(c protocol.Entropy, ev uint16, room int) {
	c.Acked(&protocol.Ack{Entropy: ev, Packets: 1, Room: unit.Bytes(room) * 4096})
}

func TestMPRDMASendsWhereTheAcknowledgementCameFrom(t *testing.T) {
	o := defaults[entropy.MPRDMA](t, "mprdma")
	o.Probe = 0
	c, rng := connect(t, o)
	random := func(why string) {
		t.Helper()
		want, before := next(rng), *rng
		if got := c.Next(0); got != want || *rng == before {
			t.Errorf("%s: entropy %d, want the random %d", why, got, want)
		}
	}
	same := func(why string, want uint16) {
		t.Helper()
		before := *rng
		if got := c.Next(0); got != want || *rng != before {
			t.Errorf("%s: entropy %d, want %d", why, got, want)
		}
	}
	random("first window")
	ack1(c, 5, 1)
	same("clocked out", 5)
	random("not clocked out")
	ack1(c, 6, 0) // the window shrank by what was acknowledged
	ack1(c, 7, 1)
	same("after one that clocked nothing out", 7)
	ack1(c, 8, 2) // the window grew
	same("two", 8)
	same("two", 8)
	ack1(c, 1, 1)
	ack1(c, 2, 2)
	ack1(c, 3, 3) // the wire is busy
	same("in order", 1)
	ack1(c, 4, 3)
	same("in order", 2)
	same("in order", 3)
	same("in order", 4)

	// Part of the first window waits for the wire: its packets go before those
	// that acknowledgements clock out.
	c.Start(0)
	random("first window")
	ack1(c, 5, 3)
	random("still the first window")
	random("still the first window")
	same("clocked out", 5)

	ack1(c, 6, 1)
	c.Lost(&protocol.Loss{Cause: protocol.Trimmed})
	same("a trimmed packet is no timeout", 6)
	ack1(c, 7, 1)
	c.Lost(&protocol.Loss{Cause: protocol.Timeout})
	random("after a timeout")
	ack1(c, 8, 1)
	c.Resume(0)
	random("after idleness")
}

// expectation returns a check of the entropies of the next packets.
func expectation(t *testing.T, c protocol.Entropy) func(why string, want ...uint16) {
	return func(why string, want ...uint16) {
		t.Helper()
		for _, want := range want {
			if got := c.Next(0); got != want {
				t.Errorf("%s: entropy %d, want %d", why, got, want)
			}
		}
	}
}

func TestMPRDMAKeepsButTheLast(t *testing.T) {
	o := defaults[entropy.MPRDMA](t, "mprdma")
	o.Keep, o.Probe = entropy.KeepLast, 0
	c, rng := connect(t, o)
	expect := expectation(t, c)
	expect("first window", next(rng))
	ack1(c, 5, 1)
	ack1(c, 6, 2)
	expect("the last", 6)
	expect("once", next(rng))
	ack1(c, 7, 1)
	c.Lost(&protocol.Loss{Cause: protocol.Timeout})
	expect("after a timeout", next(rng))
}

// TestMPRDMAKeepsWhatHasRoom follows the authors' simulator.
func TestMPRDMAKeepsWhatHasRoom(t *testing.T) {
	o := defaults[entropy.MPRDMA](t, "mprdma")
	o.Keep, o.Probe = entropy.KeepRoom, 0
	c, rng := connect(t, o)
	expect := expectation(t, c)
	expect("first window", next(rng))
	ack1(c, 5, 2)
	expect("until the next acknowledgement", 5, 5)
	ack1(c, 6, 1)
	expect("the window holds the sender up", next(rng))
	expect("all the while", next(rng))
	ack1(c, 7, 3)
	c.Lost(&protocol.Loss{Cause: protocol.Timeout})
	expect("after a timeout", 7)
	c.Resume(0)
	expect("after idleness", next(rng))
}

func TestMPRDMAProbes(t *testing.T) {
	o := defaults[entropy.MPRDMA](t, "mprdma")
	o.Probe = 0.25
	c, _ := connect(t, o)
	const packets = 40000
	probes, now := 0, unit.Time(0)
	for range packets {
		now += us
		ack1(c, 9, 1)
		if c.Next(now) != 9 {
			probes++
		}
	}
	// A round-trip time holds ten packets, one of which probes with 25 %.
	if probes < 900 || probes > 1100 {
		t.Errorf("%d probes in %d packets, want about 1000", probes, packets)
	}
}

// bitmapModel is the rule in its plainest form.
type bitmapModel struct {
	penalties []int
	most, at  int
	order     int
	all       bool
	draw      func() int
}

func (m *bitmapModel) step() {
	if m.at++; m.at == len(m.penalties) {
		m.at, m.order = 0, m.draw()
	}
}

func (m *bitmapModel) next() int {
	first := true
	for range m.penalties {
		ev := m.at ^ m.order
		if m.penalties[ev] == 0 {
			break
		}
		if first || m.all {
			m.penalties[ev]--
		}
		first = false
		m.step()
	}
	ev := m.at ^ m.order
	m.step()
	return ev
}

func TestBitmapAgreesWithItsRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := entropy.Bitmap{
			Entropies: 1 << rapid.IntRange(0, 5).Draw(t, "log of entropies"), MaxPenalty: rapid.SampledFrom([]int{1, 2, 15, 255}).Draw(t, "max"),
			OnMark: 1, OnTrim: 4, OnTimeout: 255, AllSkipped: rapid.Bool().Draw(t, "all"),
		}
		b, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		rng, twin := rand.NewPCG(3, 3), rand.NewPCG(3, 3)
		c := b.New(env(rng))
		c.Start(0)
		m := &bitmapModel{penalties: make([]int, o.Entropies), most: o.MaxPenalty, all: o.AllSkipped}
		m.draw = func() int { return int(twin.Uint64() >> 32 * uint64(o.Entropies) >> 32) }
		m.order = m.draw()
		punish := func(ev uint16, by int) {
			m.penalties[ev] = min(m.penalties[ev]+by, m.most)
		}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			ev := uint16(rapid.IntRange(0, o.Entropies-1).Draw(t, "entropy"))
			switch rapid.IntRange(0, 6).Draw(t, "what") {
			case 0:
				acked(c, 0, ev, us, true)
				punish(ev, 1)
			case 1:
				c.Lost(&protocol.Loss{Entropy: ev, Cause: protocol.Trimmed})
				punish(ev, 4)
			case 2:
				c.Lost(&protocol.Loss{Entropy: ev, Cause: protocol.Timeout})
				punish(ev, 255)
			case 3:
				acked(c, 0, ev, us, false)
			case 4:
				c.Lost(&protocol.Loss{Entropy: ev, Cause: protocol.Timeout, Unplaced: true})
			default:
				if got, want := int(c.Next(0)), m.next(); got != want {
					t.Fatalf("entropy %d, want %d", got, want)
				}
			}
		}
	})
}

// A connection that begins again knows nothing of the last one.
func TestBitmapStartForgets(t *testing.T) {
	o := defaults[entropy.Bitmap](t, "bitmap")
	c, _ := connect(t, o)
	for ev := range o.Entropies {
		acked(c, 0, uint16(ev), us, ev != 5)
	}
	if ev := c.Next(0); ev != 5 {
		t.Errorf("took entropy %d, but 5 alone was not marked", ev)
	}
	c.Start(0)
	seen := map[uint16]bool{}
	for range o.Entropies {
		seen[c.Next(0)] = true
	}
	if len(seen) != o.Entropies {
		t.Errorf("%d of %d entropies in one turn after a start", len(seen), o.Entropies)
	}
}
