package disjoint_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/analysis/disjoint"
	"weft/analysis/routers"
)

const longest = 6

// fabric is a random multigraph of few routers, and two disjoint sets of them.
type fabric struct {
	n     int
	links []routers.Link
	a, b  []int32
}

func drawFabric(t *rapid.T, links int) fabric {
	f := fabric{n: rapid.IntRange(2, 7).Draw(t, "routers")}
	for range rapid.IntRange(0, links).Draw(t, "links") {
		x := rapid.IntRange(0, f.n-1).Draw(t, "x")
		y := rapid.IntRange(0, f.n-2).Draw(t, "y")
		if y >= x {
			y++
		}
		f.links = append(f.links, routers.Link{A: int32(x), B: int32(y)})
	}
	order := make([]int32, f.n)
	for i := range order {
		order[i] = int32(i)
	}
	order = rapid.Permutation(order).Draw(t, "order")
	as := rapid.IntRange(1, min(2, f.n-1)).Draw(t, "as")
	bs := rapid.IntRange(1, min(2, f.n-as)).Draw(t, "bs")
	f.a, f.b = order[:as], order[as:as+bs]
	return f
}

func (f fabric) graph(t testing.TB) *routers.Graph {
	g, err := routers.New(f.n, f.links)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// matrix has the cables between every two routers.
func (f fabric) matrix() [][]int {
	m := make([][]int, f.n)
	for i := range m {
		m[i] = make([]int, f.n)
	}
	for _, l := range f.links {
		m[l.A][l.B]++
		m[l.B][l.A]++
	}
	return m
}

// plainGreedy is the loop of the paper on a matrix, without anything clever: search
// from A in breadth, stop at the first router of B, remove the cables, count one;
// no path of at most l hops ends it.
func plainGreedy(f fabric, l int) int {
	m := f.matrix()
	for count := 0; ; count++ {
		from := make([]int32, f.n)
		hops := make([]int, f.n)
		for i := range from {
			from[i] = -1
		}
		queue := slices.Clone(f.a)
		for _, v := range f.a {
			from[v] = v
		}
		end := int32(-1)
		for len(queue) > 0 && end < 0 {
			v := queue[0]
			queue = queue[1:]
			for u := int32(0); int(u) < f.n && end < 0; u++ {
				if m[v][u] == 0 || from[u] >= 0 {
					continue
				}
				from[u], hops[u] = v, hops[v]+1
				queue = append(queue, u)
				if slices.Contains(f.b, u) {
					end = u
				}
			}
		}
		if end < 0 || hops[end] > l {
			return count
		}
		for v := end; from[v] != v; v = from[v] {
			m[v][from[v]]--
			m[from[v]][v]--
		}
	}
}

// short lists the paths of at most l hops from A to B, as the cables they take.
func (f fabric) short(l int) [][]int {
	var out [][]int
	var walk func(v int32, visited []int32, cables []int)
	walk = func(v int32, visited []int32, cables []int) {
		if slices.Contains(f.b, v) {
			out = append(out, slices.Clone(cables))
			return
		}
		if len(cables) == l {
			return
		}
		for c, link := range f.links {
			u := link.A
			if u == v {
				u = link.B
			} else if link.B != v {
				continue
			}
			if !slices.Contains(visited, u) && !slices.Contains(f.a, u) {
				walk(u, append(slices.Clone(visited), u), append(slices.Clone(cables), c))
			}
		}
	}
	for _, v := range f.a {
		walk(v, []int32{v}, nil)
	}
	return out
}

// packing is the most of the paths that share no cable, by trying all.
func packing(paths [][]int, taken uint) int {
	best := 0
	for i, p := range paths {
		set := uint(0)
		for _, c := range p {
			set |= 1 << c
		}
		if set&taken == 0 {
			best = max(best, 1+packing(paths[i+1:], taken|set))
		}
	}
	return best
}

// cut is the least number of cables that all paths need one of, by trying all.
func cut(paths [][]int, removed uint, allowed int) bool {
	i := slices.IndexFunc(paths, func(p []int) bool {
		return !slices.ContainsFunc(p, func(c int) bool { return removed>>c&1 == 1 })
	})
	if i < 0 {
		return true
	}
	if allowed == 0 {
		return false
	}
	for _, c := range paths[i] {
		if cut(paths, removed|1<<c, allowed-1) {
			return true
		}
	}
	return false
}

func TestGreedyIsThePrintedLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFabric(t, 18)
		c := disjoint.NewCounter(routersOf(t, f))
		for most := range longest + 1 { // each finds what those before left behind
			found := make([]int, most+1)
			c.Greedy(f.a, f.b, found)
			for l := range found {
				if want := plainGreedy(f, l); found[l] != want {
					t.Fatalf("%d paths of at most %d hops; the printed loop finds %d", found[l], l, want)
				}
			}
		}
	})
}

func routersOf(t *rapid.T, f fabric) *routers.Graph {
	g, err := routers.New(f.n, f.links)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestBoundAgainstExhaustiveSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFabric(t, 12)
		c := disjoint.NewCounter(routersOf(t, f))
		found := make([]int, longest+1)
		c.Greedy(f.a, f.b, found)
		for l := 1; l <= longest; l++ {
			paths := f.short(l)
			most := packing(paths, 0)
			least := 0
			for !cut(paths, 0, least) {
				least++
			}
			bound := c.Bound(f.a, f.b, l)
			if found[l] > most || most > least || least > bound {
				t.Fatalf("l = %d: greedy %d, paths %d, cut %d, bound %d are out of order", l, found[l], most, least, bound)
			}
			if l <= disjoint.ExactLength && (most != bound || least != bound) {
				t.Fatalf("l = %d: paths %d, cut %d, bound %d differ", l, most, least, bound)
			}
		}
	})
}

// TestGreedyMissesWhatFlowFinds has the smallest kind of graph where a shortest path
// that is taken first blocks two others.
func TestGreedyMissesWhatFlowFinds(t *testing.T) {
	// Two paths of three hops, 0-2-3-1 along the top and 0-4-5-1 along the bottom, and
	// the crossing 2-5: the search takes 0-2-3-1 or 0-2-5-1 first by order alone.
	f := fabric{n: 6, a: []int32{0}, b: []int32{1}}
	for _, l := range [][2]int32{{0, 2}, {2, 5}, {5, 1}, {2, 3}, {3, 1}, {0, 4}, {4, 5}} {
		f.links = append(f.links, routers.Link{A: l[0], B: l[1]})
	}
	g := f.graph(t)
	found := make([]int, 4)
	c := disjoint.NewCounter(g)
	if bound := c.Bound(f.a, f.b, 3); bound != 2 {
		t.Errorf("bound %d, want 2", bound)
	}
	counts := map[int]bool{}
	for seed := range uint64(20) {
		disjoint.NewCounter(g.Shuffled(seed)).Greedy(f.a, f.b, found)
		counts[found[3]] = true
	}
	if !counts[1] || !counts[2] {
		t.Errorf("orders of neighbours gave the counts %v; both 1 and 2 are possible", counts)
	}
}

func TestClique(t *testing.T) {
	const n = 9
	f := fabric{n: n, a: []int32{3}, b: []int32{7}}
	for x := range int32(n) {
		for y := range x {
			f.links = append(f.links, routers.Link{A: x, B: y})
		}
	}
	c := disjoint.NewCounter(f.graph(t))
	found := make([]int, 4)
	c.Greedy(f.a, f.b, found)
	if want := []int{0, 1, n - 1, n - 1}; !slices.Equal(found, want) {
		t.Errorf("found %v, want %v: one path of one hop and one over each other router", found, want)
	}
	// From a and c to b there are all n-1 cables of b, to d as many; together at two
	// hops 2 per bystander, and the four direct ones: 2(n-1) - (4 + 2(n-4)) = 2.
	printed, worded := make([]int, 3), make([]int, 3)
	disjoint.Interference(c.Greedy, 0, 1, 2, 3, printed, worded)
	if want := []int{0, 0, 2}; !slices.Equal(printed, want) {
		t.Errorf("interference %v, want %v", printed, want)
	}
	if want := []int{0, -2, 2}; !slices.Equal(worded, want) {
		t.Errorf("in the words' reading %v, want %v", worded, want)
	}
}

func TestCheckLengths(t *testing.T) {
	for _, bad := range [][]int{{}, {0}, {2, -1}, {disjoint.MaxLength + 1}} {
		if disjoint.CheckLengths(bad...) == nil {
			t.Errorf("lengths %v were not refused", bad)
		}
	}
	if err := disjoint.CheckLengths(1, disjoint.MaxLength); err != nil {
		t.Error(err)
	}
}
