package transport

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol/reliable"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// frames keeps copies of frames of one kind that a host sent or received.
func keep(to *[]fabric.Frame, host int32, kind uint8) func(sim.Time, int32, *fabric.Frame) {
	return func(_ sim.Time, h int32, f *fabric.Frame) {
		if h == host && f.Kind == kind {
			*to = append(*to, *f)
		}
	}
}

// TestCoalescedAcks sends a message over one path and lists which packets caused
// an acknowledgement, and which asked for one.
func TestCoalescedAcks(t *testing.T) {
	tests := []struct {
		name            string
		packets, window unit.Bytes
		every           int
		acked, asked    []uint32
	}{
		{"one each", 4, 100, 1, []uint32{0, 1, 2, 3}, nil},
		{"in fours, and the last", 10, 100, 4, []uint32{3, 7, 9}, []uint32{9}},
		{"a whole number", 8, 100, 4, []uint32{3, 7}, []uint32{7}},
		{"fewer than the count", 3, 100, 16, []uint32{2}, []uint32{2}},
		{"the window is full before the count is reached", 10, 5, 16, []uint32{4, 9}, []uint32{4, 9}},
		{"a window of one", 3, 1, 8, []uint32{0, 1, 2}, []uint32{0, 1, 2}},
		{"more than a bitmap covers", 600, 1000, 1000, []uint32{255, 511, 599}, []uint32{599}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := params(test.window * payload)
			p.AckEvery = test.every
			var acks, packets []fabric.Frame
			ackSent, dataSent := keep(&acks, 1, end.Ack), keep(&packets, 0, end.Data)
			l := labConfig{
				Graph:  star(t, 2),
				Groups: []Group{{Params: p, Sources: from(0, 2, message1(test.packets*payload))}},
				hooks: hooks{sent: func(now sim.Time, h int32, f *fabric.Frame) {
					ackSent(now, h, f)
					dataSent(now, h, f)
				}},
			}.build(t)
			l.finish(t)
			var acked, asked []uint32
			for _, f := range acks {
				acked = append(acked, f.Seq)
				if f.Size != ackSize {
					t.Errorf("an acknowledgement of %d bytes, want %d", f.Size, ackSize)
				}
			}
			for _, f := range packets {
				if f.Bits&end.AskAck != 0 {
					asked = append(asked, f.Seq)
				}
			}
			if diff := cmp.Diff(test.acked, acked); diff != "" {
				t.Errorf("acknowledgements for (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.asked, asked); diff != "" {
				t.Errorf("packets that asked (-want +got):\n%s", diff)
			}
			if c := l.transport.Counts(); c.Acks != uint64(len(test.acked)) {
				t.Errorf("%d acknowledgements counted, want %d", c.Acks, len(test.acked))
			}
		})
	}
}

// TestWindowOfOnePacket takes a round trip a packet.
func TestWindowOfOnePacket(t *testing.T) {
	for _, window := range []unit.Bytes{0, 1, payload, 2*payload - 1} {
		const packets = 7
		l := labConfig{Graph: star(t, 2), Groups: []Group{{Params: params(window), Sources: from(0, 2, message1(packets*payload))}}}.build(t)
		m := l.finish(t)[0]
		rtt := Ideal(l.hops(0, 1), payload, payload, header) + Ideal(l.hops(1, 0), 0, payload, ackSize)
		if m.SenderEnd != packets*rtt {
			t.Errorf("window of %d bytes: done after %d, want %d round trips of %d", window, m.SenderEnd, packets, rtt)
		}
	}
}

// TestAckContents marks two of six packets and compares what the sender's cores
// learn: with an acknowledgement a packet, coalesced, and with all unmarked
// entropies returned.
func TestAckContents(t *testing.T) {
	type seen struct {
		Entropy uint16
		Marked  bool
		Packets int32
	}
	tests := []struct {
		name       string
		every      int
		unmarked   bool
		congestion []seen
		marked     []int32 // packets of each acknowledgement
		entropy    []seen
	}{
		{
			"one each", 1, false,
			[]seen{{0, false, 1}, {1, true, 1}, {2, false, 1}, {3, false, 1}, {4, true, 1}, {5, false, 1}},
			[]int32{0, 1, 0, 0, 1, 0},
			[]seen{{0, false, 1}, {1, true, 1}, {2, false, 1}, {3, false, 1}, {4, true, 1}, {5, false, 1}},
		},
		{
			"in threes: that of the trigger", 3, false,
			[]seen{{2, false, 3}, {5, false, 3}},
			[]int32{1, 1},
			[]seen{{2, false, 3}, {5, false, 3}},
		},
		{
			"in fives: the trigger is marked", 5, false,
			[]seen{{4, true, 5}, {5, false, 1}},
			[]int32{2, 0},
			[]seen{{4, true, 5}, {5, false, 1}},
		},
		{
			"in threes: all unmarked ones", 3, true,
			[]seen{{2, false, 3}, {5, false, 3}},
			[]int32{1, 1},
			[]seen{{0, false, 1}, {2, false, 1}, {3, false, 1}, {5, false, 1}},
		},
		{
			"in fives: the marked trigger, then all unmarked ones", 5, true,
			[]seen{{4, true, 5}, {5, false, 1}},
			[]int32{2, 0},
			[]seen{{4, true, 5}, {0, false, 1}, {2, false, 1}, {3, false, 1}, {5, false, 1}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := params(unit.MiB)
			p.AckEvery, p.Unmarked = test.every, test.unmarked
			congestion, entropy := watch(&p, unit.MiB), count(&p)
			l := labConfig{
				Graph:  star(t, 2),
				Groups: []Group{{Params: p, Sources: from(0, 2, message1(6*payload))}},
				hooks: hooks{received: func(_ sim.Time, _ int32, f *fabric.Frame) bool {
					if f.Kind == end.Data && (f.Seq == 1 || f.Seq == 4) {
						f.Flags |= packet.Marked
					}
					return true
				}},
			}.build(t)
			l.finish(t)
			var got []seen
			var marked []int32
			for _, a := range congestion.acks {
				got = append(got, seen{a.Entropy, a.Marked, a.Packets})
				marked = append(marked, a.MarkedPackets)
			}
			if diff := cmp.Diff(test.congestion, got); diff != "" {
				t.Errorf("congestion control was told (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.marked, marked); diff != "" {
				t.Errorf("of marked packets it was told (-want +got):\n%s", diff)
			}
			got = nil
			for _, a := range entropy.acks {
				got = append(got, seen{a.Entropy, a.Marked, a.Packets})
			}
			if diff := cmp.Diff(test.entropy, got); diff != "" {
				t.Errorf("entropy chooser was told (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPromptMarks marks two of ten packets that are acknowledged in fours, under a
// congestion control that must hear of marks at once.
func TestPromptMarks(t *testing.T) {
	p := params(unit.MiB)
	p.AckEvery = 4
	congestion := watch(&p, unit.MiB)
	count(&p)
	p.Congestion.PromptMarks = true
	l := labConfig{
		Graph:  star(t, 2),
		Groups: []Group{{Params: p, Sources: from(0, 2, message1(10*payload))}},
		hooks: hooks{received: func(_ sim.Time, _ int32, f *fabric.Frame) bool {
			if f.Kind == end.Data && (f.Seq == 1 || f.Seq == 7) {
				f.Flags |= packet.Marked
			}
			return true
		}},
	}.build(t)
	l.finish(t)
	type seen struct {
		Entropy uint16
		Marked  bool
		Packets int32
	}
	var got []seen
	for _, a := range congestion.acks {
		got = append(got, seen{a.Entropy, a.Marked, a.Packets})
	}
	// Packet 1 takes packet 0 along, and the count of four begins anew after it.
	want := []seen{{1, true, 2}, {5, false, 4}, {7, true, 2}, {9, false, 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("acknowledgements (-want +got):\n%s", diff)
	}
}

// TestMostEntropiesOfAnAck coalesces more unmarked packets than one
// acknowledgement returns entropies of.
func TestMostEntropiesOfAnAck(t *testing.T) {
	p := params(unit.MiB)
	p.AckEvery, p.Unmarked = 40, true
	entropy := count(&p)
	l := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(40*payload))}}}.build(t)
	l.finish(t)
	if len(entropy.acks) != reliable.MaxEntropies {
		t.Fatalf("%d entropies came back, want %d", len(entropy.acks), reliable.MaxEntropies)
	}
	for i, a := range entropy.acks {
		if a.Entropy != uint16(i) {
			t.Errorf("entropy %d is %d; they come in order of arrival", i, a.Entropy)
		}
	}
}

// TestAckFollowsItsPacket compares the header of an acknowledgement with that of
// the packet that it answers.
func TestAckFollowsItsPacket(t *testing.T) {
	p := params(unit.MiB)
	p.Class, p.AckClass = 3, 5
	entropy := count(&p)
	entropy.next = 777
	var packets, acks []fabric.Frame
	l := labConfig{
		Graph:  star(t, 3),
		Groups: []Group{{}, {Params: p, Sources: from(0, 3, workload.Message{Dst: 2, Size: 3 * payload})}},
		hooks: hooks{sent: func(now sim.Time, h int32, f *fabric.Frame) {
			keep(&packets, 0, end.Data)(now, h, f)
			keep(&acks, 2, end.Ack)(now, h, f)
		}},
	}
	l.Groups[0] = Group{Params: params(0), Sources: make([]workload.Source, 3)}
	l.build(t).finish(t)
	if len(packets) != 3 || len(acks) != 3 {
		t.Fatalf("%d packets and %d acknowledgements, want 3 each", len(packets), len(acks))
	}
	for i, f := range packets {
		a := acks[i]
		if f.Src() != 0 || f.Dst() != 2 || a.Src() != 2 || a.Dst() != 0 {
			t.Errorf("packet %d goes from %d to %d, its acknowledgement from %d to %d", i, f.Src(), f.Dst(), a.Src(), a.Dst())
		}
		if f.Entropy != uint16(777+i) || a.Entropy != f.Entropy {
			t.Errorf("packet %d has the entropy %d, its acknowledgement %d", i, f.Entropy, a.Entropy)
		}
		if f.Priority() != 3 || a.Priority() != 5 {
			t.Errorf("packet %d is of class %d, its acknowledgement of %d", i, f.Priority(), a.Priority())
		}
	}
}

// TestRTT compares the round-trip times that a control learns with the frames'
// way, and with 0 for packets sent more than once.
func TestRTT(t *testing.T) {
	p := params(payload)
	p.RTO = 50 * unit.Microsecond
	control := watch(&p, payload)
	lost := false
	l := labConfig{
		Graph:  star(t, 2),
		Groups: []Group{{Params: p, Sources: from(0, 2, message1(3*payload))}},
		hooks: hooks{received: func(_ sim.Time, _ int32, f *fabric.Frame) bool {
			if f.Kind == end.Data && f.Seq == 1 && !lost {
				lost = true
				return false
			}
			return true
		}},
	}.build(t)
	l.finish(t)
	rtt := Ideal(l.hops(0, 1), payload, payload, header) + Ideal(l.hops(1, 0), 0, payload, ackSize)
	var got []unit.Time
	for _, a := range control.acks {
		got = append(got, a.RTT)
	}
	if want := []unit.Time{rtt, 0, rtt}; !slices.Equal(got, want) {
		t.Errorf("round-trip times %v, want %v", got, want)
	}
}

// TestLostAcks loses acknowledgements and has a later one stand for them.
func TestLostAcks(t *testing.T) {
	tests := []struct {
		name    string
		every   int
		lose    func(seq uint32) bool
		packets []int32 // newly acknowledged by each that arrives
	}{
		{"all but the last", 1, func(seq uint32) bool { return seq < 9 }, []int32{10}},
		{"every other", 1, func(seq uint32) bool { return seq%2 == 0 }, []int32{2, 2, 2, 2, 2}},
		{"all but the last of coalesced ones", 3, func(seq uint32) bool { return seq < 9 }, []int32{10}},
		{"the first of coalesced ones", 4, func(seq uint32) bool { return seq < 4 }, []int32{8, 2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := params(unit.MiB)
			p.AckEvery = test.every
			control := watch(&p, unit.MiB)
			l := labConfig{
				Graph:  star(t, 2),
				Groups: []Group{{Params: p, Sources: from(0, 2, message1(10*payload))}},
				hooks: hooks{received: func(_ sim.Time, h int32, f *fabric.Frame) bool {
					return h != 0 || !test.lose(f.Seq)
				}},
			}.build(t)
			m := l.finish(t)[0]
			if m.Retransmits != 0 || m.Timeouts != 0 {
				t.Errorf("%d retransmissions after %d timeouts, want none", m.Retransmits, m.Timeouts)
			}
			var packets []int32
			for _, a := range control.acks {
				packets = append(packets, a.Packets)
			}
			if diff := cmp.Diff(test.packets, packets); diff != "" {
				t.Errorf("newly acknowledged (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDuplicatesAreAcknowledged loses the first acknowledgements of all packets:
// after a timeout the sender repeats what the receiver has, and must hear of it.
func TestDuplicatesAreAcknowledged(t *testing.T) {
	for _, every := range []int{1, 4} {
		for _, packets := range []unit.Bytes{1, 6} {
			p := params(unit.MiB)
			p.RTO, p.AckEvery = 100*unit.Microsecond, every
			l := labConfig{
				Graph:  star(t, 2),
				Groups: []Group{{Params: p, Sources: from(0, 2, message1(packets*payload))}},
				hooks: hooks{received: func(now sim.Time, h int32, f *fabric.Frame) bool {
					return h != 0 || now > 100*unit.Microsecond
				}},
			}.build(t)
			m := l.finish(t)[0]
			if m.Timeouts == 0 || m.Retransmits == 0 || m.Retransmits > uint32(packets) {
				t.Errorf("every %d, %d packets: %d retransmissions after %d timeouts", every, packets, m.Retransmits, m.Timeouts)
			}
			if m.End > 50*unit.Microsecond {
				t.Errorf("every %d, %d packets: delivered at %d, but only acknowledgements were lost", every, packets, m.End)
			}
			// The first packet to be repeated is answered at once.
			rtt := Ideal(l.hops(0, 1), payload, payload, header) + Ideal(l.hops(1, 0), 0, payload, ackSize)
			if want := p.RTO + rtt; every == 1 && packets == 1 && m.SenderEnd != want {
				t.Errorf("acknowledged at %d, want %d", m.SenderEnd, want)
			}
		}
	}
}

// TestRepeatedPacketsAreAnsweredAtOnce loses the last of three packets, which are
// too few for an acknowledgement: after a timeout all are repeated, and each copy
// of what had arrived is answered.
func TestRepeatedPacketsAreAnsweredAtOnce(t *testing.T) {
	p := params(unit.MiB)
	p.RTO, p.AckEvery = 100*unit.Microsecond, 8
	var acks []fabric.Frame
	lost := false
	l := labConfig{
		Graph:  star(t, 2),
		Groups: []Group{{Params: p, Sources: from(0, 2, message1(3*payload))}},
		hooks: hooks{
			sent: keep(&acks, 1, end.Ack),
			received: func(_ sim.Time, h int32, f *fabric.Frame) bool {
				if h == 1 && f.Seq == 2 && !lost {
					lost = true
					return false
				}
				f.Bits &^= end.AskAck // the sender asks for what it repeats here
				return true
			},
		},
	}.build(t)
	l.finish(t)
	var acked []uint32
	for _, f := range acks {
		acked = append(acked, f.Seq)
	}
	if diff := cmp.Diff([]uint32{0, 1, 2}, acked); diff != "" {
		t.Errorf("acknowledgements for (-want +got):\n%s", diff)
	}
}

// While a gap is open, a lost acknowledgement is made good by the next one if that has a
// bitmap, and by a timeout if not.
func TestBitmapOnEveryAck(t *testing.T) {
	for _, bitmap := range []bool{false, true} {
		p := params(100 * payload)
		p.RTO, p.AckBitmap = 50*unit.Microsecond, bitmap
		var reports int
		l := labConfig{
			Graph:  star(t, 2),
			Groups: []Group{{Params: p, Sources: from(0, 2, message1(60*payload))}},
			hooks: hooks{received: func(_ sim.Time, _ int32, f *fabric.Frame) bool {
				if f.Flags&packet.Extended != 0 {
					reports++
				}
				switch kindOf(f) {
				case end.Data:
					return f.Seq != 3 || f.Bits&end.Again != 0
				case end.Ack:
					return f.Seq < 10 || f.Seq >= 30 || f.Seq%2 == 0
				}
				return true
			}},
		}.build(t)
		l.finish(t)
		c := l.transport.Counts()
		if c.Timeouts != c.Retransmits || (c.Timeouts == 1) != bitmap {
			t.Errorf("bitmap %t: %d timeouts and %d retransmissions of 1 lost packet", bitmap, c.Timeouts, c.Retransmits)
		}
		if (reports > 50) != bitmap {
			t.Errorf("bitmap %t: %d acknowledgements had one", bitmap, reports)
		}
	}
}
