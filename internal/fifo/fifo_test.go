package fifo

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQueue compares with a slice.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue[int]
		if rapid.Bool().Draw(t, "started") {
			q.Start(1 << rapid.IntRange(0, 4).Draw(t, "size"))
		}
		var want []int
		for i := range rapid.IntRange(0, 100).Draw(t, "steps") {
			switch {
			case rapid.IntRange(0, 20).Draw(t, "reset") == 0:
				q.Reset()
				want = nil
			case rapid.IntRange(0, 10).Draw(t, "filter") == 0:
				of := rapid.IntRange(1, 3).Draw(t, "of")
				q.Filter(func(v *int) bool { return *v%of != 0 })
				want = slices.DeleteFunc(want, func(v int) bool { return v%of == 0 })
			case len(want) > 0 && rapid.Bool().Draw(t, "pop"):
				if got := q.First(); got != want[0] {
					t.Fatalf("first is %d, want %d", got, want[0])
				}
				q.Pop()
				want = want[1:]
			default:
				q.Push(i)
				want = append(want, i)
			}
			var got []int
			for k := range q.Len() {
				got = append(got, *q.At(k))
			}
			if !slices.Equal(got, want) || q.Empty() != (len(want) == 0) || q.Cap() < len(want) {
				t.Fatalf("%v of %d, empty %v; want %v", got, q.Cap(), q.Empty(), want)
			}
		}
	})
}
