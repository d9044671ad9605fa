package sird

import (
	"testing"

	"weft/protocol"
	"weft/unit"
)

// TestAsksEverLess lets a sender ask for a message of which it never hears: the time between
// requests doubles up to a bound, and never begins anew.
func TestAsksEverLess(t *testing.T) {
	b := newBare(testOptions())
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 200 * mss})
	b.next(t, 0, kindRequest)
	last, gap := unit.Time(0), unit.Time(0)
	for asked := 0; asked < 300; {
		at, ok := b.Deadline()
		if !ok {
			t.Fatal("a sender with a message that is not confirmed waits for nothing")
		}
		b.Expire(at)
		var p protocol.Packet
		if !b.Next(at, &p) {
			continue
		}
		if !asks(&p) || p.Peer != 1 || p.Message != 0 {
			t.Fatalf("at %v: %+v, want a request that asks for the message", at, p)
		}
		asked++
		if at-last < gap {
			t.Fatalf("request %d comes %v after the one before, which came %v after its own", asked, at-last, gap)
		}
		last, gap = at, at-last
	}
	if most := 2 * b.silence << mostDelays; gap < most || gap > most+b.silence/2 {
		t.Errorf("in the end requests are %v apart, want %v", gap, most)
	}
}

// A message of which nothing was sent when credit is called in announces itself: with nsdi25,
// whose prefix is forfeited, too.
func TestUnsentMessagesAreAnnounced(t *testing.T) {
	for _, preset := range []string{Paper, NSDI25} {
		o := testOptions()
		o.Preset = preset
		b := newBare(o)
		b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 20 * mss})
		b.Receive(1, &protocol.Packet{Peer: 1, Kind: kindCredit, Number: 1, Message: 7, Wire: 84})
		var p protocol.Packet
		if !b.Next(1, &p) || p.Size != 20*mss {
			t.Errorf("%s: %+v goes first", preset, p)
		}
	}
}
