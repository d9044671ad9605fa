package phost

import (
	"testing"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/protocol/internal/tokens"
	"weft/unit"
)

// These tests follow the rules of pHost one by one, with a BDP of 65 packets.

const (
	mss    = unit.Bytes(1460)
	packet = 123040 * unit.Picosecond // of 1538 B
	gap    = 129760 * unit.Picosecond // and a token of 84 B
	life   = 184560 * unit.Picosecond
)

// only lets no message have free tokens.
func only(o *Options) { o.Free = unit.Amount{} }

// Free tokens: a message begins with a BDP of packets; or with those only that need no more.
func TestFreeTokens(t *testing.T) {
	for _, freeFor := range []string{all, short} {
		b := newBare(t, func(o *Options) { o.FreeFor = freeFor })
		for peer, packets := range []unit.Bytes{64, 65, 66} {
			b.Submit(0, &protocol.HostMessage{Peer: int32(peer), Bytes: packets * mss})
		}
		var sent [3]int
		for _, p := range b.all(tokens.Data) {
			sent[p.Peer]++
			if p.Amount*mss != p.Offset || p.Wire != 1538 || int(p.Class) != 1+int(p.Size/(66*mss)) {
				t.Fatalf("packet %+v", p)
			}
		}
		want := [3]int{64, 65, 65}
		if freeFor == short {
			want[2] = 0
		}
		if sent != want {
			t.Errorf("free for %s: %v packets were sent, want %v", freeFor, sent, want)
		}
	}
}

// Free tokens are void when the packets could have gone, and 1.5 packet times more.
func TestFreeTokensVoid(t *testing.T) {
	for _, late := range []unit.Time{0, 1} {
		b := newBare(t, nil)
		b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 10 * mss})
		b.Now = 10*packet + life + late
		if n := len(b.all(tokens.Data)); n != 10*int(1-late) {
			t.Errorf("at %v: %d packets", b.Now, n)
		}
	}
}

// RTS: every message is announced, before its data, in the first class.
func TestNotice(t *testing.T) {
	b := newBare(t, nil)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Tag: 5, Bytes: 7})
	var p protocol.Packet
	if !b.Next(0, &p) || p.Kind != tokens.Notice || p.Size != 7 || p.Tag != 5 || p.Class != 0 || p.Wire != 84 {
		t.Errorf("RTS %+v", p)
	}
}

// A sender repeats the RTS of a message that it hears nothing of, after twice the time each.
func TestNoticeAgain(t *testing.T) {
	b := newBare(t, nil)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 7})
	b.all(tokens.Data)
	for _, at := range []unit.Time{unit.Millisecond, 3 * unit.Millisecond, 7 * unit.Millisecond} {
		b.until(at - 1)
		b.Expire(at)
		if list := b.all(tokens.Notice); len(list) != 1 || list[0].Flags&protocol.Resent == 0 {
			t.Errorf("at %v: RTS %+v", at, list)
		}
	}
	b.Receive(b.Now, &protocol.Packet{Peer: 1, Kind: tokens.Done})
	b.until(unit.Second)
	if at, ok := b.Deadline(); ok {
		t.Errorf("all is done, and the host waits until %v", at)
	}
}

// Sender: of the messages with tokens the one with the fewest bytes left goes first.
func TestSenderOrder(t *testing.T) {
	b := newBare(t, only)
	for peer, packets := range []unit.Bytes{0, 300, 100, 200} {
		if packets > 0 {
			b.Submit(0, &protocol.HostMessage{Peer: int32(peer), Bytes: packets * mss})
		}
	}
	for peer := int32(1); peer <= 3; peer++ {
		b.Receive(0, &protocol.Packet{Peer: peer, Kind: tokens.Token, Offset: 3 * mss, Amount: 3})
	}
	list := b.all(tokens.Data)
	if len(list) != 3 || list[0].Peer != 2 || list[1].Peer != 3 || list[2].Peer != 1 || list[0].Offset != 3*mss || list[0].Amount != 3 {
		t.Errorf("packets %+v", list)
	}
}

// Tokens are void 1.5 packet times after they came.
func TestTokensVoid(t *testing.T) {
	for _, late := range []unit.Time{0, 1} {
		b := newBare(t, only)
		b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: mss})
		b.Receive(unit.Microsecond, &protocol.Packet{Peer: 1, Kind: tokens.Token})
		// It is the first that the host hears of this time.
		if n := len(hosttest.Drain(t, b.host, unit.Microsecond+life+late, tokens.Data)); n != int(1-late) {
			t.Errorf("%d packets, %v late", n, late)
		}
	}
}

// Receiver: a token each packet time, to the message with the fewest bytes left.
func TestTokens(t *testing.T) {
	b := newBare(t, only)
	b.announce(1, 0, 500)
	b.announce(2, 0, 3)
	for i, peer := range []int32{1, 2, 2, 2, 1} {
		now := unit.Time(i) * gap
		b.Now = max(b.Now, now)
		list := b.until(now)
		if i == 0 { // the first token goes when there is only one message
			if len(list) != 1 || list[0].Peer != 1 {
				t.Fatalf("tokens %+v", list)
			}
			continue
		}
		if len(list) != 1 || list[0].Peer != peer {
			t.Fatalf("token %d: %+v, want one for host %d", i, list, peer)
		}
	}
}

// Receiver: tokens for free ones are held back.
func TestHeldBack(t *testing.T) {
	b := newBare(t, nil)
	b.announce(1, 0, 20)
	b.data(2, 0, 500, 0, 0)
	if list := b.until(85*gap - 1); len(list) > 0 {
		t.Errorf("%d tokens while free ones are used", len(list))
	}
	if list := b.until(85 * gap); len(list) != 1 || list[0].Peer != 2 || list[0].Offset != 65*mss || list[0].Amount != 65 {
		t.Errorf("tokens %+v", list)
	}
}

// Downgrading: a sender with a BDP of tokens without an answer has no more for 25/8 of a BDP,
// so that others have them, or until data comes.
func TestDowngrade(t *testing.T) {
	b := newBare(t, only)
	b.announce(1, 0, 100)
	b.announce(2, 0, 500)
	count := func(list []protocol.Packet) (n [3]int) {
		for _, p := range list {
			n[p.Peer]++
		}
		return n
	}
	if n := count(b.until(100 * gap)); n != [3]int{0, 65, 36} {
		t.Fatalf("tokens %v, want 65 for the shortest and 36 for the other", n)
	}
	b.until(129 * gap) // now both are downgraded
	last := 64 * gap
	if list := b.until(last + 25*unit.Microsecond - 1); len(list) > 0 {
		t.Fatalf("%d tokens too early", len(list))
	}
	if n := count(b.until(last + 25*unit.Microsecond)); n != [3]int{0, 1, 0} {
		t.Errorf("tokens %v after the time", n)
	}
	b.data(2, 0, 500, 9, 9)
	if n := count(b.until(b.Now + 3*gap)); n != [3]int{0, 0, 3} {
		t.Errorf("tokens %v after data of the other came", n)
	}
}

// When all packets have had a token, what is missing has one again 9/8 of a BDP later.
func TestPass(t *testing.T) {
	b := newBare(t, only)
	b.announce(1, 0, 10)
	b.until(9 * gap)
	for i := range unit.Bytes(10) {
		if i != 2 && i != 7 {
			b.data(1, 0, 10, i, uint32(i))
		}
	}
	if list := b.until(9*gap + 9*unit.Microsecond - 1); len(list) != 0 {
		t.Fatalf("%d tokens too early", len(list))
	}
	list := b.until(9*gap + 9*unit.Microsecond + gap)
	if len(list) != 2 || list[0].Offset != 2*mss || list[1].Offset != 7*mss || list[0].Amount != 10 {
		t.Errorf("tokens %+v", list)
	}
	b.data(1, 0, 10, 2, 10)
	b.data(1, 0, 10, 7, 11)
	if list := b.all(tokens.Done); len(list) != 1 || len(b.out.Events) != 1 {
		t.Errorf("confirmations %+v, events %+v", list, b.out.Events)
	}
	b.until(unit.Second)
	if at, ok := b.Deadline(); ok {
		t.Errorf("all is done, and the host waits until %v", at)
	}
}

// Copies change nothing, and a message that is announced again is confirmed again.
func TestCopies(t *testing.T) {
	b := newBare(t, nil)
	b.data(1, 0, 1, 0, 0)
	b.all(tokens.Done)
	for _, p := range []protocol.Packet{
		{Peer: 1, Kind: tokens.Data, Size: mss, Payload: mss},
		{Peer: 1, Kind: tokens.Notice, Size: mss},
	} {
		if fresh := b.Receive(0, &p); fresh != 0 || len(b.all(tokens.Done)) != 0 {
			t.Errorf("%v of a copy is new, or it is confirmed", fresh)
		}
	}
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: tokens.Notice, Size: mss, Flags: protocol.Resent})
	if list := b.all(tokens.Done); len(list) != 1 {
		t.Errorf("confirmations %+v", list)
	}
	// What makes no sense is dropped.
	for _, p := range []protocol.Packet{
		{Peer: 2, Kind: tokens.Notice},
		{Peer: 2, Kind: tokens.Data, Message: 1 << 30, Size: mss, Payload: mss},
		{Peer: 2, Kind: tokens.Data, Size: 9 * mss, Offset: 5, Payload: mss},
		{Peer: 2, Kind: tokens.Data, Size: 9 * mss, Offset: -mss, Payload: mss},
		{Peer: 2, Kind: tokens.Data, Size: 9 * mss, Offset: 9 * mss, Payload: mss},
		{Peer: 2, Kind: tokens.Data, Size: 9 * mss, Payload: 7},
		{Peer: 2, Kind: tokens.Data, Size: 9 * mss, Payload: mss, Flags: protocol.WasTrimmed},
		{Peer: 2, Kind: tokens.Token, Offset: mss},
		{Peer: 2, Kind: tokens.Done},
		{Peer: 2, Kind: 15},
	} {
		if fresh := b.Receive(0, &p); fresh != 0 {
			t.Errorf("%v of %+v is new", fresh, p)
		}
		b.check()
	}
}
