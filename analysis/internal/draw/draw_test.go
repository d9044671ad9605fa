package draw

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestStreamsDiffer(t *testing.T) {
	first := Stream(1, "a", 0).Uint64()
	if Stream(1, "a", 0).Uint64() != first {
		t.Error("the same stream began differently")
	}
	for _, other := range []Rand{Stream(2, "a", 0), Stream(1, "b", 0), Stream(1, "a", 1)} {
		if other.Uint64() == first {
			t.Error("two streams began alike")
		}
	}
}

// TestSplitIsBinomial compares frequencies with the exact probabilities by a
// chi-squared test, for shares with finite and with endless binary fractions.
func TestSplitIsBinomial(t *testing.T) {
	const balls, trials = 5, 40000
	for _, share := range [][2]int{{1, 2}, {1, 3}, {2, 3}, {3, 8}, {5, 7}} {
		r := Stream(1, "split", share[0]*100+share[1])
		var seen [balls + 1]int
		for range trials {
			seen[r.Split(balls, share[0], share[1])]++
		}
		p := float64(share[0]) / float64(share[1])
		chi := 0.0
		choose := 1.0
		for k := range seen {
			want := trials * choose * math.Pow(p, float64(k)) * math.Pow(1-p, float64(balls-k))
			chi += (float64(seen[k]) - want) * (float64(seen[k]) - want) / want
			choose = choose * float64(balls-k) / float64(k+1)
		}
		// The 99.9 % quantile with 5 degrees of freedom; the seed is fixed.
		if chi > 20.5 {
			t.Errorf("share %v: χ² = %.1f for frequencies %v", share, chi, seen)
		}
	}
}

func TestBelowIsEven(t *testing.T) {
	const draws = 90_000
	r := Stream(1, "below", 0)
	var seen [9]int
	for range draws {
		seen[r.Below(9)]++
	}
	for i, n := range seen {
		if math.Abs(float64(n)-draws/9) > 4*math.Sqrt(draws/9) {
			t.Errorf("%d was drawn %d times of %d", i, n, draws)
		}
	}
	if r.Below(1) != 0 {
		t.Error("there is a number below 1 that is not 0")
	}
}

func TestSplitOfManyBalls(t *testing.T) {
	const balls = 1 << 20
	r := Stream(1, "many", 0)
	for _, share := range [][2]int{{1, 2}, {1, 3}, {31, 32}} {
		p := float64(share[0]) / float64(share[1])
		deviation := math.Sqrt(balls * p * (1 - p))
		if got := float64(r.Split(balls, share[0], share[1])); math.Abs(got-balls*p) > 4*deviation {
			t.Errorf("share %v: %v of %d balls, want %.0f ± %.0f", share, got, balls, balls*p, deviation)
		}
	}
	if r.Split(7, 1, 1) != 7 || r.Split(7, 0, 1) != 0 {
		t.Error("all or none is not all or none")
	}
}

func TestSpreadKeepsAllBalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		balls := rapid.IntRange(0, 5000).Draw(t, "balls")
		counts := make([]int, rapid.IntRange(1, 40).Draw(t, "bins"))
		Stream(rapid.Uint64().Draw(t, "seed"), "spread", 0).Spread(balls, counts)
		sum := 0
		for _, c := range counts {
			sum += c
		}
		if sum != balls || slices.Min(counts) < 0 {
			t.Fatalf("%d balls became %v", balls, counts)
		}
	})
}

func TestSpreadIsEven(t *testing.T) {
	const balls, bins = 700_000, 7
	counts := make([]int, bins)
	Stream(1, "even", 0).Spread(balls, counts)
	for i, c := range counts {
		if math.Abs(float64(c)-balls/bins) > 4*math.Sqrt(balls/bins) {
			t.Errorf("bin %d has %d of %d balls", i, c, balls)
		}
	}
}
