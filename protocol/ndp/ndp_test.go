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

// The receiving end of a connection that was closed is that of another one then: of nothing
// that was pulled for the first, and not before its place in turn is free.
func TestOpenAfterClose(t *testing.T) {
	r := listen()
	a, b := r.Open(0), r.Open(0)
	for range 3 {
		arrive(r, a)
	}
	drain(r)
	r.Close(0, a)
	if c := r.Open(0); c != a {
		t.Errorf("connection %d, where %d is free", c, a)
	}
	arrive(r, a)
	var g protocol.Grant
	if at, ok := r.Deadline(); !ok || !r.Next(at, &g) || g != (protocol.Grant{Peer: a, Total: packet, New: packet}) {
		t.Errorf("the first pull of the next connection is %+v", g)
	}
	arrive(r, b)
	arrive(r, a)
	r.Close(0, a) // its turn is still to come
	c := r.Open(0)
	if c == a || c == b {
		t.Errorf("connection %d, but those of %d and %d wait for their turn", c, a, b)
	}
	arrive(r, c)
	if peers, _ := drain(r); !slices.Equal(peers, []int32{b, c}) {
		t.Errorf("pulled %v, want %v", peers, []int32{b, c})
	}
	if d := r.Open(0); d != a {
		t.Errorf("connection %d, where %d has become free", d, a)
	}
}

// The link's time that no pull was there to use is lost: after a pause pulls go no faster.
func TestPauseSavesNoPulls(t *testing.T) {
	const pause, later = 720 * unit.Nanosecond, 100 * unit.Microsecond
	r := listen()
	a := r.Open(0)
	arrive(r, a)
	drain(r)
	for range 3 {
		arrive(r, a)
	}
	var g protocol.Grant
	for i := range unit.Time(3) {
		at := later + i*pause
		if i > 0 && r.Next(at-1, &g) {
			t.Errorf("pull %d goes before %v", i, at)
		}
		if !r.Next(at, &g) {
			t.Errorf("pull %d does not go at %v", i, at)
		}
	}
	// A pull that comes late holds up those behind it, each as long after the other.
	arrive(r, a)
	if at, ok := r.Deadline(); !ok || at != later+3*pause {
		t.Errorf("the next pull is due at %v, want %v", at, later+3*pause)
	}
}

// Balance tells what was sent, pulled, and neither: windows and what timed out.
func TestBalance(t *testing.T) {
	s := connect()
	expect := func(what string, sent, granted, unsolicited unit.Bytes) {
		t.Helper()
		if a, b, c := s.Balance(); a != sent*packet || b != granted*packet || c != unsolicited*packet {
			t.Errorf("%s: %v sent, %v granted, %v unsolicited; want %d, %d and %d packets", what, a, b, c, sent, granted, unsolicited)
		}
	}
	expect("a window", 0, 0, 12)
	for range 12 {
		s.Sent(0, 100) // as dear as a full one
	}
	expect("which is sent", 12, 0, 12)
	s.Granted(0, &protocol.Grant{Total: 3 * packet})
	s.Granted(0, &protocol.Grant{Total: 2 * packet})
	s.Granted(0, &protocol.Grant{Total: 3 * packet})
	expect("three pulls, one of them twice and one late", 12, 3, 12)
	if ask := s.Ask(0); ask.Granted != 3*packet {
		t.Errorf("the sender tells that %d B reached it", ask.Granted)
	}
	s.Lost(&protocol.Loss{Cause: protocol.Trimmed})
	expect("a trimmed packet", 12, 3, 12)
	s.Lost(&protocol.Loss{Cause: protocol.Timeout})
	expect("one that timed out", 12, 3, 13)
	s.Sent(0, packet)
	s.Resume(0) // three pulls are not used
	expect("an idle time", 13, 3, 22)
	if s.Credit() != 12*packet {
		t.Errorf("credit for %v after an idle time, want a window", s.Credit())
	}
	s.Start(0)
	expect("another message of a pool", 0, 0, 12)
	if s.Credit() != 12*packet || s.Ask(0).Granted != 0 {
		t.Errorf("another message of a pool begins with credit for %v, of which %d B were granted", s.Credit(), s.Ask(0).Granted)
	}
}

// TestOverdue checks what a sender's word that pulls stay away brings it: those that it lacks,
// besides those that it has earned, and none if it lacks none or only says what it has.
func TestOverdue(t *testing.T) {
	for _, tt := range []struct {
		name        string
		overdue     bool
		granted     uint32 // reached the sender, of four
		wire        unit.Bytes
		again, anew int
	}{
		{"all reached it", true, 4 * packet, 0, 0, 0},
		{"two lost", true, 2 * packet, 0, 2, 0},
		{"all lost", true, 0, 0, 4, 0},
		{"two lost, with data", true, 2 * packet, packet, 2, 1},
		{"two on their way", false, 2 * packet, packet, 0, 1},
		{"more than was pulled", true, 5 * packet, 0, 0, 0},
		{"less than a pull lost", true, 4*packet - 1, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := listen()
			a := r.Open(0)
			for range 4 {
				arrive(r, a)
			}
			drain(r)
			r.Arrived(&protocol.Arrival{Peer: a, Overdue: tt.overdue, Wire: tt.wire, Ask: protocol.Ask{Granted: tt.granted}})
			again, anew := 0, 0
			total := uint32(4 * packet)
			if tt.overdue {
				total = min(total, tt.granted)
			}
			for at, ok := r.Deadline(); ok; at, ok = r.Deadline() {
				var g protocol.Grant
				if !r.Next(at, &g) {
					t.Fatalf("a pull was due at %v", at)
				}
				if total += packet; g.Total != total || g.New+g.Again != packet {
					t.Errorf("pull %+v, want a total of %d", g, total)
				}
				again += int(g.Again / packet)
				anew += int(g.New / packet)
			}
			if again != tt.again || anew != tt.anew {
				t.Errorf("%d pulls again and %d more, want %d and %d", again, anew, tt.again, tt.anew)
			}
			arrive(r, a)
			var g protocol.Grant
			if at, ok := r.Deadline(); !ok || !r.Next(at, &g) || g.Total != total+packet {
				t.Errorf("the next packet brings %+v, want a total of %d", g, total+packet)
			}
		})
	}
}

// TestTotalsGoAround lets the total of a connection pass 2³²: pulls go on, are taken for new
// ones, and those that were lost there are sent again.
func TestTotalsGoAround(t *testing.T) {
	r, s := listen(), connect()
	a := r.Open(0)
	const near = math.MaxUint32/packet - 2
	var g protocol.Grant
	for i := range near + 6 {
		arrive(r, a)
		at, _ := r.Deadline()
		if !r.Next(at, &g) || g.New != packet || g.Again != 0 {
			t.Fatalf("pull %d: %+v", i, g)
		}
		if i < near {
			if more := s.Granted(0, &g); more != packet {
				t.Fatalf("pull %d granted %v", i, more)
			}
		}
	}
	r.Arrived(&protocol.Arrival{Peer: a, Overdue: true, Ask: s.Ask(0)})
	for i := range 6 {
		at, ok := r.Deadline()
		if !ok || !r.Next(at, &g) || g.New != 0 || g.Again != packet || s.Granted(0, &g) != packet {
			t.Errorf("pull %d of 6 that were lost: %+v", i, g)
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
	const rounds = 1000
	if n := testing.AllocsPerRun(1, func() { // one run, since a mean is rounded down
		for range rounds {
			for _, p := range peers {
				arrive(r, p)
			}
			for range peers {
				r.Next(now, &g)
				now += 720 * unit.Nanosecond
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations in %d rounds", n, rounds)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Rate: 0}, {Rate: 1.1}, {Rate: 1, Window: unit.Amount{Bytes: -1}}, {Rate: 1, Window: unit.Amount{Share: 0.5}}} {
		if _, err := o.Build(); err == nil {
			t.Errorf("%+v was built", o)
		}
	}
}
