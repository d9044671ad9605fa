package sird

import (
	"testing"

	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// These tests are about what hosts keep of messages when something is lost: each line of it has
// a case here that sees it.

// queries lets a host look for silence up to a time, and returns when it asked for what.
func (b *bare) queries(until unit.Time) (at []unit.Time, list []protocol.Packet) {
	for due, ok := b.Deadline(); ok && due <= until; due, ok = b.Deadline() {
		b.Expire(due)
		for p := (protocol.Packet{}); b.Next(due, &p); p = (protocol.Packet{}) {
			if p.Kind == kindQuery {
				at, list = append(at, due), append(list, p)
			}
		}
	}
	return at, list
}

// TestQueriesEverLess has a sender that speaks, but sends nothing of its message: it is asked a
// silence after the credit, then after twice as long each time up to a bound, and after a
// silence again once something has come.
func TestQueriesEverLess(t *testing.T) {
	o := bookOptions(Paper)
	b := newBare(o)
	b.request(0, 1, 0, 2*mss)
	b.next(t, 0, kindCredit)
	b.next(t, slow(1), kindCredit)
	last := slow(1)
	ask := func(wait unit.Time) {
		t.Helper()
		for {
			b.Receive(b.tick, &protocol.Packet{Peer: 1, Kind: kindAck, Wire: 84}) // so that no credit is called in
			at, _ := b.queries(b.tick)
			if len(at) == 0 {
				continue
			}
			if gap := at[0] - last; gap < wait || gap > wait+o.Silence {
				t.Fatalf("at %v: asked %v after the last time, want %v", at[0], gap, wait)
			}
			last = at[0]
			return
		}
	}
	for n := range 300 {
		ask(o.Silence << min(n, mostDelays))
	}
	last += slow(1)
	b.Receive(last, data(1, 0, 2*mss, 0))
	ask(o.Silence)
	ask(2 * o.Silence)
}

// TestQuerySpans asks for what was granted and has not come, in so many parts at most, the
// last up to where it was granted.
func TestQuerySpans(t *testing.T) {
	o := bookOptions(Paper)
	o.B.BDPs, o.SenderBucket.BDPs = 4, 4
	const packets = 2*mostSpans + 5
	for _, come := range []int{0, 1} { // of each two packets
		b := newBare(o)
		const size = packets*mss - 100
		b.request(0, 1, 0, size)
		for n := range packets {
			b.next(t, slow(n), kindCredit)
		}
		for at := mss; come > 0 && at < size; at += 2 * mss {
			b.Receive(slow(packets), data(1, 0, size, at))
		}
		_, list := b.queries(slow(packets) + 2*o.Silence)
		if come == 0 {
			if len(list) != 1 || list[0].Offset != 0 || list[0].Size != size {
				t.Errorf("nothing has come, and the queries are %+v", list)
			}
			continue
		}
		if len(list) != mostSpans {
			t.Fatalf("%d queries, want %d", len(list), mostSpans)
		}
		for i, p := range list {
			if p.Offset != unit.Bytes(2*i)*mss || p.Size != p.Offset+mss {
				t.Errorf("query %d is from %v to %v", i, p.Offset, p.Size)
			}
		}
	}
}

// TestQuietBefore has a message that waits long for its first credit: neither it nor its sender
// was silent.
func TestQuietBefore(t *testing.T) {
	o := bookOptions(Paper)
	b := newBare(o)
	b.request(0, 1, 0, mss)
	at := 10 * o.Silence
	b.next(t, at, kindCredit)
	b.tick = at + o.Silence/2
	if asked, _ := b.queries(at + o.Silence/2); len(asked) > 0 || b.senders[1].generation > 0 {
		t.Errorf("asked at %v, generation %d, half a silence after the credit", asked, b.senders[1].generation)
	}
}

// calledIn is a host whose credit with host 1 was just called in: of message 0 two packets of five
// were granted and the first has come; message 1 has come in full without being granted
// in full.
func calledIn(t *testing.T, preset string, size unit.Bytes) *bare {
	t.Helper()
	b := newBare(bookOptions(preset))
	b.request(0, 1, 0, size)
	b.next(t, slow(0), kindCredit)
	b.next(t, slow(1), kindCredit)
	b.request(slow(2), 1, 1, 9*mss)
	for at := unit.Bytes(0); at < 9*mss; at += mss {
		b.Receive(slow(2), data(1, 1, 9*mss, at))
	}
	b.Receive(slow(2), data(1, 0, size, 0))
	b.now = 10 * b.silence
	b.tick = b.now
	m := &b.inbox[b.senders[1].Find(0)]
	m.asked, m.heard = 3, b.now
	b.callIn(b.senders[1])
	b.orders.Reset()
	return b
}

// TestCalledIn looks at what is kept: nothing of what has come in full, and of the rest that
// it is asked for at once, as if it had not been asked for before.
func TestCalledIn(t *testing.T) {
	b := calledIn(t, Paper, 5*mss)
	s := b.senders[1]
	if len(b.freeIn) != 1 || len(b.wanting) != 0 || s.owed != 0 {
		t.Errorf("%d places are free, %d messages want credit, %v is owed; want 1, 0, 0", len(b.freeIn), len(b.wanting), s.owed)
	}
	m := &b.inbox[s.Find(0)]
	if !m.unsynced || m.granted != m.size || m.asked != 0 {
		t.Errorf("message 0 is %+v", m)
	}
	b.Expire(b.tick)
	b.next(t, b.now, kindQuery)
	if m.asked = mostDelays; s.dead {
		b.Receive(b.now, &protocol.Packet{Peer: 1, Kind: kindAck, Wire: 84})
	}
	if s.dead || m.asked != 0 {
		t.Errorf("the sender has spoken: dead %v, asked %d times", s.dead, m.asked)
	}
	b.Receive(b.now, data(1, 0, 5*mss, mss))
	if !m.unsynced {
		t.Error("a packet that was sent before tells how far the message was sent")
	}
	// What comes of a new message from before the credit was called in tells no boundary.
	b.Receive(b.now, data(1, 2, 3*mss, mss))
	if m := &b.inbox[s.Find(2)]; !m.unsynced || m.granted != m.size || s.owed != 0 || m.place >= 0 {
		t.Errorf("a message of the old generation is %+v, and %v is owed", m, s.owed)
	}
	// One of the new generation does.
	late := data(1, 3, 6*mss, 4*mss)
	late.Number, late.Extra = 1, 4
	b.Receive(b.now, late)
	if m := &b.inbox[s.Find(3)]; m.unsynced || m.granted != 4*mss || s.owed != 2*mss {
		t.Errorf("a message of the new generation is %+v, and %v is owed", m, s.owed)
	}
}

// TestSync learns from data and from a status how far a message was sent.
func TestSync(t *testing.T) {
	const size = 5*mss - 100
	for _, c := range []struct {
		name            string
		offset          unit.Bytes // of a status, if there is no packet
		extra           uint32     // of data
		synced          bool
		granted, prefix unit.Bytes // as the preset paper has it, with a prefix of two packets
		prefixOfCode    unit.Bytes
	}{
		{"part", 3 * mss, 0, true, 3 * mss, 2 * mss, 2 * mss},
		{"within the prefix", mss, 0, true, 2 * mss, 2 * mss, mss},
		{"all, in whole packets", 0, 5, true, size, 2 * mss, 2 * mss},
		{"nonsense", -mss, 0, false, size, 2 * mss, 2 * mss},
	} {
		for _, preset := range []string{Paper, NSDI25} {
			b := calledIn(t, preset, size)
			s := b.senders[1]
			m := &b.inbox[s.Find(0)]
			m.prefix = 2 * mss
			p := &protocol.Packet{Peer: 1, Kind: kindStatus, Number: 1, Offset: c.offset, Wire: 84}
			if c.extra > 0 {
				p = data(1, 0, size, mss)
				p.Number, p.Extra = 1, c.extra
			}
			b.Receive(b.now, p)
			granted, prefix := c.granted, c.prefix
			if preset == NSDI25 {
				granted, prefix = max(min(c.offset, size), min(unit.Bytes(c.extra)*mss, size)), c.prefixOfCode
			}
			if !c.synced {
				granted = size
			}
			if m.unsynced == c.synced || m.granted != granted || m.prefix != prefix || s.owed != size-granted || m.place >= 0 != (granted < size) {
				t.Errorf("%s, %s: %+v, and %v is owed; want %v granted and a prefix of %v", preset, c.name, m, s.owed, granted, prefix)
			}
			if m.boundary > m.size {
				t.Errorf("%s, %s: sent up to %v of %v", preset, c.name, m.boundary, m.size)
			}
		}
	}
}

// TestAbandoned gives up a message that its sender has forgotten: nothing of it is kept or owed, and
// the sender is not dead, since it has just spoken.
func TestAbandoned(t *testing.T) {
	b := newBare(bookOptions(Paper))
	b.request(0, 1, 0, 5*mss)
	b.next(t, 0, kindCredit)
	b.Receive(slow(1), &protocol.Packet{Peer: 1, Kind: kindStatus, Flags: protocol.Own1, Wire: 84})
	s := b.senders[1]
	if s.Find(0) != numbered.Done || b.inbox[0].live || len(b.freeIn) != 1 || b.incomplete != 0 || s.owed != 0 || s.dead || b.used != 0 {
		t.Errorf("message %+v, %d incomplete, %v owed, dead %v, b is %v", b.inbox[0], b.incomplete, s.owed, s.dead, b.used)
	}
	if p := b.next(t, slow(1), kindDone); p.Flags&protocol.Own1 == 0 || p.Number != 1 {
		t.Errorf("the answer is %+v", p)
	}
	// The next one takes its place.
	b.Receive(slow(2), &protocol.Packet{Peer: 1, Kind: kindRequest, Message: 1, Number: 1, Size: mss, Wire: 84})
	b.next(t, slow(2), kindCredit)
	if len(b.inbox) != 1 || s.Find(1) != 0 {
		t.Errorf("%d places for one message", len(b.inbox))
	}
	b.Receive(slow(3), data(1, 1, mss, 0))
	if b.inbox[0].live || len(b.freeIn) != 1 {
		t.Errorf("a message that came in full is kept: %+v", b.inbox[0])
	}
}

// TestGrantedAtLast keeps a message that came in full on other credit until it was granted in full.
func TestGrantedAtLast(t *testing.T) {
	b := newBare(bookOptions(Paper))
	b.request(0, 1, 0, mss)
	b.Receive(0, data(1, 0, mss, 0))
	if !b.inbox[0].live {
		t.Fatal("the message is forgotten before it is granted")
	}
	b.next(t, 0, kindDone)
	b.next(t, slow(1), kindCredit)
	if b.inbox[0].live || len(b.freeIn) != 1 || len(b.wanting) != 0 {
		t.Errorf("it is kept: %+v", b.inbox[0])
	}
}

// TestDoneBefore lets a sender hear that a message arrived before it has sent it or sent it again.
func TestDoneBefore(t *testing.T) {
	for _, c := range []struct {
		name  string
		sent  int
		again unit.Bytes
	}{{"nothing sent", 0, 0}, {"half sent", 1, 0}, {"all sent", 2, 0}, {"all sent, half to be sent again", 2, mss}, {"half sent, which is to be sent again", 1, mss}} {
		b := newBare(bookOptions(Paper))
		b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 2 * mss, Tag: 5})
		b.next(t, 0, kindRequest)
		if c.sent > 0 {
			b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Offset: unit.Bytes(c.sent) * full, Wire: 84})
		}
		for range c.sent {
			b.next(t, 0, kindData)
		}
		r := b.receivers[1]
		if c.again > 0 {
			b.outbox[0].tries, b.outbox[0].known = 3, false
			b.Receive(slow(1), &protocol.Packet{Peer: 1, Kind: kindQuery, Size: c.again, Extra: uint32(c.sent) * uint32(full), Wire: 84})
			b.next(t, slow(1), kindStatus)
			if m := &b.outbox[0]; m.tries != 0 || !m.known || len(r.unsent) != 1 || b.unfinished != 1 {
				t.Errorf("%s: asked for, %+v, %d listed and %d unfinished", c.name, m, len(r.unsent), b.unfinished)
			}
		}
		b.Receive(slow(2), &protocol.Packet{Peer: 1, Kind: kindDone, Offset: unit.Bytes(c.sent) * full, Wire: 84})
		if len(r.unsent) != 0 || b.unfinished != 0 || b.unconfirmed != 0 || b.outbox[0].live || len(b.freeOut) != 1 || r.heard != slow(2) {
			t.Errorf("%s: %d listed, %d unfinished, %d unconfirmed, %+v", c.name, len(r.unsent), b.unfinished, b.unconfirmed, b.outbox[0])
		}
		b.none(t, slow(2))
		if e := b.out.Events; len(e) != 1 || e[0].Kind != protocol.MessageCompleted || e[0].Unconfirmed || e[0].Tag != 5 {
			t.Errorf("%s: events %+v", c.name, e)
		}
		b.Submit(slow(3), &protocol.HostMessage{Peer: 1, Bytes: mss})
		if len(b.outbox) != 1 {
			t.Errorf("%s: %d places for one message", c.name, len(b.outbox))
		}
	}
}

// TestCompletedUnconfirmed has messages complete when all is sent, where nobody confirms.
func TestCompletedUnconfirmed(t *testing.T) {
	o := testOptions()
	o.Confirm = false
	b := newBare(o)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: mss})
	b.next(t, 0, kindData)
	if e := b.out.Events; len(e) != 1 || !e[0].Unconfirmed || b.unfinished != 0 || b.unconfirmed != 0 {
		t.Errorf("events %+v, %d unfinished, %d unconfirmed", e, b.unfinished, b.unconfirmed)
	}
}

// TestMostSpans asks a sender for more parts than it keeps.
func TestMostSpans(t *testing.T) {
	o := bookOptions(Paper)
	b := newBare(o)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 100 * mss})
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindCredit, Offset: 100 * full, Wire: 84})
	for p := (protocol.Packet{}); b.Next(0, &p); p = (protocol.Packet{}) {
	}
	for at := unit.Bytes(0); at < 100*mss; at += 2 * mss {
		b.Receive(slow(1), &protocol.Packet{Peer: 1, Kind: kindQuery, Offset: at, Size: at + mss, Extra: uint32(100 * full), Wire: 84})
	}
	if n := len(b.outbox[0].again); n != mostSpans {
		t.Errorf("%d parts are to be sent again, want %d", n, mostSpans)
	}
}
