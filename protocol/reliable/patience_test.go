package reliable

import (
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// TestPatience follows its rule by numbers.
func TestPatience(t *testing.T) {
	const us = unit.Microsecond
	p := Patience{Least: 20 * us}
	want := func(rule string, timeout unit.Time) {
		t.Helper()
		if got := p.Timeout(); got != timeout {
			t.Errorf("%s: a timeout of %v, want %v", rule, got, timeout)
		}
	}
	want("nothing was heard of", 20*us)
	p.Heard(5*us, 5*us)
	want("twice the round trip is less than the least", 20*us)
	p.Heard(30*us, 25*us)
	want("twice the largest round trip", 50*us)
	p.Heard(40*us, 10*us)
	want("a smaller one soon after", 50*us)
	p.Expired(90*us, 41*us)
	want("nothing was heard since it was sent", 100*us)
	p.Expired(91*us, 42*us)
	want("another packet of that flight", 100*us)
	p.Expired(190*us, 90*us)
	want("sent after the timeout, and nothing heard", 200*us)
	p.Heard(195*us, 0)
	want("heard", 50*us)
	p.Expired(196*us, 100*us)
	want("sent before something was heard", 50*us)
	p.Heard(300*us, 12*us) // the span with 25 us is over
	want("of the span before", 50*us)
	p.Heard(400*us, 12*us)
	want("of two spans before", 24*us)
	p.Expired(430*us, 405*us)
	p.HeardLate(431*us, 3*us)
	p.HeardLate(431*us, 2*us)
	want("longer than a timeout, and 3 us", 2*(24+3)*us)
	for i := range unit.Time(20) {
		p.Expired((500+i)*us, (500+i)*us)
	}
	want("the largest", 64*54*us)
	p.Reset()
	want("begun anew", 20*us)
	p.First = 70 * us
	want("nothing was heard of, and queues may have no bound", 70*us)
	p.Expired(90*us, 10*us)
	want("nothing at all", 140*us)
	p.Heard(150*us, 5*us)
	want("the first round trip", 20*us)
	p.Reset()
	want("the first again", 70*us)
}

// TestPatienceBounds draws what a connection may be told: its timeout is never below the
// least, is at least twice what it heard of last, and never overflows.
func TestPatienceBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := unit.Time(rapid.Int64Range(1, 1<<62).Draw(t, "least"))
		p := Patience{Least: least}
		now := unit.Time(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += unit.Time(rapid.Int64Range(0, 1<<40).Draw(t, "pause"))
			rtt := unit.Time(rapid.Int64Range(0, int64(now)).Draw(t, "rtt"))
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				p.Heard(now, rtt)
				if p.Timeout() < min(2*rtt, unit.Forever>>2) {
					t.Fatalf("a timeout of %v after a round trip of %v", p.Timeout(), rtt)
				}
			case 1:
				p.HeardLate(now, rtt)
			case 2:
				p.Expired(now, now-rtt)
			}
			if got := p.Timeout(); got < min(least, unit.Forever>>2) || got > unit.Forever>>1 {
				t.Fatalf("a timeout of %v, the least is %v", got, least)
			}
		}
	})
}

// TestQueuedPackets begins timeouts when packets leave for the wire.
func TestQueuedPackets(t *testing.T) {
	var s Sender
	s.Queue()
	s.Reset(40, 0)
	for seq := range uint32(40) { // more than the records begin with
		s.Sent(seq, 10, 0)
	}
	if at, ok := s.Deadline(100); ok {
		t.Fatalf("a deadline at %d for a packet that waits", at)
	}
	if _, _, ok := s.Expire(1000, 100); ok {
		t.Fatal("a packet that waits is given up")
	}
	s.Departed(0, 500)
	if at, ok := s.Deadline(100); !ok || at != 600 {
		t.Fatalf("Deadline = %d, %v, want 600", at, ok)
	}
	if seq, p, ok := s.Expire(600, 100); !ok || seq != 0 || p.SentAt != 10 {
		t.Fatalf("Expire = %d, %+v, %v, want packet 0 as sent", seq, p, ok)
	}
	s.Sent(0, 600, 0) // again, and it waits behind the others
	for seq := range uint32(40) {
		if seq > 0 {
			s.Departed(seq, 700+unit.Time(seq))
		}
	}
	if began, ok := s.Began(39); !ok || began != 739 {
		t.Errorf("packet 39 began at %d, %v, want 739", began, ok)
	}
	if _, ok := s.Began(0); ok {
		t.Error("packet 0 has left though it waits")
	}
	for seq := uint32(1); seq < 40; seq++ {
		s.Ack(seq)
	}
	if at, ok := s.Deadline(100); ok {
		t.Errorf("a deadline at %d for the copy that waits", at)
	}
	s.Departed(0, 800)
	if at, ok := s.Deadline(100); !ok || at != 900 {
		t.Errorf("Deadline = %d, %v, want 900", at, ok)
	}
}
