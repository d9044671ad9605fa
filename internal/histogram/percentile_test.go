package histogram

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestPercentile(t *testing.T) {
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = i + 1
	}
	for _, c := range []struct {
		values  []int
		p, want int
	}{
		{[]int{5}, 0, 5},
		{[]int{5}, 50, 5},
		{[]int{5}, 100, 5},
		{[]int{1, 2}, 50, 1},
		{[]int{1, 2, 3}, 50, 2},
		{[]int{1, 2, 3, 4, 5, 6, 7, 8}, 99, 8},
		{hundred, 50, 50},
		{hundred, 99, 99},
		{hundred, 100, 100},
		{append(slices.Clone(hundred), 101), 99, 100},
	} {
		if got := Percentile(c.values, c.p); got != c.want {
			t.Errorf("percentile %d of %d values is %d, want %d", c.p, len(c.values), got, c.want)
		}
	}
}

func TestPercentileIsTheLeastValueThatEnoughDoNotExceed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(0, 50), 1, 300).Draw(t, "values")
		p := rapid.IntRange(1, 100).Draw(t, "p")
		slices.Sort(values)
		got := Percentile(values, p)
		atMost := func(v int) (n int) {
			for _, x := range values {
				if x <= v {
					n++
				}
			}
			return n
		}
		if !slices.Contains(values, got) {
			t.Errorf("percentile %d is %d, which is none of the values", p, got)
		}
		if 100*atMost(got) < p*len(values) {
			t.Errorf("only %d of %d values do not exceed percentile %d, %d", atMost(got), len(values), p, got)
		}
		if 100*atMost(got-1) >= p*len(values) {
			t.Errorf("percentile %d is %d, but enough values do not exceed less", p, got)
		}
	})
}
