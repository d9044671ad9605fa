package throughput

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"weft/topo"
)

func needsCLP(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("clp"); err != nil {
		if clpDemanded {
			t.Fatal("there is no program clp; install coinor-clp, or leave the build tag clp out")
		}
		t.Skip("NOT CHECKED against CLP: there is no program clp; install coinor-clp")
	}
}

func exact(t *testing.T, p *Problem) float64 {
	t.Helper()
	value, err := Exact(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestCLPOnClosedForms(t *testing.T) {
	needsCLP(t)
	p := problem(t, 3, 2, 0.5)
	add(t, p, 2, []int32{0}, []int32{1}, []int32{2})
	if got := exact(t, p); math.Abs(got-2.75) > 1e-6 {
		t.Errorf("%v", got)
	}
	q := problem(t, 1, 1)
	add(t, q, 1, []int32{0})
	add(t, q, 1, []int32{1})
	add(t, q, 1, []int32{0, 1})
	if got := exact(t, q); math.Abs(got-0.5) > 1e-6 {
		t.Errorf("%v", got)
	}
}

// The bounds hold the optimum of CLP on random problems of some hundred paths.
func TestAgreesWithCLP(t *testing.T) {
	needsCLP(t)
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 1))
		arcs := 30 + rng.IntN(100)
		capacity := make([]float64, arcs)
		for e := range capacity {
			capacity[e] = []float64{1, 1, 2, 0.25}[rng.IntN(4)]
		}
		p := problem(t, capacity...)
		for range 20 + rng.IntN(80) {
			var paths [][]int32
			for range 1 + rng.IntN(9) {
				order := rng.Perm(arcs)
				path := make([]int32, 1+rng.IntN(4))
				for i := range path {
					path[i] = int32(order[i])
				}
				paths = append(paths, path)
			}
			add(t, p, 0.1+rng.Float64(), paths...)
		}
		holds(t, solve(t, p, 0.005), exact(t, p))
	}
}

// Where the pool of a flow is given to CLP, it cannot find more than the upper
// bound, nor less than the lower one.
func TestFlowAgreesWithCLP(t *testing.T) {
	needsCLP(t)
	order := 5
	g, err := topo.SlimFly{Order: &order, Cables: topo.Cables{Rate: 1_000_000_000, Delay: 1}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	n := network(t, g)
	list, _ := n.Aggregate(demands(t, n, Traffic{Pattern: WorstCase, Intensity: 0.55, Elephants: 0.1, Small: 0.1, Seed: 1}))
	r, p, err := n.SolveFlow(context.Background(), list, Options{Gap: 0.005})
	if err != nil {
		t.Fatal(err)
	}
	holds(t, r, exact(t, p))
}

func TestExactWithoutCLP(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	p := problem(t, 1)
	add(t, p, 1, []int32{0})
	if _, err := Exact(context.Background(), p); !errors.Is(err, ErrNoCLP) {
		t.Errorf("%v", err)
	}
}

func TestReadSolution(t *testing.T) {
	for text, want := range map[string]float64{
		"Optimal - objective value -2.75\n 0 T 2.75 0\n 1 P0 1 0\n": 2.75,
		"optimal\nObjective value -2.75\n 0 T 2.75 0\n 1 P0 1 0\n":  2.75,
		"infeasible\nObjective value 0\n 0 T 2 0\n":                 -1,
		"optimal\n 1 P0 1 0\n":                                      -1,
		"optimal\n 0 T x 0\n":                                       -1,
		"":                                                          -1,
	} {
		got, err := readSolution([]byte(text))
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestMPS(t *testing.T) {
	p := problem(t, 3, 2, 5)
	add(t, p, 4, []int32{0, 2})
	var b strings.Builder
	if err := p.WriteMPS(&b); err != nil {
		t.Fatal(err)
	}
	want := "NAME throughput\nROWS\n N COST\n L A0\n L A2\n G D0\nCOLUMNS\n T COST -1\n T D0 -4\n P0 D0 1\n P0 A0 1\n P0 A2 1\nRHS\n RHS A0 3\n RHS A2 5\nENDATA\n"
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
}

// holds is contain for values of 8 digits.
func holds(t *testing.T, r *Result, value float64) {
	t.Helper()
	if r.Lower > value*(1+2e-7) || r.Upper < value*(1-2e-7) {
		t.Errorf("the throughput is between %v and %v; CLP says %v", r.Lower, r.Upper, value)
	}
}
