// Package pattern holds FatPaths' traffic patterns (§II-C) as maps from endpoints 0 to N-1 to the
// endpoints that they send to. The caller decides how many send and where endpoints are placed.
package pattern

import (
	"math/bits"
	"math/rand/v2"

	"weft/internal/portable"
)

// OffDiagonal returns (s+c) mod n; c may be negative.
func OffDiagonal(s, c, n int) int { return ((s+c)%n + n) % n }

// Shuffle rotates the bits of s left by i, modulo n, in words of i+1 bits. The paper's 2^i < n <
// 2^(i+1) leaves out powers of two; here n ≤ 2^(i+1). If n is not a power of two, the result is
// not a permutation. The paper's rotation "on i bits" could also mean a rotation by one place in
// words of i bits. With randomly placed hosts, about as many flows collide then.
func Shuffle(s, n int) int {
	i := bits.Len(uint(n-1)) - 1
	if i < 1 {
		return s
	}
	return (s<<i&(1<<(i+1)-1) | s>>1) % n
}

// StencilOffsets returns the offsets of the off-diagonals that form a two-dimensional stencil of
// n endpoints.
func StencilOffsets(n int) [4]int {
	far := 42
	if n > 10_000 {
		far = 1337
	}
	return [4]int{1, -1, far, -far}
}

// Permutation draws a permutation of n endpoints with equal probabilities. Some endpoints may
// stay in place.
func Permutation(n int, r *rand.PCG) []int32 {
	to := make([]int32, n)
	for i := range to {
		to[i] = int32(i)
	}
	portable.Shuffle(r, to)
	return to
}
