package connectivity_test

import (
	"context"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/analysis/connectivity"
	"weft/analysis/routers"
)

// leastCut tries all sets that separate two routers.
func leastCut(n int, links []routers.Link, a, b int) int {
	least := len(links)
	for set := range uint(1) << n {
		if set>>a&1 != 1 || set>>b&1 != 0 {
			continue
		}
		crossing := 0
		for _, l := range links {
			crossing += bits.OnesCount(set>>l.A&1 ^ set>>l.B&1)
		}
		least = min(least, crossing)
	}
	return least
}

func TestTreeAgainstAllCuts(t *testing.T) {
	moved := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "routers")
		var links []routers.Link
		for range rapid.IntRange(0, 20).Draw(t, "links") {
			x := rapid.IntRange(0, n-1).Draw(t, "x")
			y := rapid.IntRange(0, n-2).Draw(t, "y")
			if y >= x {
				y++
			}
			links = append(links, routers.Link{A: int32(x), B: int32(y)})
		}
		g, err := routers.New(n, links)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := connectivity.New(context.Background(), g, connectivity.Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		want := map[int]int64{}
		for a := range n {
			for b := range a {
				cut := leastCut(n, links, a, b)
				want[cut]++
				if got := tree.Between(int32(a), int32(b)); got != cut {
					t.Fatalf("%d and %d: %d disjoint paths, but the least cut is %d", a, b, got, cut)
				}
			}
			if tree.Parent[a] != 0 {
				moved++
			}
		}
		classes := tree.Classes(g.EdgeRouters())
		for _, c := range classes {
			if want[c.Connectivity] != c.Pairs {
				t.Fatalf("%d pairs with connectivity %d, want %d", c.Pairs, c.Connectivity, want[c.Connectivity])
			}
		}
		if len(classes) != len(want) {
			t.Fatalf("classes %v, want %v", classes, want)
		}
		// The assumption under which flows are computed at once fails here and there.
		parallel, err := connectivity.New(context.Background(), g, connectivity.Options{Threads: 3})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(parallel.Parent, tree.Parent) || !slices.Equal(parallel.Flow, tree.Flow) {
			t.Fatalf("with three threads the tree is %v %v, with one %v %v", parallel.Parent, parallel.Flow, tree.Parent, tree.Flow)
		}
	})
	if moved == 0 {
		t.Error("no router ever hung on another than the first: the graphs are too simple")
	}
}

func TestClassesAmongSome(t *testing.T) {
	// Two triangles joined by one cable, and a router beside.
	links := []routers.Link{{A: 0, B: 1}, {A: 1, B: 2}, {A: 2, B: 0}, {A: 3, B: 4}, {A: 4, B: 5}, {A: 5, B: 3}, {A: 2, B: 3}}
	g, err := routers.New(7, links)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := connectivity.New(context.Background(), g, connectivity.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []connectivity.Class{{Connectivity: 2, Pairs: 6}, {Connectivity: 1, Pairs: 9}, {Connectivity: 0, Pairs: 6}}
	if got := tree.Classes([]int32{0, 1, 2, 3, 4, 5, 6}); !slices.Equal(got, want) {
		t.Errorf("classes %v, want %v", got, want)
	}
	want = []connectivity.Class{{Connectivity: 2, Pairs: 1}, {Connectivity: 1, Pairs: 2}}
	if got := tree.Classes([]int32{0, 1, 4}); !slices.Equal(got, want) {
		t.Errorf("classes among three %v, want %v", got, want)
	}
}
