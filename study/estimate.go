package study

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// confidence is that of intervals.
const confidence = 0.95

// estimate sums up values, whose order does not matter. The interval is the
// expanded percentile bootstrap (Hesterberg, What Teachers Should Know about the
// Bootstrap, 2015, §4.1): percentiles of the means of resamples, at levels that are
// widened so that few values give an interval of about the width that Student's t
// has, where the plain percentiles are too narrow. It never reaches beyond the
// extremes, so that of two or three values it is the extremes, and covers less than
// it says. For up to exactValues values all resamples are enumerated; the others
// are drawn at random from a stream that the values choose, so that the same runs
// give the same table.
func estimate(values []float64) Estimate {
	nan := math.NaN()
	e := Estimate{N: len(values), Mean: nan, Low: nan, High: nan, Min: nan, Max: nan}
	if len(values) == 0 {
		return e
	}
	v := slices.Clone(values)
	slices.Sort(v)
	e.Mean, e.Min, e.Max = stat.Mean(v, nil), v[0], v[len(v)-1]
	switch {
	case len(v) == 1:
		return e
	case e.Min == e.Max:
		e.Low, e.High = e.Min, e.Max
		return e
	}
	tail := expandedTail(len(v))
	if len(v) <= exactValues {
		means, weights := allResamples(v)
		e.Low, e.High = weightedQuantiles(means, weights, tail)
	} else {
		e.Low, e.High = drawnQuantiles(v, tail)
	}
	return e
}

const (
	// exactValues is how many values have few enough resamples to enumerate: the
	// C(2n-1, n) multisets.
	exactValues = 7
	// resamples are drawn for more values than that; fewer if the values are so
	// many that their mean is nearly normal, and drawing takes long.
	resamples   = 2000
	leastDrawn  = 400
	drawnAtOnce = 400_000
)

// expandedTail returns the level of the lower percentile for n values.
func expandedTail(n int) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(1 - (1-confidence)/2)
	return distuv.UnitNormal.CDF(-math.Sqrt(float64(n)/float64(n-1)) * t)
}

// allResamples returns the mean of every multiset of n of the n values, with its
// probability.
func allResamples(v []float64) (means, weights []float64) {
	n := len(v)
	logN := math.Log(float64(n))
	whole, _ := math.Lgamma(float64(n + 1))
	var walk func(i, left int, sum, logWeight float64)
	walk = func(i, left int, sum, logWeight float64) {
		if i == n-1 {
			ways, _ := math.Lgamma(float64(left + 1))
			means = append(means, (sum+float64(left)*v[i])/float64(n))
			weights = append(weights, math.Exp(logWeight-ways-float64(n)*logN))
			return
		}
		for k := 0; k <= left; k++ {
			ways, _ := math.Lgamma(float64(k + 1))
			walk(i+1, left-k, sum+float64(k)*v[i], logWeight-ways)
		}
	}
	walk(0, n, 0, whole)
	return means, weights
}

// weightedQuantiles returns the quantiles at tail and 1-tail.
func weightedQuantiles(means, weights []float64, tail float64) (low, high float64) {
	stat.SortWeighted(means, weights)
	return stat.Quantile(tail, stat.Empirical, means, weights), stat.Quantile(1-tail, stat.Empirical, means, weights)
}

func drawnQuantiles(v []float64, tail float64) (low, high float64) {
	count := min(resamples, max(leastDrawn, drawnAtOnce/len(v)))
	seed := fnv.New64a()
	for _, x := range v {
		bits := math.Float64bits(x)
		var b [8]byte
		for i := range b {
			b[i] = byte(bits >> (8 * i))
		}
		seed.Write(b[:])
	}
	draw := rand.New(rand.NewPCG(seed.Sum64(), uint64(len(v))))
	means := make([]float64, count)
	for i := range means {
		sum := 0.0
		for range v {
			sum += v[draw.IntN(len(v))]
		}
		means[i] = sum / float64(len(v))
	}
	slices.Sort(means)
	return stat.Quantile(tail, stat.Empirical, means, nil), stat.Quantile(1-tail, stat.Empirical, means, nil)
}
