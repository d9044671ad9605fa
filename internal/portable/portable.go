// Package portable computes elementary functions and draws random numbers with the same bits on
// every platform. The standard library's logarithm and exponential are assembly on some
// architectures, and a compiler may fuse a product and a sum into one rounding. Results that
// enter a simulation's hash must depend on neither.
//
// Every product that is added to something is converted to float64 explicitly. The Go
// specification defines that conversion as a rounding, which prevents fusion.
package portable

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

const (
	// ln2Hi has 40 bits, so that its product with a binary exponent is exact. ln2Lo is the rest
	// of ln 2.
	ln2Hi = 0x0.b17217f7d1p0
	ln2Lo = math.Ln2 - ln2Hi
)

// Log returns the natural logarithm of x, within one unit in the last place. It
// is NaN for negative x and -Inf for 0.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	// x = 2^exponent·(1+f) with 1+f in [√½, √2).
	fraction, exponent := math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction *= 2
		exponent--
	}
	f := fraction - 1
	// With s = f/(2+f), ln(1+f) = 2·artanh s = 2s + s·r, and 2s = f - s·f; f is
	// exact, so that only the smaller s·(f-r) carries rounding errors.
	s := f / (2 + f)
	z := s * s
	r := 0.0
	for i := len(artanh) - 1; i >= 0; i-- {
		r = float64(r*z) + artanh[i]
	}
	r = float64(r * z)
	k := float64(exponent)
	low := float64(s*(f-r)) - float64(k*ln2Lo)
	return float64(k*ln2Hi) - (low - f)
}

// artanh holds the coefficients of 2·artanh(s)/s - 2 in powers of s². For |s| ≤ 0.172, the first
// omitted term is below 2⁻⁵⁹.
var artanh = [...]float64{2. / 3, 2. / 5, 2. / 7, 2. / 9, 2. / 11, 2. / 13, 2. / 15, 2. / 17, 2. / 19, 2. / 21}

// Exp returns e to the power of x, within one unit in the last place if the result is a normal
// number. Out of range it returns +Inf or 0.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	// x = k·ln 2 + r with |r| ≤ ½·ln 2; tail is the rounding error of r.
	k := math.RoundToEven(x / math.Ln2)
	high := x - float64(k*ln2Hi)
	low := float64(k * ln2Lo)
	r := high - low
	tail := (high - r) - low
	p := 0.0
	for i := len(factorials) - 1; i >= 0; i-- {
		p = float64(p*r) + factorials[i]
	}
	return math.Ldexp(1+(r+(tail+float64(float64(r*r)*p))), int(k))
}

// factorials holds the coefficients of (e^r-1-r)/r² in powers of r. For |r| ≤ 0.347, the first
// omitted term is below 2⁻⁵⁸.
var factorials = [...]float64{
	1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320, 1. / 362880,
	1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800,
}

// Uniform draws a number from (0, 1], a multiple of 2⁻⁵³. It never returns 0, which logarithms
// and inverse distribution functions cannot take.
func Uniform(r *rand.PCG) float64 {
	return float64(r.Uint64()>>11+1) * 0x1p-53
}

// Below draws an integer from [0, n) with equal probabilities. It panics if n is 0.
//
// Source: Lemire, Fast Random Integer Generation in an Interval, ACM TOMACS 29, 2019, Algorithm
// 5.
func Below(r *rand.PCG, n uint64) uint64 {
	if n == 0 {
		panic("portable: a draw from no numbers")
	}
	hi, lo := bits.Mul64(r.Uint64(), n)
	if lo < n {
		for least := -n % n; lo < least; {
			hi, lo = bits.Mul64(r.Uint64(), n)
		}
	}
	return hi
}

// Shuffle permutes a slice at random, with equal probabilities for all orders.
func Shuffle[T any](r *rand.PCG, s []T) { Sample(r, s, len(s)) }

// Sample moves n elements chosen at random to the front of a slice, in random order. The first
// elements do not depend on n: a larger sample from the same stream begins with the smaller one.
func Sample[T any](r *rand.PCG, s []T, n int) {
	for i := range min(n, len(s)-1) {
		j := i + int(Below(r, uint64(len(s)-i)))
		s[i], s[j] = s[j], s[i]
	}
}
