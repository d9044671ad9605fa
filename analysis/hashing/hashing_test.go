package hashing

import (
	"context"
	"math"
	"slices"
	"testing"
)

func average(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean) / float64(len(values)-1)
	}
	return mean, math.Sqrt(deviation)
}

func sample(t *testing.T, o Imbalance) []float64 {
	t.Helper()
	values, err := o.Sample(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func TestOneBallAndOneBin(t *testing.T) {
	for _, v := range sample(t, Imbalance{Uplinks: 32, Flows: 1, Entropies: 1, Groups: 1, Trials: 10}) {
		if v != 31 {
			t.Errorf("one ball has an imbalance of %v, want 31", v)
		}
	}
	for _, v := range sample(t, Imbalance{Uplinks: 1, Flows: 3, Entropies: 9, Groups: 2, Trials: 10}) {
		if v != 0 {
			t.Errorf("one bin has an imbalance of %v, want 0", v)
		}
	}
}

// meanMax is the exact expectation of the largest of n counts of m balls, each
// bin's share of the outcomes with no count above x being m! times the coefficient
// of z^m in (Σ z^j/j!, j ≤ x)^n, over n^m.
func meanMax(m, n int) float64 {
	factorial := make([]float64, m+1)
	factorial[0] = 1
	for i := 1; i <= m; i++ {
		factorial[i] = factorial[i-1] * float64(i)
	}
	expected := 0.0
	for x := 0; x < m; x++ {
		product := make([]float64, m+1)
		product[0] = 1
		for range n {
			next := make([]float64, m+1)
			for i, a := range product {
				for j := 0; j <= x && i+j <= m; j++ {
					next[i+j] += a / factorial[j]
				}
			}
			product = next
		}
		// E[max] is the sum over x of P[max > x].
		expected += 1 - factorial[m]*product[m]/math.Pow(float64(n), float64(m))
	}
	return expected
}

func TestSmallCasesAreExact(t *testing.T) {
	// Two balls in two bins are together half the time: (2+1)/2.
	if got := meanMax(2, 2); math.Abs(got-1.5) > 1e-12 {
		t.Fatalf("the reference says %v, want 1.5", got)
	}
	for _, tt := range []struct{ flows, entropies, uplinks int }{{1, 2, 2}, {2, 4, 4}, {1, 16, 3}, {3, 10, 8}} {
		o := Imbalance{Uplinks: tt.uplinks, Flows: tt.flows, Entropies: tt.entropies, Groups: 1, Trials: 20000, Seed: 1}
		m := tt.flows * tt.entropies
		want := meanMax(m, tt.uplinks)*float64(tt.uplinks)/float64(m) - 1
		mean, deviation := average(sample(t, o))
		if math.Abs(mean-want) > 4*deviation/math.Sqrt(float64(o.Trials)) {
			t.Errorf("%+v: imbalance %v, want %v", tt, mean, want)
		}
	}
}

// TestFigure16 holds the model to what Appendix B says of 32 flows over 32 uplinks.
func TestFigure16(t *testing.T) {
	of := func(entropies int) float64 {
		mean, _ := average(sample(t, Imbalance{Uplinks: 32, Flows: 32, Entropies: entropies, Groups: 1, Trials: 100, Seed: 1}))
		return mean
	}
	for _, e := range []int{32, 64, 128} {
		if got := of(e); got <= 0.1 {
			t.Errorf("%d entropies have a mean imbalance of %v, not above 10 %%", e, got)
		}
	}
	if got := of(65536); got >= 0.01 {
		t.Errorf("65536 entropies have a mean imbalance of %v, not below 1 %%", got)
	}
}

func TestTheWorstOfSeveralIsWorse(t *testing.T) {
	o := Imbalance{Uplinks: 8, Flows: 8, Entropies: 32, Groups: 1, Trials: 200, Seed: 1}
	one, _ := average(sample(t, o))
	o.Groups = 32
	all, _ := average(sample(t, o))
	if all < 1.5*one {
		t.Errorf("the worst of 32 switches has an imbalance of %v, one switch %v", all, one)
	}
	if a := o.Approximate(); math.Abs(a/all-1) > 0.25 {
		t.Errorf("the approximation %v is far from %v", a, all)
	}
}

func TestReceivers(t *testing.T) {
	for _, p := range []Pattern{Permutation, Tornado} {
		o := Spray{Tors: 4, Hosts: 4, Uplinks: 4, Entropies: 1, Pattern: p, Trials: 1, Seed: 1}
		to := o.receivers(0)
		seen := slices.Sorted(slices.Values(to))
		for i := range to {
			if seen[i] != i || to[i] == i {
				t.Fatalf("%s: receivers %v", p, to)
			}
			if p == Tornado && to[i] != (i+8)%16 {
				t.Errorf("host %d sends to %d", i, to[i])
			}
		}
	}
}

func bounds(t *testing.T, o Spray) []Bound {
	t.Helper()
	b, err := o.Sample(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSprayWithOneEntropyIsECMP(t *testing.T) {
	o := Spray{Tors: 2, Hosts: 4, Uplinks: 4, Entropies: 1, Pattern: Tornado, Trials: 50, Seed: 1}
	for _, b := range bounds(t, o) {
		// Whole flows share links, and each takes one uplink of four.
		if b.Runtime != math.Trunc(b.Runtime) || b.Runtime < 1 || b.Runtime > 4 || b.Flow != 4 || b.WorstFlow != 4 || b.Tor > b.Runtime {
			t.Errorf("bounds %+v", b)
		}
	}
}

// TestOneUplinkHasNoChoice takes a switch whose only uplink four flows share.
func TestOneUplinkHasNoChoice(t *testing.T) {
	o := Spray{Tors: 2, Hosts: 4, Uplinks: 1, Entropies: 8, Pattern: Tornado, Trials: 3, Seed: 1}
	for _, b := range bounds(t, o) {
		if (b != Bound{Runtime: 1, Tor: 1, Flow: 1, WorstFlow: 1}) {
			t.Errorf("bounds %+v, want no slowdown over the ideal of a shared link", b)
		}
	}
}

// TestTornadoOfTwoSwitches compares with the imbalance of one switch, all of whose
// flows leave it.
func TestTornadoOfTwoSwitches(t *testing.T) {
	o := Spray{Tors: 2, Hosts: 8, Uplinks: 8, Entropies: 64, Pattern: Tornado, Trials: 2000, Seed: 1}
	var tor []float64
	for _, b := range bounds(t, o) {
		tor = append(tor, b.Tor-1)
	}
	got, deviation := average(tor)
	want, _ := average(sample(t, Imbalance{Uplinks: 8, Flows: 8, Entropies: 64, Groups: 1, Trials: 20000, Seed: 2}))
	if math.Abs(got-want) > 5*deviation/math.Sqrt(2000) {
		t.Errorf("imbalance %v, want %v", got, want)
	}
}

// TestBothDirectionsCount pins the mean bound of 16 switches between what uplinks
// alone would give, 1.43, and more than both give.
func TestBothDirectionsCount(t *testing.T) {
	o := Spray{Tors: 16, Hosts: 8, Uplinks: 8, Entropies: 32, Pattern: Permutation, Trials: 300, Seed: 1}
	mean := 0.0
	for _, b := range bounds(t, o) {
		mean += b.Runtime / float64(o.Trials)
	}
	if mean < 1.45 || mean > 1.49 {
		t.Errorf("the mean bound is %v", mean)
	}
}

// TestFigure12 compares with the slowdowns that the paper measured in simulation,
// 64 % and 21 %, to within 5 % of the runtime.
func TestFigure12(t *testing.T) {
	o := Spray{Tors: 32, Hosts: 32, Uplinks: 32, Pattern: Permutation, Trials: 6, Seed: 1}
	mean := func(entropies int) float64 {
		o.Entropies = entropies
		m := 0.0
		for _, b := range bounds(t, o) {
			m += b.Runtime / float64(o.Trials)
			if b.Runtime < b.Tor || b.WorstFlow < b.Flow {
				t.Errorf("bounds %+v", b)
			}
		}
		return m
	}
	reference := mean(65536)
	for entropies, measured := range map[int]float64{32: 1.64, 256: 1.21} {
		if got := mean(entropies) / reference; math.Abs(got/measured-1) > 0.05 {
			t.Errorf("%d entropies: %v, and the paper measured %v", entropies, got, measured)
		}
	}
}

func TestRefusals(t *testing.T) {
	if _, err := (Imbalance{Uplinks: 0, Flows: 1, Entropies: 1, Groups: 1, Trials: 1}).Sample(context.Background()); err == nil {
		t.Error("no uplinks were accepted")
	}
	for _, o := range []Spray{
		{Tors: 1, Hosts: 1, Uplinks: 1, Entropies: 1, Trials: 1, Pattern: Tornado},
		{Tors: 3, Hosts: 3, Uplinks: 1, Entropies: 1, Trials: 1, Pattern: Tornado},
		{Tors: 2, Hosts: 1, Uplinks: 1, Entropies: 1, Trials: 1, Pattern: "ring"},
	} {
		if _, err := o.Sample(context.Background(), nil); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}
