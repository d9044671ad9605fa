package page

import (
	"math"
	"math/rand/v2"
	"slices"

	"weft/study"
)

// resamples is how many samples of the bootstrap are drawn.
const resamples = 2000

// estimate returns the mean over seeds with its 95 % confidence interval, the
// percentiles of the bootstrap. Values that are NaN do not count. The same values
// give the same interval.
func estimate(values []float64) study.Estimate {
	e := study.Estimate{Mean: math.NaN(), Low: math.NaN(), High: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	e.N = len(known)
	if e.N == 0 {
		return e
	}
	slices.Sort(known)
	e.Min, e.Max = known[0], known[e.N-1]
	e.Mean = meanOf(known)
	if e.N < 2 {
		return e
	}
	random := rand.New(rand.NewPCG(95, uint64(e.N)))
	means := make([]float64, resamples)
	sample := make([]float64, e.N)
	for i := range means {
		for j := range sample {
			sample[j] = known[random.IntN(e.N)]
		}
		means[i] = meanOf(sample)
	}
	slices.Sort(means)
	e.Low, e.High = means[resamples*25/1000], means[resamples*975/1000-1]
	return e
}

func meanOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
