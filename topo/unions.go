package topo

// unions is a disjoint-set forest over the numbers 0 to n-1, with path halving.
// The least member represents its set.
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
