package reliable

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// TestOrderGivesUpWhatIsLost sends a message over paths that each keep their order and lose packets, beside each other in
// any order. Acknowledgements come in any order, or are lost. What is given up was lost, and what a probe went after is
// known once its answer comes.
func TestOrderGivesUpWhatIsLost(t *testing.T) {
	type packet struct {
		seq    uint32
		sentAt unit.Time
		lost   bool
		probe  bool
	}
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "choices"), 0))
		var s Sender
		var r Receiver
		o := Order{Base: unit.Time(rapid.IntRange(30, 300).Draw(t, "round trip")), Silence: 1.25, Timeout: 1_000_000}
		packets := uint32(rapid.IntRange(1, 1200).Draw(t, "packets"))
		s.Reset(packets, uint32(rapid.SampledFrom([]int{0, 0, 1, 10, 400}).Draw(t, "window")))
		burst, hasty := rapid.SampledFrom([]int{1, 1, 20}).Draw(t, "burst"), rapid.Bool().Draw(t, "timeouts come too soon")
		r.Reset(packets)
		paths := make([][]packet, rapid.IntRange(1, 20).Draw(t, "paths"))
		var acks []func()
		dead := map[uint32]bool{} // whose last copy was lost
		odds := rapid.IntRange(3, 40).Draw(t, "odds")
		now, asked := unit.Time(0), unit.Time(0)
		conclude := func(has *Report) {
			for seq, _, ok := s.Overtook(now, &o, has); ok; seq, _, ok = s.Overtook(now, &o, has) {
				if !dead[seq] || !hasty && r.Has(seq) {
					t.Fatalf("packet %d is given up, and was not lost", seq)
				}
			}
		}
		hear := func(has Report) {
			for i := range uint32(SelectiveBits) {
				if has.Bitmap[i/64]>>(i%64)&1 != 0 {
					if p, _, fresh := s.Ack(has.Base + i); fresh {
						o.Arrived(p, has.Base+i)
					}
				}
			}
			for q := s.Oldest(); q < has.Expected; q = max(q+1, s.Oldest()) {
				if p, _, fresh := s.Ack(q); fresh {
					o.Arrived(p, q)
				}
			}
		}
		for step := 0; !s.Done(); step++ {
			if step > 2_000_000 {
				t.Fatalf("no end: %d of %d arrived", r.Received(), packets)
			}
			if rng.IntN(4) > 0 {
				now++
			}
			switch rng.IntN(10) {
			case 0, 1:
				for range burst {
					seq, ok := s.Next()
					if !ok {
						break
					}
					e := rng.IntN(len(paths))
					s.Sent(seq, now, uint16(e))
					dead[seq] = rng.IntN(odds) == 0
					paths[e] = append(paths[e], packet{seq, now, dead[seq], false})
				}
			case 2, 3, 4, 5:
				if hasty && rng.IntN(20) == 0 {
					s.Expire(now, o.Base/2)
				}
				e := rng.IntN(len(paths))
				if len(paths[e]) == 0 {
					continue
				}
				p := paths[e][0]
				paths[e] = paths[e][1:]
				if p.lost {
					continue
				}
				var has Report
				if p.probe {
					r.About(p.seq)
				} else {
					r.Receive(p.seq)
					r.Note(p.seq, false, 0)
				}
				r.FlushWide(&has)
				acks = append(acks, func() {
					hear(has)
					if p.probe {
						o.Answered(uint16(e), p.sentAt)
					}
					conclude(&has)
				})
			case 6, 7, 8:
				if len(acks) == 0 {
					continue
				}
				i := rng.IntN(len(acks))
				ack := acks[i]
				acks = append(acks[:i], acks[i+1:]...)
				if rng.IntN(odds) > 0 {
					ack()
				}
			default:
				seq, entropy, next, ok := s.Silent(now, &o)
				if ok {
					asked = now
					paths[entropy] = append(paths[entropy], packet{seq, now, rng.IntN(odds) == 0, true})
				} else if next <= now {
					t.Fatalf("at %d nothing is silent, and is to be again at %d", now, next)
				} else if next == unit.Forever && now > asked+2*o.Patience() {
					s.AskAgain()
				}
			}
		}
	})
}

// TestOrderAsksForWhatReportsDoNotTell: the report of packet 300 begins there, since packet 0 is missing. So it says nothing
// of packet 1, which went before it on its path.
func TestOrderAsksForWhatReportsDoNotTell(t *testing.T) {
	var s Sender
	var r Receiver
	o := Order{Base: 1000, Silence: 1, Timeout: 10_000}
	s.Reset(301, 0)
	r.Reset(301)
	for seq := range uint32(301) {
		entropy := uint16(seq)
		if seq == 300 {
			entropy = 1
		}
		s.Sent(seq, unit.Time(seq), entropy)
	}
	for seq := range uint32(298) {
		r.Receive(seq + 2)
		s.Ack(seq + 2)
	}
	if seq, _, _, ok := s.Silent(1100, &o); !ok || seq != 0 {
		t.Fatalf("packet %d is asked for: %v, want packet 0", seq, ok)
	}
	if seq, _, _, ok := s.Silent(1100, &o); ok {
		t.Fatalf("packet %d is asked for, and packet 300 follows packet 1", seq)
	}
	var has Report
	r.Receive(300)
	r.Note(300, false, 0)
	r.FlushWide(&has)
	p, _, _ := s.Ack(300)
	o.Arrived(p, 300)
	if seq, _, ok := s.Overtook(1100, &o, &has); ok {
		t.Fatalf("packet %d is given up; the report begins with packet %d", seq, has.Base)
	}
	seq, entropy, _, ok := s.Silent(1100, &o)
	if !ok || seq != 1 || entropy != 1 {
		t.Fatalf("packet %d is asked for: %v, want packet 1", seq, ok)
	}
	r.About(1)
	r.FlushWide(&has)
	o.Answered(1, 1100)
	if seq, _, ok = s.Overtook(1200, &o, &has); !ok || seq != 1 {
		t.Fatalf("packet %d is given up: %v, want packet 1", seq, ok)
	}
	if seq, _, ok = s.Overtook(1200, &o, &has); ok {
		t.Fatalf("packet %d is given up, of which nothing is known", seq)
	}
}

// TestOrderIsDoubted: a copy is a reason to doubt if the rule took a packet for lost shortly before. Each doubt lasts
// twice as long as the one before, up to a limit.
func TestOrderIsDoubted(t *testing.T) {
	const timeout = 100 * unit.Microsecond
	o := Order{Base: 10 * unit.Microsecond, Silence: 1.25, Timeout: timeout}
	lose := func(now unit.Time) {
		var s Sender
		s.Reset(2, 0)
		s.Sent(0, now-2, 1)
		s.Sent(1, now-1, 1)
		p, _, _ := s.Ack(1)
		o.Arrived(p, 1)
		if seq, _, ok := s.Overtook(now, &o, &Report{Bitmap: [4]uint64{2}}); !ok || seq != 0 {
			t.Fatalf("packet %d is given up: %v, want packet 0", seq, ok)
		}
		if _, _, ok := s.Overtook(now, &o, &Report{}); ok {
			t.Fatal("another one is given up")
		}
	}
	now := unit.Time(10)
	if o.Copied(now); o.Trusted() > now {
		t.Error("it is doubted before it did anything")
	}
	for i := range 9 {
		lose(now)
		if o.Copied(now + timeout + 1); o.Trusted() > now {
			t.Error("it is doubted for a copy that comes later than its timeout")
		}
		o.Copied(now + 10)
		want := now + 10 + 8*timeout<<min(i, 6)
		if o.Copied(now + 20); o.Trusted() != want {
			t.Errorf("doubt %d ends at %v, want %v", i, o.Trusted(), want)
		}
		now = o.Trusted()
	}
	if o.Reset(); o.Trusted() != 0 {
		t.Error("doubts outlive the connection")
	}
}

// TestOrderWaitsForTheLongestRoundTrip: of late, and before one is heard of for that without queues.
func TestOrderWaitsForTheLongestRoundTrip(t *testing.T) {
	const us = unit.Microsecond
	o := Order{Base: 10 * us, Delay: 3 * us, Silence: 1.5, Timeout: 100 * us}
	want := func(after, silence unit.Time) {
		t.Helper()
		if got := o.Patience(); got != silence {
			t.Errorf("%v later it waits %v, want %v", after, got, silence)
		}
	}
	want(0, 18*us)
	o.Heard(0, 20*us)
	want(0, 33*us)
	o.Heard(100*us, 40*us)
	want(100*us, 63*us)
	o.Heard(200*us, 12*us)
	want(200*us, 63*us)
	o.Heard(300*us, 12*us)
	want(300*us, 21*us)
}

// TestOrderAllocatesNothing sends many packets, of which some are lost, in the memory of the first ones.
func TestOrderAllocatesNothing(t *testing.T) {
	var s Sender
	var r Receiver
	o := Order{Base: 100, Silence: 1, Timeout: 1000}
	s.Reset(1<<30, 0)
	r.Reset(1 << 30)
	now, lost := unit.Time(0), 0
	var has Report
	round := func() {
		for range 40 {
			seq, _ := s.Next()
			now++
			s.Sent(seq, now, uint16(seq%4))
			if seq%16 == 3 && s.record(seq).Tries == 1 {
				continue
			}
			r.Receive(seq)
			r.Note(seq, false, 0)
			r.FlushWide(&has)
			p, _, _ := s.Ack(seq)
			o.Arrived(p, seq)
			for _, _, ok := s.Overtook(now, &o, &has); ok; _, _, ok = s.Overtook(now, &o, &has) {
				lost++
			}
			s.Silent(now, &o)
		}
	}
	round()
	if n := testing.AllocsPerRun(100, round); n != 0 || lost < 100 {
		t.Errorf("%v allocations a round; %d packets were lost", n, lost)
	}
}
