package eqds

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// exchange is senders, their receiver, and the frames between them, which arrive in
// the order that the test chooses.
type exchange struct {
	*receiver
	senders  []*end
	arrivals []protocol.Arrival // data and requests
	answers  []answer
	again    unit.Bytes
}

// end is a sender with packets of the given sizes to send.
type end struct {
	*sender
	peer          int32
	packets       []unit.Bytes
	backlog, need unit.Bytes
}

// answer is a pull, or what a packet is answered with.
type answer struct {
	grant   protocol.Grant
	wire    unit.Bytes // of a packet; 0 of a pull
	trimmed bool
}

func (e *end) add(packets ...unit.Bytes) {
	for _, p := range packets {
		e.packets = append(e.packets, p)
		e.backlog += p
		e.need += p
	}
}

// send sends all that credit allows, or a request.
func (x *exchange) send(e *end) {
	for len(e.packets) > 0 && e.Credit() > 0 {
		wire := e.packets[0]
		e.packets = e.packets[1:]
		e.Sent(0, wire)
		e.backlog -= wire
		x.arrivals = append(x.arrivals, protocol.Arrival{Peer: e.peer, Wire: wire, Ask: e.Ask(e.backlog)})
	}
	if e.MustAsk(e.backlog) {
		x.request(e, false)
	}
}

func (x *exchange) request(e *end, overdue bool) {
	x.arrivals = append(x.arrivals, protocol.Arrival{Peer: e.peer, Overdue: overdue, Ask: e.Ask(e.backlog)})
}

// arrive lets the i-th frame arrive, whole or trimmed.
func (x *exchange) arrive(i int, trim bool) {
	a := x.arrivals[i]
	x.arrivals = slices.Delete(x.arrivals, i, i+1)
	a.Trimmed = trim && a.Wire > 0
	x.Arrived(&a)
	if a.Wire > 0 {
		x.answers = append(x.answers, answer{protocol.Grant{Peer: a.Peer}, a.Wire, a.Trimmed})
	}
}

// pull sends the next pull, if anybody is to be pulled.
func (x *exchange) pull() bool {
	at, ok := x.Deadline()
	var g protocol.Grant
	if !ok || !x.Next(at, &g) {
		return false
	}
	x.again += g.Again
	x.answers = append(x.answers, answer{grant: g})
	return true
}

// answer lets the i-th answer arrive.
func (x *exchange) answer(i int) {
	a := x.answers[i]
	x.answers = slices.Delete(x.answers, i, i+1)
	e := x.senders[a.grant.Peer]
	switch {
	case a.wire == 0:
		e.Granted(0, &a.grant)
	case a.trimmed:
		e.packets = append(e.packets, a.wire)
		e.backlog += a.wire
		e.need += a.wire
		e.Lost(&protocol.Loss{Cause: protocol.Trimmed, Wire: a.wire})
	default:
		e.Acked(&protocol.Ack{Packets: 1})
	}
	x.send(e)
}

// balanced fails unless senders sent all they had, with just the credit they needed. The
// last pull, for less than a packet, may be lost.
func (x *exchange) balanced(t interface{ Fatalf(string, ...any) }, lost bool) {
	for i, e := range x.senders {
		if len(e.packets) > 0 {
			t.Fatalf("sender %d waits for its timer with %d packets: %+v %+v", i, len(e.packets), *e.sender, x.peers[e.peer])
		}
		sent, granted, unsolicited := e.Balance()
		high := unit.Bytes(x.peers[e.peer].high)
		if sent != e.need || high+unsolicited != sent || granted > high || granted < high && !lost {
			t.Fatalf("sender %d needed %v, sent %v, was granted %v of %v, and %v unasked", i, e.need, sent, granted, high, unsolicited)
		}
	}
}

func meet(t testing.TB, n int) *exchange {
	x := &exchange{receiver: listen(t)}
	for range n {
		x.senders = append(x.senders, &end{sender: start(t), peer: x.Open(0)})
	}
	return x
}

// While the backlog is above the most that may be outstanding, each frame asks for more
// than the one before. What it asks for more is not what a packet is owed that was
// trimmed just before it. If these are the last frames, no other one tells.
func TestLastWindowTrimmedBeforeWholeFrames(t *testing.T) {
	for _, trimmed := range [][]int{{0}, {0, 1, 2}, {3, 4}, {9}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		x := meet(t, 1)
		x.senders[0].add(slices.Repeat([]unit.Bytes{1000}, 20)...) // two BDP; at most 1.5 outstanding
		x.send(x.senders[0])
		if len(x.arrivals) != 10 {
			t.Fatalf("%d frames sent unasked", len(x.arrivals))
		}
		for i := range 10 {
			x.arrive(0, slices.Contains(trimmed, i))
		}
		for x.pull() {
		}
		// The pulls for the first window let all new packets go, which arrive whole
		// before any report: nothing is sent after it.
		reports := slices.IndexFunc(x.answers, func(a answer) bool { return a.wire == 0 })
		for len(x.answers) > reports {
			x.answer(reports)
			for len(x.arrivals) > 0 {
				x.arrive(0, false)
			}
			x.pull()
		}
		for len(x.answers) > 0 {
			x.answer(0)
			for len(x.arrivals) > 0 {
				x.arrive(0, false)
			}
			x.pull()
		}
		x.balanced(t, false)
		if want := unit.Bytes(10+len(trimmed)) * 1000; x.senders[0].received != want {
			t.Errorf("%v trimmed: %v were granted, want %v", trimmed, x.senders[0].received, want)
		}
	}
}

// Whatever is trimmed and in whatever order frames arrive: unless pulls are lost, nobody
// waits for a timer, and nothing is granted twice. In the end the credit granted is what
// was needed, even if pulls were lost.
func TestCreditIsWhatWasNeeded(t *testing.T) {
	o, network := defaults(t), protocol.HostEnv{LineRate: 10 * unit.Gbps, Packet: 1000}
	rapid.Check(t, func(t *rapid.T) {
		x := &exchange{receiver: newReceiver(o, network)}
		sizes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) unit.Bytes {
			if rapid.IntRange(0, 4).Draw(t, "short") == 0 {
				return unit.Bytes(rapid.IntRange(65, 999).Draw(t, "size"))
			}
			return 1000
		}), 1, 30)
		for range rapid.IntRange(1, 4).Draw(t, "senders") {
			e := &end{sender: newSender(o, env()), peer: x.Open(0)}
			e.add(sizes.Draw(t, "packets")...)
			x.senders = append(x.senders, e)
			x.send(e)
		}
		trims := rapid.IntRange(0, 70).Draw(t, "trims")
		losses := max(0, rapid.IntRange(-30, 30).Draw(t, "losses"))
		lost, timers := false, 0
		chance := func(percent int, label string) bool { return rapid.IntRange(0, 99).Draw(t, label) < percent }
		for step := 0; ; step++ {
			if step == 3000 { // no more, so that it ends
				trims, losses = 0, 0
			}
			_, pulls := x.Deadline()
			var can []int
			for i, ok := range []bool{len(x.arrivals) > 0, len(x.answers) > 0, pulls} {
				if ok {
					can = append(can, i)
				}
			}
			if len(can) == 0 {
				waiting := slices.IndexFunc(x.senders, func(e *end) bool { return e.backlog > 0 })
				if waiting < 0 {
					break
				}
				if timers++; !lost || timers > 10_000 {
					x.balanced(t, false)
				}
				x.request(x.senders[waiting], true)
				continue
			}
			switch rapid.SampledFrom(can).Draw(t, "next") {
			case 0:
				x.arrive(rapid.IntRange(0, len(x.arrivals)-1).Draw(t, "frame"), chance(trims, "trim"))
			case 1:
				i := rapid.IntRange(0, len(x.answers)-1).Draw(t, "answer")
				if x.answers[i].wire == 0 && chance(losses, "lose") {
					x.answers = slices.Delete(x.answers, i, i+1)
					lost = true
					continue
				}
				x.answer(i)
			case 2:
				x.pull()
			}
			if e := rapid.SampledFrom(x.senders).Draw(t, "who"); step < 60 && chance(5, "more") {
				e.add(sizes.Draw(t, "more packets")...)
				x.send(e)
			}
		}
		if !lost && x.again > 0 {
			t.Fatalf("%v were granted again, though no pull was lost", x.again)
		}
		x.balanced(t, lost)
	})
}
