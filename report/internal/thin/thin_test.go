package thin

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Thinning keeps the extremes of every span, in their order, and nothing else.
func TestThinKeepsExtremes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Float64Range(-1e6, 1e6)).Draw(t, "values")
		factor := rapid.IntRange(2, 9).Draw(t, "factor")
		thinned := Values(values, factor)
		at := 0
		for span := range slices.Chunk(values, 2*factor) {
			pair := thinned[at : at+2]
			at += 2
			if min(pair[0], pair[1]) != slices.Min(span) || max(pair[0], pair[1]) != slices.Max(span) {
				t.Fatalf("%v became %v", span, pair)
			}
			if slices.Index(span, pair[0]) > len(span)-1-slices.Index(reversed(span), pair[1]) {
				t.Fatalf("%v became %v, which is not in its order", span, pair)
			}
		}
		if at != len(thinned) {
			t.Fatalf("%d values became %d", len(values), len(thinned))
		}
		most := rapid.IntRange(2, 100).Draw(t, "most")
		if n := len(Values(values, Factor(len(values), most))); n > max(most, 2) {
			t.Fatalf("%d values are kept, want up to %d", n, most)
		}
	})
}

func reversed(values []float64) []float64 {
	r := slices.Clone(values)
	slices.Reverse(r)
	return r
}

func TestThinGaps(t *testing.T) {
	nan := math.NaN()
	got := Values([]float64{nan, nan, nan, nan, nan, 3, nan, 1}, 2)
	if len(got) != 4 || !math.IsNaN(got[0]) || !math.IsNaN(got[1]) || got[2] != 3 || got[3] != 1 {
		t.Errorf("thinned to %v, want a gap and then 3, 1", got)
	}
}
