// Package pattern holds FatPaths' patterns of traffic (§II-C) as maps of endpoints,
// which are numbered 0 to N-1, to the endpoints that they send to. How many send and
// where endpoints stand is for whoever uses them.
package pattern

import (
	"math/bits"
	"math/rand/v2"

	"weft/internal/portable"
)

// OffDiagonal is t(s) = (s+c) mod n; c may be negative.
func OffDiagonal(s, c, n int) int { return ((s+c)%n + n) % n }

// Shuffle has the bits of s rotated to the left by i, modulo n, in words of i+1
// bits. The paper's 2^i < n < 2^(i+1) leaves powers of two out; here n ≤ 2^(i+1).
// Where n is no power of two this is no permutation. The paper's rotation "on i
// bits" could also be one place in words of i bits; with hosts placed at random about
// as many flows collide.
func Shuffle(s, n int) int {
	i := bits.Len(uint(n-1)) - 1
	if i < 1 {
		return s
	}
	return (s<<i&(1<<(i+1)-1) | s>>1) % n
}

// StencilOffsets are those of the off-diagonals that a two-dimensional stencil of n
// endpoints consists of.
func StencilOffsets(n int) [4]int {
	far := 42
	if n > 10_000 {
		far = 1337
	}
	return [4]int{1, -1, far, -far}
}

// Permutation draws one of all permutations of n endpoints, each as likely; some
// endpoints may stay where they are.
func Permutation(n int, r *rand.PCG) []int32 {
	to := make([]int32, n)
	for i := range to {
		to[i] = int32(i)
	}
	portable.Shuffle(r, to)
	return to
}
