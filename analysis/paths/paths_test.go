package paths_test

import (
	"context"
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"weft/analysis/paths"
	"weft/analysis/routers"
)

// TestCountAgainstPowersOfTheMatrix has the entries of A^l (FatPaths, Theorem 1): the
// first power that is not zero has the number of minimal paths.
func TestCountAgainstPowersOfTheMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "routers")
		var links []routers.Link
		adjacency := make([][]uint64, n)
		for i := range adjacency {
			adjacency[i] = make([]uint64, n)
		}
		for range rapid.IntRange(0, 16).Draw(t, "links") {
			x := rapid.IntRange(0, n-1).Draw(t, "x")
			y := rapid.IntRange(0, n-2).Draw(t, "y")
			if y >= x {
				y++
			}
			links = append(links, routers.Link{A: int32(x), B: int32(y)})
			adjacency[x][y]++
			adjacency[y][x]++
		}
		g, err := routers.New(n, links)
		if err != nil {
			t.Fatal(err)
		}
		want := map[paths.Kind]int64{}
		met := map[[2]int]bool{}
		power := adjacency
		for hops := 1; hops < n; hops++ {
			for i := range n {
				for j := range n {
					if i != j && power[i][j] > 0 && !met[[2]int{i, j}] {
						met[[2]int{i, j}] = true
						want[paths.Kind{Hops: hops, Paths: power[i][j]}]++
					}
				}
			}
			power = product(power, adjacency)
		}
		got, err := paths.Count(context.Background(), g, paths.Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(got.Kinds, want) {
			t.Fatalf("kinds %v, want %v", got.Kinds, want)
		}
		if all := int64(n * (n - 1)); got.Pairs != all || got.Unreachable != all-int64(len(met)) || !got.Exact {
			t.Fatalf("%d pairs, %d unreachable; want %d and %d", got.Pairs, got.Unreachable, all, all-int64(len(met)))
		}
	})
}

func product(a, b [][]uint64) [][]uint64 {
	out := make([][]uint64, len(a))
	for i := range a {
		out[i] = make([]uint64, len(a))
		for j := range a {
			for k := range a {
				out[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return out
}

func TestRing(t *testing.T) {
	const n = 8
	var links []routers.Link
	for i := range int32(n) {
		links = append(links, routers.Link{A: i, B: (i + 1) % n})
	}
	g, err := routers.New(n, links)
	if err != nil {
		t.Fatal(err)
	}
	s, err := paths.Count(context.Background(), g, paths.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Distances 1, 2, 3 twice and 4 once: d = 16/7, and 16 directed links carry at most
	// 16/d = 7 flows.
	if s.Longest() != 4 || s.MeanHops() != 16./7 || s.Load != 7 {
		t.Errorf("D = %d, d = %v, load %v; want 4, %v and 7", s.Longest(), s.MeanHops(), s.Load, 16./7)
	}
	if counts := s.Counts(); len(counts) != 2 || counts[1] != (paths.Share{Paths: 2, Share: 1. / 7}) {
		t.Errorf("counts %v: only opposite routers have two paths", counts)
	}
}

// TestSaturation has a chain of doubled cables, with 2^l paths over l of them.
func TestSaturation(t *testing.T) {
	const n = 70
	var links []routers.Link
	for i := range int32(n - 1) {
		links = append(links, routers.Link{A: i, B: i + 1}, routers.Link{A: i, B: i + 1})
	}
	g, err := routers.New(n, links)
	if err != nil {
		t.Fatal(err)
	}
	s, err := paths.Count(context.Background(), g, paths.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for hops, want := range map[int]uint64{1: 2, 63: 1 << 63, 64: math.MaxUint64, 69: math.MaxUint64} {
		if got := s.Kinds[paths.Kind{Hops: hops, Paths: want}]; got != int64(2*(n-hops)) {
			t.Errorf("%d pairs %d hops apart have %d paths; want %d", got, hops, want, 2*(n-hops))
		}
	}
}

func TestSample(t *testing.T) {
	// Hosts on the leaves of a star only: these are the pairs, two hops apart.
	var links []routers.Link
	for i := range int32(20) {
		links = append(links, routers.Link{A: 20, B: i})
	}
	g, err := routers.New(21, links)
	if err != nil {
		t.Fatal(err)
	}
	for v := range 20 {
		g.Hosts[v] = 3
	}
	s, err := paths.Count(context.Background(), g, paths.Options{Sources: 5, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if s.Exact || s.Pairs != 5*19 || s.MeanHops() != 2 || s.Kinds[paths.Kind{Hops: 2, Paths: 1}] != 5*19 {
		t.Errorf("survey %+v; want 95 pairs two hops apart", s)
	}
	g.Hosts = make([]int32, 21)
	g.Hosts[3] = 4
	if _, err := paths.Count(context.Background(), g, paths.Options{}); err == nil {
		t.Error("one router with hosts was not refused")
	}
}
