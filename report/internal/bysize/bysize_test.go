package bysize

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/internal/histogram"
	"weft/record"
	"weft/unit"
)

// The quantiles of 1, 2, …, n are known, and so are those of an exponential distribution.
func TestQuantilesOfKnownDistributions(t *testing.T) {
	var few, many, exponential Sketch
	for i := range 100 {
		few.Add(float64(100 - i))
	}
	if got, want := few.Quantiles(50, 95, 99, 100), []float64{50, 95, 99, 100}; !slices.Equal(got, want) {
		t.Errorf("quantiles of 1 to 100 are %v, want %v exactly", got, want)
	}
	const n = 200000
	for i := range n {
		many.Add(float64(i + 1))
		exponential.Add(-math.Log(1 - (float64(i)+0.5)/n))
	}
	for i, p := range []int64{1, 50, 95, 99} {
		share := float64(p) / 100
		got := many.Quantiles(1, 50, 95, 99)[i]
		if want := share * n; math.Abs(got/want-1) > 0.0051 {
			t.Errorf("the %d %% quantile of 1 to %d is %v, want %v ±0.5 %%", p, n, got, want)
		}
		got = exponential.Quantiles(1, 50, 95, 99)[i]
		if want := -math.Log(1 - share); math.Abs(got/want-1) > 0.0055 {
			t.Errorf("the %d %% quantile of an exponential distribution is %v, want %v ±0.5 %%", p, got, want)
		}
	}
	if !math.IsNaN((&Sketch{}).Quantiles(50)[0]) {
		t.Error("no values have a quantile")
	}
}

// Quantiles of pooled runs are those of all their values at once, as record counts them.
func TestMergedSketches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(1e-3, 1e6), 0, 1500), 1, 4).Draw(t, "runs")
		var pooled Sketch
		var all []float64
		for _, values := range runs {
			var s Sketch
			for _, v := range values {
				s.Add(v)
			}
			pooled.Merge(&s)
			all = append(all, values...)
		}
		if len(all) == 0 {
			return
		}
		slices.Sort(all)
		for _, p := range []int{1, 50, 95, 99, 100} {
			want, got := histogram.Percentile(all, p), pooled.Quantiles(int64(p))[0]
			if !pooled.Approximate() && got != want || math.Abs(got/want-1) > 0.0051 {
				t.Fatalf("the %d %% quantile of %d values is %v, want %v (approximate: %t)", p, len(all), got, want, pooled.Approximate())
			}
		}
		if pooled.n != int64(len(all)) || pooled.least != all[0] || pooled.most != all[len(all)-1] {
			t.Fatalf("it has %d values from %v to %v", pooled.n, pooled.least, pooled.most)
		}
	})
}

// A thinned curve has only steps of the whole one, both ends, and no wide gaps in the bulk
// or in the tail.
func TestCurve(t *testing.T) {
	var s Sketch
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		s.Add(random.ExpFloat64())
	}
	whole, thin := s.steps(), s.Curve(100)
	if len(thin) > 100 || len(thin) < 60 {
		t.Fatalf("%d points are kept of 1000, want up to 100", len(thin))
	}
	if thin[0] != whole[0] || thin[len(thin)-1] != whole[len(whole)-1] {
		t.Error("the ends are not kept")
	}
	tail := 0
	for i, p := range thin {
		if !slices.Contains(whole, p) {
			t.Errorf("%v is not a step of the whole curve", p)
		}
		if i > 0 && p.UpTo-thin[i-1].UpTo > 30 {
			t.Errorf("a gap of %d in 1000 after %v", p.UpTo-thin[i-1].UpTo, thin[i-1])
		}
		if p.UpTo > 990 {
			tail++
		}
	}
	if tail < 8 {
		t.Errorf("%d points are in the last hundredth, want most of its 10", tail)
	}
}

func TestSizes(t *testing.T) {
	for size, want := range map[unit.Bytes]unit.Bytes{1: 1, 2: 2, 4: 2, 5: 5, 9: 5, 10: 10, 4096: 2000, 5000: 5000, 99999: 50000, 1 << 40: 1e12} {
		if got := binOf(size); got != want {
			t.Errorf("a message of %d is in the bin of %d, want %d", size, got, want)
		}
	}
	flows := func(sizes int) []record.Flow {
		var list []record.Flow
		for i := range 1000 {
			f := record.Flow{Group: "g", Measured: i%10 != 0, Bytes: unit.Bytes(1000 * (i%sizes + 1)), End: unit.Microsecond, Ideal: unit.Microsecond}
			if i%100 == 1 {
				f.End = record.Unfinished
			}
			list = append(list, f)
		}
		return list
	}
	few := count(flows(3))[0]
	if few.binned || len(few.sizes) != 3 {
		t.Errorf("3 sizes became %d, binned: %t", len(few.sizes), few.binned)
	}
	if few.All.Messages != 900 || few.All.Unfinished() != 10 {
		t.Errorf("%d messages, %d unfinished, want 900 measured, 10 unfinished", few.All.Messages, few.All.Unfinished())
	}
	many := count(flows(50))[0]
	if !many.binned || len(many.sizes) != 5 {
		t.Errorf("50 sizes up to 50 kB became %d, binned: %t, want the bins of 2, 5, 10, 20, 50 kB", len(many.sizes), many.binned)
	}
	total := int64(0)
	for bin, s := range many.sizes {
		total += s.Messages
		if s.From < bin || binOf(s.To) != bin {
			t.Errorf("the bin of %d has messages from %d to %d", bin, s.From, s.To)
		}
	}
	few.Merge(many)
	if total != 900 || few.All.Messages != 1800 || !few.binned {
		t.Errorf("bins have %d messages, want 900; merged %d, want 1800", total, few.All.Messages)
	}
}
