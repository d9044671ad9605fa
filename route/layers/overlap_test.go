package layers

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/topo"
)

// TestFindPathFindsTheLightest compares find_path (Listing 2, lines 31 to 44) with
// all paths: of those that increase in the order, avoid links not available and have
// L_min to L_max hops, one of least weight is found, and the shortest of these.
func TestFindPathFindsTheLightest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := routers(t, anyGraph(t))
		least := rapid.IntRange(1, 5).Draw(t, "least")
		most := least + rapid.IntRange(0, 2).Draw(t, "more")
		f := newPathFinder(r, least, most)
		var s stream
		s.start(rapid.Uint64().Draw(t, "seed"), 0, "test")
		for range 3 {
			f.begin(s.order(r.Len()))
			for e := range int32(len(r.to)) {
				f.weight[e] = int64(s.below(4))
				if s.below(8) == 0 {
					f.blocked.set(e)
				}
			}
			for range 5 {
				u, v := int32(s.below(r.Len())), int32(s.below(r.Len()))
				if f.order[u] >= f.order[v] {
					continue
				}
				want, hops := int64(math.MaxInt64), 0
				for _, path := range simplePaths(r, u, v) {
					x, w, ok := u, int64(0), len(path) >= least && len(path) <= most
					for _, e := range path {
						ok = ok && f.order[r.to[e]] > f.order[x] && !f.blocked.has(e)
						w += f.weight[e]
						x = r.to[e]
					}
					if ok && (w < want || w == want && len(path) < hops) {
						want, hops = w, len(path)
					}
				}
				path := f.find(u, v)
				if (path == nil) != (hops == 0) {
					t.Fatalf("%d to %d: found %v, want %d hops", u, v, path, hops)
				}
				x, w := u, int64(0)
				for _, e := range path {
					if r.to[r.back[e]] != x || f.order[r.to[e]] <= f.order[x] || f.blocked.has(e) {
						t.Fatalf("%v is no path from %d that increases over available links", path, u)
					}
					w += f.weight[e]
					x = r.to[e]
				}
				if path != nil && (x != v || w != want || len(path) != hops) {
					t.Fatalf("path %v ends at %d with weight %d, want %d, %d", path, x, w, v, want)
				}
			}
		}
	})
}

// ladder is a path of five routers with all chords; the order is along the path.
func ladderBuilder(t *testing.T, o Overlap) *overlapBuilder {
	var links [][2]int
	for a := range 5 {
		for b := range a {
			links = append(links, [2]int{b, a})
		}
	}
	r := routers(t, network([]int{1, 1, 1, 1, 1}, links))
	b := newOverlapBuilder(o, r)
	b.finder.begin([]int32{0, 1, 2, 3, 4})
	return b
}

func (b *overlapBuilder) entry(x, y int32) int32 {
	r := b.routers
	return r.offset[x] + int32(slices.Index(r.neighbours(x), y))
}

// TestCreateLayer follows lines 19 to 29 and 46 to 47 of Listing 2 for one path, which
// can only be 0-1-2-3-4, as it has four hops.
func TestCreateLayer(t *testing.T) {
	for _, reading := range []Reading{Undirected, AsPrinted} {
		b := ladderBuilder(t, Overlap{MinHops: 4, MaxHops: 4, Reading: reading})
		r := b.routers
		arcs := newBitset(len(r.to))
		// A pair against the order is none of 𝒱; one of another priority waits.
		if b.try(4*5+0, 0, arcs) || b.try(0*5+4, 1, arcs) {
			t.Fatal("a pair that is no candidate got a path")
		}
		if !b.try(0*5+4, 0, arcs) {
			t.Fatal("there is no path")
		}
		for x := range int32(5) {
			for y := range int32(5) {
				if x == y {
					continue
				}
				e := b.entry(x, y)
				onPath := y == x+1
				if reading == Undirected {
					onPath = onPath || x == y+1
				}
				if arcs.has(e) != onPath {
					t.Errorf("%s: link %d-%d in the layer: %v", reading, x, y, arcs.has(e))
				}
				weight := int64(0)
				if onPath {
					weight = []int64{4, 6, 6, 4}[min(x, y)]
				}
				if b.finder.weight[e] != weight {
					t.Errorf("%s: link %d-%d weighs %d, want %d", reading, x, y, b.finder.weight[e], weight)
				}
				chord := x-y > 1 || y-x > 1
				if b.finder.blocked.has(e) != chord {
					t.Errorf("%s: link %d-%d available: %v", reading, x, y, !b.finder.blocked.has(e))
				}
				// Pairs nearer than L_min along the path leave, and the pair itself.
				if left := b.removed.has(x*5 + y); left != (x < y) {
					t.Errorf("%s: pair %d, %d has left: %v", reading, x, y, left)
				}
			}
		}
		if b.placed[b.number(0, 4)] != 1 || b.most != 1 {
			t.Errorf("%s: the pair's priority is %d", reading, b.placed[b.number(0, 4)])
		}
		if (b.number(4, 0) == b.number(0, 4)) != (reading == Undirected) {
			t.Errorf("%s: priorities of both directions", reading)
		}
	}
}

// TestPairsWithFewerPathsComeFirst: over many layers of one path each, no pair that
// can have one gets a second path before all had one.
func TestPairsWithFewerPathsComeFirst(t *testing.T) {
	g := ring(7)
	r := routers(t, g)
	b := newOverlapBuilder(Overlap{Layers: 2, MinHops: 1, MaxHops: 6, Paths: 1}, r)
	for layer := 1; layer <= 21; layer++ {
		if _, err := b.layer(t.Context(), layer, func(float64) {}); err != nil {
			t.Fatal(err)
		}
	}
	placed := 0
	for _, n := range b.placed {
		placed += int(n)
	}
	// A path of two neighbours exists in every order, so none of them waits; others
	// may have to.
	if placed != 21 {
		t.Errorf("%d paths were placed, want 21", placed)
	}
	for x := range int32(7) {
		if n := b.placed[b.number(x, (x+1)%7)]; n > 2 {
			t.Errorf("neighbours got %d paths while others had none", n)
		}
	}
}

func TestOverlapKeepsToItsPaths(t *testing.T) {
	r := routers(t, slimFly(5, 1))
	l, err := Overlap{Layers: 4, Paths: 10, Seed: 2}.Build(t.Context(), r, Work{})
	if err != nil {
		t.Fatal(err)
	}
	for layer := 1; layer < 4; layer++ {
		if n := l.Links(layer); n > 30 || n < 10 {
			t.Errorf("10 paths of 3 hops made a layer of %d links", n)
		}
	}
	again, err := Overlap{Layers: 4, Paths: 10, Seed: 2}.Build(t.Context(), r, Work{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	for layer := range l.arcs {
		if !slices.Equal(l.arcs[layer], again.arcs[layer]) {
			t.Error("the same seed gave another layer")
		}
	}
}

// TestOverlapSpreadsLoad: what the weights are for. Over all layers, the links of the
// paths are used more evenly than those of random layers of the same sizes.
func TestOverlapSpreadsLoad(t *testing.T) {
	r := routers(t, slimFly(5, 1))
	l, err := Overlap{Layers: 9, Seed: 1}.Build(t.Context(), r, Work{})
	if err != nil {
		t.Fatal(err)
	}
	use := func(l *Layers) float64 {
		sum, squares := 0.0, 0.0
		for e := range int32(len(r.to)) {
			n := 0.0
			for _, arcs := range l.arcs[1:] {
				if arcs.has(e) {
					n++
				}
			}
			sum += n
			squares += n * n
		}
		links := float64(len(r.to))
		return (squares/links - sum/links*sum/links) / (sum / links)
	}
	links := 0
	for layer := 1; layer < 9; layer++ {
		links += l.Links(layer)
	}
	random := &Layers{routers: r, arcs: []bitset{r.all()}}
	var s stream
	s.start(1, 0, "test")
	for range 8 {
		random.arcs = append(random.arcs, draw(r, &s, links/8))
	}
	if low, high := use(l), use(random); low > 0.7*high {
		t.Errorf("layers per link vary by %.2f of their mean, and by %.2f at random", low, high)
	}
}

func TestRule(t *testing.T) {
	even, tiers := 4, 3
	fatTree, err := topo.FatTree{Tiers: tiers, Radix: &even, Rate: 1}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name      string
		g         *topo.Graph
		o         Overlap
		least     int
		most      int
		paths     int
		bipartite bool
	}{
		// 175 links; most pairs are two hops apart.
		{"slim fly", slimFly(5, 1), Overlap{}, 3, 3, 44, false},
		{"fat tree", fatTree, Overlap{}, 6, 6, 4, true},
		{"odd ring", ring(5), Overlap{}, 2, 2, 2, false},
		{"given", slimFly(5, 1), Overlap{MinHops: 2, MaxHops: 4, Paths: 7}, 2, 4, 7, false},
		{"most given", slimFly(5, 1), Overlap{MaxHops: 2}, 2, 2, 66, false},
	} {
		r := routers(t, test.g)
		o := test.o.Rule(r)
		if o.MinHops != test.least || o.MaxHops != test.most || o.Paths != test.paths || r.bipartite() != test.bipartite {
			t.Errorf("%s: %+v, bipartite %v", test.name, o, r.bipartite())
		}
	}
}
