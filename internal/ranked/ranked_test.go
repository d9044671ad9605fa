package ranked

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestHeap compares with a list that is searched.
func TestHeap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := make([]int, 20)
		before := func(a, b int32) bool { return keys[a] < keys[b] || keys[a] == keys[b] && a < b }
		h := Heap{Before: before}
		var want []int32
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			i := rapid.Int32Range(0, 19).Draw(t, "index")
			if rapid.IntRange(0, 30).Draw(t, "empty") == 0 {
				h.Empty()
				want = nil
			}
			if rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
				h.Remove(i)
				want = slices.DeleteFunc(want, func(j int32) bool { return j == i })
			} else {
				keys[i] = rapid.IntRange(0, 5).Draw(t, "key")
				h.Put(i)
				if !slices.Contains(want, i) {
					want = append(want, i)
				}
			}
			if h.Len() != len(want) {
				t.Fatalf("%d are in, want %d", h.Len(), len(want))
			}
			for j := range int32(20) {
				if h.Has(j) != slices.Contains(want, j) {
					t.Fatalf("%d: in is %v", j, h.Has(j))
				}
			}
			if len(want) > 0 {
				first := slices.MinFunc(want, func(a, b int32) int {
					if before(a, b) {
						return -1
					}
					return 1
				})
				if h.First() != first {
					t.Fatalf("%d is first, want %d", h.First(), first)
				}
			}
		}
	})
}
