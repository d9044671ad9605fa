package numbered

import (
	"testing"

	"pgregory.net/rapid"
)

// TestWindow compares with a map.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.SampledFrom([]uint32{0, 1<<32 - 5}).Draw(t, "start")
		w := Window{base: start}
		want := map[uint32]int32{}
		for i := range int32(rapid.IntRange(1, 200).Draw(t, "steps")) {
			n := start + rapid.Uint32Range(0, 60).Draw(t, "number")
			switch state, known := want[n]; {
			case !known && i%3 == 0:
				w.Skip(n)
				want[n] = Done
			case !known:
				w.Set(n, i)
				want[n] = i
			case state >= 0:
				w.End(n)
				want[n] = Done
			}
			for k := range uint32(64) {
				state, known := want[start+k]
				if !known {
					state = Unknown
				}
				if got := w.Find(start + k); got != state {
					t.Fatalf("message %d is at %d, want %d", start+k, got, state)
				}
			}
		}
		if w.Find(w.base-1) != Done || w.Near(w.base+Farthest) || !w.Near(w.base) {
			t.Error("what lies outside")
		}
	})
}

func TestBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Bits
		for range rapid.IntRange(1, 4).Draw(t, "uses") {
			size := rapid.IntRange(1, 300).Draw(t, "size")
			b.Reset(size)
			want := map[int]bool{}
			for range rapid.IntRange(0, 100).Draw(t, "adds") {
				i := rapid.IntRange(0, size-1).Draw(t, "i")
				b.Add(i)
				want[i] = true
			}
			for i := range size {
				if b.Has(i) != want[i] {
					t.Fatalf("%d: %v", i, b.Has(i))
				}
			}
		}
	})
}

// TestBitsTakeNoMemoryForASize: a size is what others say.
func TestBitsTakeNoMemoryForASize(t *testing.T) {
	var b Bits
	if n := testing.AllocsPerRun(10, func() {
		b.Reset(1 << 40)
		b.Add(63)
		if b.Has(1<<40 - 1) {
			t.Error("it has what was never added")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
