package withdrawn

import (
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// TestList compares with a map of when messages are due.
func TestList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const wait = 40 * unit.Microsecond
		var l List
		l.Start(wait / 4)
		type state struct {
			due   unit.Time
			times int
		}
		want := map[Message]state{}
		now, next := unit.Time(0), uint32(0)
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			now += unit.Time(rapid.IntRange(0, 120).Draw(t, "time")) * unit.Microsecond
			peer := rapid.Int32Range(0, 2).Draw(t, "peer")
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				l.Forget(peer)
				for m := range want {
					if m.Peer == peer {
						delete(want, m)
					}
				}
			case 1, 2, 3:
				m := Message{Peer: peer, Number: next, Group: uint8(next % 3)}
				next++
				l.Add(now, m)
				want[m] = state{due: now + wait}
			case 4, 5:
				number := rapid.Uint32Range(0, 50).Draw(t, "number")
				l.Known(peer, number)
				delete(want, Message{peer, number, uint8(number % 3)})
			}
			for m, ok := l.Again(now); ok; m, ok = l.Again(now) {
				s, known := want[m]
				if !known || s.due > now {
					t.Fatalf("%+v is to be told at %v, want %+v", m, now, s)
				}
				s.times++
				want[m] = state{now + wait<<min(s.times, mostDoublings), s.times}
			}
			due := unit.Forever
			for m, s := range want {
				due = min(due, s.due)
				if !l.Has(m.Peer, m.Number) {
					t.Fatalf("%+v is not there", m)
				}
			}
			if l.Due() != due || l.Len() != len(want) || len(l.places) != len(want) || due <= now {
				t.Fatalf("%d messages, the first due at %v; want %d, at %v", l.Len(), l.Due(), len(want), due)
			}
		}
	})
}
