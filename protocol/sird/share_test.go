package sird

import (
	"testing"

	"weft/protocol"
	"weft/unit"
)

// These tests hold the sender's sharing of its uplink (§4.4) to what the public simulator does with
// receivers that cannot always be sent to.

// wireTime is that of a full packet.
const wireTime = 123040 * unit.Picosecond

// three returns a host with a message to each of three receivers, the one to host 2 the shortest,
// and credit for a packet from each.
func three(t *testing.T, o Options) *bare {
	t.Helper()
	b := newBare(o)
	for peer := range int32(3) {
		b.Submit(0, &protocol.HostMessage{Peer: peer, Bytes: 1000 * mss * unit.Bytes(3-peer)})
		b.next(t, 0, kindRequest)
	}
	for peer := range int32(3) {
		b.credit(wireTime, peer, 1)
	}
	return b
}

// credit is a CREDIT of a peer with which it has granted so many packets in all.
func (b *bare) credit(now unit.Time, peer int32, packets int) {
	b.Receive(now, &protocol.Packet{Peer: peer, Kind: kindCredit, Offset: unit.Bytes(packets) * full, Wire: 84})
}

// A receiver without credit keeps what its share has saved until the wire is next free: with
// nsdi25. With paper it does not. Of two rounds host 2 is paid 2/3 of a packet each, 4/3 in all.
func TestSavedShare(t *testing.T) {
	const saved = 2*(one/6+one/2) - one
	for name, tt := range map[string]struct {
		preset string
		do     func(b *bare)
		want   int64
	}{
		"credit before the wire is free": {NSDI25, func(b *bare) { b.credit(2*wireTime-1, 2, 2) }, saved},
		"credit as the wire is free":     {NSDI25, func(b *bare) { b.credit(2*wireTime, 2, 2) }, saved},
		"credit after the wire was free": {NSDI25, func(b *bare) { b.credit(2*wireTime+1, 2, 2) }, 0},
		"another was sent to": {NSDI25, func(b *bare) {
			b.next(t, 2*wireTime, kindData)
			b.credit(2*wireTime, 2, 2)
		}, 0},
		"paper": {Paper, func(b *bare) { b.credit(2*wireTime-1, 2, 2) }, 0},
	} {
		o := testOptions()
		o.Preset = tt.preset
		b := three(t, o)
		if p := b.next(t, wireTime, kindData); p.Peer != 2 || b.receivers[2].place >= 0 {
			t.Fatalf("%s: the packet is for host %d, want 2, which then has no credit", name, p.Peer)
		}
		tt.do(b)
		if r := b.receivers[2]; r.deficit != tt.want || r.place < 0 {
			t.Errorf("%s: host 2 has saved %d, want %d", name, r.deficit, tt.want)
		}
	}
}

// Receivers that grant a packet each time that one was sent, before the wire is free, get the
// same shares as those that grant long before: of three 1/6 each and the preferred one 1/2 more.
func TestSharesWithLittleCredit(t *testing.T) {
	b := three(t, codeOptions())
	var got [3]int
	for n := range unit.Time(300) {
		p := b.next(t, (n+1)*wireTime, kindData)
		got[p.Peer]++
		b.credit((n+1)*wireTime+wireTime/2, p.Peer, got[p.Peer]+1)
	}
	for i, want := range [3]int{50, 50, 200} {
		if d := got[i] - want; d < -3 || d > 3 {
			t.Fatalf("packets %v, want 50, 50 and 200", got)
		}
	}
}

// A round pays 1/(2n) of a packet to each of n receivers and half a packet more to the preferred
// one, and rounds are repeated until one has a packet's worth: of two, with host 1 preferred, three
// of four packets are its. Where both have as much, the preferred one sends.
func TestRounds(t *testing.T) {
	b := newBare(codeOptions())
	for peer := range int32(2) {
		b.Submit(0, &protocol.HostMessage{Peer: peer, Bytes: 1000 * mss * unit.Bytes(2-peer)})
		b.next(t, 0, kindRequest)
		b.credit(0, peer, 1000)
	}
	for n, want := range []struct {
		peer  int32
		saved [2]int64
	}{
		{1, [2]int64{one / 2, one / 2}}, // two rounds
		{1, [2]int64{3 * one / 4, one / 4}},
		{1, [2]int64{one, 0}},
		{0, [2]int64{one / 4, 3 * one / 4}},
		{1, [2]int64{one / 2, one / 2}},
	} {
		p := b.next(t, unit.Time(n+1)*wireTime, kindData)
		saved := [2]int64{b.receivers[0].deficit, b.receivers[1].deficit}
		if p.Peer != want.peer || saved != want.saved {
			t.Errorf("packet %d: to host %d, and then %v are saved; want host %d, and %v", n, p.Peer, saved, want.peer, want.saved)
		}
	}
}
