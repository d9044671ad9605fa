package deadlines

import (
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// TestSet compares with a map.
func TestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Set
		want := map[int32]unit.Time{}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			i := rapid.Int32Range(0, 20).Draw(t, "thing")
			if rapid.IntRange(0, 2).Draw(t, "what") == 0 {
				s.Remove(i)
				delete(want, i)
			} else {
				at := unit.Time(rapid.IntRange(0, 30).Draw(t, "at"))
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
}
