package fabric

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/sim"
)

// TestWheel yields in every window what a plain list of flights has, whatever the length of
// windows, how far ahead flights are and what is lifted between.
func TestWheel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := sim.Time(rapid.Int64Range(1, 1<<20).Draw(t, "window"))
		w := newWheel(window)
		var all []flight // in the order of arrival, and then of their being sent
		serial := uint32(0)
		from := sim.Time(0)
		for range rapid.IntRange(1, 40).Draw(t, "windows") {
			to := from + sim.Time(rapid.Int64Range(1, int64(window)).Draw(t, "length"))
			for range rapid.IntRange(0, 80).Draw(t, "sent") {
				ahead := rapid.Int64Range(0, 1<<rapid.IntRange(0, 40).Draw(t, "far")).Draw(t, "ahead")
				f := flight{arrives: from + sim.Time(ahead), wire: int32(ahead % 3), frame: Frame{Serial: serial}}
				serial++
				*w.put(f.arrives) = f
				all = append(all, f)
			}
			byTime := func(a, b flight) int { return cmp.Compare(a.arrives, b.arrives) }
			slices.SortStableFunc(all, byTime)
			if rapid.IntRange(0, 9).Draw(t, "lift") == 0 {
				lifted := w.lift(1)
				var want []flight
				for _, f := range all {
					if f.wire == 1 {
						want = append(want, f)
					}
				}
				if !slices.Equal(lifted, want) {
					t.Fatalf("lifted %d flights, want %d", len(lifted), len(want))
				}
				for i := range lifted {
					lifted[i].arrives += window
					*w.put(lifted[i].arrives) = lifted[i]
				}
				for i := range all {
					if all[i].wire == 1 {
						all[i].arrives += window
					}
				}
				slices.SortStableFunc(all, byTime)
			}
			n, _ := slices.BinarySearchFunc(all, to, func(f flight, t sim.Time) int { return cmp.Compare(f.arrives, t) })
			var got []flight
			for _, f := range w.take(nil, from, to) {
				got = append(got, *f)
			}
			w.done()
			slices.SortStableFunc(got, byTime)
			if !slices.EqualFunc(got, all[:n], func(a, b flight) bool { return a.arrives == b.arrives }) {
				t.Fatalf("in [%d, %d): %v, want %v", from, to, got, all[:n])
			}
			for wire := range int32(3) { // each in order
				other := func(f flight) bool { return f.wire != wire }
				if a, b := slices.DeleteFunc(slices.Clone(got), other), slices.DeleteFunc(slices.Clone(all[:n]), other); !slices.Equal(a, b) {
					t.Fatalf("on wire %d: %v, want %v", wire, a, b)
				}
			}
			all = slices.Delete(all, 0, n)
			count := 0
			for range w.all {
				count++
			}
			if count != len(all) {
				t.Fatalf("%d flights under way, want %d", count, len(all))
			}
			bound := w.bound(to)
			switch {
			case len(all) == 0 && bound != sim.Forever:
				t.Fatalf("bound %d of nothing", bound)
			case len(all) > 0 && (bound > all[0].arrives || bound < to || all[0].arrives-bound >= window):
				t.Fatalf("bound %d, and the first flight arrives at %d", bound, all[0].arrives)
			}
			from = to
			if len(all) > 0 && rapid.Bool().Draw(t, "skip") {
				from = bound
			}
		}
	})
}
