package reliable

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

func TestSenderSendsEachPacketOnceInOrder(t *testing.T) {
	var s Sender
	s.Reset(5, 0)
	for want := range uint32(5) {
		seq, ok := s.Next()
		if !ok || seq != want {
			t.Fatalf("Next = %d, %v, want %d", seq, ok, want)
		}
		if s.Sent(seq, unit.Time(want), 7) {
			t.Errorf("packet %d counts as a retransmission", seq)
		}
	}
	if seq, ok := s.Next(); ok {
		t.Errorf("a sixth packet, %d", seq)
	}
}

func TestSenderResendsLostBeforeNew(t *testing.T) {
	var s Sender
	s.Reset(10, 0)
	for range 4 {
		seq, _ := s.Next()
		s.Sent(seq, 0, 0)
	}
	s.Lose(2)
	if seq, _ := s.Next(); seq != 2 {
		t.Fatalf("Next = %d, want the lost packet 2", seq)
	}
	if !s.Sent(2, 9, 1) {
		t.Error("sending packet 2 again is not a retransmission")
	}
	if seq, _ := s.Next(); seq != 4 {
		t.Errorf("Next = %d, want the new packet 4", seq)
	}
}

func TestSenderPassesOverLostPacketsThatArrived(t *testing.T) {
	var s Sender
	s.Reset(2, 0)
	s.Sent(0, 0, 0)
	s.Sent(1, 0, 0)
	s.Lose(0)
	p, flying, fresh := s.Ack(0) // the acknowledgement came late
	if flying || !fresh || p.Tries != 1 {
		t.Errorf("Ack = %+v, %v, %v, want a fresh one of a packet given up", p, flying, fresh)
	}
	if seq, ok := s.Next(); ok {
		t.Errorf("packet %d is sent again though it arrived", seq)
	}
}

func TestSenderTimesOutInOrderOfSending(t *testing.T) {
	var s Sender
	s.Reset(3, 0)
	s.Sent(0, 10, 1)
	s.Sent(1, 20, 2)
	s.Sent(2, 30, 3)
	if at, ok := s.Deadline(100); !ok || at != 110 {
		t.Fatalf("Deadline = %d, %v, want 110", at, ok)
	}
	s.Ack(0)
	if at, _ := s.Deadline(100); at != 120 {
		t.Fatalf("Deadline after the first acknowledgement = %d, want 120", at)
	}
	if _, _, ok := s.Expire(119, 100); ok {
		t.Fatal("expired before its time")
	}
	seq, p, ok := s.Expire(120, 100)
	if !ok || seq != 1 || p.Entropy != 2 || p.SentAt != 20 {
		t.Fatalf("Expire = %d, %+v, %v, want packet 1 as sent", seq, p, ok)
	}
	s.Sent(1, 125, 9)
	if at, _ := s.Deadline(100); at != 130 {
		t.Fatalf("Deadline = %d, want that of packet 2, 130", at)
	}
	s.Ack(2)
	if at, _ := s.Deadline(100); at != 225 {
		t.Errorf("Deadline = %d, want that of the copy sent at 125", at)
	}
}

func TestSenderHoldsNewPacketsAtTheReorderLimit(t *testing.T) {
	var s Sender
	s.Reset(10, 3)
	for range 3 {
		seq, _ := s.Next()
		s.Sent(seq, 0, 0)
	}
	if seq, ok := s.Next(); ok {
		t.Fatalf("packet %d is 3 ahead of the oldest", seq)
	}
	s.Ack(1)
	if _, ok := s.Next(); ok {
		t.Fatal("the oldest packet is still missing")
	}
	s.Ack(0)
	if seq, ok := s.Next(); !ok || seq != 3 {
		t.Errorf("Next = %d, %v, want 3", seq, ok)
	}
}

func TestReceiverCountsEachPacketOnce(t *testing.T) {
	var r Receiver
	r.Reset(200)
	for _, seq := range []uint32{5, 0, 199, 5, 0, 64, 63} {
		r.Receive(seq)
	}
	if r.Received() != 5 || r.Expected() != 1 {
		t.Errorf("received %d up to %d, want 5 packets with 1 expected", r.Received(), r.Expected())
	}
	if r.Receive(200) {
		t.Error("took a packet beyond the message")
	}
}

func TestReceiverReportsWhatIsPending(t *testing.T) {
	var r Receiver
	r.Reset(1000)
	for _, seq := range []uint32{0, 7, 3} {
		r.Receive(seq)
		r.Note(seq, seq == 7, uint16(100+seq))
	}
	if !r.Spans(255) || r.Spans(256) {
		t.Error("a bitmap from packet 0 covers 255 and not 256")
	}
	var got Report
	r.Flush(&got)
	want := Report{Expected: 1, Base: 0, Packets: 3, Marked: 1, Entropies: []uint16{100, 103}}
	want.Bitmap[0] = 1 | 1<<3 | 1<<7
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("report %+v, want %+v", got, want)
	}
	if r.Pending() != 0 {
		t.Error("still pending after the report")
	}
}

// TestDelivery sends messages over a network that loses, delays, duplicates and
// reorders, with and without coalescing, and compares with sets.
func TestDelivery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Sender
		var r Receiver
		for range 2 { // the second message reuses the memory of the first
			packets := uint32(rapid.IntRange(1, 400).Draw(t, "packets"))
			window := uint32(rapid.IntRange(0, 80).Draw(t, "window"))
			s.Reset(packets, window)
			r.Reset(packets)
			var wire, acks []uint32
			sent := map[uint32]bool{}
			arrived := map[uint32]bool{}
			inFlight := map[uint32]bool{}
			now := unit.Time(0)
			for step := 0; !s.Done(); step++ {
				if step > 200_000 {
					t.Fatalf("no end: %d of %d arrived", r.Received(), packets)
				}
				now++
				switch rapid.IntRange(0, 9).Draw(t, "op") {
				case 0, 1, 2, 3:
					if seq, ok := s.Next(); ok {
						if window > 0 && seq >= s.Oldest()+window {
							t.Fatalf("packet %d is beyond the window of %d from %d", seq, window, s.Oldest())
						}
						if got := s.Sent(seq, now, uint16(seq)); got != sent[seq] {
							t.Fatalf("packet %d: retransmission %v, want %v", seq, got, sent[seq])
						}
						sent[seq], inFlight[seq] = true, true
						wire = append(wire, seq)
					}
				case 4, 5, 6:
					if len(wire) == 0 {
						continue
					}
					i := rapid.IntRange(0, len(wire)-1).Draw(t, "which")
					seq := wire[i]
					wire = slices.Delete(wire, i, i+1)
					if rapid.IntRange(0, 9).Draw(t, "fate") == 0 {
						continue
					}
					if fresh := r.Receive(seq); fresh == arrived[seq] {
						t.Fatalf("packet %d: fresh %v after %v", seq, fresh, arrived[seq])
					}
					arrived[seq] = true
					acks = append(acks, seq)
				case 7, 8:
					if len(acks) == 0 {
						continue
					}
					i := rapid.IntRange(0, len(acks)-1).Draw(t, "which")
					_, flying, _ := s.Ack(acks[i])
					if flying && !inFlight[acks[i]] {
						t.Fatalf("packet %d was not in flight", acks[i])
					}
					delete(inFlight, acks[i])
					acks = slices.Delete(acks, i, i+1)
				case 9:
					if seq, _, ok := s.Expire(now, 50); ok {
						if !inFlight[seq] {
							t.Fatalf("packet %d expired but was not in flight", seq)
						}
						delete(inFlight, seq)
					}
				}
				for q := range packets {
					if r.Has(q) != arrived[q] {
						t.Fatalf("Has(%d) = %v, arrived %v", q, r.Has(q), arrived[q])
					}
					if len(arrived) > 20 {
						break
					}
				}
			}
			if !r.Done() || uint32(len(arrived)) != packets {
				t.Fatalf("sender is done with %d of %d packets delivered", len(arrived), packets)
			}
		}
	})
}

func TestSenderForgetsTheDeadlinesOfCopiesGivenUp(t *testing.T) {
	var s Sender
	s.Reset(3, 0)
	s.Sent(0, 10, 1)
	s.Sent(1, 20, 2)
	s.Lose(0)
	if seq, ok := s.Next(); !ok || seq != 0 {
		t.Fatalf("Next = %d, %v, want the lost packet 0", seq, ok)
	}
	s.Sent(0, 30, 3)
	if at, ok := s.Deadline(100); !ok || at != 120 {
		t.Errorf("Deadline = %d, %v, want that of packet 1, 120", at, ok)
	}
	for _, want := range []struct {
		seq   uint32
		tries uint16
	}{{1, 1}, {0, 2}} {
		seq, p, ok := s.Expire(1000, 100)
		if !ok || seq != want.seq || p.Tries != want.tries {
			t.Errorf("Expire = packet %d of %d tries, %v, want packet %d of %d", seq, p.Tries, ok, want.seq, want.tries)
		}
	}
	if _, _, ok := s.Expire(1000, 100); ok {
		t.Error("a third packet expires")
	}
	if _, ok := s.Deadline(100); ok {
		t.Error("a deadline though nothing is outstanding")
	}
}

// TestSenderCountsWhatItHasToSend follows Unsent and Left through a life of three
// packets.
func TestSenderCountsWhatItHasToSend(t *testing.T) {
	var s Sender
	s.Reset(3, 0)
	steps := []struct {
		name         string
		do           func()
		unsent, left uint32
		done         bool
	}{
		{"at first", func() {}, 3, 3, false},
		{"0 and 1 sent", func() { s.Sent(0, 1, 0); s.Sent(1, 2, 0) }, 1, 3, false},
		{"0 lost", func() { s.Lose(0) }, 2, 3, false},
		{"0 lost once more, without a copy", func() { s.Lose(0) }, 2, 3, false},
		{"1 expires", func() { s.Expire(200, 100) }, 3, 3, false},
		{"0 sent again", func() { s.Next(); s.Sent(0, 201, 0) }, 2, 3, false},
		{"1 arrived after all", func() { s.Ack(1) }, 1, 2, false},
		{"1 acknowledged twice", func() { s.Ack(1) }, 1, 2, false},
		{"an acknowledgement of what was never sent", func() { s.Ack(2) }, 1, 2, false},
		{"2 sent", func() { s.Next(); s.Sent(2, 202, 0) }, 0, 2, false},
		{"2 arrived", func() { s.Ack(2) }, 0, 1, false},
		{"0 arrived", func() { s.Ack(0) }, 0, 0, true},
		{"a loss reported too late", func() { s.Lose(0) }, 0, 0, true},
	}
	for _, step := range steps {
		step.do()
		if s.Unsent() != step.unsent || s.Left() != step.left || s.Done() != step.done {
			t.Fatalf("%s: %d to send, %d left, done %v; want %d, %d, %v",
				step.name, s.Unsent(), s.Left(), s.Done(), step.unsent, step.left, step.done)
		}
	}
}

func TestReportsDoNotRepeat(t *testing.T) {
	var r Receiver
	r.Reset(100)
	note := func(from, to uint32) {
		for seq := from; seq < to; seq++ {
			r.Receive(seq)
			r.Note(seq, seq%10 == 9, uint16(seq))
		}
	}
	// Of the packets 0 to 18 all but 9 are unmarked: two more than are returned.
	note(0, 19)
	var got Report
	r.Flush(&got)
	want := []uint16{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16}
	if len(want) != MaxEntropies || !slices.Equal(got.Entropies, want) {
		t.Errorf("entropies %v, want the first %d unmarked ones, %v", got.Entropies, MaxEntropies, want)
	}
	if got.Packets != 19 || got.Marked != 1 || got.Base != 0 || got.Expected != 19 {
		t.Errorf("report %+v", got)
	}
	note(19, 22)
	r.Flush(&got)
	if want := []uint16{20, 21}; !slices.Equal(got.Entropies, want) || got.Packets != 3 || got.Marked != 1 || got.Base != 19 || got.Bitmap != [4]uint64{7} {
		t.Errorf("second report %+v, want packets 19 to 21 with the entropies %v", got, want)
	}
}

// TestReceiverAgainstSet receives packets in any order over long distances, and
// compares with a set, message after message in the same memory.
func TestReceiverAgainstSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r Receiver
		for range 3 {
			packets := uint32(rapid.IntRange(1, 3000).Draw(t, "packets"))
			spread := rapid.IntRange(1, 1500).Draw(t, "spread")
			r.Reset(packets)
			arrived := make([]bool, packets)
			expected, received := uint32(0), uint32(0)
			for range rapid.IntRange(0, 300).Draw(t, "arrivals") {
				seq := expected + uint32(rapid.IntRange(0, spread).Draw(t, "ahead"))
				run := uint32(rapid.IntRange(1, 130).Draw(t, "run"))
				for q := seq; q < seq+run; q++ {
					fresh := q < packets && !arrived[q]
					if got := r.Receive(q); got != fresh {
						t.Fatalf("packet %d: fresh %v, want %v", q, got, fresh)
					}
					if fresh {
						arrived[q] = true
						received++
					}
				}
				for expected < packets && arrived[expected] {
					expected++
				}
				if r.Expected() != expected || r.Received() != received || r.Done() != (received == packets) {
					t.Fatalf("expects %d with %d received, want %d and %d", r.Expected(), r.Received(), expected, received)
				}
				for q := expected; q < min(expected+200, packets); q++ {
					if r.Has(q) != arrived[q] {
						t.Fatalf("Has(%d) = %v", q, r.Has(q))
					}
				}
				var wide, short Report
				about := uint32(rapid.IntRange(0, int(packets)-1).Draw(t, "about"))
				r.About(about)
				r.FlushWide(&wide)
				for i := range uint32(SelectiveBits) {
					q := wide.Base + i
					if told, want := wide.Bitmap[i/64]>>(i%64)&1 != 0, q < packets && arrived[q]; told != want {
						t.Fatalf("a report from %d on, of %d expected: packet %d arrived: %v", wide.Base, expected, q, told)
					}
				}
				if about >= expected && about-wide.Base >= SelectiveBits {
					t.Fatalf("a report from %d on does not tell of packet %d", wide.Base, about)
				}
				for _, q := range []uint32{about, expected} {
					if want := q < packets && !arrived[q]; q < packets && wide.lacks(q) != want {
						t.Fatalf("a report from %d on, of %d expected, lacks packet %d: %v", wide.Base, expected, q, !want)
					}
				}
				note := []uint32{seq % packets, about}
				for _, q := range note {
					if r.Spans(q) {
						r.Note(q, false, 0)
					}
				}
				low, high := r.first, r.last
				r.Flush(&short)
				for i := range uint32(SelectiveBits) {
					q := short.Base + i
					if told, want := short.Bitmap[i/64]>>(i%64)&1 != 0, q >= low && q <= high && arrived[q]; told != want {
						t.Fatalf("a report of packets %d to %d: packet %d arrived: %v", low, high, q, told)
					}
				}
			}
			for q, has := range arrived {
				if r.Has(uint32(q)) != has {
					t.Fatalf("Has(%d) = %v", q, r.Has(uint32(q)))
				}
			}
		}
	})
}

// A wide report tells of all that arrived from the first missing packet on.
func TestFlushWide(t *testing.T) {
	var r Receiver
	r.Reset(1000)
	arrive := func(seq uint32) *Report {
		r.Receive(seq)
		r.Note(seq, false, 0)
		var out Report
		r.FlushWide(&out)
		return &out
	}
	told := func(out *Report) (seqs []uint32) {
		for i := range uint32(SelectiveBits) {
			if out.Bitmap[i/64]>>(i%64)&1 != 0 {
				seqs = append(seqs, out.Base+i)
			}
		}
		return seqs
	}
	arrive(0)
	arrive(2)
	arrive(70)
	if out := arrive(5); out.Expected != 1 || out.Base != 1 || !slices.Equal(told(out), []uint32{2, 5, 70}) {
		t.Errorf("expected %d, base %d, told %v", out.Expected, out.Base, told(out))
	}
	if out := arrive(256); !slices.Equal(told(out), []uint32{2, 5, 70, 256}) {
		t.Errorf("told %v", told(out))
	}
	if out := arrive(257); out.Base != 257 || !slices.Equal(told(out), []uint32{257}) {
		t.Errorf("beyond what a bitmap covers: base %d, told %v", out.Base, told(out))
	}
	if out := arrive(1); out.Base != 3 || out.Expected != 3 || !slices.Equal(told(out), []uint32{5, 70, 256, 257}) {
		t.Errorf("expected %d, base %d, told %v", out.Expected, out.Base, told(out))
	}
	r.Reset(3)
	arrive(0)
	arrive(1)
	if out := arrive(2); out.Expected != 3 || len(told(out)) != 0 {
		t.Errorf("expected %d, told %v of a complete message", out.Expected, told(out))
	}
}
