package analysis

import (
	"math"
	"slices"

	"weft/internal/histogram"
	"weft/internal/stats"
)

// Mean returns the mean of a sample with its 95 % interval (Student's t).
func Mean(name string, values []float64, unit, about string) Number {
	if len(values) == 0 {
		return Exact(name, math.NaN(), unit, about)
	}
	m, deviation := stats.MeanStdDev(values)
	n := Number{Name: name, Value: m, Low: m, High: m, Unit: unit, About: about}
	if len(values) > 1 {
		t := stats.StudentQuantile(0.975, float64(len(values)-1))
		half := t * deviation / math.Sqrt(float64(len(values)))
		n.Low, n.High = m-half, m+half
	}
	return n
}

// shares is Mean for shares, one per trial. Its interval is clipped to 0..1.
func shares(name string, values []float64, about string) Number {
	n := Mean(name, values, "", about)
	n.Low, n.High = max(0, n.Low), min(1, n.High)
	return n
}

// share returns a share of trials with its 95 % interval (Wilson 1927), which has a positive
// width even if all trials agree.
func share(name string, hits, trials int, about string) Number {
	const z = 1.959964
	n := float64(trials)
	p := float64(hits) / n
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return Number{Name: name, Value: p, Low: min(p, max(0, middle-half)), High: max(p, min(1, middle+half)), About: about}
}

// percentile returns the least value that at least p % of the sample do not exceed.
func percentile(values []float64, p int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if math.IsNaN(sorted[0]) { // NaNs are sorted first
		return sorted[0]
	}
	return histogram.Percentile(sorted, p)
}

// column returns one quantity of each trial.
func column[T any](trials []T, of func(T) float64) []float64 {
	out := make([]float64, len(trials))
	for i, t := range trials {
		out[i] = of(t)
	}
	return out
}
