package matching

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// symmetric returns weights drawn from few or many values.
func symmetric(n, most int, rng *rand.Rand) Weights {
	table := make([]int, n*n)
	for i := range n {
		for j := range i {
			w := rng.IntN(most + 1)
			table[i*n+j], table[j*n+i] = w, w
		}
	}
	return Weights{N: n, At: func(i, j int) int { return table[i*n+j] }}
}

// exhaustive tries all pairs of the vertices that are left.
func exhaustive(w Weights, left int) int {
	if left == 0 {
		return 0
	}
	i := 0
	for left>>i&1 == 0 {
		i++
	}
	rest := left &^ (1 << i)
	best := exhaustive(w, rest)
	for j := i + 1; j < w.N; j++ {
		if rest>>j&1 == 1 {
			best = max(best, w.At(i, j)+exhaustive(w, rest&^(1<<j)))
		}
	}
	return best
}

func checkPairs(t *rapid.T, w Weights, partner []int, weight int) {
	sum := 0
	for i, j := range partner {
		if j < 0 {
			continue
		}
		if partner[j] != i || i == j {
			t.Fatalf("%d has %d, which has %d", i, j, partner[j])
		}
		sum += w.At(i, j)
	}
	if sum != 2*weight {
		t.Fatalf("the pairs weigh %d/2, not %d", sum, weight)
	}
}

func TestPairsAgreeWithAllOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 10).Draw(t, "vertices")
		most := rapid.SampledFrom([]int{1, 2, 3, 9, 1000}).Draw(t, "most")
		w := symmetric(n, most, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		partner, weight, err := Pairs(w)
		if err != nil {
			t.Fatal(err)
		}
		checkPairs(t, w, partner, weight)
		if want := exhaustive(w, 1<<n-1); weight != want {
			t.Fatalf("the pairs weigh %d; the best %d", weight, want)
		}
	})
}

// Sparse graphs of larger size shrink cycles within cycles and take them apart; the
// duals prove the result.
func TestPairsOfLargeGraphsAreProved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(10, 60).Draw(t, "vertices")
		most := rapid.SampledFrom([]int{1, 2, 5, 100}).Draw(t, "most")
		dense := rapid.SampledFrom([]float64{0.05, 0.1, 0.3}).Draw(t, "dense")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		table := make([]int, n*n)
		for i := range n {
			for j := range i {
				if rng.Float64() < dense {
					w := 1 + rng.IntN(most)
					table[i*n+j], table[j*n+i] = w, w
				}
			}
		}
		w := Weights{N: n, At: func(i, j int) int { return table[i*n+j] }}
		partner, weight, err := Pairs(w)
		if err != nil {
			t.Fatal(err)
		}
		checkPairs(t, w, partner, weight)
	})
}

func TestPairsLeaveAtMostOneAlone(t *testing.T) {
	for n := range 12 {
		w := Weights{N: n, At: func(i, j int) int { return 1 + (i*j)%3 }}
		partner, _, err := Pairs(w)
		if err != nil {
			t.Fatal(err)
		}
		alone := 0
		for _, j := range partner {
			if j < 0 {
				alone++
			}
		}
		if alone != n%2 {
			t.Errorf("%d of %d are alone", alone, n)
		}
	}
}

func TestAssignmentAgreesWithAllOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 7).Draw(t, "rows")
		most := rapid.SampledFrom([]int{1, 2, 3, 1000}).Draw(t, "most")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		table := make([]int, n*n)
		for i := range table {
			table[i] = rng.IntN(most + 1)
		}
		w := Weights{N: n, At: func(i, j int) int { return table[i*n+j] }}
		column, weight, err := Assignment(w)
		if err != nil {
			t.Fatal(err)
		}
		sum, seen := 0, 0
		for i, j := range column {
			seen |= 1 << j
			sum += w.At(i, j)
		}
		if seen != 1<<n-1 || sum != weight {
			t.Fatalf("columns %v weigh %d, not %d", column, sum, weight)
		}
		if want := permutations(w, 0, 0); weight != want {
			t.Fatalf("the assignment weighs %d; the best %d", weight, want)
		}
	})
}

func permutations(w Weights, row, taken int) int {
	if row == w.N {
		return 0
	}
	best := 0
	for j := range w.N {
		if taken>>j&1 == 0 {
			best = max(best, w.At(row, j)+permutations(w, row+1, taken|1<<j))
		}
	}
	return best
}

func TestRefuses(t *testing.T) {
	bad := Weights{N: 2, At: func(i, j int) int { return -1 }}
	if _, _, err := Pairs(bad); err == nil {
		t.Error("a negative weight was taken")
	}
	if _, _, err := Assignment(bad); err == nil {
		t.Error("a negative weight was taken")
	}
	if _, _, err := Pairs(Weights{N: 2, At: func(i, j int) int { return i }}); err == nil {
		t.Error("weights with a direction were taken")
	}
	if _, _, err := Pairs(Weights{N: -1}); err == nil {
		t.Error("fewer than no vertices were taken")
	}
}

func BenchmarkPairsOfDistances(b *testing.B) {
	w := symmetric(500, 3, rand.New(rand.NewPCG(1, 2)))
	for b.Loop() {
		if _, _, err := Pairs(w); err != nil {
			b.Fatal(err)
		}
	}
}
