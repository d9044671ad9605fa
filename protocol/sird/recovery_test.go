package sird

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/protocol"
	"weft/protocol/hosttest"
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

// TestReclaim loses a packet of three, of which the last is not sent yet when the receiver
// asks: the credit of the lost one is free again when the sender has said how far it is (or
// with the copy), that of the one it holds is not, and no packet returns credit twice.
func TestReclaim(t *testing.T) {
	yes := true
	for _, c := range []struct {
		preset  string
		reclaim *bool
		atOnce  bool
	}{{Paper, nil, true}, {NSDI25, nil, false}, {Paper, new(bool), false}, {NSDI25, &yes, true}} {
		name := fmt.Sprintf("%s, %v", c.preset, c.atOnce)
		o := bookOptions(c.preset)
		o.Reclaim = c.reclaim
		b := newBare(o)
		used := func(when string, packets int) {
			t.Helper()
			if want := unit.Bytes(packets) * full; b.used != want || b.senders[1].used != want {
				t.Errorf("%s, %s: b is %v and sb_1 %v, want %v", name, when, b.used, b.senders[1].used, want)
			}
			if err := b.Check(); err != nil {
				t.Errorf("%s, %s: %v", name, when, err)
			}
		}
		b.request(0, 1, 0, 3*mss)
		for i := range 3 {
			b.next(t, slow(i), kindCredit)
		}
		b.Receive(slow(3), data(1, 0, 3*mss, 0))
		used("granted and one come", 2)

		at := slow(3) + o.Silence
		b.Expire(at)
		b.next(t, at, kindQuery)
		b.Receive(at, &protocol.Packet{Peer: 1, Kind: kindStatus, Message: 0, Amount: 2 * mss, Wire: 84})
		left := 2
		if c.atOnce {
			left = 1
		}
		used("the second is known to be lost", left)
		b.Receive(at, &protocol.Packet{Peer: 1, Kind: kindStatus, Message: 0, Amount: 2 * mss, Wire: 84})
		used("told twice", left)
		b.Receive(at, &protocol.Packet{Peer: 1, Kind: kindStatus, Message: 0, Amount: mss, Wire: 84})
		used("told late", left)

		again := data(1, 0, 3*mss, mss)
		again.Flags |= protocol.Resent
		b.Receive(at+1, again)
		used("the copy has come", 1)
		b.Receive(at+2, data(1, 0, 3*mss, mss))
		used("the packet was only late", 1)
		b.Receive(at+3, data(1, 0, 3*mss, 2*mss))
		used("all has come", 0)
	}
}

// TestPatience is as long as a sender may be silent before its credit is called in.
func TestPatience(t *testing.T) {
	for _, tt := range []struct {
		early unit.Time
		want  unit.Bytes
	}{{1, full}, {0, 0}} {
		b := newBare(testOptions())
		b.request(0, 1, 0, 100*mss)
		b.next(t, 0, kindCredit)
		b.Expire(4*b.silence - tt.early)
		if b.used != tt.want {
			t.Errorf("%v before four silences %v of credit is outstanding, want %v", tt.early, b.used, tt.want)
		}
	}
}

// TestStatusTellsWhatWasSent asks a sender that has sent two of four packets.
func TestStatusTellsWhatWasSent(t *testing.T) {
	b := newBare(bookOptions(Paper))
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 4 * mss})
	b.next(t, 0, kindRequest)
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Offset: 2 * full, Wire: 84})
	b.next(t, 0, kindData)
	b.next(t, 0, kindData)
	b.Receive(slow(1), &protocol.Packet{Peer: 1, Kind: kindQuery, Size: mss, Extra: uint32(2 * full), Wire: 84})
	if p := b.next(t, slow(1), kindStatus); p.Amount != 2*mss || p.Offset != 0 {
		t.Errorf("sent up to %v and %v when credit was called in, want %v and 0B", p.Amount, p.Offset, 2*mss)
	}
}

// TestSpentElsewhere lets a sender spend the credit of one message on another, whose packets
// are lost: what is outstanding comes back though neither host is silent and no packet is
// missed that was granted.
func TestSpentElsewhere(t *testing.T) {
	for _, preset := range []string{Paper, NSDI25} {
		o := bookOptions(preset)
		o.SenderBucket = unit.Amount{Bytes: 3 * full}
		b := newBare(o)
		b.request(0, 1, 0, 3*mss)
		b.request(0, 1, 1, 4*mss)
		for i := range 3 {
			b.next(t, slow(i), kindCredit)
		}
		s := b.senders[1]
		status := func(at unit.Time, held unit.Bytes, seen uint32) {
			t.Helper()
			b.Receive(at, &protocol.Packet{Peer: 1, Kind: kindStatus, Number: s.generation, Size: held, Extra: seen, Wire: 84})
			if err := b.Check(); err != nil {
				t.Error(err)
			}
		}
		still := func(when string) {
			t.Helper()
			if s.generation != 0 || s.used != 3*full {
				t.Fatalf("%s, %s: generation %d, %v outstanding", preset, when, s.generation, s.used)
			}
		}
		at := slow(3) + o.Silence
		status(at, 3*full, uint32(3*full))
		status(at+2*o.Silence, full, uint32(full))
		still("it holds all that it has not yet to see")
		at += 3 * o.Silence
		status(at, 0, uint32(3*full))
		status(at+o.Silence-1, 0, uint32(3*full))
		still("packets may be under way")
		b.Receive(at+o.Silence, data(1, 1, 4*mss, 3*mss)) // of the other message, which was spent on
		at += o.Silence
		if s.used != 2*full {
			t.Fatalf("%s: %v outstanding, want %v", preset, s.used, 2*full)
		}
		status(at, 0, uint32(3*full))
		status(at+o.Silence-1, 0, uint32(3*full))
		if s.generation != 0 {
			t.Fatalf("%s: called in though data has just come", preset)
		}
		status(at+o.Silence, 0, uint32(3*full))
		if s.generation != 1 || s.used != 0 || s.dead {
			t.Errorf("%s: generation %d, %v outstanding, dead: %v", preset, s.generation, s.used, s.dead)
		}
	}
}

// TestSmallSenderBuckets loses packets of messages between two hosts that share credit for two
// packets: a message's credit is spent on others all the time.
func TestSmallSenderBuckets(t *testing.T) {
	for _, reclaim := range []bool{false, true} {
		for _, policy := range []string{"srpt", "classes", "round-robin"} {
			for seed := range uint64(5) {
				o := testOptions()
				o.Policy, o.FairShare, o.SThr, o.Reclaim = policy, 1, unit.Threshold{Inf: true}, &reclaim
				o.UnschT = unit.Threshold{Amount: unit.Amount{Bytes: mss}}
				o.SenderBucket, o.Silence = unit.Amount{Bytes: 2 * full}, unit.Millisecond
				n := newNet(t, o, 2, testEnv(2))
				rng := rand.New(rand.NewPCG(seed, 0))
				n.Fate = hosttest.Chance(rng, 0.01, 0, 3*unit.Microsecond)
				for range 38 {
					n.Run(n.Now + unit.Time(rng.IntN(int(unit.Microsecond))))
					n.Send(1, 0, 102060, uint8(rng.IntN(3)))
				}
				n.Run(unit.Second)
				if err := n.Settled(); err != nil {
					t.Errorf("%s, reclaim %v, seed %d: %v", policy, reclaim, seed, err)
				}
			}
		}
	}
}
