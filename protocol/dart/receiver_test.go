package dart

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

const (
	us     = unit.Microsecond
	packet = unit.Bytes(1000)
)

// env is a receiver at 8 Gb/s, where a packet of 1000 B takes 1 us.
var env = protocol.HostEnv{LineRate: 8 * unit.Gbps, Packet: packet, BaseRTT: 4 * us}

func options() Options {
	o := Options{Fallback: "dcqcn", Rate: "receiver", Drain: 1, LineShare: 0.95, Idle: 2 * unit.Second, CountBytes: 2, ListBytes: 2}
	o.Gain, o.AlphaTimer, o.RateTimer, o.Fast, o.Least, o.Interval = 1./256, 55*us, 55*us, 5, 100*unit.Mbps, 50*us
	return o
}

func build(t testing.TB, o Options) protocol.CongestionControl {
	t.Helper()
	c, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lab is a receiver that is fed by hand.
type lab struct {
	*receiver
	t     testing.TB
	peers map[string]int32
	now   unit.Time
}

func newLab(t testing.TB, o Options, e protocol.HostEnv) *lab {
	r := build(t, o).NewAnswerer(e).(*receiver)
	return &lab{receiver: r, t: t, peers: map[string]int32{}}
}

// begins has the first packet of a message come, ends the last, of a connection with that name from a host.
func (l *lab) begins(conn string, host int32, tenant uint8, inc *protocol.Incast) {
	l.peers[conn] = l.Open(l.now, host, tenant)
	l.Heard(&protocol.Heard{Now: l.now, Peer: l.peers[conn], Wire: packet, Begins: true, Incast: inc})
}

func (l *lab) comes(conn string, marked bool) {
	l.Heard(&protocol.Heard{Now: l.now, Peer: l.peers[conn], Wire: packet, Marked: marked})
}

func (l *lab) ends(conn string) {
	l.Heard(&protocol.Heard{Now: l.now, Peer: l.peers[conn], Wire: packet, Ends: true})
	l.Close(l.now, l.peers[conn])
	delete(l.peers, conn)
}

// n returns what an acknowledgement to a connection says, as a fraction.
func (l *lab) share(conn string) string {
	a, ok := l.Answer(l.now, l.peers[conn])
	if !ok {
		l.t.Fatal("an acknowledgement without n")
	}
	s := readShare(a[1])
	return fmt.Sprintf("%d/%d", s.parts, s.whole)
}

func (l *lab) wants(conn, want string) {
	l.t.Helper()
	if got := l.share(conn); got != want {
		l.t.Errorf("at %v the acknowledgement to %s says %s, want %s", l.now, conn, got, want)
	}
}

// Hosts are counted, each once, however many messages each of them sends (§III-B): n is that of a
// map from hosts to their messages.
func TestCountsDistinctSenders(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newLab(t, options(), env)
		model, open := map[int32]int{}, []string{}
		hosts := map[string]int32{}
		for i := range 100 {
			l.now += us
			if len(open) == 0 || rapid.Bool().Draw(rt, "begins") {
				conn, h := fmt.Sprint(i), rapid.Int32Range(0, 5).Draw(rt, "host")
				l.begins(conn, h, 0, nil)
				model[h]++
				hosts[conn] = h
				open = append(open, conn)
			} else {
				k := rapid.IntRange(0, len(open)-1).Draw(rt, "which")
				conn := open[k]
				open = append(open[:k], open[k+1:]...)
				l.ends(conn)
				if model[hosts[conn]]--; model[hosts[conn]] == 0 {
					delete(model, hosts[conn])
				}
			}
			if len(open) > 0 {
				l.wants(open[0], fmt.Sprintf("1/%d", len(model)))
			}
			if l.set.empty() != (len(open) == 0) {
				rt.Fatalf("with %d messages the set is empty: %t", len(open), l.set.empty())
			}
		}
	})
}

// A message whose connection is closed before its end counts no more.
func TestCloseEndsMessages(t *testing.T) {
	l := newLab(t, options(), env)
	l.begins("a", 1, 0, nil)
	l.begins("b", 2, 0, nil)
	l.Close(l.now, l.peers["b"])
	l.wants("a", "1/1")
}

// A sender that is silent for longer than idle is taken for dead (§III-B). If it comes back within
// its message, it counts again, and once.
func TestSoftState(t *testing.T) {
	o := options()
	o.Idle = 100 * us
	l := newLab(t, o, env)
	l.begins("a", 1, 0, nil)
	l.begins("b", 2, 0, nil)
	l.begins("b2", 2, 0, nil)
	for range 10 {
		l.now += 10 * us
		l.comes("a", false)
	}
	l.wants("a", "1/2") // silent for 100 us, not longer
	l.now += us
	l.comes("a", false)
	l.wants("a", "1/1")
	l.comes("b2", false)
	l.wants("a", "1/2")
	l.ends("b")
	l.wants("a", "1/2")
	l.ends("b2")
	l.wants("a", "1/1")
	l.ends("a")
	if !l.set.empty() {
		t.Error("the set is not empty")
	}
}

// TestFigure5 walks through all transitions of Figure 5, at once and with patience. Marks reach DCQCN's notification
// point in the last state only, and n is 1 there.
func TestFigure5(t *testing.T) {
	figure5(t, Patience{}, `
100us none 1/2 0
110us receiver 1/2 0
661us none 1/2 0
761us none 1/2 0
823us elsewhere 1/1 2
833us elsewhere 1/1 0
1383us elsewhere 1/1 1
1385us none 1/2 0
1455us elsewhere 1/1 2
1535us receiver 1/2 1
1585us elsewhere 1/1 1
1685us elsewhere 1/1 2
2685us elsewhere 1/1 13
`)
	figure5(t, Patience{Span: true}, `
100us none 1/2 0
110us receiver 1/2 0
661us none 1/2 0
761us none 1/2 0
823us none 1/2 0
833us elsewhere 1/1 1
1383us elsewhere 1/1 1
1385us none 1/2 0
1455us elsewhere 1/1 1
1535us receiver 1/2 1
1585us receiver 1/2 0
1685us elsewhere 1/1 2
2685us elsewhere 1/1 13
`)
}

func figure5(t *testing.T, p Patience, want string) {
	t.Helper()
	o := options()
	o.Patience = p
	l := newLab(t, o, env) // span 64 us, calm 550 us
	l.begins("a", 1, 0, nil)
	l.begins("b", 2, 0, nil)
	var trace strings.Builder
	names := map[state]string{noCongestion: "none", receiverCongestion: "receiver", elsewhere: "elsewhere"}
	// feed has packets come for a time, one each gap, and tells what acknowledgements said by then.
	feed := func(long, gap unit.Time, marked bool) {
		notified := 0
		for end := l.now + long; l.now < end; {
			l.now += gap
			l.comes("a", marked)
			if a, _ := l.Answer(l.now, l.peers["a"]); a[0] == 1 {
				notified++
			}
		}
		fmt.Fprintf(&trace, "%v %s %s %d\n", l.now, names[l.state], l.share("a"), notified)
	}
	feed(100*us, 1*us, false)  // full without marks
	feed(10*us, 1*us, true)    // none -> receiver
	feed(551*us, 1*us, false)  // receiver -> none
	feed(100*us, 2*us, false)  // half the rate without marks
	feed(62*us, 2*us, true)    // with marks: elsewhere, after patience
	feed(10*us, 2*us, true)    // none -> elsewhere
	feed(550*us, 2*us, false)  // still
	feed(2*us, 2*us, false)    // elsewhere -> none
	feed(70*us, 2*us, true)    // none -> elsewhere
	feed(80*us, 1*us, true)    // elsewhere -> receiver
	feed(50*us, 2*us, true)    // less than line rate: elsewhere, after patience
	feed(100*us, 2*us, true)   // receiver -> elsewhere
	feed(1000*us, 40*us, true) // a notification each 50 us at most
	if got := "\n" + trace.String(); got != want {
		t.Errorf("with patience %+v the receiver went%swant%s", p, got, want)
	}
}

// A receiver that was idle is at line rate from its second packet on, however long its span.
func TestIdleIsNotLow(t *testing.T) {
	l := newLab(t, options(), env)
	l.now = 5 * unit.Millisecond
	l.begins("a", 1, 0, nil)
	for range 3 {
		l.now += us
		l.comes("a", true)
	}
	if l.state != receiverCongestion {
		t.Errorf("the state is %d", l.state)
	}
	l.ends("a")
	l.now += unit.Millisecond
	l.begins("b", 1, 0, nil)
	l.now += us
	l.comes("b", true)
	if l.state != receiverCongestion {
		t.Errorf("after idleness the state is %d", l.state)
	}
}

// The rate is exact: the bytes since the start of the oldest slot, or of the measurement, over that time.
func TestRates(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rates{slot: 1000}
		now := unit.Time(rapid.IntRange(0, 5000).Draw(rt, "begin"))
		r.begin(now)
		type arrival struct {
			at   unit.Time
			wire unit.Bytes
		}
		began, list := now, []arrival{}
		for range 200 {
			now += unit.Time(rapid.IntRange(0, 2500).Draw(rt, "gap"))
			a := arrival{now, unit.Bytes(rapid.IntRange(1, 1500).Draw(rt, "wire"))}
			r.add(now, a.wire)
			list = append(list, a)
			from := max(began, (now/1000-slots)*1000)
			var sum unit.Bytes
			for _, a := range list {
				if a.at >= from {
					sum += a.wire
				}
			}
			if now == from {
				continue
			}
			least := unit.Rate(1)
			for most := unit.Rate(1) << 62; least < most; { // the greatest rate that it reaches
				if mid := least + (most-least+1)/2; r.reaches(now, mid) {
					least = mid
				} else {
					most = mid - 1
				}
			}
			if least.In(now-from) != sum {
				rt.Fatalf("%v B in %v are taken for %v", sum, now-from, least)
			}
		}
	})
}

// In the steady state nothing is allocated.
func TestReceiverAllocatesNothing(t *testing.T) {
	l := newLab(t, options(), env)
	inc := &protocol.Incast{Senders: []int32{1, 2, 3, 4}}
	h := &protocol.Heard{}
	round := func() {
		inc.ID++
		for host := int32(1); host <= 4; host++ {
			l.now += us
			p := l.Open(l.now, host, 0)
			*h = protocol.Heard{Now: l.now, Peer: p, Wire: packet, Begins: true, Incast: inc, Marked: true}
			l.Heard(h)
			l.Answer(l.now, p)
			*h = protocol.Heard{Now: l.now, Peer: p, Wire: packet, Ends: true}
			l.Heard(h)
			l.Close(l.now, p)
		}
	}
	round()
	if n := testing.AllocsPerRun(100, round); n > 0 {
		t.Errorf("an incast allocates %v times", n)
	}
}
