package sim

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestBatch sorts as the standard library does, whatever the number of keys, the length of
// the window and how keys crowd; equal times by rank.
func TestBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Batch
		for range 3 { // the batch is used again
			length := Time(rapid.Int64Range(1, int64(LongestSweep)).Draw(t, "length"))
			crowd := rapid.Int64Range(1, int64(length)).Draw(t, "crowd")
			offsets := rapid.SliceOfN(rapid.Int64Range(0, crowd-1), 0, 200).Draw(t, "offsets")
			ranks := rapid.SliceOfN(rapid.Uint32Range(0, 3), len(offsets), len(offsets)).Draw(t, "ranks")
			b.Clear()
			var want []uint64
			for place, o := range offsets {
				b.Add(Time(o), ranks[place])
				want = append(want, uint64(o)<<32|uint64(place))
			}
			slices.SortStableFunc(want, func(a, b uint64) int {
				return cmp.Or(cmp.Compare(a>>32, b>>32), cmp.Compare(ranks[uint32(a)], ranks[uint32(b)]))
			})
			if got := b.Sort(length); !slices.Equal(got, want) {
				t.Fatalf("%x, want %x", got, want)
			}
		}
	})
}

// TestFirst yields the first of three events, by time and rank.
func TestFirst(t *testing.T) {
	s := NewScheduler(Swept, []uint32{2, 0, 1})
	if _, at := s.First(0, 1, 2); at != Forever {
		t.Errorf("%v with nothing pending", at)
	}
	s.Schedule(0, 5)
	s.Schedule(2, 5)
	if e, at := s.First(0, 1, 2); e != 2 || at != 5 {
		t.Errorf("%d at %v, want 2 at 5", e, at)
	}
	s.Schedule(1, 7)
	s.Take(2)
	if e, at := s.First(0, 1, 2); e != 0 || at != 5 {
		t.Errorf("%d at %v, want 0 at 5", e, at)
	}
	s.Cancel(0)
	if got := s.Bound(); got > 7 {
		t.Errorf("bound %v is later than 7", got)
	}
	if e, at := s.First(0, 1, 2); e != 1 || at != 7 {
		t.Errorf("%d at %v, want 1 at 7", e, at)
	}
}
