package collisions_test

import (
	"math"
	"slices"
	"testing"

	"weft/analysis/collisions"
)

func hosts(routers, each int) []int32 {
	return slices.Repeat([]int32{int32(each)}, routers)
}

func TestFlowsAddUp(t *testing.T) {
	for _, pattern := range collisions.Patterns() {
		for _, linear := range []bool{false, true} {
			const routers, each = 12, 5
			h, err := collisions.Count(collisions.Options{Hosts: hosts(routers, each), Pattern: pattern, Linear: linear, Trials: 3, Seed: 7})
			if err != nil {
				t.Fatal(err)
			}
			flows, pairs := int64(0), int64(0)
			for c, n := range h.Pairs {
				flows += int64(c) * n
				pairs += n
			}
			if flows != h.Flows || pairs != 3*routers*(routers-1) {
				t.Errorf("%s: %d flows between %d pairs of routers, counted %d", pattern, flows, pairs, h.Flows)
			}
			per := int64(1)
			if pattern == collisions.Permutations || pattern == collisions.Stencil {
				per = 4
			}
			sent := 3 * routers * each * per
			exact := pattern == collisions.OffDiagonal || pattern == collisions.Adversarial || pattern == collisions.Stencil
			if total := h.Flows + h.Local; total > sent || exact && total != sent {
				t.Errorf("%s: %d flows, want %d, or less where endpoints may send to themselves", pattern, total, sent)
			}
		}
	}
}

func TestLinearMappings(t *testing.T) {
	count := func(p collisions.Pattern, offset int) *collisions.Histogram {
		h, err := collisions.Count(collisions.Options{Hosts: hosts(10, 6), Pattern: p, Offset: offset, Linear: true})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	// All six flows of a router go to the next.
	if h := count(collisions.Adversarial, 0); !slices.Equal(h.Pairs, []int64{80, 0, 0, 0, 0, 0, 10}) || h.Local != 0 {
		t.Errorf("adversarial: %+v", h)
	}
	// At offset 2 two of six leave the router.
	if h := count(collisions.OffDiagonal, 2); !slices.Equal(h.Pairs, []int64{80, 0, 10}) || h.Local != 40 {
		t.Errorf("off-diagonal: %+v", h)
	}
	// Offsets ±1 of a stencil cross to each neighbour once; ±42 is 7 routers further,
	// with six flows each way.
	if h := count(collisions.Stencil, 0); !slices.Equal(h.Pairs, []int64{50, 20, 0, 0, 0, 0, 20}) {
		t.Errorf("stencil: %+v", h)
	}
}

// TestRandomMapping has the probability that a random permutation of N = n·p
// endpoints has c flows from one router to another, which is hypergeometric.
func TestRandomMapping(t *testing.T) {
	const routers, each, trials = 40, 30, 60
	choose := func(n, k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return a - b - c
	}
	h, err := collisions.Count(collisions.Options{Hosts: hosts(routers, each), Pattern: collisions.Permutation, Trials: trials, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	pairs := float64(trials * routers * (routers - 1))
	for c := range 5 {
		const n = routers * each
		p := math.Exp(choose(each, c) + choose(n-each, each-c) - choose(n, each))
		sigma := math.Sqrt(p * (1 - p) / pairs)
		if share := float64(h.Pairs[c]) / pairs; math.Abs(share-p) > 4*sigma {
			t.Errorf("%d flows between a share %v of pairs; expected %v ± %v", c, share, p, sigma)
		}
	}
}

// TestIndependent has Poisson's law from its logarithms, and random mappings of a
// clique near it.
func TestIndependent(t *testing.T) {
	for _, test := range []struct{ mean, count int }{{1, 1}, {1, 9}, {4, 9}, {9, 9}, {20, 3}, {2000, 9}} {
		// So many flows for each of 100 pairs.
		h := collisions.Histogram{Pairs: make([]int64, test.mean+1), Flows: int64(100 * test.mean)}
		h.Pairs[test.mean] = 100
		head := 0.0
		for c := range test.count {
			logs, _ := math.Lgamma(float64(c + 1))
			head += math.Exp(float64(c)*math.Log(float64(test.mean)) - float64(test.mean) - logs)
		}
		if got := h.Independent(test.count); math.Abs(got-(1-head)) > 1e-12 {
			t.Errorf("mean %d: %v of pairs have %d or more, want %v", test.mean, got, test.count, 1-head)
		}
	}
	if got := (&collisions.Histogram{Pairs: []int64{0, 7}, Flows: 7}).Independent(9); math.Abs(got/1.1252e-6-1) > 1e-4 {
		t.Errorf("mean 1: %v of pairs have nine or more, want 1.1252e-6", got)
	}
	h, err := collisions.Count(collisions.Options{Hosts: hosts(80, 79), Pattern: collisions.Permutations, Trials: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, count := range []int{1, 4, 9} {
		if share, law := h.AtLeast(count), h.Independent(count); math.Abs(share-law) > 0.1*law {
			t.Errorf("a share %v of pairs has %d flows or more, near %v by the law", share, count, law)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, o := range map[string]collisions.Options{
		"unknown pattern": {Hosts: hosts(3, 3), Pattern: "permutaton"},
		"one router":      {Hosts: []int32{9, 0}, Pattern: collisions.Permutation},
		"negative":        {Hosts: []int32{9, -1, 3}, Pattern: collisions.Permutation},
		"too many":        {Hosts: []int32{1 << 30, 1 << 30}, Pattern: collisions.Permutation},
	} {
		if _, err := collisions.Count(o); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}
