// Package thin leaves out points of long lines so that their peaks and dips stay.
package thin

import "math"

// Indices returns which of n values to keep: of each span of 2·factor values the smallest and the largest, in the order in which
// they occur. So every peak and every dip stays, and a line through the values covers the same range of them. Thinned values can be
// thinned again. NaN stands for no value; of a span without any the first index is kept, twice.
func Indices(n, factor int, at func(i int) float64) []int {
	keep := make([]int, 0, n/max(1, factor)+2)
	for from := 0; from < n; from += 2 * factor {
		least, most := -1, -1
		for i := from; i < min(n, from+2*factor); i++ {
			v := at(i)
			if math.IsNaN(v) {
				continue
			}
			if least < 0 || v < at(least) {
				least = i
			}
			if most < 0 || v > at(most) {
				most = i
			}
		}
		if least < 0 {
			least, most = from, from
		}
		keep = append(keep, min(least, most), max(least, most))
	}
	return keep
}

// Values returns those that are kept; all with a factor of 1.
func Values(values []float64, factor int) []float64 {
	if factor <= 1 {
		return values
	}
	keep := Indices(len(values), factor, func(i int) float64 { return values[i] })
	thinned := make([]float64, len(keep))
	for k, i := range keep {
		thinned[k] = values[i]
	}
	return thinned
}

// Factor returns the factor that thins n values to at most so many.
func Factor(n, most int) int {
	factor := 1
	for n > most && (n+2*factor-1)/(2*factor)*2 > most {
		factor++
	}
	return factor
}
