package sird

import (
	"testing"

	"weft/protocol"
	"weft/unit"
)

// bookOptions schedule every message and never mark.
func bookOptions(preset string) Options {
	o := testOptions()
	o.Preset, o.UnschT, o.SThr = preset, unit.Threshold{}, unit.Threshold{Inf: true}
	o.Silence = 50 * unit.Microsecond
	return o
}

// TestLastCreditLost loses the credit for the end of a message, which goes on the credit of
// another. Everything arrives, on less credit than it takes (Algorithm 2, line 5), and the
// sender must learn of the rest though nothing is missing.
func TestLastCreditLost(t *testing.T) {
	for _, lostDone := range []int{0, 3} {
		o := bookOptions(Paper)
		l := newNet(t, o, 2, testEnv(2))
		credits, dones, asked := 0, 0, 0
		l.Fate = func(_ int32, p *protocol.Packet) []unit.Time {
			switch p.Kind {
			case kindCredit:
				if credits++; p.Amount == 115 {
					return nil
				}
			case kindDone:
				if dones++; dones <= lostDone {
					return nil
				}
			case kindRequest:
				asked++
			}
			return []unit.Time{0}
		}
		l.Send(0, 1, 20*mss, 0)
		l.Run(4 * unit.Microsecond) // so that all of it is granted before the next comes
		l.Send(0, 1, 35, 0)         // for 115 B of credit
		l.Run(9 * unit.Microsecond)
		if got := l.hosts[0].held; got != -115 {
			t.Fatalf("%v of credit is held when all is sent, want -115B", got)
		}
		if l.Run(unit.Second) {
			t.Fatal("something goes on for ever")
		}
		if credits != 21 {
			t.Fatalf("%d credits were sent, want 21", credits)
		}
		if err := l.Settled(); err != nil {
			t.Errorf("with %d confirmations lost: %v", lostDone, err)
		}
	}
}

// TestDebtAsked delivers a message before it was granted in full, and loses the credit that
// follows: the sender asks for it.
func TestDebtAsked(t *testing.T) {
	o := bookOptions(Paper)
	b := newBare(o)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: mss, Group: 2})
	b.next(t, 0, kindRequest)
	credit := func(at unit.Time, kind uint8, total unit.Bytes) {
		b.Receive(at, &protocol.Packet{Peer: 1, Kind: kind, Offset: total, Wire: 84})
	}
	credit(0, kindCredit, 84)
	b.next(t, 0, kindData)
	credit(slow(1), kindDone, 84)
	if got := b.receivers[1].credit; got != 84-full {
		t.Fatalf("c_1 is %v, want %v", got, 84-full)
	}
	at := slow(1) + 2*o.Silence
	b.Expire(at)
	if p := b.next(t, at, kindRequest); p.Peer != 1 || p.Message != 0 || p.Group != 2 {
		t.Errorf("asked by %+v, want a request about message 0", p)
	}
	credit(at, kindDone, full)
	if b.receivers[1].credit != 0 || b.held != 0 {
		t.Errorf("c_1 is %v and the sum %v after the answer", b.receivers[1].credit, b.held)
	}
	b.Expire(at + 100*o.Silence)
	if at, ok := b.Deadline(); ok {
		t.Errorf("something is to be looked at at %v though all is settled", at)
	}

	// A receiver that says nothing is not asked for ever.
	b = newBare(o)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: mss})
	b.next(t, 0, kindRequest)
	credit(0, kindCredit, 84)
	b.next(t, 0, kindData)
	credit(0, kindDone, 84)
	n := 0
	for {
		at, ok := b.Deadline()
		if !ok {
			break
		}
		b.Expire(at)
		for p := (protocol.Packet{}); b.Next(at, &p); p = (protocol.Packet{}) {
			if n++; n > 100 {
				t.Fatal("asks for ever")
			}
		}
	}
	if n != mostDelays {
		t.Errorf("asked %d times, want %d", n, mostDelays)
	}
}

// TestDoneBeforeCredit confirms a message while the credit for another is in flight: the
// confirmation makes good for what was spent only, and the rest comes with its CREDIT.
func TestDoneBeforeCredit(t *testing.T) {
	b := newBare(bookOptions(Paper))
	for range 2 {
		b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: mss})
		b.next(t, 0, kindRequest)
	}
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Offset: full, Wire: 84})
	b.next(t, 0, kindData)
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindDone, Offset: 2 * full, Wire: 84})
	b.none(t, 0)
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Message: 1, Offset: 2 * full, Wire: 84})
	b.next(t, 0, kindData)
}

// TestOverspent lets a sender spend the credit for the end of one message on a full packet
// of another, which then comes before it was granted: with the paper's rule the receiver
// has less than nothing outstanding for a while, and the books still hold.
func TestOverspent(t *testing.T) {
	o := bookOptions(Paper)
	o.B = unit.Amount{Bytes: full + 84}
	b := newBare(o)
	b.request(0, 1, 0, mss+4)
	b.next(t, slow(0), kindCredit)
	b.next(t, slow(1), kindCredit)
	b.request(slow(2), 1, 1, mss)
	b.Receive(slow(3), data(1, 1, mss, 0))
	b.Receive(slow(3), data(1, 0, mss+4, 0))
	if got := b.senders[1].used; got != 84-full {
		t.Fatalf("sb_1 is %v, want %v", got, 84-full)
	}
	if err := b.Check(); err != nil {
		t.Error(err)
	}
	b.next(t, slow(4), kindDone)
	b.next(t, slow(4), kindCredit)
	b.Receive(slow(5), data(1, 0, mss+4, mss))
	if err := b.Check(); err != nil || b.used != 0 {
		t.Errorf("b is %v at the end, error %v", b.used, err)
	}
}

// TestSyncedByData calls credit in while two messages are under way, and lets data of the
// one come before what tells how far it was sent: data tells as well, so that what it
// returned of the other's credit is granted again.
func TestSyncedByData(t *testing.T) {
	for _, preset := range []string{Paper, NSDI25} {
		o := bookOptions(preset)
		b := newBare(o)
		const size = 10 * mss
		b.request(0, 1, 0, size)
		b.request(0, 1, 1, size+mss)
		b.next(t, slow(0), kindCredit)
		at := 10 * o.Silence
		b.Expire(at)
		s := b.senders[1]
		if s.generation != 1 || b.used != 0 {
			t.Fatalf("%s: generation %d, b is %v", preset, s.generation, b.used)
		}
		b.Receive(at, &protocol.Packet{Peer: 1, Kind: kindStatus, Message: 1, Number: 1, Wire: 84})
		for b.used == 0 {
			var p protocol.Packet
			b.Next(at, &p)
		}
		// The sender spends that credit on message 0, of which a packet was sent before.
		p := data(1, 0, size, mss)
		p.Number, p.Extra = 1, 1
		b.Receive(at+slow(1), p)
		m := &b.inbox[s.Find(0)]
		if m.unsynced || m.boundary != mss || m.granted != mss {
			t.Errorf("%s: message 0 is sent up to %v and granted up to %v, want 1 packet", preset, m.boundary, m.granted)
		}
		if b.used != 0 {
			t.Errorf("%s: b is %v", preset, b.used)
		}
	}
}

// TestStatusOfItsGeneration calls credit in again between a query and its answer: the
// answer tells the boundary of the generation that it names.
func TestStatusOfItsGeneration(t *testing.T) {
	o := bookOptions(Paper)
	b := newBare(o)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 10 * mss})
	b.next(t, 0, kindRequest)
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Offset: full, Wire: 84})
	b.next(t, 0, kindData)
	b.Receive(slow(1), &protocol.Packet{Peer: 1, Kind: kindQuery, Number: 1, Size: mss, Wire: 84})
	b.Receive(slow(1), &protocol.Packet{Peer: 1, Kind: kindCredit, Number: 1, Offset: full, Wire: 84})
	b.outbox[0].sent = 3 * mss
	b.Receive(slow(1), &protocol.Packet{Peer: 1, Kind: kindCredit, Number: 2, Wire: 84})
	if p := b.next(t, slow(1), kindStatus); p.Number != 2 || p.Offset != 3*mss {
		t.Errorf("status of generation %d: sent up to %v; want %v in generation 2", p.Number, p.Offset, 3*mss)
	}
}

// TestReturnedBeforeCharged lets a message of the simulator's way spend what its sender
// gave itself for another, of which nothing has come yet: less than nothing is outstanding
// until it comes.
func TestReturnedBeforeCharged(t *testing.T) {
	o := testOptions()
	o.Preset = NSDI25
	b := newBare(o)
	packet := func(number uint32, offset, prefix unit.Bytes) {
		p := data(1, number, 2*mss, offset)
		p.Amount = prefix
		b.Receive(0, p)
		if err := b.Check(); err != nil {
			t.Error(err)
		}
	}
	packet(1, 0, mss)
	packet(1, mss, mss)
	if b.used != -full {
		t.Fatalf("b is %v, want %v", b.used, -full)
	}
	packet(0, 0, 2*mss)
	if b.used != 0 {
		t.Errorf("b is %v after the other message came, want 0", b.used)
	}
}

// TestForfeit lets a sender hear from each kind of packet that its credit was called in:
// it keeps none of the old generation, and what it had not sent of its own accord is to be
// granted, which data tells a receiver that hears of the message only then.
func TestForfeit(t *testing.T) {
	for _, kind := range []uint8{kindCredit, kindQuery} {
		o := testOptions()
		o.Preset = NSDI25
		b := newBare(o)
		b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 10 * mss})
		for range 3 {
			b.next(t, 0, kindData)
		}
		if b.held != 7*full {
			t.Fatalf("%v held, want what the sender gave itself for 7 packets", b.held)
		}
		// One credit was granted in the new generation; a query repeats the total.
		p := &protocol.Packet{Peer: 1, Kind: kind, Number: 1, Offset: full, Wire: 84}
		if kind == kindQuery {
			p.Offset, p.Extra = 0, uint32(full)
		}
		b.Receive(slow(1), p)
		if r := b.receivers[1]; r.credit != full || b.held != full {
			t.Errorf("kind %d: c_1 is %v and the sum %v, want the new credit only, %v", kind, r.credit, b.held, full)
		}
		if kind == kindQuery {
			b.next(t, slow(1), kindStatus)
		}
		got := b.next(t, slow(1), kindData)
		if got.Number != 1 || got.Extra != 3 || got.Offset != 3*mss || got.Amount != 3*mss {
			t.Errorf("kind %d: %+v, want the fourth packet in generation 1, which began after three, all that is unscheduled", kind, got)
		}
		b.none(t, slow(1))

		other := newBare(o)
		s := other.sender(0)
		s.generation, s.granted = 1, uint32(full)
		other.charge(s, full)
		got.Peer = 0
		other.Receive(slow(2), &got)
		if m := other.inbox[s.Find(0)]; other.used != 0 || m.granted != 3*mss {
			t.Errorf("kind %d: b is %v and %v are granted, want 0 and three packets", kind, other.used, m.granted)
		}
		if charged := other.unscheduledFrom()[0]; charged != 0 {
			t.Errorf("kind %d: %v is charged for unscheduled data of the old generation", kind, charged)
		}
	}
}
