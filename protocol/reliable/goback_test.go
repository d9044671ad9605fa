package reliable

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// TestInOrder follows its rule by numbers: a packet is asked for once, and again after a
// time; another one is asked for at once.
func TestInOrder(t *testing.T) {
	const us = unit.Microsecond
	o := InOrder{Again: 500 * us}
	for _, step := range []struct {
		at       unit.Time
		expected uint32
		asks     bool
	}{
		{0, 0, true}, {1 * us, 0, false}, {499 * us, 0, false}, {500 * us, 0, true}, {999 * us, 0, false},
		{999 * us, 3, true}, {1000 * us, 3, false}, {1499 * us, 3, true},
	} {
		if got := o.Beyond(step.expected, step.at); got != step.asks {
			t.Errorf("packet %d at %v: asks %v, want %v", step.expected, step.at, got, step.asks)
		}
	}
	o.Reset()
	if !o.Beyond(3, 1500*us) {
		t.Error("another message: it is not asked for")
	}
}

// TestRewind goes back in the midst of going back: packets go in order from the oldest.
func TestRewind(t *testing.T) {
	var s Sender
	s.GoBack()
	s.Reset(10, 0)
	send := func(n int) (list []uint32) {
		for range n {
			seq, ok := s.Next()
			if !ok {
				break
			}
			s.Sent(seq, 0, 0)
			list = append(list, seq)
		}
		return list
	}
	want := func(got []uint32, from, to uint32) {
		t.Helper()
		var all []uint32
		for seq := from; seq < to; seq++ {
			all = append(all, seq)
		}
		if !slices.Equal(got, all) {
			t.Errorf("sent %v, want %v", got, all)
		}
	}
	want(send(8), 0, 8)
	s.Ack(0)
	rewind := func() (n int) {
		for {
			if _, _, ok := s.Rewind(); !ok {
				return n
			}
			n++
		}
	}
	if n := rewind(); n != 7 || s.Flying() != 0 || s.Unsent() != 9 {
		t.Errorf("%d packets are taken back, %d in flight, %d to send", n, s.Flying(), s.Unsent())
	}
	want(send(3), 1, 4)
	if n := rewind(); n != 3 {
		t.Errorf("%d packets are taken back, want 3", n)
	}
	want(send(2), 1, 3)
	for seq := range uint32(5) { // they had arrived after all
		s.Ack(seq)
	}
	want(send(20), 5, 10)
	for seq := uint32(5); seq < 10; seq++ {
		s.Ack(seq)
	}
	if !s.Done() || s.Flying() != 0 {
		t.Error("it is not done")
	}
}

// link is packets or answers on their way, in order.
type link []uint32

func (l *link) take() (v uint32, ok bool) {
	if len(*l) == 0 {
		return 0, false
	}
	v = (*l)[0]
	*l = (*l)[1:]
	return v, true
}

// TestGoBackN sends over a link that loses packets and answers: the receiver gets each packet
// once and in order, and the sender sends what follows the last packet, or goes back.
func TestGoBackN(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		packets := uint32(rapid.IntRange(1, 60).Draw(t, "packets"))
		window := uint32(rapid.IntRange(0, 20).Draw(t, "window"))
		loses := rapid.IntRange(0, 60).Draw(t, "losses")
		lost := func() bool {
			if loses == 0 || !rapid.Bool().Draw(t, "lost") {
				return false
			}
			loses--
			return true
		}
		var s Sender
		var r Receiver
		o := InOrder{Again: 10}
		s.GoBack()
		s.Reset(packets, window)
		r.Reset(packets)
		var there, back link // of answers: 2·expected, and 1 for a report
		back0 := func(expected, report uint32) {
			if !lost() {
				back = append(back, 2*expected+report)
			}
		}
		next := uint32(0)
		rewind := func() {
			for {
				if _, _, ok := s.Rewind(); !ok {
					break
				}
			}
			next = s.Oldest()
		}
		now := unit.Time(0)
		for steps := 0; !s.Done(); steps++ {
			if steps > 20000 {
				t.Fatal("it does not end")
			}
			now++
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				if seq, ok := s.Next(); ok {
					if next = max(next, s.Oldest()); seq != next {
						t.Fatalf("packet %d is sent, want %d", seq, next)
					}
					s.Sent(seq, now, 0)
					next++
					if !lost() {
						there = append(there, seq)
					}
				}
			case 2:
				switch seq, ok := there.take(); {
				case !ok:
				case seq > r.Expected():
					if o.Beyond(r.Expected(), now) {
						back0(r.Expected(), 1)
					}
				default:
					before := r.Expected()
					if fresh := r.Receive(seq); fresh != (seq == before) {
						t.Fatalf("packet %d is taken, %d is expected", seq, before)
					}
					back0(r.Expected(), 0)
				}
			case 3:
				if v, ok := back.take(); ok {
					for seq := s.Oldest(); seq < v/2; seq++ {
						s.Ack(seq)
					}
					if v%2 == 1 && s.Oldest() == v/2 {
						rewind()
					}
				}
			}
			if len(there)+len(back) == 0 { // nothing more would happen
				if _, sends := s.Next(); !sends && s.Flying() > 0 {
					rewind() // a timeout
				}
			}
			if got := s.Flying() + s.Unsent(); got != s.Left() {
				t.Fatalf("%d packets in flight, %d to send, and %d left", s.Flying(), s.Unsent(), s.Left())
			}
		}
		if !r.Done() {
			t.Fatal("the sender is done, and the receiver is not")
		}
	})
}

// TestGap follows the rule: a packet is given up once, when another that was sent after it
// was acknowledged before it, by more than the tolerance.
func TestGap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		packets := uint32(rapid.IntRange(1, 50).Draw(t, "packets"))
		tolerance := uint32(rapid.IntRange(0, 5).Draw(t, "tolerance"))
		var s Sender
		s.Reset(packets, 0)
		acked, gaveUp, tries, highest := make([]bool, packets), make([]bool, packets), make([]int, packets), -1
		for range 4 * packets {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0, 1:
				if seq, ok := s.Next(); ok {
					s.Sent(seq, 0, 0)
					tries[seq]++
				}
				continue
			case 2: // a timeout
				if seq, _, ok := s.Expire(1, 1); ok && tries[seq] == 0 {
					t.Fatalf("packet %d is given up unsent", seq)
				}
				continue
			}
			seq := uint32(rapid.IntRange(0, int(packets)-1).Draw(t, "acked"))
			if tries[seq] == 0 {
				continue
			}
			s.Ack(seq)
			acked[seq], highest = true, max(highest, int(seq))
			for {
				seq, p, ok := s.Gap(tolerance)
				if !ok {
					break
				}
				if acked[seq] || gaveUp[seq] || p.Tries != 1 || int(seq+tolerance) >= highest {
					t.Fatalf("packet %d is given up, with %d sent and %d the highest acknowledged", seq, tries[seq], highest)
				}
				gaveUp[seq] = true
			}
			for seq := range acked {
				if r := seq + int(tolerance); r < highest && tries[seq] == 1 && !acked[seq] && !gaveUp[seq] && s.record(uint32(seq)).state == outstanding {
					t.Fatalf("packet %d is not given up, with %d acknowledged", seq, highest)
				}
			}
		}
	})
}

// TestOvertaken follows RFC 6675's rule: a packet is given up once, when as many later ones as duplicates are
// acknowledged, whatever is missing between.
func TestOvertaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		packets := rapid.IntRange(1, 50).Draw(t, "packets")
		duplicates := rapid.IntRange(1, 5).Draw(t, "duplicates")
		var s Sender
		s.Reset(uint32(packets), 0)
		acked, gaveUp, tries := make([]bool, packets), make([]bool, packets), make([]int, packets)
		for range 4 * packets {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0, 1:
				if seq, ok := s.Next(); ok {
					s.Sent(seq, 0, 0)
					tries[seq]++
				}
				continue
			case 2: // a timeout
				s.Expire(1, 1)
				continue
			}
			seq := rapid.IntRange(0, packets-1).Draw(t, "acked")
			if tries[seq] == 0 {
				continue
			}
			flying := func(seq int) bool { return s.record(uint32(seq)).state == outstanding }
			s.Ack(uint32(seq))
			acked[seq] = true
			for seq, p, ok := s.Overtaken(uint32(duplicates)); ok; seq, p, ok = s.Overtaken(uint32(duplicates)) {
				if acked[seq] || gaveUp[seq] || p.Tries != 1 {
					t.Fatalf("packet %d is given up, sent %d times", seq, tries[seq])
				}
				gaveUp[seq] = true
			}
			later := 0
			for seq := packets - 1; seq >= 0; seq-- {
				if tries[seq] == 1 && !acked[seq] && (flying(seq) || gaveUp[seq]) && gaveUp[seq] != (later >= duplicates) {
					t.Fatalf("packet %d: given up is %v, with %d later ones acknowledged", seq, gaveUp[seq], later)
				}
				if acked[seq] {
					later++
				}
			}
		}
	})
}

// TestRecoveryAllocates nothing for each packet.
func TestRecoveryAllocates(t *testing.T) {
	var s Sender
	s.GoBack()
	o := InOrder{Again: 1}
	round := func() {
		s.Reset(64, 0)
		for range 3 {
			for seq, ok := s.Next(); ok; seq, ok = s.Next() {
				s.Sent(seq, 0, 0)
			}
			o.Beyond(s.Oldest(), 0)
			s.Gap(0)
			s.Overtaken(3)
			for _, _, ok := s.Rewind(); ok; _, _, ok = s.Rewind() {
			}
		}
	}
	round()
	if n := testing.AllocsPerRun(10, round); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
