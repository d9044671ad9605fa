// Package stats has the few statistics that weft needs. Results are bit-identical to gonum's
// packages stat and distuv, whose linear algebra takes longer to compile than the simulator.
package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
)

// Mean returns the mean of values.
func Mean(values []float64) float64 { return floats.Sum(values) / float64(len(values)) }

// MeanStdDev returns the mean and the unbiased standard deviation of a sample, by the corrected
// two-pass algorithm of Chan, Golub and LeVeque.
func MeanStdDev(values []float64) (mean, deviation float64) {
	mean = Mean(values)
	var squares, compensation float64
	for _, v := range values {
		d := v - mean
		squares += d * d
		compensation += d
	}
	n := float64(len(values))
	return mean, math.Sqrt((squares - compensation*compensation/n) / (n - 1))
}

// Deviation returns the standard deviation of a whole population from a given mean.
func Deviation(values []float64, mean float64) float64 {
	var sum float64
	for _, v := range values {
		sum += math.Pow(v-mean, 2)
	}
	return math.Sqrt(sum / float64(len(values)))
}

// Median returns the middle of sorted values. For an even number it is the mean of the two middle
// values.
func Median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// StudentQuantile returns the p-quantile of Student's t distribution with n degrees of freedom.
func StudentQuantile(p, n float64) float64 {
	if p == 0.5 {
		return 0
	}
	t := mathext.InvRegIncBeta(n/2, 0.5, 2*min(p, 1-p))
	y := math.Sqrt(n * (1 - t) / t)
	if p < 0.5 {
		return -y
	}
	return y
}

// NormalCDF returns the standard normal distribution function at x.
func NormalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// NormalQuantile returns the p-quantile of the standard normal distribution.
func NormalQuantile(p float64) float64 { return mathext.NormalQuantile(p) }
