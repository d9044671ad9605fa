package watch

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
)

// TestProlonged: what a series has stays as it is, and zeros alone follow it, up to the last bucket.
func TestProlonged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var buckets fabric.Buckets
		at := int64(0)
		for range rapid.IntRange(0, 4).Draw(t, "buckets") {
			at += rapid.Int64Range(1, 3).Draw(t, "gap")
			buckets = append(buckets, fabric.Bucket{Number: at, Value: 7})
		}
		last := rapid.Int64Range(-1, 15).Draw(t, "last")
		before := slices.Clone(buckets)
		got := prolonged(buckets, last)
		if !slices.Equal(buckets, before) || !slices.Equal(got[:len(before)], before) {
			t.Fatalf("%v became %v", before, got)
		}
		added := got[len(before):]
		switch {
		case len(before) == 0 || at >= last:
			if len(added) > 0 {
				t.Fatalf("%v until %d goes on with %v", before, last, added)
			}
		case added[0] != fabric.Bucket{Number: at + 1} || added[len(added)-1] != fabric.Bucket{Number: last} || len(added) != min(2, int(last-at)):
			t.Fatalf("%v until %d goes on with %v", before, last, added)
		}
	})
}
