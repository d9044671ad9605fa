package page

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

func compare[T cmp.Ordered](a, b T) int { return cmp.Compare(a, b) }

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// thin replaces each span of 2·factor values by two: its smallest and its largest, in
// the order in which they occur. So every peak and every dip stays, at most a span
// from its place, and a line through the values covers the same range of them. Thinned
// values can be thinned again. NaN stands for no value; a span without any stays so.
func thin(values []float64, factor int) []float64 {
	if factor <= 1 {
		return values
	}
	thinned := make([]float64, 0, len(values)/factor+2)
	for span := range slices.Chunk(values, 2*factor) {
		least, most := -1, -1
		for i, v := range span {
			if math.IsNaN(v) {
				continue
			}
			if least < 0 || v < span[least] {
				least = i
			}
			if most < 0 || v > span[most] {
				most = i
			}
		}
		switch {
		case least < 0:
			thinned = append(thinned, math.NaN(), math.NaN())
		case least <= most:
			thinned = append(thinned, span[least], span[most])
		default:
			thinned = append(thinned, span[most], span[least])
		}
	}
	return thinned
}

// factorFor returns the factor that thins n values to at most so many.
func factorFor(n, most int) int {
	factor := 1
	for n > most && (n+2*factor-1)/(2*factor)*2 > most {
		factor++
	}
	return factor
}
