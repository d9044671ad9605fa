package generate

import (
	"math"
	"math/bits"
)

// product multiplies numbers that are not negative. What is too large is the largest number.
func product(factors ...int64) int64 {
	all := uint64(1)
	for _, f := range factors {
		hi, lo := bits.Mul64(all, uint64(f))
		if all = lo; hi > 0 || lo > math.MaxInt64 {
			all = math.MaxInt64
		}
	}
	return int64(all)
}

// total adds numbers that are not negative. What is too large is the largest number.
func total(terms ...int64) int64 {
	all := int64(0)
	for _, t := range terms {
		if t > math.MaxInt64-all {
			return math.MaxInt64
		}
		all += t
	}
	return all
}

// parts returns how large each of n parts of a number is, rounded up.
func parts(of, n int64) int64 {
	if of%n == 0 {
		return of / n
	}
	return of/n + 1
}
