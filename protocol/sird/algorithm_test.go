package sird

import (
	"testing"

	"weft/protocol"
	"weft/unit"
)

// These tests follow Algorithms 1 and 2 of the paper line by line, with the preset paper.

const (
	mss  unit.Bytes = 1458
	full unit.Bytes = 1538 // credit for a full packet: the wire bytes of the frame
)

// bare is a host for itself, which is given packets and asked for packets.
type bare struct {
	*host
	out protocol.HostOutput
}

func newBare(o Options) *bare {
	b := &bare{}
	env := testEnv(8)
	env.Out = &b.out
	b.host = newHost(newConfig(o, env), env)
	return b
}

// next returns the next packet of a kind at a time, and fails if there is none.
func (b *bare) next(t *testing.T, now unit.Time, kind uint8) protocol.Packet {
	t.Helper()
	var p protocol.Packet
	if !b.Next(now, &p) {
		t.Fatalf("at %v: no packet, want one of kind %d", now, kind)
	}
	if p.Kind != kind {
		t.Fatalf("at %v: a packet of kind %d, want %d: %+v", now, p.Kind, kind, p)
	}
	return p
}

func (b *bare) none(t *testing.T, now unit.Time) {
	t.Helper()
	var p protocol.Packet
	if b.Next(now, &p) {
		t.Fatalf("at %v: packet %+v, want none", now, p)
	}
}

// request announces a scheduled message from a peer.
func (b *bare) request(now unit.Time, peer int32, number uint32, size unit.Bytes) {
	b.Receive(now, &protocol.Packet{Peer: peer, Kind: kindRequest, Message: number, Size: size, Wire: 84})
}

// data is the packet of a scheduled message at an offset.
func data(peer int32, number uint32, size, offset unit.Bytes) *protocol.Packet {
	payload := min(mss, size-offset)
	return &protocol.Packet{Peer: peer, Kind: kindData, Message: number, Size: size, Offset: offset, Payload: payload, Wire: payload + 80}
}

// slow is a time at which the pacer lets the n-th credit go.
func slow(n int) unit.Time { return unit.Time(n) * unit.Microsecond }

// Algorithm 1, lines 2 to 4: a scheduled packet returns its credit to both buckets, and an
// unscheduled one returns none.
func TestAlgorithm1Replenish(t *testing.T) {
	b := newBare(testOptions())
	b.request(0, 1, 0, 200*mss)
	b.request(0, 2, 0, 200*mss)
	for n := range 3 {
		b.next(t, slow(n), kindCredit)
	}
	used, first := b.used, b.senders[1].used
	if used != 3*full || first+b.senders[2].used != used {
		t.Fatalf("b is %v and sb_1 %v after three credits", used, first)
	}
	if fresh := b.Receive(slow(9), data(1, 0, 200*mss, 0)); fresh != mss {
		t.Errorf("%v of the payload is new, want all of %v", fresh, mss)
	}
	if b.used != used-full || b.senders[1].used != first-full {
		t.Errorf("b is %v and sb_1 %v; want each less by %v", b.used, b.senders[1].used, full)
	}
	b.Receive(slow(9), data(1, 0, 200*mss, 0))
	if b.used != used-full {
		t.Errorf("a packet that came twice returned credit twice")
	}
	trimmed := data(2, 0, 200*mss, 0)
	trimmed.Flags, trimmed.Wire = protocol.WasTrimmed, 84
	if fresh := b.Receive(slow(9), trimmed); fresh != 0 || b.used != used-full {
		t.Errorf("of a trimmed packet %v of payload is new, and %v of credit came back", fresh, used-full-b.used)
	}
	unscheduled := data(3, 0, 2*mss, 0)
	unscheduled.Amount = 2 * mss
	b.Receive(slow(9), unscheduled)
	if b.used != used-full || b.senders[3].used != 0 {
		t.Errorf("an unscheduled packet changed b to %v and sb_3 to %v", b.used, b.senders[3].used)
	}
}

// Algorithm 1, lines 5 and 6: each loop has its own signal, and the other's does nothing.
func TestAlgorithm1Loops(t *testing.T) {
	for _, tt := range []struct {
		name        string
		flags       protocol.PacketFlags
		sender, net bool // is cut
	}{
		{"csn", protocol.Congested, true, false},
		{"ecn", protocol.Marked, false, true},
		{"both", protocol.Congested | protocol.Marked, true, true},
		{"neither", 0, false, false},
	} {
		b := newBare(testOptions())
		const packets = 66 // one bucket of 100 kB
		for k := range unit.Bytes(packets) {
			p := data(1, 0, 200*mss, k*mss)
			p.Amount, p.Flags = 200*mss, tt.flags
			b.Receive(0, p)
		}
		// All packets of the window were marked: alpha is g, and the cut half of it.
		want := 100*unit.KB - unit.Bytes(0.04*100000)
		s := b.senders[1]
		for _, l := range []struct {
			name string
			loop
			cut bool
		}{{"senderBkt", s.sender, tt.sender}, {"netBkt", s.net, tt.net}} {
			if l.cut && (l.loop.bucket != want || l.alpha != 0.08) || !l.cut && l.loop.bucket != 100*unit.KB {
				t.Errorf("%s: %s is %v with alpha %v", tt.name, l.name, l.loop.bucket, l.alpha)
			}
		}
		if s.loops.bucket != min(s.sender.bucket, s.net.bucket) {
			t.Errorf("%s: the bucket is %v, not the lesser one", tt.name, s.loops.bucket)
		}
	}

	// DATA runs them, requests included, and nothing else does.
	for kind := kindData; kind <= kindAck; kind++ {
		b := newBare(testOptions())
		b.Receive(0, &protocol.Packet{Peer: 1, Kind: kind, Size: 100 * mss, Wire: 84})
		want := loop{bucket: 100 * unit.KB, need: 65}
		if kind == kindData || kind == kindRequest {
			want.window, want.total = 84, 1
		}
		if s := b.senders[1]; s != nil && (s.sender != want || s.net != want) || s == nil && want.total > 0 {
			t.Errorf("after a packet of kind %d the sender is %+v, want both loops to be %+v", kind, s, want)
		}
	}

	// A window is as many bytes as the bucket has, of whatever packets.
	var l loops
	c := newConfig(testOptions(), testEnv(2))
	l.start(c)
	for range 999 {
		l.arrived(c, 100, true, true, false)
	}
	if l.bucket != 100*unit.KB || l.sender.alpha != 0 {
		t.Errorf("the bucket is %v and alpha %v before a window has come", l.bucket, l.sender.alpha)
	}
	if l.arrived(c, 100, true, true, false); l.bucket != 96*unit.KB {
		t.Errorf("the bucket is %v after a window of 1000 packets, want 96KB", l.bucket)
	}
}

// The buckets recover by a packet a window, and stay between floor and ceiling. What a window
// is depends on the preset, see TestAlgorithm1Loops and TestCodeLoops; the floors do not.
func TestAlgorithm1FloorAndRecovery(t *testing.T) {
	for _, preset := range []string{Paper, NSDI25} {
		o := testOptions()
		o.Preset = preset
		c := newConfig(o, testEnv(2))
		var l loops
		l.start(c)
		for range 10000 {
			l.arrived(c, full, true, true, false)
		}
		// With nsdi25 they grow until the next cut may come.
		l.sender.packets, l.net.packets = l.sender.need, l.net.need
		l.arrived(c, full, true, true, false)
		if l.sender.bucket != 10*unit.KB || l.net.bucket != 3*unit.KB {
			t.Errorf("%s, all marked: the buckets fell to %v and %v, want 0.1 and 0.03 BDP", preset, l.sender.bucket, l.net.bucket)
		}
		for range 10000 {
			l.arrived(c, full, false, false, false)
		}
		if l.sender.bucket != 100*unit.KB || l.net.bucket != 100*unit.KB {
			t.Errorf("%s, no marks: the buckets rose to %v and %v, want 1 BDP", preset, l.sender.bucket, l.net.bucket)
		}
	}

	c := newConfig(testOptions(), testEnv(2))
	var l loops
	l.start(c)
	l.sender.bucket, l.net.bucket = 10*full, 3*unit.KB
	// Two packets fill the least window, three that of two packets and a half.
	for n, want := range []unit.Bytes{3 * unit.KB, 3*unit.KB + full, 3*unit.KB + full, 3*unit.KB + full, 3*unit.KB + 2*full} {
		l.arrived(c, full, false, false, false)
		if l.net.bucket != want || l.sender.bucket != 10*full {
			t.Errorf("no marks: after %d packets the buckets are %v and %v, want %v and ten packets", n+1, l.net.bucket, l.sender.bucket, want)
		}
	}
	for range 5 {
		l.arrived(c, full, false, false, false)
	}
	if l.sender.bucket != 11*full {
		t.Errorf("no marks: after a window of ten packets the bucket is %v, want eleven", l.sender.bucket)
	}
}

// Algorithm 1, line 8: credit goes while b + min(rem, MSS) <= B.
func TestAlgorithm1GlobalBucket(t *testing.T) {
	o := testOptions()
	o.B = unit.Amount{Bytes: 10*full + 300}
	b := newBare(o)
	b.request(0, 1, 0, 8*mss)
	b.request(0, 2, 0, 100*mss)
	for n := range 10 {
		b.next(t, slow(n), kindCredit)
	}
	b.none(t, slow(20)) // a full packet does not fit
	b.request(slow(20), 3, 0, 220)
	if p := b.next(t, slow(20), kindCredit); p.Peer != 3 || p.Amount != 300 {
		t.Errorf("granted %v to %d, want the 300 B that fit exactly to 3", p.Amount, p.Peer)
	}
	if b.used != 10*full+300 {
		t.Errorf("b is %v", b.used)
	}
	b.none(t, slow(20))
}

// Algorithm 1, line 9: a sender is passed over while sb_i + min(rem, MSS) is above the
// lesser of its buckets.
func TestAlgorithm1SenderBucket(t *testing.T) {
	for _, loop := range []string{"sender", "net"} {
		b := newBare(testOptions())
		b.request(0, 1, 0, 100*mss)
		b.request(0, 2, 0, 150*mss)
		s := b.senders[1]
		if loop == "sender" {
			s.sender.bucket = 5 * full
		} else {
			s.net.bucket = 5 * full
		}
		s.loops.bucket = min(s.sender.bucket, s.net.bucket)
		for n := range 6 {
			p := b.next(t, slow(n), kindCredit)
			if want := map[bool]int32{true: 1, false: 2}[n < 5]; p.Peer != want {
				t.Errorf("%s: credit %d goes to %d, want %d", loop, n, p.Peer, want)
			}
		}
		if s.used != 5*full {
			t.Errorf("%s: sb_1 is %v", loop, s.used)
		}
	}
}

// Algorithm 1, line 10, with the three policies.
func TestAlgorithm1Policies(t *testing.T) {
	for policy, want := range map[string][]int32{
		"srpt":        {2, 2, 2, 1, 1, 1, 1, 1, 3, 3},
		"round-robin": {2, 1, 3, 2, 1, 3, 2, 1, 3, 1},
		"classes":     {2, 3, 2, 2, 1, 3, 1, 1, 1, 3},
	} {
		o := testOptions()
		o.Policy = policy
		if policy == "classes" {
			o.Weights = []int{3, 1}
		}
		b := newBare(o)
		b.request(0, 1, 0, 5*mss)
		b.request(0, 2, 0, 3*mss)
		b.Receive(0, &protocol.Packet{Peer: 3, Kind: kindRequest, Group: 1, Size: 100 * mss, Wire: 84})
		for n, peer := range want {
			if p := b.next(t, slow(n), kindCredit); p.Peer != peer {
				t.Errorf("%s: credit %d goes to %d, want %d", policy, n, p.Peer, peer)
			}
		}
	}

	// The fewest bytes left are those that have not arrived: what was granted before makes no
	// message shorter.
	b := newBare(testOptions())
	b.request(0, 1, 0, 10*mss)
	for n := range 5 {
		b.next(t, slow(n), kindCredit)
	}
	b.request(slow(5), 2, 0, 8*mss)
	came := unit.Bytes(0)
	for n, tt := range []struct {
		came unit.Bytes // packets of the larger message, of which 5 are not granted
		want int32
	}{{0, 2}, {1, 2}, {3, 1}} {
		for ; came < tt.came; came++ {
			b.Receive(slow(5+n), data(1, 0, 10*mss, came*mss))
		}
		if p := b.next(t, slow(5+n), kindCredit); p.Peer != tt.want {
			t.Errorf("srpt: with %d and 8 packets that have not arrived credit goes to %d, want %d", 10-tt.came, p.Peer, tt.want)
		}
	}
}

// Algorithm 1, lines 11 to 13: the credit is that of a packet, b, sb_i and rem_i change by
// it, and the last one is smaller.
func TestAlgorithm1Credit(t *testing.T) {
	b := newBare(testOptions())
	size := 2*mss + 100
	b.request(0, 1, 7, size)
	sum := unit.Bytes(0)
	for n, want := range []unit.Bytes{full, full, 180} {
		p := b.next(t, slow(n), kindCredit)
		sum += want
		if p.Peer != 1 || p.Message != 7 || p.Amount != want || p.Offset != sum || p.Wire != 84 {
			t.Errorf("credit %d: %+v; want %v for message 7", n, p, want)
		}
		if b.used != sum || b.senders[1].used != sum {
			t.Errorf("after credit %d b is %v and sb_1 %v, want %v", n, b.used, b.senders[1].used, sum)
		}
	}
	b.none(t, slow(9)) // rem is 0
}

// The pacer lets credit go at its rate (§4.4).
func TestCreditPacer(t *testing.T) {
	b := newBare(testOptions())
	b.request(0, 1, 0, 100*mss)
	gap := unit.Rate(99 * unit.Gbps).Transmit(full)
	for n := range 5 {
		at := unit.Time(n) * gap
		if got, ok := b.Ready(); !ok || got != at {
			t.Errorf("credit %d is due at %v, want %v", n, got, at)
		}
		if n > 0 {
			b.none(t, at-1)
		}
		b.next(t, at, kindCredit)
	}
}

// Algorithm 2, line 2, and lines 5 and 8: a host sends what it has credit for, and no more.
func TestAlgorithm2Credit(t *testing.T) {
	b := newBare(testOptions())
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 100 * mss})
	if p := b.next(t, 0, kindRequest); p.Size != 100*mss || p.Amount != 0 || p.Wire != 84 {
		t.Errorf("request %+v", p)
	}
	b.none(t, 0)
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Amount: full, Offset: full, Wire: 84})
	if b.receivers[1].credit != full {
		t.Errorf("c_1 is %v", b.receivers[1].credit)
	}
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Amount: full, Offset: full, Wire: 84})
	if b.receivers[1].credit != full {
		t.Errorf("a credit that came twice counted twice: c_1 is %v", b.receivers[1].credit)
	}
	if p := b.next(t, 0, kindData); p.Offset != 0 || p.Payload != mss || p.Peer != 1 {
		t.Errorf("data %+v", p)
	}
	if b.receivers[1].credit != 0 {
		t.Errorf("c_1 is %v after it was spent", b.receivers[1].credit)
	}
	b.none(t, 0)
	// Any credit lets a full packet go.
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Amount: 1, Offset: full + 1, Wire: 84})
	if p := b.next(t, 0, kindData); p.Payload != mss || b.receivers[1].credit != 1-full {
		t.Errorf("data %+v, and c_1 is %v, want a full packet for 1 B", p, b.receivers[1].credit)
	}
	b.none(t, 0)
}

// Algorithm 2, line 7: csn is set from SThr on, over all receivers, before the packet's
// own credit is taken off.
func TestAlgorithm2Csn(t *testing.T) {
	o := testOptions()
	o.SThr = unit.Threshold{Amount: unit.Amount{Bytes: 4 * full}}
	b := newBare(o)
	for peer := range int32(2) {
		b.Submit(0, &protocol.HostMessage{Peer: peer + 1, Bytes: 100 * mss})
		b.next(t, 0, kindRequest)
		b.Receive(0, &protocol.Packet{Peer: peer + 1, Kind: kindCredit, Offset: 2 * full, Wire: 84})
	}
	b.Submit(0, &protocol.HostMessage{Peer: 3, Bytes: 100 * mss})
	if b.next(t, 0, kindRequest).Flags&protocol.Congested == 0 {
		t.Error("no csn in a request, which is DATA of length zero (§4), with credit for 4 packets")
	}
	for n, want := range []bool{true, false} {
		if got := b.next(t, 0, kindData).Flags&protocol.Congested != 0; got != want {
			t.Errorf("packet %d, with credit for %d: csn is %v", n, 4-n, got)
		}
		b.Submit(0, &protocol.HostMessage{Peer: 4, Bytes: 100 * mss})
		if b.next(t, 0, kindRequest).Flags&protocol.Congested != 0 {
			t.Errorf("csn in a request with credit for %d packets", 3-n)
		}
	}
	// What is sent again says what is held, too.
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindQuery, Size: mss, Extra: uint32(9 * full), Wire: 84})
	b.next(t, 0, kindStatus)
	p := b.next(t, 0, kindData)
	for n := 0; n < 3 && p.Flags&protocol.Resent == 0; n++ {
		p = b.next(t, 0, kindData)
	}
	if p.Flags&(protocol.Resent|protocol.Congested) != protocol.Resent|protocol.Congested {
		t.Errorf("packet %+v, want one that is sent again, with csn for credit of 6 packets or more", p)
	}
}

// A host may send unscheduled packets at any time (§4.3), up to one BDP and only of
// messages up to UnschT (§3).
func TestUnscheduled(t *testing.T) {
	b := newBare(testOptions())
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 3*mss + 1})
	for n := range unit.Bytes(4) {
		p := b.next(t, 0, kindData)
		if p.Offset != n*mss || p.Amount != 3*mss+1 || p.Class != 0 {
			t.Errorf("packet %d: %+v", n, p)
		}
	}
	if b.held != 0 {
		t.Errorf("c is %v after unscheduled packets", b.held)
	}
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 100*unit.KB + 1})
	b.next(t, 0, kindRequest)
	b.none(t, 0)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 100 * unit.KB})
	if p := b.next(t, 0, kindData); p.Amount != 100*unit.KB {
		t.Errorf("of a message of exactly UnschT %v are unscheduled, want all", p.Amount)
	}

	o := testOptions()
	o.UnschT = unit.Threshold{Inf: true}
	b = newBare(o)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 500 * mss})
	prefix := unit.Bytes(0)
	for {
		var p protocol.Packet
		if !b.Next(0, &p) {
			break
		}
		prefix += p.Payload
	}
	if want := (100*unit.KB + mss - 1) / mss * mss; prefix != want {
		t.Errorf("with UnschT infinite %v were sent without credit, want 1 BDP in whole packets, %v", prefix, want)
	}
}

// The sender's policy: half of the uplink is shared equally, half goes to the message
// with the fewest bytes left (§4.4).
func TestSenderPolicy(t *testing.T) {
	for fair, want := range map[unit.Ratio][3]int{0.5: {50, 50, 200}, 0: {0, 0, 300}, 1: {100, 100, 100}} {
		o := testOptions()
		o.FairShare = fair
		b := newBare(o)
		for peer := range int32(3) {
			b.Submit(0, &protocol.HostMessage{Peer: peer, Bytes: 1000 * mss * unit.Bytes(3-peer)})
			b.next(t, 0, kindRequest)
			b.Receive(0, &protocol.Packet{Peer: peer, Kind: kindCredit, Offset: 1000 * full, Wire: 84})
		}
		var got [3]int
		for range 300 {
			got[b.next(t, 0, kindData).Peer]++
		}
		for i := range got {
			if d := got[i] - want[i]; d < -3 || d > 3 {
				t.Errorf("fair share %v: packets %v, want %v", fair, got, want)
				break
			}
		}
	}

	// The fewest bytes left are those that were not sent, among the messages to a receiver
	// and among receivers.
	o := testOptions()
	o.FairShare = 0
	for second := int32(1); second < 3; second++ {
		b := newBare(o)
		for n, peer := range []int32{1, second} {
			b.Submit(0, &protocol.HostMessage{Peer: peer, Bytes: unit.Bytes(100-20*n) * mss, Group: uint8(n)})
			b.next(t, 0, kindRequest)
			b.Receive(0, &protocol.Packet{Peer: peer, Kind: kindCredit, Offset: unit.Bytes(n+1) * 100 * full, Wire: 84})
			for n == 0 && b.outbox[0].sent < 30*mss {
				b.next(t, 0, kindData)
			}
		}
		if p := b.next(t, 0, kindData); p.Group != 0 {
			t.Errorf("of 100 packets, 70 of them unsent, to host 1 and 80 to host %d, the latter go first", second)
		}
	}

	// Who cannot send has nothing saved up when it can again.
	b := newBare(testOptions())
	for peer := range int32(3) {
		b.Submit(0, &protocol.HostMessage{Peer: peer, Bytes: 1000 * mss})
		b.next(t, 0, kindRequest)
		b.Receive(0, &protocol.Packet{Peer: peer, Kind: kindCredit, Offset: full, Wire: 84})
	}
	p := b.next(t, 0, kindData)
	if r := b.receivers[p.Peer]; r.deficit != 0 || r.place >= 0 || b.receivers[(p.Peer+1)%3].deficit == 0 {
		t.Errorf("deficits are %v for host %d without credit and %v for another, want 0 and more", r.deficit, p.Peer, b.receivers[(p.Peer+1)%3].deficit)
	}
}

// What travels before scheduled data.
func TestPriorities(t *testing.T) {
	for priority, want := range map[string][3]uint8{
		"none": {0, 0, 0}, "control": {0, 1, 1}, "control+unscheduled": {0, 0, 1},
	} {
		o := testOptions()
		o.Priority = priority
		b := newBare(o)
		b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 1})
		b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 200 * mss})
		got := [3]uint8{b.next(t, 0, kindRequest).Class, b.next(t, 0, kindData).Class}
		b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Offset: full, Wire: 84})
		got[2] = b.next(t, 0, kindData).Class
		if got != want {
			t.Errorf("%s: request, unscheduled and scheduled data in classes %v, want %v", priority, got, want)
		}
		// What is sent again is in the class of scheduled data, whatever it was before.
		b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindQuery, Size: 1, Extra: uint32(full), Wire: 84})
		b.next(t, 0, kindStatus)
		if p := b.next(t, 0, kindData); p.Flags&protocol.Resent == 0 || p.Class != want[2] {
			t.Errorf("%s: unscheduled packet %+v, want it sent again in class %d", priority, p, want[2])
		}
		b.Receive(0, data(2, 0, 1, 0))
		b.request(0, 2, 1, 200*mss)
		for _, kind := range []uint8{kindDone, kindCredit} {
			if p := b.next(t, 0, kind); p.Class != 0 {
				t.Errorf("%s: control packet of kind %d in class %d, want 0", priority, kind, p.Class)
			}
		}
	}
}
