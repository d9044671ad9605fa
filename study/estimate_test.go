package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

func estimated(values ...float64) Estimate { return new(estimator).estimate(values) }

// TestTailsAreThoseOfStudent: levels are widened so that the percentile of a normal
// distribution as wide as that of the means of resamples is Student's t. The
// quantiles of t are those of any table.
func TestTailsAreThoseOfStudent(t *testing.T) {
	for n, student := range map[int]float64{2: 12.7062, 3: 4.30265, 5: 2.77645, 10: 2.26216, 20: 2.09302, 100: 1.98422} {
		z := distuv.UnitNormal.Quantile(new(estimator).tail(n))
		if got := -z * math.Sqrt(float64(n-1)/float64(n)); math.Abs(got-student) > 1e-4 {
			t.Errorf("%d values: %v, want %v", n, got, student)
		}
	}
}

// bruteForce returns the quantiles of the means of all n^n resamples.
func bruteForce(v []float64, tail float64) (low, high float64) {
	n := len(v)
	total := 1
	for range n {
		total *= n
	}
	means := make([]float64, total)
	for i := range means {
		for j, rest := 0, i; j < n; j, rest = j+1, rest/n {
			means[i] += v[rest%n] / float64(n)
		}
	}
	slices.Sort(means)
	// The least mean up to which there are enough resamples, from either end.
	k := int(math.Ceil(tail*float64(total) - 1e-6))
	return means[max(k, 1)-1], means[total-max(k, 1)]
}

func TestAllResamplesAreEnumerated(t *testing.T) {
	if testing.Short() {
		t.Skip("statistics of one thread")
	}
	random := rand.New(rand.NewPCG(3, 4))
	for n := 2; n <= exactValues; n++ {
		for range min(3, exactValues+1-n) {
			v := make([]float64, n)
			for i := range v {
				v[i] = math.Exp(2 * random.NormFloat64())
			}
			v[n-1] = v[0] // values may be equal
			slices.Sort(v)
			s := new(estimator)
			for _, tail := range []float64{s.tail(n), 0.025, 0.25, 0.5} {
				low, high := s.exactQuantiles(v, tail)
				wantLow, wantHigh := bruteForce(v, tail)
				if math.Abs(low-wantLow) > 1e-9*v[n-1] || math.Abs(high-wantHigh) > 1e-9*v[n-1] {
					t.Errorf("%v at %v: %v to %v, want %v to %v", v, tail, low, high, wantLow, wantHigh)
				}
			}
			sum := 0.0
			s.enumerate(v)
			for _, r := range s.resamples {
				sum += r.weight
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("the probabilities of all resamples of %d values are %v", n, sum)
			}
		}
	}
}

// TestSaddlepointsAreTheBootstrap draws resamples, and compares.
func TestSaddlepointsAreTheBootstrap(t *testing.T) {
	if testing.Short() {
		t.Skip("statistics of one thread")
	}
	const draws = 40000
	random := rand.New(rand.NewPCG(5, 6))
	for name, draw := range map[string]func() float64{
		"normal":      random.NormFloat64,
		"exponential": random.ExpFloat64,
		"lognormal":   func() float64 { return math.Exp(random.NormFloat64()) },
		"uniform":     random.Float64,
		"counts":      func() float64 { return float64(random.IntN(6)) },
	} {
		for _, n := range []int{8, 15, 60} {
			v := make([]float64, n)
			for i := range v {
				v[i] = draw()
			}
			got := estimated(v...)
			means := make([]float64, draws)
			for i := range means {
				for range n {
					means[i] += v[random.IntN(n)] / float64(n)
				}
			}
			slices.Sort(means)
			k := int(new(estimator).tail(n) * draws)
			low, high := means[k], means[draws-1-k]
			// Chance and the steps between means of counts leave some percent.
			if near := 0.05 * (high - low); math.Abs(got.Low-low) > near || math.Abs(got.High-high) > near {
				t.Errorf("%s, %d values: %.4f to %.4f, and by drawing %.4f to %.4f", name, n, got.Low, got.High, low, high)
			}
		}
	}
}

// TestSeldomEvents: of values of which nearly all are equal, most resamples may hold
// nothing else, and then the interval ends there.
func TestSeldomEvents(t *testing.T) {
	v := make([]float64, 10)
	v[3] = 1000
	// The means are 100 times a binomial variable; 0 has a probability of 35 %, up
	// to 3 is 98.7 % and up to 4 is 99.8 %, and the level is 99.1 %.
	got := estimated(v...)
	if got.Low != 0 || got.High < 300 || got.High > 420 {
		t.Errorf("%+v", got)
	}
	for i := range v {
		v[i] = 1000 - v[i]
	}
	mirrored := estimated(v...)
	if mirrored.High != 1000 || math.Abs(mirrored.Low-(1000-got.High)) > 1e-6 {
		t.Errorf("%+v", mirrored)
	}
}

// TestCoverage draws samples of a known mean, and counts how often the interval holds
// it. What is wanted is what the method reaches: of few values from a skewed
// distribution every interval that stays within them covers less than it says.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("statistics of one thread")
	}
	const trials = 3000
	tests := []struct {
		name       string
		draw       func(*rand.Rand) float64
		mean       float64
		n          int
		least, top float64
	}{
		{"normal", (*rand.Rand).NormFloat64, 0, 3, 0.73, 0.78},
		{"normal", (*rand.Rand).NormFloat64, 0, 5, 0.89, 0.94},
		{"normal", (*rand.Rand).NormFloat64, 0, 10, 0.93, 0.97},
		{"normal", (*rand.Rand).NormFloat64, 0, 20, 0.93, 0.97},
		{"normal", (*rand.Rand).NormFloat64, 0, 200, 0.94, 0.965},
		{"exponential", (*rand.Rand).ExpFloat64, 1, 5, 0.82, 0.94},
		{"exponential", (*rand.Rand).ExpFloat64, 1, 10, 0.90, 0.97},
		{"exponential", (*rand.Rand).ExpFloat64, 1, 20, 0.91, 0.97},
		{"exponential", (*rand.Rand).ExpFloat64, 1, 200, 0.935, 0.965},
	}
	for _, tt := range tests {
		random := rand.New(rand.NewPCG(7, uint64(tt.n)))
		var s estimator
		v := make([]float64, tt.n)
		held := 0
		for range trials {
			for i := range v {
				v[i] = tt.draw(random)
			}
			if e := s.estimate(v); e.Low <= tt.mean && tt.mean <= e.High {
				held++
			}
		}
		share := float64(held) / trials
		t.Logf("%s, %d values: %.3f", tt.name, tt.n, share)
		if share < tt.least || share > tt.top {
			t.Errorf("%s, %d values: the interval holds the mean in %.1f %% of samples, want %.1f to %.1f %%",
				tt.name, tt.n, 100*share, 100*tt.least, 100*tt.top)
		}
	}
}

func TestFewAndOddValues(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		values []float64
		want   Estimate
	}{
		{nil, Estimate{0, nan, nan, nan, nan, nan}},
		{[]float64{nan}, Estimate{0, nan, nan, nan, nan, nan}},
		{[]float64{7}, Estimate{1, 7, nan, nan, 7, 7}},
		{[]float64{7, nan, math.Inf(1)}, Estimate{1, 7, nan, nan, 7, 7}},
		{[]float64{4, 2}, Estimate{2, 3, 2, 4, 2, 4}},
		{[]float64{9, 0, 3}, Estimate{3, 4, 0, 9, 0, 9}},
		{[]float64{9, 0, nan, 3}, Estimate{3, 4, 0, 9, 0, 9}},
		// Of five, one resample in 3125 is nothing but the least; the level is
		// 0.000955, so that the end is the next mean.
		{[]float64{0, 5, 10, 15, 20}, Estimate{5, 10, 1, 19, 0, 20}},
		{[]float64{0.1, 0.1, 0.1}, Estimate{3, 0.1, 0.1, 0.1, 0.1, 0.1}},
		{slices.Repeat([]float64{0.1}, 99), Estimate{99, 0.1, 0.1, 0.1, 0.1, 0.1}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, estimated(tt.values...), cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%v: %s", tt.values, diff)
		}
	}
	values := []float64{3, 1, 2}
	estimated(values...)
	if !slices.Equal(values, []float64{3, 1, 2}) {
		t.Errorf("the values were changed to %v", values)
	}
}

func TestEstimatesOfAnyValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.SampledFrom([]float64{1e-9, 1, 1e12}).Draw(t, "scale")
		value := rapid.OneOf(
			rapid.Float64Range(-1, 1),
			rapid.Map(rapid.IntRange(0, 3), func(n int) float64 { return float64(n) }),
			rapid.Map(rapid.Float64Range(0, 20), math.Exp))
		v := rapid.SliceOfN(value, 2, 60).Draw(t, "values")
		for i := range v {
			v[i] *= scale
		}
		e := estimated(v...)
		if e.N != len(v) || e.Min != slices.Min(v) || e.Max != slices.Max(v) {
			t.Fatalf("%+v", e)
		}
		if !(e.Min <= e.Low && e.Low <= e.Mean && e.Mean <= e.High && e.High <= e.Max) {
			t.Fatalf("out of order: %+v", e)
		}
		var used estimator
		used.estimate([]float64{3, 1, 4, 1, 5, 9, 2, 6})
		used.estimate([]float64{3, 1, 4})
		shuffled := rapid.Permutation(v).Draw(t, "shuffled")
		if again := used.estimate(shuffled); again != e {
			t.Fatalf("in another order, by an estimator that was used: %+v, want %+v", again, e)
		}
		mirrored := make([]float64, len(v))
		for i := range v {
			mirrored[i] = -v[i]
		}
		m := estimated(mirrored...)
		if near := 1e-5 * (e.Max - e.Min); math.Abs(m.Low+e.High) > near || math.Abs(m.High+e.Low) > near {
			t.Fatalf("of the negatives: %v to %v, want %v to %v", m.Low, m.High, -e.High, -e.Low)
		}
	})
}

// BenchmarkEstimate is the time of one number of one cell; a table has cells times
// metrics of them.
func BenchmarkEstimate(b *testing.B) {
	for _, n := range []int{3, 5, 7, 8, 20, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 2))
			values := make([]float64, n)
			for i := range values {
				values[i] = random.ExpFloat64()
			}
			var s estimator
			for b.Loop() {
				s.estimate(values)
			}
		})
	}
}
