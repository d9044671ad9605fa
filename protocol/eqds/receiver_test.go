package eqds

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// pull is 1000 B at 99 % of 10 Gb/s, rounded up.
const pull = unit.Time(808_081)

func listen(t testing.TB) *receiver {
	t.Helper()
	return newReceiver(defaults(t), protocol.HostEnv{LineRate: 10 * unit.Gbps, Packet: 1000, BDP: 10_000, BaseRTT: 8 * us})
}

// drain takes all grants, each when it is due.
func drain(r *receiver) (grants []protocol.Grant, times []unit.Time) {
	for {
		at, ok := r.Deadline()
		if !ok {
			return grants, times
		}
		var g protocol.Grant
		for r.Next(at, &g) {
			grants = append(grants, g)
			times = append(times, at)
		}
	}
}

func order(grants []protocol.Grant) (peers []int32) {
	for _, g := range grants {
		peers = append(peers, g.Peer)
	}
	return peers
}

func arrive(r *receiver, peer int32, target uint32) {
	r.Arrived(&protocol.Arrival{Peer: peer, Wire: 1000, Ask: protocol.Ask{Target: target}})
}

// "One pull queue for a host, in turn over all active senders, at its line rate."
func TestPullsInTurnAtLineRate(t *testing.T) {
	r := listen(t)
	a, b := r.Open(0), r.Open(0)
	arrive(r, a, 3000)
	arrive(r, b, 2000)
	grants, times := drain(r)
	if got, want := order(grants), []int32{a, b, a, b, a}; !slices.Equal(got, want) {
		t.Errorf("pulled %v, want %v", got, want)
	}
	for i, at := range times {
		if want := unit.Time(i) * pull; at != want {
			t.Errorf("pull %d at %d, want %d", i, at, want)
		}
	}
	if g := grants[4]; g.Total != 3000 || g.New != 1000 || g.Again != 0 {
		t.Errorf("the last is %+v", g)
	}
	// After a pause there is no credit for the time that passed.
	arrive(r, a, 5000)
	var g protocol.Grant
	if !r.Next(us*100, &g) || r.Next(us*100, &g) {
		t.Error("after a pause it does not pull exactly once")
	}
}

// A pull of less than a packet takes as much less of the line.
func TestPullsNoMoreThanAsked(t *testing.T) {
	r := listen(t)
	a := r.Open(0)
	arrive(r, a, 1500)
	grants, _ := drain(r)
	if len(grants) != 2 || grants[1].Total != 1500 {
		t.Errorf("pulled %+v", grants)
	}
	if want := pull + (pull+1)/2; r.due != want {
		t.Errorf("the next is due at %d, want %d", r.due, want)
	}
}

// "Retransmissions have priority": senders of trimmed packets are pulled first.
func TestTrimmedPacketsAreFirst(t *testing.T) {
	r := listen(t)
	a, b, c := r.Open(0), r.Open(0), r.Open(0)
	arrive(r, a, 2000)
	arrive(r, b, 1000)
	for range 2 {
		r.Arrived(&protocol.Arrival{Peer: c, Wire: 1000, Trimmed: true, Ask: protocol.Ask{Target: 1000}})
	}
	r.Arrived(&protocol.Arrival{Peer: b, Wire: 1000, Trimmed: true, Ask: protocol.Ask{Target: 1000}})
	grants, _ := drain(r)
	if got, want := order(grants), []int32{c, b, c, a, b, c, a}; !slices.Equal(got, want) {
		t.Errorf("pulled %v, want %v", got, want)
	}
	if r.peers[c].pulled != 3000 || r.peers[b].pulled != 2000 {
		t.Error("trimmed packets were not pulled beside what was asked for")
	}
}

// A target that is older than another changes nothing.
func TestTargetsMayComeLate(t *testing.T) {
	r := listen(t)
	a := r.Open(0)
	arrive(r, a, 3000)
	arrive(r, a, 1000)
	if grants, _ := drain(r); len(grants) != 3 {
		t.Errorf("%d pulls, want 3", len(grants))
	}
	arrive(r, a, 2000)
	if _, ok := r.Deadline(); ok {
		t.Error("it pulls what was pulled")
	}
}

// A request tells which pulls were lost, and they are sent again.
func TestRequestRepairsLostPulls(t *testing.T) {
	r := listen(t)
	a := r.Open(0)
	arrive(r, a, 3000)
	drain(r)
	r.Arrived(&protocol.Arrival{Peer: a, Overdue: true, Ask: protocol.Ask{Target: 4000, Granted: 1000}})
	grants, _ := drain(r)
	if len(grants) != 3 || grants[0].Total != 2000 || grants[2].Total != 4000 {
		t.Fatalf("pulled %+v, want totals of 2000 to 4000", grants)
	}
	if grants[0].Again != 1000 || grants[1].Again != 1000 || grants[2].New != 1000 {
		t.Errorf("granted %+v, want two again and one new", grants)
	}
}

func TestClosedPeersAreNotPulled(t *testing.T) {
	r := listen(t)
	a, b := r.Open(0), r.Open(0)
	arrive(r, a, 3000)
	arrive(r, b, 1000)
	r.Arrived(&protocol.Arrival{Peer: a, Wire: 1000, Trimmed: true, Ask: protocol.Ask{Target: 3000}})
	r.Close(0, a)
	if c := r.Open(0); c == a {
		t.Error("a number in use was given away")
	}
	grants, _ := drain(r)
	if got, want := order(grants), []int32{b}; !slices.Equal(got, want) {
		t.Errorf("pulled %v, want %v", got, want)
	}
	if c := r.Open(0); c != a || r.peers[c].pulled != 0 {
		t.Error("the number of a closed connection is not used again, or not anew")
	}
}

// Over a network that loses, repeats and reorders frames of both kinds, every sender
// gets all it needs, and credit is conserved.
func TestCreditUnderLoss(t *testing.T) {
	o := defaults(t)
	rapid.Check(t, func(t *rapid.T) {
		r := newReceiver(o, protocol.HostEnv{LineRate: 10 * unit.Gbps, Packet: 1000})
		n := rapid.IntRange(1, 5).Draw(t, "senders")
		type end struct {
			*sender
			peer    int32
			backlog unit.Bytes
		}
		senders := make([]end, n)
		for i := range senders {
			senders[i] = end{newSender(o, env()), r.Open(0), unit.Bytes(rapid.IntRange(1, 40).Draw(t, "packets")) * 1000}
		}
		loss := rapid.IntRange(0, 60).Draw(t, "loss")
		lost := func() bool { return rapid.IntRange(0, 99).Draw(t, "die") < loss }
		var arrivals []protocol.Arrival
		var pulls []protocol.Grant
		var issued, again unit.Bytes
		take := func(k int) int { return rapid.IntRange(0, k-1).Draw(t, "next") }
		for step := 0; ; step++ {
			open := false
			for i := range senders {
				s := &senders[i]
				for s.backlog > 0 && s.Credit() > 0 {
					s.Sent(0, 1000)
					s.backlog -= 1000
					a := protocol.Arrival{Peer: s.peer, Wire: 1000, Ask: s.Ask(s.backlog)}
					switch {
					case lost(): // times out later; it is known here
						s.backlog += 1000
						s.Lost(&protocol.Loss{Cause: protocol.Timeout})
					case lost():
						a.Trimmed = true
						s.backlog += 1000
						arrivals = append(arrivals, a)
						s.Lost(&protocol.Loss{Cause: protocol.Trimmed, Wire: 1000})
					default:
						arrivals = append(arrivals, a)
					}
				}
				open = open || s.backlog > 0
				overdue := s.backlog > 0 && len(arrivals)+len(pulls) == 0
				if overdue || s.MustAsk(s.backlog) {
					if a := s.Ask(s.backlog); !lost() {
						arrivals = append(arrivals, protocol.Arrival{Peer: s.peer, Overdue: overdue, Ask: a})
					}
				}
				sent, granted, unsolicited := s.Balance()
				if sent >= granted+unsolicited+1000 {
					t.Fatalf("sent %v of %v and %v", sent, granted, unsolicited)
				}
				if int32(r.peers[s.peer].high-s.granted) < 0 {
					t.Fatal("a sender has more than was granted")
				}
			}
			if !open {
				break
			}
			if step > 20_000 {
				t.Fatalf("nothing moves: %+v %+v", senders[0].sender, r.peers)
			}
			if len(arrivals) > 0 {
				i := take(len(arrivals))
				a := arrivals[i]
				arrivals = slices.Delete(arrivals, i, i+1)
				if !lost() && !a.Trimmed && a.Wire > 0 {
					senders[a.Peer].Acked(&protocol.Ack{Packets: 1})
				}
				r.Arrived(&a)
			}
			if at, ok := r.Deadline(); ok {
				var g protocol.Grant
				if !r.Next(at, &g) || r.Next(at, &g) {
					t.Fatal("not one grant when one is due")
				}
				issued += g.New
				again += g.Again
				if !lost() {
					pulls = append(pulls, g)
				}
			}
			if len(pulls) > 0 {
				i := take(len(pulls))
				senders[pulls[i].Peer].Granted(0, &pulls[i])
				pulls = slices.Delete(pulls, i, i+1)
			}
		}
		var high, got unit.Bytes
		for i := range senders {
			high += unit.Bytes(r.peers[senders[i].peer].high)
			got += senders[i].received
		}
		if issued != high || got > issued {
			t.Fatalf("%v issued for the first time and %v again, %v in totals, %v received", issued, again, high, got)
		}
	})
}

func TestRefusesOptions(t *testing.T) {
	for _, change := range []func(*Options){
		func(o *Options) { o.Rate = 0 },
		func(o *Options) { o.Rate = 1.5 },
		func(o *Options) { o.Pull = 0 },
		func(o *Options) { o.Speculative = unit.Amount{Share: 0.5} },
		func(o *Options) { o.Credit = unit.Amount{Bytes: -1} },
	} {
		o := defaults(t)
		change(&o)
		if _, err := o.Build(); err == nil {
			t.Errorf("%+v was built", o)
		}
	}
	c, err := defaults(t).Build()
	if err != nil || c.NewReceiver == nil || !c.Needs.Must.Has(protocol.Trimming) {
		t.Errorf("%+v, %v", c, err)
	}
}

func BenchmarkPulls(b *testing.B) {
	r := listen(b)
	for range 64 {
		arrive(r, r.Open(0), 1<<30)
	}
	b.ReportAllocs()
	var g protocol.Grant
	for b.Loop() {
		at, _ := r.Deadline()
		r.Next(at, &g)
		arrive(r, g.Peer, g.Total+1<<30)
	}
}
