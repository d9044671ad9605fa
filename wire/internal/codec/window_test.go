package codec

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestWindow compares the window with a map of all numbers that were accepted.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Window
		accepted, top, some := map[uint64]bool{}, uint64(0), false
		check := func(n uint64) {
			want := n < MaxNumber && !accepted[n] && (!some || n > top || top-n < windowBits)
			if got := w.Fresh(n); got != want {
				t.Fatalf("Fresh(%d) is %v, want %v; the largest is %d", n, got, want, top)
			}
			// Half of those that are fresh turn out to be forged.
			if rapid.Bool().Draw(t, "forged") {
				return
			}
			w.Accept(n)
			if want {
				accepted[n], some, top = true, true, max(top, n)
			}
		}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			n := top
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				n++
			case 1:
				n += rapid.Uint64Max(200).Draw(t, "ahead")
			case 2:
				n += rapid.Uint64Max(2*windowBits).Draw(t, "far ahead")
			case 3:
				n -= min(n, rapid.Uint64Max(windowBits+100).Draw(t, "behind"))
			case 4:
				n = rapid.Uint64().Draw(t, "anywhere") >> rapid.IntRange(10, 63).Draw(t, "shift")
			}
			check(n)
		}
		for n := top - min(top, windowBits+64); n <= top+64 && n < MaxNumber; n++ {
			if got, want := w.Fresh(n), !accepted[n] && (!some || n > top || top-n < windowBits); got != want {
				t.Fatalf("at the end Fresh(%d) is %v, want %v; the largest is %d", n, got, want, top)
			}
		}
	})
}

func TestWindowEnds(t *testing.T) {
	var w Window
	for _, n := range []uint64{MaxNumber, math.MaxUint64} {
		if w.Accept(n); w.Fresh(n) || !w.Fresh(0) {
			t.Errorf("%d is a number", n)
		}
	}
	w.Accept(0)
	w.Accept(windowBits - 1)
	if w.Fresh(0) || !w.Fresh(1) {
		t.Error("the window is too small")
	}
	w.Accept(windowBits + 1)
	if w.Fresh(0) || w.Fresh(1) || !w.Fresh(2) {
		t.Error("the window does not slide")
	}
	w.Accept(MaxNumber - 1)
	if w.Fresh(MaxNumber-1) || !w.Fresh(MaxNumber-windowBits) || w.Fresh(MaxNumber-windowBits-1) {
		t.Error("the last window is wrong")
	}
}
