package deadlines

import (
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// set is what Set and Wheel have in common.
type set interface {
	Put(i int32, at unit.Time)
	Remove(i int32)
	First() (i int32, at unit.Time)
	Len() int
}

func kinds() map[string]func() set {
	return map[string]func() set{
		"Set":   func() set { return new(Set) },
		"Wheel": func() set { return new(Wheel) },
	}
}

// TestAgainstMap compares with a map, at times that are close, and so far apart that a wheel
// has them in buckets and beyond.
func TestAgainstMap(t *testing.T) {
	for name, empty := range kinds() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := empty()
				want := map[int32]unit.Time{}
				unitOfTime := rapid.SampledFrom([]unit.Time{1, 1 << (width - 3), 1 << width, buckets << (width - 4), buckets << width}).Draw(t, "unit")
				now := unit.Time(0)
				for range rapid.IntRange(1, 300).Draw(t, "steps") {
					i := rapid.Int32Range(0, 20).Draw(t, "thing")
					switch rapid.IntRange(0, 4).Draw(t, "what") {
					case 0:
						s.Remove(i)
						delete(want, i)
					case 1: // the first one is met
						if k, at := s.First(); k >= 0 {
							now, i = max(now, at), k
						}
						fallthrough
					default:
						at := now + unitOfTime*unit.Time(rapid.IntRange(0, 30).Draw(t, "at"))
						if rapid.IntRange(0, 5).Draw(t, "odd") == 0 {
							at += unit.Time(rapid.IntRange(0, 5).Draw(t, "more"))
						}
						s.Put(i, at)
						want[i] = at
					}
					first, least := int32(-1), unit.Forever
					for k, at := range want {
						if at < least || at == least && k < first {
							first, least = k, at
						}
					}
					if k, at := s.First(); k != first || at != least || s.Len() != len(want) {
						t.Fatalf("%d at %v of %d, want %d at %v of %d", k, at, s.Len(), first, least, len(want))
					}
				}
			})
		})
	}
}

// BenchmarkMeet meets the first of thousands of deadlines and puts it a round trip later,
// somewhat jittered.
func BenchmarkMeet(b *testing.B) {
	for name, empty := range kinds() {
		b.Run(name, func(b *testing.B) {
			const things = 5700
			s := empty()
			for i := range int32(things) {
				s.Put(i, unit.Time(i)*7919%(10*unit.Microsecond))
			}
			jitter := unit.Time(1)
			for b.Loop() {
				i, at := s.First()
				jitter = (jitter*69621 + 1) % (1 << 21)
				s.Put(i, at+10*unit.Microsecond+jitter)
			}
		})
	}
}
