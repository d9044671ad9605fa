package throughput

import (
	"context"
	"math/rand/v2"
	"testing"
)

// BenchmarkSolve has the shape of one commodity per router with the paths of nine
// layers.
func BenchmarkSolve(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const routers, arcs, paths = 722, 20938, 9
	capacity := make([]float64, arcs)
	for e := range capacity {
		capacity[e] = 1
	}
	p, err := NewProblem(capacity)
	if err != nil {
		b.Fatal(err)
	}
	for range routers {
		i, err := p.Add([]float64{1, 5, 8}[rng.IntN(3)])
		if err != nil {
			b.Fatal(err)
		}
		for range paths {
			var path []int32
			for range 3 {
				path = append(path, int32(rng.IntN(arcs)))
			}
			_, _ = p.AddPath(i, path)
		}
	}
	for _, gap := range []float64{0.05, 0.02, 0.01, 0.002} {
		b.Run(name(gap), func(b *testing.B) {
			for b.Loop() {
				r, err := Solve(context.Background(), p, Options{Gap: gap})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Passes), "passes")
			}
		})
	}
}

func name(gap float64) string {
	switch gap {
	case 0.05:
		return "gap=5%"
	case 0.02:
		return "gap=2%"
	case 0.01:
		return "gap=1%"
	}
	return "gap=0.2%"
}
