package throughput

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"pgregory.net/rapid"
)

func problem(t testing.TB, capacity ...float64) *Problem {
	t.Helper()
	p, err := NewProblem(capacity)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func add(t testing.TB, p *Problem, demand float64, paths ...[]int32) {
	t.Helper()
	if _, err := p.Add(demand, paths...); err != nil {
		t.Fatal(err)
	}
}

// solve solves and checks everything that a result promises.
func solve(t testing.TB, p *Problem, gap float64) *Result {
	t.Helper()
	r, err := Solve(context.Background(), p, Options{Gap: gap})
	if err != nil {
		t.Fatal(err)
	}
	certified(t, p, r, gap)
	return r
}

// certified takes the two bounds in another way than the package does: it looks at
// every arc and commodity in turn.
func certified(t testing.TB, p *Problem, r *Result, gap float64) {
	t.Helper()
	use := make([]float64, len(p.capacity))
	pays := 0.0
	for i, paths := range p.paths {
		sum, cheapest := 0.0, math.Inf(1)
		for _, q := range paths {
			if r.Shares[q] < 0 {
				t.Fatalf("a share of %v", r.Shares[q])
			}
			sum += r.Shares[q]
			cost := 0.0
			for _, e := range p.path(q) {
				use[e] += r.Lower * p.demand[i] * r.Shares[q]
				cost += r.Prices[e]
			}
			cheapest = min(cheapest, cost)
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("the shares of commodity %d add up to %v", i, sum)
		}
		pays += p.demand[i] * cheapest
	}
	worth := 0.0
	for e, c := range p.capacity {
		if use[e] > c*(1+1e-8) {
			t.Errorf("arc %d of capacity %v carries %v", e, c, use[e])
		}
		if r.Prices[e] < 0 {
			t.Errorf("arc %d has the price %v", e, r.Prices[e])
		}
		worth += c * r.Prices[e]
	}
	if bound := worth / pays; math.Abs(bound/r.Upper-1) > 1e-6 {
		t.Errorf("the prices bound the throughput by %v, the result says %v", bound, r.Upper)
	}
	if r.Lower > r.Upper || r.Gap() > gap {
		t.Errorf("bounds %v and %v, a gap of %v", r.Lower, r.Upper, r.Gap())
	}
}

func contain(t testing.TB, r *Result, want float64) {
	t.Helper()
	if r.Lower > want*(1+1e-9) || r.Upper < want*(1-1e-9) {
		t.Errorf("the throughput is between %v and %v; it should be %v", r.Lower, r.Upper, want)
	}
}

func TestOnePath(t *testing.T) {
	p := problem(t, 3, 2, 5)
	add(t, p, 4, []int32{0, 1, 2})
	contain(t, solve(t, p, 1e-6), 0.5)
}

func TestPathsOfDifferentCapacityAddUp(t *testing.T) {
	p := problem(t, 3, 2, 0.5)
	add(t, p, 2, []int32{0}, []int32{1}, []int32{2})
	contain(t, solve(t, p, 1e-5), 5.5/2)
}

// A clique of n routers with uniform demand d between all pairs: over direct links
// alone, T = 1/d.
func TestCliqueOverDirectLinks(t *testing.T) {
	const n, d = 7, 2.5
	p := problem(t, ones(n*n)...)
	for a := range n {
		for b := range n {
			if a != b {
				add(t, p, d, []int32{int32(a*n + b)})
			}
		}
	}
	contain(t, solve(t, p, 1e-6), 1/d)
}

// In a clique where every router sends to one partner, the direct link and n-2
// detours of two links carry all n-1 links of the sender: with f over each detour,
// every arc between non-partners carries two detours' first and second halves.
// The optimum bounds: total capacity used is 1·x + 2·(T-x) ≤ n-1 a router, x ≤ 1,
// so T = (n-1+1)/2 = n/2.
func TestCliqueWithDetours(t *testing.T) {
	const n = 8
	p := problem(t, ones(n*n)...)
	for a := range n {
		b := a ^ 1
		paths := [][]int32{{int32(a*n + b)}}
		for m := range n {
			if m != a && m != b {
				paths = append(paths, []int32{int32(a*n + m), int32(m*n + b)})
			}
		}
		add(t, p, 1, paths...)
	}
	contain(t, solve(t, p, 1e-4), n/2.)
}

// On a star of n leaves around a hub every leaf sends d to every other: its link
// carries n-1 of them each way, T = 1/(d(n-1)). One leaf of half the capacity is
// the bottleneck then, T = 1/(2d(n-1)).
func TestStar(t *testing.T) {
	const n, d = 9, 1.5
	for _, last := range []float64{1, 0.5} {
		capacity := ones(2 * n)
		capacity[n-1], capacity[2*n-1] = last, last
		p := problem(t, capacity...)
		for a := range n {
			for b := range n {
				if a != b {
					add(t, p, d, []int32{int32(a), int32(n + b)})
				}
			}
		}
		contain(t, solve(t, p, 1e-6), last/d/(n-1))
	}
}

// On a ring of n routers every one sends to the opposite one, half a turn either
// way: n flows of n/2 hops on 2n arcs, T = 4/n.
func TestRing(t *testing.T) {
	const n = 12
	p := problem(t, ones(2*n)...)
	for a := range n {
		var right, left []int32
		for h := range n / 2 {
			right = append(right, int32((a+h)%n))
			left = append(left, int32(n+(a-h+n)%n))
		}
		add(t, p, 1, right, left)
	}
	contain(t, solve(t, p, 1e-5), 4./n)
}

// Two commodities of one link each, and one that needs both: the fair share.
func TestLine(t *testing.T) {
	p := problem(t, 1, 1)
	add(t, p, 1, []int32{0})
	add(t, p, 1, []int32{1})
	add(t, p, 1, []int32{0, 1})
	contain(t, solve(t, p, 1e-6), 0.5)
}

func ones(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// random draws a problem whose paths are lists of arcs without any graph.
func random(t *rapid.T) *Problem {
	arcs := rapid.IntRange(1, 9).Draw(t, "arcs")
	capacity := make([]float64, arcs)
	for e := range capacity {
		capacity[e] = rapid.SampledFrom([]float64{1, 1, 1, 2, 0.5, 4}).Draw(t, "capacity")
	}
	p, err := NewProblem(capacity)
	if err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(1, 6).Draw(t, "commodities") {
		i, err := p.Add(rapid.SampledFrom([]float64{1, 1, 0.1, 3, 7}).Draw(t, "demand"))
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 4).Draw(t, "paths") {
			path := rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(arcs-1)), 1, min(4, arcs), rapid.ID).Draw(t, "path")
			if _, err := p.AddPath(i, path); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p
}

// simplex solves the linear program with gonum's dense simplex: variables are the
// flow of every path, the throughput, and a slack of every arc.
func simplex(p *Problem) (float64, error) {
	paths, arcs, commodities := p.Paths(), len(p.capacity), p.Commodities()
	n := paths + 1 + arcs
	a := mat.NewDense(arcs+commodities, n, nil)
	b := make([]float64, arcs+commodities)
	c := make([]float64, n)
	c[paths] = -1
	for e, room := range p.capacity {
		b[e] = room
		a.Set(e, paths+1+e, 1)
	}
	for i, list := range p.paths {
		for _, q := range list {
			a.Set(arcs+i, int(q), 1)
			for _, e := range p.path(q) {
				a.Set(int(e), int(q), 1)
			}
		}
		a.Set(arcs+i, paths, -p.demand[i])
	}
	best, _, err := lp.Simplex(c, a, b, 1e-12, nil)
	return -best, err
}

func TestAgreesWithSimplex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := random(t)
		want, err := simplex(p)
		if err != nil {
			t.Skip(err)
		}
		r, err := Solve(context.Background(), p, Options{Gap: 0.001, Passes: 20_000})
		if err != nil {
			t.Fatalf("%v: %v", err, r)
		}
		if r.Lower > want*(1+1e-7) || r.Upper < want*(1-1e-7) {
			t.Errorf("between %v and %v; the simplex says %v", r.Lower, r.Upper, want)
		}
		if r.Gap() > 0.001 {
			t.Errorf("a gap of %v", r.Gap())
		}
	})
}

func TestSameDigitsEveryTime(t *testing.T) {
	build := func() *Problem {
		rng := rand.New(rand.NewPCG(1, 2))
		p := problem(t, ones(60)...)
		for range 40 {
			var paths [][]int32
			for range 5 {
				paths = append(paths, []int32{int32(rng.IntN(20)), int32(20 + rng.IntN(20)), int32(40 + rng.IntN(20))})
			}
			add(t, p, 1+rng.Float64(), paths...)
		}
		return p
	}
	a, b := solve(t, build(), 0.002), solve(t, build(), 0.002)
	if a.Lower != b.Lower || a.Upper != b.Upper || a.Passes != b.Passes {
		t.Errorf("%v and %v", a, b)
	}
}

func TestRefuses(t *testing.T) {
	p := problem(t, 1, 0, 1)
	if _, err := p.Add(1, []int32{1}); err == nil {
		t.Error("an arc without capacity was used")
	}
	if _, err := p.Add(1, []int32{3}); err == nil {
		t.Error("an arc that does not exist was used")
	}
	if _, err := p.Add(1, []int32{0, 0}); err == nil {
		t.Error("a loop was used")
	}
	if _, err := p.Add(1, nil); err == nil {
		t.Error("an empty path was used")
	}
	if _, err := p.Add(0, []int32{0}); err == nil {
		t.Error("a demand of 0 was taken")
	}
	if _, err := Solve(context.Background(), problem(t, 1), Options{}); err == nil {
		t.Error("a problem without commodities was solved")
	}
	q := problem(t, 1)
	add(t, q, 1)
	if _, err := Solve(context.Background(), q, Options{}); err == nil {
		t.Error("a commodity without paths was carried")
	}
	if _, err := NewProblem([]float64{-1}); err == nil {
		t.Error("a negative capacity was taken")
	}
	if _, err := Solve(context.Background(), p, Options{Gap: 2}); err == nil {
		t.Error("a gap of 2 was taken")
	}
}

func TestEndsEarlyWithBounds(t *testing.T) {
	p := problem(t, ones(64)...)
	for a := range 8 {
		var paths [][]int32
		for m := range 8 {
			if m != a {
				paths = append(paths, []int32{int32(a*8 + m), int32(m*8 + a)})
			}
		}
		add(t, p, float64(a+1), paths...)
	}
	r, err := Solve(context.Background(), p, Options{Gap: 1e-6, Passes: 2})
	if !errors.Is(err, ErrGap) || !(r.Lower > 0 && r.Lower < r.Upper && !math.IsInf(r.Upper, 1)) {
		t.Errorf("%v with %v", err, r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := Solve(ctx, p, Options{Gap: 1e-6}); !errors.Is(err, context.Canceled) || !(r.Lower > 0) {
		t.Errorf("%v with %v", err, r)
	}
}

func TestFeasibleAndBoundRefuse(t *testing.T) {
	p := problem(t, 1, 1)
	add(t, p, 1, []int32{0}, []int32{1})
	if _, err := p.Feasible([]float64{0, 0}); err == nil {
		t.Error("nothing carried a commodity")
	}
	if _, err := p.Feasible([]float64{-1, 2}); err == nil {
		t.Error("a negative share was taken")
	}
	if b := p.Bound([]float64{0, 1}); !math.IsInf(b, 1) {
		t.Errorf("free paths bound the throughput by %v", b)
	}
	got, err := p.Feasible([]float64{1, 3})
	if err != nil || math.Abs(got-4./3) > 1e-6 {
		t.Errorf("%v, %v", got, err)
	}
}
