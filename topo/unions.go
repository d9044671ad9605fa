package topo

import "slices"

// unions is a disjoint-set forest over the numbers 0 to n-1, with path halving. The
// smallest member represents its set.
type unions struct{ parent []int32 }

func newUnions(n int) unions {
	u := unions{parent: make([]int32, n)}
	for i := range u.parent {
		u.parent[i] = int32(i)
	}
	return u
}

func (u unions) find(x int32) int32 {
	for u.parent[x] != x {
		u.parent[x] = u.parent[u.parent[x]]
		x = u.parent[x]
	}
	return x
}

func (u unions) join(x, y int32) {
	x, y = u.find(x), u.find(y)
	u.parent[max(x, y)] = min(x, y)
}

// Disjoint merges groups of numbers from 0 to n-1 that share a number. Groups and numbers
// are in ascending order. Groups of one are left out.
func Disjoint(n int, groups [][]int32) [][]int32 {
	if len(groups) == 0 {
		return nil
	}
	u := newUnions(n)
	for _, g := range groups {
		for _, x := range g {
			u.join(g[0], x)
		}
	}
	merged := make([][]int32, n) // by the smallest number
	for x := range int32(n) {
		first := u.find(x)
		merged[first] = append(merged[first], x)
	}
	return slices.DeleteFunc(merged, func(g []int32) bool { return len(g) < 2 })
}
