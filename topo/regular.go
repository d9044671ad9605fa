package topo

import (
	"math/rand/v2"
	"slices"
)

// regular is a random simple graph under construction.
type regular struct {
	degree int
	random *rand.Rand
	// to lists the neighbours of each vertex.
	to [][]int32
	// open lists the vertices with fewer neighbours than the degree. place holds the index
	// of each vertex in open.
	open  []int32
	place []int32
}

func newRegular(n, degree int, random *rand.Rand) *regular {
	r := &regular{degree: degree, random: random, to: make([][]int32, n), open: make([]int32, n), place: make([]int32, n)}
	all := make([]int32, n*degree)
	for v := range n {
		r.to[v] = all[v*degree : v*degree : (v+1)*degree]
		r.open[v], r.place[v] = int32(v), int32(v)
	}
	return r
}

// draw adds links until every vertex has its degree. It reports whether that succeeded.
func (r *regular) draw() bool {
	for r.joinOpen() {
	}
	for len(r.open) > 0 {
		a := r.open[0]
		b := a
		if r.degree-len(r.to[a]) < 2 {
			// The number of link ends left is even, and all open vertices are linked to
			// each other, so there is another open vertex.
			b = r.open[1]
		}
		if !r.takeIn(a, b) {
			return false
		}
	}
	return true
}

// joinOpen links two open vertices that are not linked, each such pair with the same
// probability. It reports whether there was one.
func (r *regular) joinOpen() bool {
	n := len(r.open)
	if n < 2 {
		return false
	}
	// While many vertices are open, most pairs will do. If many tries fail, list the pairs
	// that will.
	for range 4 * n {
		i, j := r.random.IntN(n), r.random.IntN(n-1)
		if j >= i {
			j++
		}
		if a, b := r.open[i], r.open[j]; !r.linked(a, b) {
			r.link(a, b)
			return true
		}
	}
	var pairs [][2]int32
	for i, a := range r.open {
		for _, b := range r.open[:i] {
			if !r.linked(a, b) {
				pairs = append(pairs, [2]int32{a, b})
			}
		}
	}
	if len(pairs) == 0 {
		return false
	}
	pair := pairs[r.random.IntN(len(pairs))]
	r.link(pair[0], pair[1])
	return true
}

// takeIn removes a random link u-v, and links u to a and v to b; a and b may be the same
// vertex. It reports whether there was such a link.
func (r *regular) takeIn(a, b int32) bool {
	fits := func(u, v int32) bool {
		return u != a && u != b && v != a && v != b && !r.linked(u, a) && !r.linked(v, b)
	}
	const tries = 1000
	for range tries {
		u := int32(r.random.IntN(len(r.to)))
		i := r.random.IntN(r.degree)
		if i >= len(r.to[u]) {
			// Drawing a vertex again makes the links of vertices with fewer links as likely
			// as all others.
			continue
		}
		if v := r.to[u][i]; fits(u, v) {
			r.open2(u, v, a, b)
			return true
		}
	}
	for u := range r.to {
		for _, v := range r.to[u] {
			if fits(int32(u), v) {
				r.open2(int32(u), v, a, b)
				return true
			}
		}
	}
	return false
}

func (r *regular) open2(u, v, a, b int32) {
	r.cut(u, v)
	r.cut(v, u)
	r.link(u, a)
	r.link(v, b)
}

func (r *regular) linked(a, b int32) bool {
	return slices.Contains(r.to[a], b)
}

func (r *regular) cut(a, b int32) {
	i := slices.Index(r.to[a], b)
	last := len(r.to[a]) - 1
	r.to[a][i] = r.to[a][last]
	r.to[a] = r.to[a][:last]
	if last == r.degree-1 {
		r.place[a] = int32(len(r.open))
		r.open = append(r.open, a)
	}
}

func (r *regular) link(a, b int32) {
	r.to[a] = append(r.to[a], b)
	r.to[b] = append(r.to[b], a)
	r.closeFull(a)
	r.closeFull(b)
}

// closeFull removes a vertex that has its degree from the open ones.
func (r *regular) closeFull(a int32) {
	if len(r.to[a]) < r.degree {
		return
	}
	last := r.open[len(r.open)-1]
	r.open[r.place[a]], r.place[last] = last, r.place[a]
	r.open = r.open[:len(r.open)-1]
}
