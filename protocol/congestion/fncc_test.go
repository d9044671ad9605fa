package congestion

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// counted is an acknowledgement of a receiver that counts n flows.
func counted(n uint64, a *protocol.Ack) *protocol.Ack {
	a.Answered, a.Answer = true, protocol.Answer{n}
	return a
}

// Congestion of the last hop sets the reference to beta·B·T/N with the second acknowledgement,
// within a round trip; the rate is below it by U/eta.
func TestFNCCSpeedsUpLastHop(t *testing.T) {
	idle := port{line, 0.3, 0}
	for _, tt := range []struct {
		n    uint64
		last unit.Rate
		beta float64
		want float64 // Gb/s
	}{
		{2, line, 0.9, 45}, {9, line, 0.9, 10}, {1, line, 0.9, 90}, {0, line, 0.9, 90},
		{4, line / 4, 0.9, 5.625}, {2, line, 0.8, 40}, {3, 4 * line, 0.9, 100}, {10_000, line, 0.9, 0.1},
	} {
		c := newFNCC(t, func(o *FNCC) { o.Beta = tt.beta })
		busy := port{tt.last, 1, unit.Bytes(float64(tt.last) / 1e11 * 100_000)} // u = 2
		c.Acked(counted(tt.n, stamped(rtt, rtt, 1, idle, idle, busy)))
		c.Acked(counted(tt.n, stamped(rtt+rtt/10, rtt, 1, idle, idle, busy)))
		want := tt.want * 1e9
		wantRates(t, c, "last hop", max(1e8, want*0.95/1.1+80.0/162_500*1e11), want)
	}
	c := newFNCC(t, nil) // no answer
	c.Acked(stamped(rtt, rtt, 1, idle, port{line, 1, 100_000}))
	c.Acked(stamped(rtt+rtt/10, rtt, 1, idle, port{line, 1, 100_000}))
	if math.Abs(c.steady-0.9e11) > 1 {
		t.Errorf("without an answer the reference is %v", c.steady)
	}
}

// It acts only if the last hop is the most loaded one, above alpha, and if it is asked for.
func TestFNCCSpeedsUpNothingElse(t *testing.T) {
	idle, full := port{line, 0.3, 0}, port{line, 1, 100_000}
	for what, ports := range map[string][]port{
		"first hop": {full, idle, idle}, "middle hop": {idle, full, idle},
		"last hop less loaded":    {idle, port{line, 1, 110_000}, full},
		"last hop just saturated": {idle, idle, port{line, 1, 4_000}},
	} {
		c := newFNCC(t, nil)
		c.Acked(counted(10, stamped(rtt, rtt, 1, ports...)))
		c.Acked(counted(10, stamped(rtt+rtt/10, rtt, 1, ports...)))
		if c.steady != 1e11 {
			t.Errorf("%s: the reference is %v", what, c.steady)
		}
	}
	for what, c := range map[string]*hpcc{"fncc": newFNCC(t, func(o *FNCC) { o.LHCS = false }), "hpcc": newHPCC(t, nil)} {
		c.Acked(counted(10, stamped(rtt, rtt, 1, idle, full)))
		c.Acked(counted(10, stamped(rtt+rtt/10, rtt, 1, idle, full)))
		if c.steady != 1e11 {
			t.Errorf("%s without lhcs: the reference is %v", what, c.steady)
		}
	}
	c := newHPCC(t, func(o *HPCC) { o.LHCS = true })
	c.Acked(counted(10, stamped(rtt, rtt, 1, idle, full)))
	c.Acked(counted(10, stamped(rtt+rtt/10, rtt, 1, idle, full)))
	if math.Abs(c.steady-0.09e11) > 1 {
		t.Errorf("hpcc with lhcs: the reference is %v", c.steady)
	}
}

// joined is a link that one flow had for itself for 30 base RTTs, when another one joins.
func joined(t *testing.T, set func(*FNCC)) (l link, flows [2]*hpcc) {
	t.Helper()
	for i := range flows {
		flows[i] = newFNCC(t, set)
		l.add(flows[i])
		l.run(unit.Time(30*(1-i)) * rtt)
	}
	return l, flows
}

// A flow joins at line rate. With the speed-up both flows have the reference beta·C/2 a base RTT
// later, when stamps tell of the queue, and it drains at once. Without, the reference of the
// flow that joined is still C, and the queue takes longer. (Which W the next round trip makes the
// reference depends on when it ends, so shares after that are HPCC's to make equal.)
func TestFNCCMakesRoomAtOnce(t *testing.T) {
	for _, lhcs := range []bool{true, false} {
		l, flows := joined(t, func(o *FNCC) { o.LHCS = lhcs })
		l.run(30*rtt + rtt*5/4)
		for i, c := range flows {
			if at := math.Abs(c.steady-0.45e11) < 0.01e11; at != lhcs {
				t.Errorf("lhcs %v: flow %d has reference %.4g", lhcs, i, c.steady)
			}
		}
		l.run(30*rtt + rtt*9/4)
		if n := len(l.queue); lhcs && n > 0 || !lhcs && n < 10 {
			t.Errorf("lhcs %v: %d packets are queued", lhcs, n)
		}
	}
}

// What the entries ask of the fabric, and what frames are longer by.
func TestStampingOfEntries(t *testing.T) {
	h, f := defaults[HPCC](t, "hpcc"), defaults[FNCC](t, "fncc")
	for _, tt := range []struct {
		o            options
		way          protocol.Stamping
		stamp, most  unit.Bytes
		answer       unit.Bytes
		hasReceivers bool
	}{
		{h, protocol.OnData, 8, 42, 0, false},
		{func() options { o := h; o.Bytes = 0; return o }(), protocol.OnData, 0, 0, 0, false},
		{func() options { o := h; o.LHCS = true; return o }(), protocol.OnData, 8, 42, 2, true},
		{f, protocol.OnAcks, 8, 0, 4, true},
		{func() options { o := f; o.LHCS, o.Stamp, o.CountSize = false, 9, 2; return o }(), protocol.OnAcks, 9, 0, 2, true},
	} {
		b, err := tt.o.Build()
		if err != nil {
			t.Fatal(err)
		}
		if b.Stamping != tt.way || b.StampBytes != tt.stamp || b.MostStampBytes != tt.most || b.AnswerBytes != tt.answer ||
			(b.NewAnswerer != nil) != tt.hasReceivers || (b.Receivers != nil) != tt.hasReceivers || !b.Needs.Must.Has(protocol.Telemetry) {
			t.Errorf("%+v: %+v", tt.o, b)
		}
	}
}

func newCounter(t testing.TB, count string) protocol.Answerer {
	o := defaults[FNCC](t, "fncc")
	o.LastHop.Count = count
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	return b.NewAnswerer(protocol.HostEnv{BaseRTT: rtt})
}

// N by each way to count: messages that began and have not ended, connections, and connections
// that were heard within the last base RTT.
func TestFNCCCounts(t *testing.T) {
	type step struct {
		at           unit.Time
		peer         int // -1: opens one; -2: closes the last
		begins, ends bool
		open         uint64
		connections  uint64
		recent       uint64
	}
	for count, want := range map[string]func(*step) uint64{
		"open":        func(s *step) uint64 { return s.open },
		"connections": func(s *step) uint64 { return s.connections },
		"recent":      func(s *step) uint64 { return s.recent },
	} {
		c := newCounter(t, count)
		var peers []int32
		for _, s := range []step{
			{at: 0, peer: -1, open: 1, connections: 1, recent: 1},
			{at: 0, peer: 0, begins: true, open: 1, connections: 1, recent: 1},
			{at: 0, peer: -1, open: 1, connections: 2, recent: 1},
			{at: us, peer: 1, begins: true, open: 2, connections: 2, recent: 2},
			{at: 2 * us, peer: 1, begins: true, open: 3, connections: 2, recent: 2},
			{at: 8 * us, peer: 0, ends: true, open: 2, connections: 2, recent: 2},
			{at: 10*us + 1, peer: 0, begins: true, open: 3, connections: 2, recent: 1},
			{at: 10*us + 1, peer: 0, ends: true, open: 2, connections: 2, recent: 1},
			{at: 11 * us, peer: 1, ends: true, open: 1, connections: 2, recent: 2},
			{at: 12 * us, peer: -2, open: 1, connections: 1, recent: 1},
			{at: 40 * us, peer: -1, open: 1, connections: 2, recent: 1},
			{at: 40 * us, peer: 1, begins: true, ends: true, open: 1, connections: 2, recent: 1},
			{at: 41 * us, peer: 0, open: 1, connections: 2, recent: 2},
		} {
			switch s.peer {
			case -1:
				peers = append(peers, c.Open(s.at, 7, 0))
			case -2:
				c.Close(s.at, peers[len(peers)-1])
				peers = peers[:len(peers)-1]
			default:
				c.Heard(&protocol.Heard{Now: s.at, Peer: peers[s.peer], Begins: s.begins, Ends: s.ends})
			}
			if a, ok := c.Answer(s.at, peers[0]); !ok || a != (protocol.Answer{want(&s)}) {
				t.Errorf("%s at %v: %v %v, want %d", count, s.at, a, ok, want(&s))
			}
		}
	}
	// 16 bits, at most.
	c := newCounter(t, "open")
	peer := c.Open(0, 1, 0)
	for range 70_000 {
		c.Heard(&protocol.Heard{Peer: peer, Begins: true})
	}
	if a, _ := c.Answer(0, peer); a[0] != 65_535 {
		t.Errorf("of 70000 messages N is %d", a[0])
	}
	c.Close(0, peer)
	if a, _ := c.Answer(0, peer); a[0] != 1 {
		t.Errorf("after the connection is closed N is %d", a[0])
	}
}

// The counts agree with a list of all connections.
func TestFNCCCountsLikeAList(t *testing.T) {
	made := map[string]func() protocol.Answerer{}
	for _, count := range []string{"open", "connections", "recent"} {
		made[count] = func() protocol.Answerer { return newCounter(t, count) }
	}
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.SampledFrom([]string{"open", "connections", "recent"}).Draw(t, "count")
		c := made[count]()
		type state struct {
			open  int
			heard unit.Time
		}
		now, list := unit.Time(0), map[int32]*state{}
		var peers []int32
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			now += unit.Time(rapid.IntRange(0, 5).Draw(t, "us")) * us
			switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
			case what == 0 || len(peers) == 0:
				p := c.Open(now, 1, 0)
				if list[p] != nil {
					t.Fatalf("connection %d is open", p)
				}
				list[p] = &state{heard: -unit.Second}
				peers = append(peers, p)
			case what == 1:
				i := rapid.IntRange(0, len(peers)-1).Draw(t, "peer")
				c.Close(now, peers[i])
				delete(list, peers[i])
				peers = append(peers[:i], peers[i+1:]...)
			default:
				s := list[peers[rapid.IntRange(0, len(peers)-1).Draw(t, "peer")]]
				h := &protocol.Heard{Now: now, Begins: what == 2, Ends: what == 3 && s.open > 0}
				for p, other := range list {
					if other == s {
						h.Peer = p
					}
				}
				s.heard = now
				if h.Begins {
					s.open++
				} else if h.Ends {
					s.open--
				}
				c.Heard(h)
			}
			n := 0
			for _, s := range list {
				switch {
				case count == "open":
					n += s.open
				case count == "connections" || now-s.heard <= rtt:
					n++
				}
			}
			if a, _ := c.Answer(now, 0); a[0] != uint64(max(1, n)) {
				t.Fatalf("%s: N is %d, want %d", count, a[0], n)
			}
		}
	})
}

func TestFNCCRefuses(t *testing.T) {
	d := defaults[FNCC](t, "fncc")
	for want, change := range map[string]func(*FNCC){
		"eta is 1.5":         func(o *FNCC) { o.Eta = 1.5 },
		"stamp_bytes is":     func(o *FNCC) { o.Stamp = 2000 },
		"count_bytes is":     func(o *FNCC) { o.CountSize = -1 },
		"lhcs_beta is 0":     func(o *FNCC) { o.Beta = 0 },
		"lhcs_alpha is -1":   func(o *FNCC) { o.Alpha = -1 },
		`count is "unknown"`: func(o *FNCC) { o.LastHop.Count = "unknown" },
		`lhcs_apply is "at"`: func(o *FNCC) { o.Apply = "at" },
	} {
		o := d
		change(&o)
		if _, err := o.Build(); err == nil || !strings.HasPrefix(err.Error(), "fncc: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Neither the sender nor the receiver of stamps allocates.
func TestStampsAllocateNothing(t *testing.T) {
	busy := port{line, 1, 50_000}
	for _, c := range []*hpcc{newHPCC(t, nil), newFNCC(t, nil)} {
		one, two, other := stamped(rtt, rtt, 1, busy, busy), stamped(2*rtt, rtt, 1, busy, busy), stamped(3*rtt, rtt, 2, busy)
		if n := testing.AllocsPerRun(1, func() {
			for range 1000 {
				c.Start(0)
				c.Acked(one)
				c.Acked(two)
				c.Acked(other)
				c.Window()
				c.Pace()
			}
		}); n != 0 {
			t.Errorf("%v allocations per 1000 rounds", n)
		}
	}
	for _, count := range []string{"open", "connections", "recent"} {
		c := newCounter(t, count)
		peers := []int32{c.Open(0, 1, 0), c.Open(0, 2, 0), c.Open(0, 3, 0)}
		for _, p := range peers {
			c.Close(0, p)
		}
		h := &protocol.Heard{}
		if n := testing.AllocsPerRun(1, func() {
			for i := range 1000 {
				h.Peer = c.Open(h.Now, int32(i), 0)
				h.Now, h.Begins, h.Ends = unit.Time(i)*us, true, false
				c.Heard(h)
				c.Answer(h.Now, h.Peer)
				h.Begins, h.Ends = false, true
				c.Heard(h)
				c.Close(h.Now, h.Peer)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations per 1000 rounds", count, n)
		}
	}
}

// Where stamps show the present rate, and not that of a round trip ago, W = Wc/(U/eta) has its own effect in U before Wc
// follows: a sender that finds a link free comes to the root of Wc·eta·C within a round trip, not to eta·C.
func TestFNCCFindsFreeLinksInSteps(t *testing.T) {
	c := newFNCC(t, func(o *FNCC) { o.LHCS = false; o.Preset = "code"; o.Additive = new(unit.Rate) })
	c.rate, c.steady, c.use = 0.4e11, 0.4e11, 0.4
	sent := 0.0
	for at := rtt; at < 20*rtt; at += rtt / 100 {
		sent += c.rate / bitsPerSecond * float64(rtt/100)
		c.Acked(&protocol.Ack{Now: at, Packets: 1, // of a packet that was sent again, so that no round trip ends
			Stamps: protocol.Stamps{Path: 1, Hops: []protocol.Stamp{{At: at, Sent: unit.Bytes(sent), Rate: line}}}})
	}
	if want := math.Sqrt(0.4*0.95) * 1e11; math.Abs(c.rate/want-1) > 0.01 || c.steady != 0.4e11 {
		t.Errorf("the rate is %v, want %v; the reference is %v", c.rate, want, c.steady)
	}
}
