package minheap

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type number int

func (n number) Compare(o number) int { return cmp.Compare(n, o) }

// TestOrder: whatever is pushed and popped when, the least one comes out.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h Heap[number]
		var want []number
		for _, n := range rapid.SliceOf(rapid.IntRange(-3, 30)).Draw(t, "steps") {
			if n >= 0 {
				h.Push(number(n))
				want = append(want, number(n))
				continue
			}
			if len(want) == 0 {
				continue
			}
			least := slices.Min(want)
			if got := h.Pop(); got != least {
				t.Fatalf("%d came out of %v", got, want)
			}
			want = slices.Delete(want, slices.Index(want, least), slices.Index(want, least)+1)
		}
		if len(h) != len(want) {
			t.Fatalf("%d are left of %d", len(h), len(want))
		}
	})
}
