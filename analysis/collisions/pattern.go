package collisions

import (
	"fmt"

	"weft/analysis/pattern"
	"weft/sim"
)

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
		for _, c := range pattern.StencilOffsets(n) {
			diagonal(n, c, send)
		}
	case Shuffle:
		for s := range n {
			send(s, pattern.Shuffle(s, n))
		}
	default:
		_, err := ParsePattern(string(o.Pattern))
		return err
	}
	return nil
}

func (o Options) permute(n, trial, which int, send func(s, t int)) {
	r := sim.Stream(o.Seed, uint64(trial), fmt.Sprintf("permutation %d", which))
	for s, t := range pattern.Permutation(n, &r) {
		send(s, int(t))
	}
}

func diagonal(n, c int, send func(s, t int)) {
	for s := range n {
		send(s, pattern.OffDiagonal(s, c, n))
	}
}
