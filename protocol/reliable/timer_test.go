package reliable

import (
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// TestTimer follows RFC 6298's rules by their numbers.
func TestTimer(t *testing.T) {
	const us = unit.Microsecond
	timer := Timer{Least: 20 * us}
	want := func(rule string, due unit.Time) {
		t.Helper()
		if got := timer.Due(); got != due {
			t.Errorf("(%s): due at %v, want %v", rule, got, due)
		}
	}
	timer.Began(100 * us)
	want("5.1", 120*us)
	timer.Heard(116*us, 16*us) // SRTT 16, RTTVAR 8
	want("2.2, 5.3", (116+16+4*8)*us)
	timer.Heard(120*us, 32*us) // RTTVAR 8+(16-8)/4 = 10, SRTT 16+16/8 = 18
	want("2.3", (120+18+4*10)*us)
	timer.Expired(180 * us)
	want("5.5", (180+2*58)*us)
	timer.Heard(190*us, 0)
	want("section 3, a packet that was sent twice", (190+2*58)*us)
	for range 10 {
		timer.Expired(200 * us)
	}
	want("the largest", (200+64*58)*us)
	timer.Heard(300*us, 18*us) // RTTVAR 7.5, SRTT 18
	want("5.7, 2.3", (300+18+30)*us)
	for range 100 {
		timer.Heard(400*us, 4*us)
	}
	want("2.4", 420*us)
	timer.Heard(500*us, 60*us)
	timer.Reset()
	timer.Began(600 * us)
	want("a new connection", 620*us)
}

// TestTimerNeverEarly demands that no timeout comes before the least one, nor while
// round trips stay as they are.
func TestTimerNeverEarly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		timer := Timer{Least: unit.Time(rapid.Int64Range(1, 1e9).Draw(t, "least"))}
		now, last := unit.Time(0), unit.Time(0)
		timer.Began(now)
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			now += unit.Time(rapid.Int64Range(0, 1e9).Draw(t, "later"))
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				timer.Expired(now)
			case 1:
				timer.Heard(now, 0)
			default:
				last = unit.Time(rapid.Int64Range(1, 1e10).Draw(t, "rtt"))
				timer.Heard(now, last)
			}
			if timer.Due() < now+timer.Least {
				t.Fatalf("due at %v after %v, and the least timeout is %v", timer.Due(), now, timer.Least)
			}
		}
		if last == 0 {
			return
		}
		for range 100 {
			timer.Heard(now, last)
		}
		if timer.Due() < now+last-1000 { // what divisions leave over
			t.Fatalf("due %v after an acknowledgement, and every round trip takes %v", timer.Due()-now, last)
		}
	})
}
