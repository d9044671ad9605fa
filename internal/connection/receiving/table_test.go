package receiving

import (
	"testing"

	"pgregory.net/rapid"
)

// TestTable compares with a map.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type key struct {
			src     int32
			message uint32
		}
		table := table{entries: make([]entry, tableStart)}
		want := map[key]int32{}
		for i := range int32(rapid.IntRange(1, 200).Draw(t, "steps")) {
			k := key{rapid.Int32Range(0, 5).Draw(t, "source"), rapid.Uint32Range(0, 12).Draw(t, "message") << rapid.SampledFrom([]int{0, 28}).Draw(t, "shift")}
			if rapid.Bool().Draw(t, "add") {
				en, known := table.at(k.src, k.message)
				if _, there := want[k]; there != known {
					t.Fatalf("message %d of %d is known: %v", k.message, k.src, known)
				}
				en.inbound, want[k] = i, i
			}
			en := table.find(k.src, k.message)
			if inbound, there := want[k]; there != (en != nil) || there && en.inbound != inbound {
				t.Fatalf("message %d of %d is %+v, want %d", k.message, k.src, en, inbound)
			}
		}
	})
}
