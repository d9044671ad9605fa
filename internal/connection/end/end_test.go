package end

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/internal/packet"
	"weft/unit"
)

// TestAgenda takes deadlines in the order of their times.
func TestAgenda(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a Agenda
		var want []unit.Time
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			if len(want) > 0 && rapid.Bool().Draw(t, "pop") {
				if d := a.Pop(); d.At != want[0] {
					t.Fatalf("the deadline at %v comes, want that at %v", d.At, want[0])
				}
				want = want[1:]
				continue
			}
			at := unit.Time(rapid.IntRange(0, 30).Draw(t, "at"))
			a.Push(Deadline{At: at})
			i, _ := slices.BinarySearch(want, at)
			want = slices.Insert(want, i, at)
		}
	})
}

// TestOutbox sends packets in order but for those of paused classes, which wait for their class and then go before the
// others, each class in its order.
func TestOutbox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s packet.Store
		var o Outbox
		var queued []packet.ID
		var apart [8][]packet.ID
		o.Pause(0)
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				classes := rapid.Uint8().Draw(t, "classes")
				if freed, want := o.Pause(classes), o.Pauses; want != classes || freed&classes != 0 {
					t.Fatalf("paused are %08b, want %08b; freed %08b", want, classes, freed)
				}
			case 1, 2:
				id := s.Alloc()
				s.At(id).SetClass(rapid.Uint8Range(0, 7).Draw(t, "class"), 0)
				o.Push(id)
				queued = append(queued, id)
			default:
				want := packet.None
				for k := range apart {
					if o.Pauses>>k&1 == 0 && len(apart[k]) > 0 {
						want, apart[k] = apart[k][0], apart[k][1:]
						break
					}
				}
				for want == packet.None && len(queued) > 0 {
					id := queued[0]
					queued = queued[1:]
					if k := s.At(id).Priority(); o.Pauses>>k&1 == 0 {
						want = id
					} else {
						apart[k] = append(apart[k], id)
					}
				}
				id, ok := o.Next(&s)
				if ok != (want != packet.None) || ok && id != want {
					t.Fatalf("packet %d comes (%v), want %d", id, ok, want)
				}
			}
		}
	})
}
