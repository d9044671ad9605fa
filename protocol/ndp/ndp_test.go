package ndp

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

const packet = 9000

func defaults() Options { return Options{Window: unit.Amount{BDPs: 1}, Rate: 1} }

func listen() *receiver {
	return newReceiver(defaults(), protocol.HostEnv{LineRate: 100 * unit.Gbps, Packet: packet})
}

func connect() *sender { return newSender(defaults(), protocol.Env{Packet: packet, BDP: 100_000}) }

func arrive(r *receiver, peer int32) { r.Arrived(&protocol.Arrival{Peer: peer, Wire: packet}) }

// drain takes all pulls, each when it is due.
func drain(r *receiver) (peers []int32, times []unit.Time) {
	for {
		at, ok := r.Deadline()
		if !ok {
			return peers, times
		}
		var g protocol.Grant
		for r.Next(at, &g) {
			peers, times = append(peers, g.Peer), append(times, at)
		}
	}
}

// TestWindowWithoutLimit: what options write for one, in bytes or BDP, must not overflow.
func TestWindowWithoutLimit(t *testing.T) {
	for _, window := range []unit.Amount{{Bytes: math.MaxInt64}, {BDPs: 1e300}} {
		s := newSender(Options{Window: window, Rate: 1}, protocol.Env{Packet: packet, BDP: 100_000})
		for range 100 {
			if s.Credit() < noWindow/2 {
				t.Fatalf("with a window of %v the credit is %v", window, s.Credit())
			}
			s.Sent(0, packet)
			s.Lost(&protocol.Loss{Cause: protocol.Timeout})
			s.Resume(0)
		}
		if sent, granted, unsolicited := s.Balance(); sent >= granted+unsolicited+packet {
			t.Errorf("with a window of %v %v were sent with credit for %v, and %v without grant", window, sent, granted, unsolicited)
		}
	}
}

// §3.2: a window is pushed in whole packets, then a packet for each pull, of whatever size.
func TestWindowThenPulls(t *testing.T) {
	s := connect()
	sent := 0
	for ; s.Credit() > 0; sent++ {
		s.Sent(0, 100)
	}
	if sent != 12 { // 100 kB in packets of 9 kB
		t.Errorf("%d packets pushed, want 12", sent)
	}
	if more := s.Granted(0, &protocol.Grant{Total: 2 * packet}); more != 2*packet {
		t.Errorf("two pulls granted %v", more)
	}
	if more := s.Granted(0, &protocol.Grant{Total: packet}); more != 0 {
		t.Errorf("a late pull granted %v", more)
	}
	s.Lost(&protocol.Loss{Cause: protocol.Trimmed})
	for ; s.Credit() > 0; sent++ {
		s.Sent(0, packet)
	}
	if sent != 14 {
		t.Errorf("%d packets after two pulls, want 14", sent)
	}
	s.Lost(&protocol.Loss{Cause: protocol.Timeout})
	if s.Credit() != packet {
		t.Errorf("credit for %v after a timeout, want a packet", s.Credit())
	}
	s.Sent(0, packet)
	s.Resume(0)
	if s.Credit() != 12*packet {
		t.Errorf("credit for %v after an idle time, want a window", s.Credit())
	}
}

// §3.2: one pull for each arrival, in turn, at the rate of the link.
func TestPullsInTurn(t *testing.T) {
	r := listen()
	a, b := r.Open(0), r.Open(0)
	for range 3 {
		arrive(r, a)
	}
	arrive(r, b)
	arrive(r, b)
	peers, times := drain(r)
	if want := []int32{a, b, a, b, a}; !slices.Equal(peers, want) {
		t.Errorf("pulled %v, want %v", peers, want)
	}
	for i, at := range times {
		if want := unit.Time(i) * 720 * unit.Nanosecond; at != want {
			t.Errorf("pull %d at %v, want %v", i, at, want)
		}
	}
}

// §3.2: the pulls of a message that is complete are dropped.
func TestCloseDropsPulls(t *testing.T) {
	r := listen()
	a, b := r.Open(0), r.Open(0)
	arrive(r, a)
	arrive(r, b)
	arrive(r, a)
	r.Close(0, a)
	if peers, _ := drain(r); !slices.Equal(peers, []int32{b}) {
		t.Errorf("pulled %v", peers)
	}
	if c := r.Open(0); c != a {
		t.Errorf("connection %d, where %d is free", c, a)
	}
	if _, ok := r.Deadline(); ok {
		t.Error("the next connection of that number is owed pulls")
	}
}

// TestLostPulls checks that pulls that were lost are sent again when a sender asks.
func TestLostPulls(t *testing.T) {
	r := listen()
	a := r.Open(0)
	for range 4 {
		arrive(r, a)
	}
	drain(r)
	r.Arrived(&protocol.Arrival{Peer: a, Overdue: true, Ask: protocol.Ask{Granted: packet}})
	var g protocol.Grant
	for i := range 3 {
		at, ok := r.Deadline()
		if !ok || !r.Next(at, &g) || g.New != 0 || g.Again != packet || g.Total != uint32(i+2)*packet {
			t.Fatalf("pull %d: %+v", i, g)
		}
	}
	if _, ok := r.Deadline(); ok {
		t.Error("more was pulled than was lost")
	}
}

// TestConservation plays random exchanges with loss of everything, and demands that each
// sender sends all, with no more packets under way than its window and what timed out.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := listen()
		type end struct {
			*sender
			peer           int32
			left, underway int
		}
		var ends []*end
		for range rapid.IntRange(1, 4).Draw(t, "senders") {
			ends = append(ends, &end{sender: connect(), peer: r.Open(0), left: rapid.IntRange(1, 60).Draw(t, "packets")})
		}
		fair := func() bool { return rapid.IntRange(0, 9).Draw(t, "fate") > 0 }
		for step := 0; ; step++ {
			if step > 5000 {
				t.Fatal("it goes on for ever")
			}
			left := 0
			for _, e := range ends {
				for e.left > 0 && e.Credit() > 0 {
					e.Sent(0, packet)
					e.left--
					e.underway++
				}
				left += e.left + e.underway
				if e.underway > 12 {
					t.Fatalf("%d packets under way", e.underway)
				}
				if sent, granted, unsolicited := e.Balance(); sent > granted+unsolicited {
					t.Fatalf("sent %v with %v and %v", sent, granted, unsolicited)
				}
			}
			if left == 0 {
				return
			}
			e := ends[rapid.IntRange(0, len(ends)-1).Draw(t, "who")]
			switch {
			case e.underway > 0:
				e.underway--
				switch rapid.IntRange(0, 9).Draw(t, "arrival") {
				case 0: // lost
					e.left++
					e.Lost(&protocol.Loss{Cause: protocol.Timeout})
				case 1, 2, 3:
					e.left++
					e.Lost(&protocol.Loss{Cause: protocol.Trimmed})
					fallthrough
				default:
					arrive(r, e.peer)
				}
			case e.left > 0: // overdue
				r.Arrived(&protocol.Arrival{Peer: e.peer, Overdue: true, Ask: e.Ask(0)})
			}
			if at, ok := r.Deadline(); ok {
				var g protocol.Grant
				if r.Next(at, &g); fair() {
					for _, e := range ends {
						if e.peer == g.Peer {
							e.Granted(0, &g)
						}
					}
				}
			}
		}
	})
}

func TestNothingAllocated(t *testing.T) {
	r := listen()
	peers := []int32{r.Open(0), r.Open(0), r.Open(0)}
	var g protocol.Grant
	now := unit.Time(0)
	if n := testing.AllocsPerRun(1000, func() {
		for _, p := range peers {
			arrive(r, p)
		}
		for range peers {
			r.Next(now, &g)
			now += 720 * unit.Nanosecond
		}
	}); n != 0 {
		t.Errorf("%v allocations a round", n)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Rate: 0}, {Rate: 1.1}, {Rate: 1, Window: unit.Amount{Bytes: -1}}, {Rate: 1, Window: unit.Amount{Share: 0.5}}} {
		if _, err := o.Build(); err == nil {
			t.Errorf("%+v was built", o)
		}
	}
}
