// Package matching finds maximum-weight matchings: of pairs in a complete graph (Edmonds 1965),
// and of rows with columns (Kuhn 1955). Both algorithms produce the dual solution that proves
// optimality, and check it before they return.
package matching

import "fmt"

// Weights holds the weights of all pairs of N vertices, or of all rows and columns. The weight of
// i and j is At(i, j), counted from 0.
type Weights struct {
	// N is the number of vertices, or of rows and of columns.
	N int
	// At returns a weight. For pairs, it is called for i ≠ j and must be symmetric.
	At func(i, j int) int
}

// maxWeight keeps sums of duals from overflowing.
const maxWeight = 1 << 40

// table evaluates all weights once.
func (w Weights) table(diagonal bool) ([]int64, int64, error) {
	if w.N < 0 {
		return nil, 0, fmt.Errorf("%d vertices; there are 0 or more", w.N)
	}
	table := make([]int64, w.N*w.N)
	most := int64(0)
	for i := range w.N {
		for j := range w.N {
			if i == j && !diagonal {
				continue
			}
			x := w.At(i, j)
			if x < 0 || x > maxWeight {
				return nil, 0, fmt.Errorf("the weight of %d and %d is %d; weights are 0 to %d", i, j, x, maxWeight)
			}
			table[i*w.N+j] = int64(x)
			most = max(most, int64(x))
		}
	}
	return table, most, nil
}
