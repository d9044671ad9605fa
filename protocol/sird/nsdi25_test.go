package sird

import (
	"math"
	"testing"

	"weft/protocol"
	"weft/unit"
)

// These tests follow what the public simulator does otherwise than the paper.

func codeOptions() Options {
	o := testOptions()
	o.Preset = NSDI25
	o.SThr = unit.Threshold{Amount: unit.Amount{Bytes: 48114}}
	return o
}

// Unscheduled bytes are charged to both buckets at once with the first packet that
// arrives, and come back packet by packet; b may become negative.
func TestCodeChargesUnscheduled(t *testing.T) {
	b := newBare(codeOptions())
	const size = 65 * mss // the largest message that is unscheduled
	for peer := range int32(2) {
		p := data(peer, 0, size, 9*mss)
		p.Amount = size
		b.Receive(0, p)
	}
	if want := 2*65*full - 2*full; b.used != want || b.senders[0].used != want/2 {
		t.Errorf("b is %v and sb_0 %v; want %v and half of that, above B", b.used, b.senders[0].used, want)
	}
	b.request(0, 3, 0, 100*mss)
	b.none(t, 0) // B is overdrawn
	for peer := range int32(2) {
		for k := range unit.Bytes(65) {
			p := data(peer, 0, size, k*mss)
			p.Amount = size
			b.Receive(0, p)
		}
	}
	if b.used != 0 {
		t.Errorf("b is %v when all has come", b.used)
	}
	for range 2 {
		b.next(t, 0, kindDone)
	}
	b.next(t, 0, kindCredit)
}

// The bucket of a sender is compared with what is in flight before the credit.
func TestCodeSenderBucket(t *testing.T) {
	b := newBare(codeOptions())
	b.request(0, 1, 0, 100*mss)
	b.senders[1].loops.bucket = 4 * full
	for n := range 5 {
		b.next(t, slow(n), kindCredit)
	}
	b.none(t, slow(9))
	if b.senders[1].used != 5*full {
		t.Errorf("%v in flight, want one packet more than the bucket holds", b.senders[1].used)
	}

	// What the credit leaves in flight is compared with the largest bucket.
	o := codeOptions()
	o.SenderBucket = unit.Amount{Bytes: 4 * full}
	b = newBare(o)
	b.request(0, 1, 0, 100*mss)
	for n := range 4 {
		b.next(t, slow(n), kindCredit)
	}
	b.none(t, slow(9))
}

// The pacer lets a credit go while at most 562 B remain of the one before.
func TestCodePacer(t *testing.T) {
	b := newBare(codeOptions())
	b.request(0, 1, 0, 100*mss)
	rate := 100 * unit.Gbps
	for n := range 5 {
		at := max(0, unit.Time(n)*rate.Transmit(full)-rate.Transmit(562))
		if n > 0 {
			b.none(t, at-1)
		}
		b.next(t, at, kindCredit)
	}
}

// A host gives itself credit for the wire size of a message that is at most UnschT, until the
// receiver's pool is 1 BDP, but for a packet; credit is one pool.
func TestCodeOwnCredit(t *testing.T) {
	b := newBare(codeOptions())
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 65*mss + 1})
	b.next(t, 0, kindRequest)
	if b.held != 0 {
		t.Errorf("c is %v for a message of 66 packets", b.held)
	}
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 60 * mss})
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 30 * mss})
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 30 * mss})
	if want := 60*full + 5*full + full; b.held != want {
		t.Errorf("c is %v, want 60, 5 and 1 packets, %v", b.held, want)
	}
	// The largest that was not announced goes first, and the others follow before any other.
	p := b.next(t, 0, kindData)
	if p.Message != 1 || p.Amount != 60*mss {
		t.Errorf("first packet %+v", p)
	}
	if p = b.next(t, 0, kindData); p.Message != 2 || p.Amount != 5*mss {
		t.Errorf("second packet %+v", p)
	}
	if p = b.next(t, 0, kindData); p.Message != 3 || p.Amount != mss {
		t.Errorf("third packet %+v", p)
	}
	// Then the fewest bytes left: one of 29 packets spends what the one of 60 got.
	if p = b.next(t, 0, kindData); p.Message != 2 || p.Class != 0 {
		t.Errorf("fourth packet %+v", p)
	}
	sent := 4
	for p = (protocol.Packet{}); b.Next(0, &p); p = (protocol.Packet{}) {
		sent++
		if want := map[bool]uint8{true: 0, false: 1}[p.Offset < p.Amount]; p.Class != want {
			t.Errorf("packet %+v is not in class %d", p, want)
		}
	}
	if sent != 66 || b.held != 0 {
		t.Errorf("%d packets sent, %v of credit left", sent, b.held)
	}

	// A packet goes if it fits the credit.
	b = newBare(codeOptions())
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 100 * mss})
	b.next(t, 0, kindRequest)
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Offset: full - 1, Wire: 84})
	b.none(t, 0)
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Offset: full, Wire: 84})
	b.next(t, 0, kindData)

	// A message of exactly UnschT is unscheduled.
	o := codeOptions()
	o.UnschT = unit.Threshold{Amount: unit.Amount{Bytes: 10 * full}}
	b = newBare(o)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 10*mss + 1})
	b.next(t, 0, kindRequest)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 10 * mss})
	if b.held != 10*full {
		t.Errorf("c is %v for a message of exactly UnschT, want %v", b.held, 10*full)
	}
}

// The pool that 1 BDP bounds has the credit that was received too.
func TestCodeOwnCreditBesideOther(t *testing.T) {
	b := newBare(codeOptions())
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 100 * mss})
	b.next(t, 0, kindRequest)
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Offset: 60 * full, Wire: 84})
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 30 * mss})
	if b.held != 65*full {
		t.Errorf("c is %v, want 60 packets and 5 more, %v", b.held, 65*full)
	}
}

// A message that fits 1 BDP to the byte is not cut down to whole packets.
func TestCodeOwnCreditFits(t *testing.T) {
	o := codeOptions()
	bdp := 10*full + 500
	o.BDP, o.UnschT = &bdp, unit.Threshold{Inf: true}
	for size, want := range map[unit.Bytes]unit.Bytes{10*mss + 420: 10*mss + 420, 10*mss + 421: 10 * mss} {
		b := newBare(o)
		b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: size})
		if got := b.next(t, 0, kindData).Amount; got != want {
			t.Errorf("%v of %v are unscheduled, want %v", got, size, want)
		}
	}
}

// csn is set above SThr, after the packet's credit was taken off, and only with two
// messages that are unfinished.
func TestCodeCsn(t *testing.T) {
	o := codeOptions()
	o.SThr = unit.Threshold{Amount: unit.Amount{Bytes: 2 * full}}
	b := newBare(o)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 100 * mss})
	b.next(t, 0, kindRequest)
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Offset: 6 * full, Wire: 84})
	if b.next(t, 0, kindData).Flags&protocol.Congested != 0 {
		t.Error("csn with one message")
	}
	b.Submit(0, &protocol.HostMessage{Peer: 2, Bytes: 100 * mss})
	if b.next(t, 0, kindRequest).Flags&protocol.Congested != 0 {
		t.Error("csn in a request")
	}
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindQuery, Size: mss, Extra: uint32(6 * full), Wire: 84})
	b.next(t, 0, kindStatus)
	if p := b.next(t, 0, kindData); p.Flags&protocol.Resent == 0 || p.Flags&protocol.Congested != 0 {
		t.Errorf("packet %+v, want one that is sent again, without csn", p)
	}
	for n, want := range []bool{true, true, false, false} {
		if got := b.next(t, 0, kindData).Flags&protocol.Congested != 0; got != want {
			t.Errorf("packet %d with credit for %d left: csn is %v", n, 4-n, got)
		}
	}
}

// A message that ends with a packet is unfinished as it leaves.
func TestCodeCsnOfLastPacket(t *testing.T) {
	o := codeOptions()
	o.UnschT = unit.Threshold{}
	o.SThr = unit.Threshold{Amount: unit.Amount{Bytes: full}}
	b := newBare(o)
	for peer, size := range []unit.Bytes{mss, 100 * mss} {
		b.Submit(0, &protocol.HostMessage{Peer: int32(peer), Bytes: size})
		b.next(t, 0, kindRequest)
		b.Receive(0, &protocol.Packet{Peer: int32(peer), Kind: kindCredit, Offset: 5 * full, Wire: 84})
	}
	for n, want := range []bool{true, false} {
		if p := b.next(t, 0, kindData); p.Peer != int32(n) || p.Flags&protocol.Congested != 0 != want {
			t.Errorf("packet %d goes to %d, csn is %v, want %v", n, p.Peer, !want, want)
		}
	}
}

// What a sender gave itself counts towards SThr.
func TestCodeCsnOfOwnCredit(t *testing.T) {
	o := codeOptions()
	o.SThr = unit.Threshold{Amount: unit.Amount{Bytes: 17 * full}}
	b := newBare(o)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 10 * mss})
	b.Submit(0, &protocol.HostMessage{Peer: 2, Bytes: 10 * mss})
	for n, want := range []bool{true, true, false, false} {
		if got := b.next(t, 0, kindData).Flags&protocol.Congested != 0; got != want {
			t.Errorf("packet %d, which leaves credit for %d: csn is %v", n, 19-n, got)
		}
	}
}

// Every packet of a host counts, control packets too, and each signal for its own loop.
func TestCodeSignals(t *testing.T) {
	cut := 100*unit.KB + 23 - 4000 // by half of the gain
	for kind := kindData; kind <= kindAck; kind++ {
		for _, tt := range []struct {
			flags       protocol.PacketFlags
			sender, net unit.Bytes
		}{
			{0, 100 * unit.KB, 100 * unit.KB},
			{protocol.Congested, cut, 100 * unit.KB},
			{protocol.Marked, 100 * unit.KB, cut},
			{protocol.Congested | protocol.Marked, cut, cut},
		} {
			b := newBare(codeOptions())
			for range 65 {
				b.Receive(0, &protocol.Packet{Peer: 1, Kind: kind, Flags: tt.flags, Size: 100 * mss, Wire: 84})
			}
			if l := b.senders[1].loops; l.sender.bucket != tt.sender || l.net.bucket != tt.net || l.bucket != min(tt.sender, tt.net) {
				t.Errorf("kind %d with flags %b: the buckets are %v and %v, %v in all; want %v and %v", kind, tt.flags, l.sender.bucket, l.net.bucket, l.bucket, tt.sender, tt.net)
			}
		}
	}
}

// The loops run for every packet of a host, unmarked ones included, add with every
// packet, and cut at most once in one and a half windows.
func TestCodeLoops(t *testing.T) {
	c := newConfig(codeOptions(), testEnv(2))
	var l loops
	l.start(c)
	if l.sender.need != 65 || l.net.need != 65 {
		t.Fatalf("the first cut may come after %d packets, want 65", l.sender.need)
	}
	l.arrived(c, full, true, false, false) // alpha looks at the first packet alone
	if l.sender.alpha != 0.08 || l.net.alpha != 0 || l.need != 65 {
		t.Errorf("alpha is %v and %v, the next look after %d packets", l.sender.alpha, l.net.alpha, l.need)
	}
	for range 63 {
		l.arrived(c, full, true, false, false)
	}
	if l.sender.bucket != 100*unit.KB {
		t.Errorf("cut to %v before 65 packets", l.sender.bucket)
	}
	l.arrived(c, full, true, false, false)
	// 23 B are added to a full bucket with each packet, and half of alpha is cut.
	want := unit.Bytes(100000 + 23 - 0.04*100000)
	if l.sender.bucket != want || l.bucket != want || l.net.bucket != 100*unit.KB {
		t.Errorf("the buckets are %v, %v and %v, want %v and the ceiling", l.sender.bucket, l.bucket, l.net.bucket, want)
	}
	if l.sender.need != int(150000/1538) {
		t.Errorf("the next cut may come after %d packets, want 97", l.sender.need)
	}
	before := l.sender.bucket
	l.arrived(c, 84, false, false, false)
	if grown := l.sender.bucket - before; grown != full*full/before {
		t.Errorf("a packet added %v, want %v", grown, full*full/before)
	}
	// That was the second look at marks, at those of 65 packets since the first; and the
	// next one comes after as many packets as the bucket has now.
	if want := 0.92*0.08 + 0.08*64/65; math.Abs(l.sender.alpha-want) > 1e-12 || l.need != int(l.bucket/full) || l.need != 62 {
		t.Errorf("alpha is %v, want %v, and the next look after %d packets, want 62", l.sender.alpha, want, l.need)
	}
}

// Both loops go by the lesser bucket, for what a packet adds as it was before, and for how long
// they wait to cut again and to look at alpha.
func TestCodeLesserBucket(t *testing.T) {
	c := newConfig(codeOptions(), testEnv(2))
	var l loops
	l.start(c)
	l.sender.alpha, l.sender.packets, l.net.bucket, l.bucket, l.need = 1, 65, 90*unit.KB, 90*unit.KB, 1000
	l.arrived(c, full, true, false, false)
	if step := full * full / (90 * unit.KB); l.net.bucket != 90*unit.KB+step || l.sender.bucket != 50*unit.KB+step || l.bucket != l.sender.bucket {
		t.Errorf("the buckets are %v and %v, %v in all, want 50 and 90 KB, each with %v", l.sender.bucket, l.net.bucket, l.bucket, step)
	}
	if want := int(135 * unit.KB / full); l.sender.need != want {
		t.Errorf("the next cut may come after %d packets, want %d", l.sender.need, want)
	}
	for _, lesser := range []*loop{&l.sender, &l.net} {
		l.start(c)
		lesser.bucket, l.bucket = 50*unit.KB, 50*unit.KB
		if l.arrived(c, full, false, false, false); l.need != int(50*unit.KB/full) {
			t.Errorf("with buckets of %v and %v the next look is after %d packets, want 32", l.sender.bucket, l.net.bucket, l.need)
		}
	}
}

// What a packet adds is cut down to whole bytes, and so is a bucket that was cut.
func TestCodeTruncates(t *testing.T) {
	c := newConfig(codeOptions(), testEnv(2))
	var l loops
	l.start(c)
	l.sender.alpha, l.sender.packets, l.sender.bucket, l.bucket, l.need = 0.5, 65, 80001, 80001, 1000
	if l.arrived(c, full, true, false, false); l.sender.bucket != 60029 {
		t.Errorf("the bucket is %v, want 60029B, of 80001 and 29 (not 29.57) less 20000.25", l.sender.bucket)
	}
}

// With lift, data of the message that the sender prefers lifts the bucket to its ceiling until
// the sender's next packet, and leaves what both loops have.
func TestCodeLift(t *testing.T) {
	for _, c := range []struct {
		name    string
		lift    bool
		kind    uint8
		lifting bool
	}{
		{"preferred data", true, kindData, true},
		{"other data", false, kindData, false},
		{"a request that asks", true, kindRequest, false},
	} {
		b := newBare(codeOptions())
		b.request(0, 1, 0, 100*mss)
		l := &b.senders[1].loops
		l.sender.bucket, l.net.bucket, l.bucket = 4*full, 6*full, 4*full
		p := data(1, 0, 100*mss, 0)
		p.Kind = c.kind
		if c.lift {
			p.Flags |= protocol.Own1
		}
		b.Receive(0, p)
		least := min(l.net.bucket, l.sender.bucket)
		const floors = 11 * unit.KB // near which both begin
		if least > floors || l.net.bucket > floors {
			t.Errorf("%s: the loops have %v and %v", c.name, l.sender.bucket, l.net.bucket)
		}
		if want := map[bool]unit.Bytes{true: b.bucket, false: least}[c.lifting]; l.bucket != want {
			t.Errorf("%s: the bucket is %v, want %v", c.name, l.bucket, want)
		}
		b.Receive(0, data(1, 0, 100*mss, mss))
		if l.bucket > floors {
			t.Errorf("%s: the bucket is %v after other data", c.name, l.bucket)
		}
	}
}

// Only the receiver of the shortest message gets packets that say so, and none does
// without the option.
func TestCodePreferred(t *testing.T) {
	for _, lift := range []bool{false, true} {
		o := codeOptions()
		o.Lift = lift
		b := newBare(o)
		for peer := range int32(3) {
			b.Submit(0, &protocol.HostMessage{Peer: peer, Bytes: 1000 * mss * unit.Bytes(3-peer)})
			b.next(t, 0, kindRequest)
		}
		for peer := range int32(3) {
			b.Receive(0, &protocol.Packet{Peer: peer, Kind: kindCredit, Offset: 1000 * full, Wire: 84})
		}
		marked := [3]int{}
		for n := range 20 {
			p := b.next(t, slow(n), kindData)
			if p.Flags&protocol.Own1 != 0 {
				marked[p.Peer]++
			}
		}
		if marked[0]+marked[1] > 0 || (marked[2] > 0) != lift {
			t.Errorf("lift %t: %v packets are of the preferred message", lift, marked)
		}
	}
}
