package collisions

import (
	"fmt"
	"math/bits"

	"weft/internal/portable"
	"weft/sim"
)

// FarOffset is the stencil's larger offset among so many endpoints (FatPaths
// §II-C).
func FarOffset(endpoints int) int {
	if endpoints > 10_000 {
		return 1337
	}
	return 42
}

// flows calls send for every flow of the pattern among n endpoints.
func (o Options) flows(n, trial int, send func(s, t int)) error {
	switch o.Pattern {
	case Permutation:
		o.permute(n, trial, 0, send)
	case Permutations:
		for i := range 4 {
			o.permute(n, trial, i, send)
		}
	case OffDiagonal, Adversarial:
		diagonal(n, o.Offset, send)
	case Stencil:
		far := FarOffset(n)
		for _, c := range [4]int{1, -1, far, -far} {
			diagonal(n, c, send)
		}
	case Shuffle:
		for s := range n {
			send(s, Rotated(s, n))
		}
	default:
		_, err := ParsePattern(string(o.Pattern))
		return err
	}
	return nil
}

func (o Options) permute(n, trial, which int, send func(s, t int)) {
	to := make([]int32, n)
	for i := range to {
		to[i] = int32(i)
	}
	r := sim.Stream(o.Seed, uint64(trial), fmt.Sprintf("permutation %d", which))
	portable.Shuffle(&r, to)
	for s, t := range to {
		send(s, int(t))
	}
}

func diagonal(n, c int, send func(s, t int)) {
	for s := range n {
		send(s, ((s+c)%n+n)%n)
	}
}

// Rotated is where the shuffle of n endpoints sends s.
func Rotated(s, n int) int {
	i := bits.Len(uint(n-1)) - 1 // words have i+1 bits
	if i < 1 {
		return s
	}
	return (s<<i&(1<<(i+1)-1) | s>>1) % n
}
