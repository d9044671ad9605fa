package transport

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/fault"
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// TestTimeouts loses chosen packets the first times they are sent, and compares
// the completion with the timeouts that this costs.
func TestTimeouts(t *testing.T) {
	const rto = 200 * unit.Microsecond
	tests := []struct {
		name  string
		loses map[uint32]int // how often, by packet
		// Waits is how many timeouts follow each other before the message is done.
		waits                 unit.Time
		timeouts, retransmits uint32
	}{
		{"nothing", nil, 0, 0, 0},
		{"the first packet", map[uint32]int{0: 1}, 1, 1, 1},
		{"the last packet", map[uint32]int{4: 1}, 1, 1, 1},
		{"all packets", map[uint32]int{0: 1, 1: 1, 2: 1, 3: 1, 4: 1}, 1, 5, 5},
		{"one packet three times: the timeout does not grow", map[uint32]int{2: 3}, 3, 3, 3},
		{"two packets, one of them twice", map[uint32]int{1: 2, 3: 1}, 2, 3, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := params(unit.MiB)
			p.RTO = rto
			control, entropy := watch(&p, unit.MiB), count(&p)
			left := map[uint32]int{}
			for seq, n := range test.loses {
				left[seq] = n
			}
			sent := map[uint16]sim.Time{}
			l := labConfig{
				Graph:  star(t, 2),
				Groups: []Group{{Params: p, Sources: from(0, 2, message1(5*payload))}},
				hooks: hooks{
					received: func(_ sim.Time, _ int32, f *fabric.Frame) bool {
						if f.Kind == end.Data && left[f.Seq] > 0 {
							left[f.Seq]--
							return false
						}
						return true
					},
					sent: func(now sim.Time, h int32, f *fabric.Frame) {
						if h == 0 {
							sent[f.Entropy] = now
						}
					},
				},
			}.build(t)
			m := l.finish(t)[0]
			if m.Timeouts != test.timeouts || m.Retransmits != test.retransmits {
				t.Errorf("%d timeouts and %d retransmissions, want %d and %d", m.Timeouts, m.Retransmits, test.timeouts, test.retransmits)
			}
			ideal := Ideal(l.hops(0, 1), 5*payload, payload, header)
			if least, most := test.waits*rto, test.waits*(rto+2*unit.Microsecond)+ideal; m.End < least || m.End > most {
				t.Errorf("delivered at %d, want between %d and %d", m.End, least, most)
			}
			for i, loss := range control.losses {
				if loss.Cause != protocol.Timeout || loss.SentAt != sent[loss.Entropy] || loss.Now != loss.SentAt+rto {
					t.Errorf("loss %d is %+v, the packet was sent at %d", i, loss, sent[loss.Entropy])
				}
			}
			if diff := cmp.Diff(control.losses, entropy.losses); diff != "" {
				t.Errorf("control and chooser are told of other losses (-control +chooser):\n%s", diff)
			}
		})
	}
}

// TestTrimmedPackets sends to one receiver from many hosts through a queue that
// trims: what is cut is sent again without waiting for a timeout.
func TestTrimmedPackets(t *testing.T) {
	for _, every := range []int{1, 8} {
		for _, coin := range []bool{false, true} {
			const senders = 8
			p := params(20 * payload)
			p.AckEvery, p.Class, p.AckClass = every, 1, 0
			p.RTO = 100 * unit.Millisecond
			control := watch(&p, 20*payload)
			sources := make([]workload.Source, senders+1)
			for h := range senders {
				sources[h] = &list{{Dst: senders, Size: 60*payload + 5}}
			}
			l := labConfig{
				Graph: star(t, senders+1),
				Port: func(topo.PortID) fabric.PortConfig {
					return fabric.PortConfig{Limit: 10 * payload, Classes: 2, Trim: &fabric.TrimConfig{Header: header, Limit: unit.MiB, Coin: coin}}
				},
				Groups: []Group{{Params: p, Sources: sources}},
			}.build(t)
			messages := l.finish(t)
			c := l.transport.Counts()
			if len(messages) != senders || c.Trims == 0 || c.Timeouts != 0 || c.Retransmits != c.Trims {
				t.Errorf("%d messages, %d trims, %d retransmissions, %d timeouts", len(messages), c.Trims, c.Retransmits, c.Timeouts)
			}
			for _, loss := range control.losses {
				if loss.Cause != protocol.Trimmed {
					t.Fatalf("a loss of cause %d without a timeout", loss.Cause)
				}
			}
			if uint64(len(control.losses)) != c.Trims {
				t.Errorf("the control is told of %d losses, there were %d", len(control.losses), c.Trims)
			}
		}
	}
}

// TestTrimmedPacketTakesARoundTrip cuts one packet of a message by hand.
func TestTrimmedPacketTakesARoundTrip(t *testing.T) {
	p := params(payload)
	cut := false
	l := labConfig{
		Graph:  star(t, 2),
		Groups: []Group{{Params: p, Sources: from(0, 2, message1(2*payload))}},
		hooks: hooks{received: func(_ sim.Time, _ int32, f *fabric.Frame) bool {
			if f.Kind == end.Data && f.Seq == 0 && !cut {
				cut = true
				f.Flags |= packet.Trimmed
			}
			return true
		}},
	}.build(t)
	m := l.finish(t)[0]
	rtt := Ideal(l.hops(0, 1), payload, payload, header) + Ideal(l.hops(1, 0), 0, payload, ackSize)
	if m.SenderEnd != 3*rtt || m.Trims != 1 || m.Retransmits != 1 {
		t.Errorf("done after %d with %d trims and %d retransmissions, want 3 round trips of %d", m.SenderEnd, m.Trims, m.Retransmits, rtt)
	}
}

// TestTrimmedCopyOfWhatArrived loses the acknowledgement of one packet of two, and
// the other packet: the copy of the first arrives cut, but is not missing.
func TestTrimmedCopyOfWhatArrived(t *testing.T) {
	for _, every := range []int{1, 2} {
		p := params(unit.MiB)
		p.RTO, p.AckEvery = 100*unit.Microsecond, every
		l := labConfig{
			Graph:  star(t, 2),
			Groups: []Group{{Params: p, Sources: from(0, 2, message1(2*payload))}},
			hooks: hooks{received: func(now sim.Time, h int32, f *fabric.Frame) bool {
				if now < p.RTO {
					return h == 1 && f.Seq == 0
				}
				if h == 1 && f.Seq == 0 {
					f.Flags |= packet.Trimmed
				}
				return true
			}},
		}.build(t)
		if m := l.finish(t)[0]; m.Trims != 0 || m.Retransmits != 2 || m.Timeouts != 2 {
			t.Errorf("an ACK for %d packets: %d trims, %d retransmissions and %d timeouts, want 0, 2, 2", every, m.Trims, m.Retransmits, m.Timeouts)
		}
	}
}

// TestLateCopies has a copy of a message's packet arrive after the message's
// number went to the next one: it is neither a packet of that nor answered.
func TestLateCopies(t *testing.T) {
	p := params(unit.MiB)
	p.RTO = 100 * unit.Microsecond
	second := workload.Message{At: 50 * unit.Microsecond, Dst: 1, Size: 2 * payload}
	var replies, number []uint32
	late := false
	l := labConfig{
		Graph:  star(t, 2),
		Groups: []Group{{Params: p, Sources: from(0, 2, message1(payload), second)}},
		hooks: hooks{
			received: func(_ sim.Time, h int32, f *fabric.Frame) bool {
				if h == 1 {
					number = append(number, f.Message)
					if f.Serial == 1 && f.Seq == 1 && !late { // as if the first message's had come now
						late = true
						f.Serial = 0
					}
				}
				return true
			},
			sent: func(_ sim.Time, h int32, f *fabric.Frame) {
				if h == 1 {
					replies = append(replies, f.Serial)
				}
			},
		},
	}.build(t)
	m := l.finish(t)
	if number[0] != number[1] {
		t.Fatalf("the messages have the numbers %v; the test wants one", number)
	}
	if diff := cmp.Diff([]uint32{0, 1, 1}, replies); diff != "" {
		t.Errorf("messages of the acknowledgements (-want +got):\n%s", diff)
	}
	if m[1].End < second.At+p.RTO {
		t.Errorf("the second message is delivered at %d, before its packet was repeated", m[1].End)
	}
}

// TestLateReports has the report of a trimmed packet come after its message's
// number went to the next one, which lost nothing.
func TestLateReports(t *testing.T) {
	late := false
	second := workload.Message{At: 50 * unit.Microsecond, Dst: 1, Size: 2 * payload}
	l := labConfig{
		Graph:  star(t, 2),
		Groups: []Group{{Params: params(unit.MiB), Sources: from(0, 2, message1(payload), second)}},
		hooks: hooks{received: func(_ sim.Time, h int32, f *fabric.Frame) bool {
			if h == 0 && f.Serial == 1 && f.Seq == 0 { // in place of an acknowledgement
				late = true
				f.Serial, f.Kind = 0, end.Nack
			}
			return true
		}},
	}.build(t)
	m := l.finish(t)
	if !late || m[1].Trims != 0 || m[1].Retransmits != 0 {
		t.Errorf("report was late: %v; the second message has %d trims and %d retransmissions", late, m[1].Trims, m[1].Retransmits)
	}
}

// collapsing is a congestion control that allows one packet from the first loss on.
type collapsing struct{ fixed }

func (c *collapsing) Lost(*protocol.Loss) { c.window = 0 }

// TestDoneWhileItWaits gives three packets up too early, each a message of one
// connection. While the third is repeated, the first is acknowledged after all
// and leaves its place at the end of the line; a fourth message then lines up.
func TestDoneWhileItWaits(t *testing.T) {
	p := params(0)
	p.PerPair, p.RTO = true, 4*unit.Microsecond
	p.Congestion.New = func(protocol.Env) protocol.Congestion {
		return &collapsing{fixed{window: 3 * payload}}
	}
	l := labConfig{
		Graph: star(t, 2),
		Groups: []Group{{Params: p, Sources: from(0, 2, message1(payload), message1(payload), message1(payload),
			workload.Message{At: 5200 * unit.Nanosecond, Dst: 1, Size: payload})}},
	}.build(t)
	messages := l.finish(t)
	rtt := Ideal(l.hops(0, 1), payload, payload, header) + Ideal(l.hops(1, 0), 0, payload, ackSize)
	if first := messages[0]; first.SenderEnd != rtt || first.SenderEnd > messages[3].Start || messages[1].SenderEnd < messages[3].Start {
		t.Errorf("the first is done at %d, the second at %d; the fourth was to begin between, at %d", first.SenderEnd, messages[1].SenderEnd, messages[3].Start)
	}
	for i, want := range []uint32{0, 0, 1} {
		if m := messages[i]; m.Timeouts != 1 || m.Retransmits != want {
			t.Errorf("message %d has %d timeouts and %d retransmissions, want 1 and %d", i, m.Timeouts, m.Retransmits, want)
		}
	}
}

// TestRepeatedPacketsGoFirst loses the first packet of a message while the next
// two messages of its connection are under way: they wait for it, and it does
// not wait for them.
func TestRepeatedPacketsGoFirst(t *testing.T) {
	p := params(4 * payload)
	p.PerPair, p.RTO = true, 30*unit.Microsecond
	lost := false
	var after []uint32 // messages of the packets sent from the loss's discovery on
	control := watch(&p, 4*payload)
	l := labConfig{
		Graph:  star(t, 2),
		Groups: []Group{{Params: p, Sources: from(0, 2, message1(payload), message1(50*payload), message1(50*payload))}},
		hooks: hooks{
			received: func(_ sim.Time, h int32, f *fabric.Frame) bool {
				if h == 1 && f.Serial == 0 && !lost {
					lost = true
					return false
				}
				return true
			},
			sent: func(_ sim.Time, h int32, f *fabric.Frame) {
				if h == 0 && len(control.losses) > 0 {
					after = append(after, f.Serial)
				}
			},
		},
	}.build(t)
	l.finish(t)
	if len(after) < 60 || after[0] != 0 || after[1] != 1 {
		t.Errorf("after the loss %d packets follow, the first of messages %v; want one of 0, then of 1", len(after), after[:min(5, len(after))])
	}
}

// TestOutage takes the only way between two hosts away for a while.
func TestOutage(t *testing.T) {
	p := params(100 * payload)
	p.RTO = 300 * unit.Microsecond
	g := graph(t, topo.Dumbbell{Left: 1, Right: 1, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, SwitchLatency: 0})
	l := labConfig{Graph: g, Domains: 2, Groups: []Group{{Params: p, Sources: from(0, 2, message1(10*unit.MiB))}}}.build(t)
	middle := topo.PortID(2 * (len(g.Links) - 1))
	for _, c := range []fault.Change{
		{At: 50 * unit.Microsecond, Port: middle, What: fault.Down},
		{At: unit.Millisecond, Port: middle, What: fault.Up},
		{At: 1600 * unit.Microsecond, Port: middle.Reverse(), What: fault.Down}, // only acknowledgements
		{At: 2 * unit.Millisecond, Port: middle.Reverse(), What: fault.Up},
	} {
		l.run(t, c.At)
		l.Apply(c.At, c)
	}
	m := l.finish(t)[0]
	if m.Timeouts == 0 || m.Retransmits == 0 {
		t.Errorf("%+v", m)
	}
	if m.SenderEnd > 4*unit.Millisecond {
		t.Errorf("done at %d; the link carries the message in 0.84 ms and was down for 1.4 ms", m.SenderEnd)
	}
}
