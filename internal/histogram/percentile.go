package histogram

import "cmp"

// Percentile returns the p-th percentile of a non-empty slice in ascending order: the smallest
// value that at least p % of all values do not exceed. It is always one of the values and never
// an interpolation (type 1 of Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996;
// R's quantile type 1).
func Percentile[T cmp.Ordered](ascending []T, p int) T {
	rank := (len(ascending)*p + 99) / 100
	return ascending[max(rank, 1)-1]
}
