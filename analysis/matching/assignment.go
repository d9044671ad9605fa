package matching

import (
	"fmt"
	"math"
	"slices"
)

// Assignment assigns each row a column of its own so that the sum of the weights is maximal, and
// returns the columns and the sum. It takes O(n³) time at worst: shortest augmenting paths over
// reduced costs (Jonker and Volgenant 1987), after a greedy start.
func Assignment(w Weights) (column []int, weight int, err error) {
	table, most, err := w.table(true)
	if err != nil {
		return nil, 0, err
	}
	a := &assignment{n: w.N, weight: table, row: slices.Repeat([]int{-1}, w.N), column: slices.Repeat([]int{-1}, w.N)}
	a.u = slices.Repeat([]int64{most}, w.N)
	a.v = make([]int64, w.N)
	a.greedy()
	a.near, a.by, a.done = make([]int64, w.N), make([]int, w.N), make([]bool, w.N)
	for i := range w.N {
		if a.column[i] < 0 {
			a.augment(i)
		}
	}
	weight, err = a.prove()
	return a.column, weight, err
}

// assignment holds the partial assignment, and duals u of rows and v of columns. Always u+v ≥
// weight, with equality for assigned pairs.
type assignment struct {
	n      int
	weight []int64
	row    []int
	column []int
	u, v   []int64

	// near is the least slack with which each column is reached from the current search, and by
	// is the row from which it is reached.
	near []int64
	by   []int
	done []bool
}

func (a *assignment) slack(i, j int) int64 { return a.u[i] + a.v[j] - a.weight[i*a.n+j] }

// greedy lowers each row's dual to the least that its weights allow, and assigns the row a free column
// without slack.
func (a *assignment) greedy() {
	for i := range a.n {
		least := int64(math.MaxInt64)
		for j := range a.n {
			least = min(least, a.slack(i, j))
		}
		a.u[i] -= least
		for j := range a.n {
			if a.row[j] < 0 && a.slack(i, j) == 0 {
				a.row[j], a.column[i] = i, j
				break
			}
		}
	}
}

// augment assigns a column to row i, along the path of least slack that ends at a free column.
func (a *assignment) augment(i int) {
	for j := range a.n {
		a.near[j], a.by[j], a.done[j] = math.MaxInt64, -1, false
	}
	begin, from, far := i, i, int64(0)
	end := -1
	for end < 0 {
		next := -1
		for j := range a.n {
			if a.done[j] {
				continue
			}
			if d := far + a.slack(from, j); d < a.near[j] {
				a.near[j], a.by[j] = d, from
			}
			if next < 0 || a.near[j] < a.near[next] || a.near[j] == a.near[next] && a.row[j] < 0 && a.row[next] >= 0 {
				next = j
			}
		}
		far = a.near[next]
		a.done[next] = true
		if a.row[next] < 0 {
			end = next
		} else {
			from = a.row[next]
		}
	}
	a.u[begin] -= far
	for j := range a.n {
		if a.done[j] && j != end {
			a.v[j] += far - a.near[j]
			a.u[a.row[j]] -= far - a.near[j]
		}
	}
	for j := end; ; {
		r := a.by[j]
		a.row[j] = r
		a.column[r], j = j, a.column[r]
		if r == begin {
			return
		}
	}
}

// prove compares the weight with the sum of the duals, which no assignment can exceed.
func (a *assignment) prove() (int, error) {
	weight, bound := int64(0), int64(0)
	for i := range a.n {
		weight += a.weight[i*a.n+a.column[i]]
		bound += a.u[i] + a.v[i]
		for j := range a.n {
			if a.slack(i, j) < 0 {
				return 0, fmt.Errorf("matching: the duals of row %d and column %d are below their weight", i, j)
			}
		}
	}
	if weight != bound {
		return 0, fmt.Errorf("matching: the assignment weighs %d, and its duals %d", weight, bound)
	}
	return int(weight), nil
}
