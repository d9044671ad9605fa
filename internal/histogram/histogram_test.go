package histogram

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Every class begins where the one before it ends, and holds its middle.
func TestClassesFollowOneAnother(t *testing.T) {
	for c := range classes {
		m := middle(c)
		if class(m) != c {
			t.Fatalf("class %d has its middle %d in class %d", c, m, class(m))
		}
		if c == 0 {
			continue
		}
		before := middle(c - 1)
		edge := before + (m-before)*1/3
		for ; class(edge) == c-1; edge++ {
			if edge > m {
				t.Fatalf("class %d begins after its middle", c)
			}
			edge += (m - before) / 4096
		}
		if class(edge) != c {
			t.Fatalf("class %d is followed by %d", c-1, class(edge))
		}
	}
	for _, v := range []int64{1 << 46, 1 << 50, math.MaxInt64} {
		if class(v) != classes-1 {
			t.Errorf("%d is in class %d of %d", v, class(v), classes)
		}
	}
	if class(0) != 0 || class(1<<46-1) != classes-1 {
		t.Errorf("0 is in class %d, the end in class %d of %d", class(0), class(1<<46-1), classes)
	}
}

// Percentiles are as near to those of the sorted values as the package says, however
// the values are spread over histograms.
func TestPercentiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		largest := int64(1) << rapid.IntRange(1, 45).Draw(t, "bits")
		values := rapid.SliceOfN(rapid.Int64Range(0, largest), 1, 300).Draw(t, "values")
		var parts [3]Histogram
		for i, v := range values {
			parts[i%3].Add(v)
		}
		var h Histogram
		for i := range parts {
			h.Merge(&parts[i])
		}
		slices.Sort(values)
		if h.Count() != uint64(len(values)) || h.Max() != values[len(values)-1] {
			t.Fatalf("%d values up to %d, want %d up to %d", h.Count(), h.Max(), len(values), values[len(values)-1])
		}
		for _, p := range []uint64{1, 500, 990, 999, 1000} {
			want := values[max((uint64(len(values))*p+999)/1000, 1)-1]
			got := h.PerMille(p)
			if off := math.Abs(float64(got - want)); off > max(Error*float64(want), 1<<(unitBits-1)) {
				t.Fatalf("%d ‰ of %d values is %d, want %d", p, len(values), got, want)
			}
		}
	})
}

func TestEmpty(t *testing.T) {
	var h Histogram
	h.Add(5)
	h.Reset()
	if h.Count() != 0 || h.Max() != 0 || h.PerMille(990) != 0 {
		t.Errorf("an empty histogram has %d values up to %d", h.Count(), h.Max())
	}
}

func TestAddAllocatesNothing(t *testing.T) {
	h := new(Histogram)
	if n := testing.AllocsPerRun(1, func() { // of all together, since means are rounded down
		for range 100 {
			h.Add(12_345_678)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAdd(b *testing.B) {
	h := new(Histogram)
	v := int64(7_000_000)
	for b.Loop() {
		v = v*31&(1<<24-1) | 1<<22
		h.Add(v)
	}
}

// What All yields makes the same histogram, and Since takes out what an earlier copy had.
func TestAllAndSince(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 1<<40), 0, 200)
		before, later := values.Draw(t, "before"), values.Draw(t, "later")
		var h, fresh, copied Histogram
		for _, v := range before {
			h.Add(v)
		}
		earlier := h
		for _, v := range later {
			h.Add(v)
			fresh.Add(v)
		}
		for v, n := range h.All() {
			copied.AddMany(v, n)
		}
		if copied != h {
			t.Fatal("a copy by All differs")
		}
		d := h.Since(&earlier)
		if d.counts != fresh.counts || d.max > h.max || class(d.max) != class(fresh.max) {
			t.Fatalf("since then %d up to %d, want %d up to %d", d.Count(), d.max, fresh.Count(), fresh.max)
		}
		if slices.Max(append(before, 0)) < fresh.max && d.max != fresh.max {
			t.Fatalf("the largest is %d, want %d", d.max, fresh.max)
		}
	})
}

// The sum is as near to the true one as percentiles are, and only grows.
func TestSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h Histogram
		want, before := 0.0, 0.0
		for _, v := range rapid.SliceOfN(rapid.Int64Range(1<<17, 1<<45), 0, 100).Draw(t, "values") {
			h.Add(v)
			want += float64(v)
			if got := h.Sum(); got <= before || math.Abs(got-want) > Error*want {
				t.Fatalf("the sum is %.0f after %.0f, and %.0f is true", got, before, want)
			} else {
				before = got
			}
		}
	})
}
