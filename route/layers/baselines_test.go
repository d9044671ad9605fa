package layers

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/topo"
)

// TestYenAgreesWithAllPaths: k distinct paths without loops, as long as the k
// shortest of all.
func TestYenAgreesWithAllPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := routers(t, anyGraph(t))
		k := rapid.IntRange(1, 12).Draw(t, "k")
		source, err := Shortest{K: k, Seed: rapid.Uint64().Draw(t, "seed")}.Source(r)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			from := rapid.IntRange(0, r.Len()-1).Draw(t, "from")
			to := rapid.IntRange(0, r.Len()-1).Draw(t, "to")
			var want, got []int
			for _, path := range simplePaths(r, int32(from), int32(to)) {
				want = append(want, len(path))
			}
			slices.Sort(want)
			want = want[:min(k, len(want))]
			paths := source.Paths(from, to)
			for i, path := range paths {
				walk(t, r, path, from, to)
				got = append(got, len(path))
				for _, other := range paths[:i] {
					if slices.Equal(path, other) {
						t.Fatal("a path is given twice")
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d to %d: lengths %v, want %v", from, to, got, want)
			}
		}
	})
}

func TestYenDrawsAmongEqualPaths(t *testing.T) {
	// Four ways of two hops, of which two are asked for.
	r := routers(t, network([]int{1, 0, 0, 0, 0, 1}, [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 5}, {2, 5}, {3, 5}, {4, 5}}))
	var taken [5]int
	for seed := range uint64(400) {
		source, err := Shortest{K: 2, Seed: seed}.Source(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range source.Paths(0, 5) {
			_, to := r.Graph().Ends(path[0])
			taken[to]++
		}
	}
	for mid := 1; mid <= 4; mid++ {
		if taken[mid] < 140 || taken[mid] > 260 {
			t.Errorf("of 800 paths %v went through each router", taken[1:])
			break
		}
	}
}

// TestSpainPaths follows lines 6 to 15 of Listing 4: each path weighs the least, a
// link weighing 1 and |E| more for every earlier path of the pair that has it, until
// one repeats.
func TestSpainPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := routers(t, anyGraph(t))
		k := rapid.IntRange(1, 5).Draw(t, "k")
		s := newSpainPaths(r, k)
		s.random.start(rapid.Uint64().Draw(t, "seed"), 0, "test")
		to := int32(rapid.IntRange(0, r.Len()-1).Draw(t, "to"))
		s.start(to)
		for from := range int32(r.Len()) {
			if from == to {
				continue
			}
			all := simplePaths(r, from, to)
			uses := map[topo.LinkID]int{}
			weigh := func(path []int32) int {
				w := 0
				for _, e := range path {
					w += 1 + r.Links()*uses[r.port[e].Link()]
				}
				return w
			}
			var found [][]int32
			s.paths(from, to, func(path []int32) {
				least := math.MaxInt
				for _, p := range all {
					least = min(least, weigh(p))
				}
				if w := weigh(path); w != least {
					t.Fatalf("path %d of %d to %d weighs %d, want %d", len(found), from, to, w, least)
				}
				for _, e := range path {
					uses[r.port[e].Link()]++
				}
				if slices.ContainsFunc(found, func(p []int32) bool { return slices.Equal(p, path) }) {
					t.Fatal("a path repeats")
				}
				found = append(found, slices.Clone(path))
			})
			if len(found) == 0 || len(found) > k {
				t.Fatalf("%d paths, want 1 to %d", len(found), k)
			}
		}
	})
}

// TestSpainLayers: layers are forests, every path of every pair is in one, and no two
// could still be merged.
func TestSpainLayers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := routers(t, anyGraph(t))
		o := Spain{K: rapid.IntRange(1, 4).Draw(t, "k"), Seed: rapid.Uint64().Draw(t, "seed")}
		l, err := o.Build(t.Context(), r, Work{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		forest, err := l.Layers(0)
		if err != nil {
			t.Fatal(err)
		}
		acyclic := func(trees ...[]int32) bool {
			sets := newUnion(r.Len())
			seen := map[topo.LinkID]bool{}
			for _, e := range slices.Concat(trees...) {
				if link := r.port[e].Link(); !seen[link] {
					seen[link] = true
					if sets.join(r.to[e], r.to[r.back[e]]) < 0 {
						return false
					}
				}
			}
			return true
		}
		for i, tree := range l.trees {
			if !acyclic(tree) || forest.Links(i) != len(tree) {
				t.Fatalf("layer %d is no forest of %d links", i, len(tree))
			}
			if i > 0 && len(tree) > len(l.trees[i-1]) {
				t.Fatal("layers are not in order of their links")
			}
			for _, other := range l.trees[:i] {
				if acyclic(tree, other) {
					t.Fatal("two layers could be merged")
				}
			}
		}
		source := Enumerate(forest)
		count := int64(0)
		for i, to := range r.edges {
			s := newSpainPaths(r, o.K)
			s.random.start(o.Seed, uint64(i), "paths of SPAIN")
			s.random.order(len(r.edges))
			s.start(to)
			for _, from := range r.edges {
				if from == to {
					continue
				}
				s.paths(from, to, func(path []int32) {
					count++
					var ports []topo.PortID
					for _, e := range path {
						ports = append(ports, r.port[e])
					}
					if !slices.ContainsFunc(source.Paths(int(from), int(to)), func(p []topo.PortID) bool { return slices.Equal(p, ports) }) {
						t.Fatalf("no layer has a path from %d to %d", from, to)
					}
				})
			}
		}
		if count != l.Paths() || l.Colours() < l.Len() {
			t.Fatalf("%d paths, want %d; %d colours became %d layers", l.Paths(), count, l.Colours(), l.Len())
		}
	})
}

// TestColoursAreCompatible: what vlan-compatible says of two paths holds for all of
// a colour, and a path has the first colour whose paths it is compatible with.
func TestColoursAreCompatible(t *testing.T) {
	compatible := func(p, q []int32) bool { // of routers
		for i, x := range p[:len(p)-1] {
			for j, y := range q[:len(q)-1] {
				if x == y && p[i+1] != q[j+1] {
					return false
				}
			}
		}
		return true
	}
	rapid.Check(t, func(t *rapid.T) {
		// Without parallel links, paths are told apart by routers.
		r := routers(t, slimFly(5, 1))
		c := newColouring(r, 3)
		to := int32(rapid.IntRange(0, r.Len()-1).Draw(t, "to"))
		c.paths.random.start(rapid.Uint64().Draw(t, "seed"), 0, "test")
		c.paths.start(to)
		var colours [][][]int32
		for from := range int32(r.Len()) {
			if from == to {
				continue
			}
			c.paths.paths(from, to, func(path []int32) {
				way := []int32{from}
				for _, e := range path {
					way = append(way, r.to[e])
				}
				first := slices.IndexFunc(colours, func(k [][]int32) bool {
					return !slices.ContainsFunc(k, func(p []int32) bool { return !compatible(way, p) })
				})
				if first < 0 {
					first = len(colours)
					colours = append(colours, nil)
				}
				colours[first] = append(colours[first], way)
				c.place(from, path)
				for i, k := range c.colours[:c.used] {
					if has := k.next[from] == path[0] && c.fits(&k, from, path); has && i < first {
						t.Fatal("a path has an earlier colour")
					}
				}
				if c.colours[first].next[from] != path[0] {
					t.Fatal("a path does not have the first colour that it fits")
				}
			})
		}
		if c.used != len(colours) {
			t.Fatalf("%d colours, want %d", c.used, len(colours))
		}
	})
}

func anyTrees(t *rapid.T) PastTrees {
	return rapid.SampledFrom([]PastTrees{PastFirst, PastRandom, PastWeighted, PastValiant, ""}).Draw(t, "trees")
}

// TestPast: each address has a tree that spans all routers; its paths are minimal
// towards the address, or towards some root in the non-minimal variant.
func TestPast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		r := routers(t, g)
		trees := anyTrees(t)
		p, err := Past{Trees: trees, Seed: rapid.Uint64().Draw(t, "seed")}.Addresses(t.Context(), r, Work{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		all := func(int32) bool { return true }
		f := p.Trees()
		if f.Layers() != len(g.Hosts) {
			t.Fatalf("%d trees of %d addresses", f.Layers(), len(g.Hosts))
		}
		for h, node := range g.Hosts {
			if f.Links(h) != r.Len()-1 {
				t.Fatalf("tree %d has %d links of %d routers", h, f.Links(h), r.Len())
			}
			to := r.Router(node)
			distance := hopsTo(r, all, int32(to))
			minimalTo := make([]bool, r.Len())
			for root := range r.Len() {
				minimalTo[root] = true
				d := hopsTo(r, all, int32(root))
				for from := range r.Len() {
					path, ok := f.AppendPath(nil, h, from, root)
					minimalTo[root] = minimalTo[root] && ok && len(path) == d[from]
				}
			}
			if !slices.Contains(minimalTo, true) || trees != PastValiant && !minimalTo[to] {
				t.Fatalf("tree %d of %s is minimal towards %v", h, trees, minimalTo)
			}
			for from := range r.Len() {
				path := p.AppendPath(nil, from, h)
				walk(t, r, path, from, to)
				if trees != PastValiant && len(path) != distance[from] {
					t.Fatalf("a path to host %d takes %d hops, want %d", h, len(path), distance[from])
				}
				if !slices.ContainsFunc(p.Source().Paths(from, to), func(q []topo.PortID) bool { return slices.Equal(q, path) }) {
					t.Fatal("the source lacks the path of an address")
				}
			}
		}
	})
}

// TestPastWeighs: of two ways, a tree takes the one that fewer hosts were below so
// far, most of the time.
func TestPastWeighs(t *testing.T) {
	// Router 0 has 40 hosts; router 3 with one hangs on it by way of 1 or 2.
	r := routers(t, network([]int{40, 0, 0, 1}, [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}}))
	turns := map[PastTrees]int{}
	for _, kind := range []PastTrees{PastRandom, PastWeighted} {
		for seed := range uint64(50) {
			p, err := Past{Trees: kind, Seed: seed}.Addresses(t.Context(), r, Work{})
			if err != nil {
				t.Fatal(err)
			}
			balance := 0
			for h := range 40 {
				_, to := r.Graph().Ends(p.AppendPath(nil, 3, h)[0])
				balance += 2*r.Router(to) - 3
			}
			turns[kind] += balance * balance
		}
	}
	if turns[PastWeighted]*2 > turns[PastRandom] {
		t.Errorf("squared imbalance %d with weights and %d without", turns[PastWeighted], turns[PastRandom])
	}
}

func TestPastLayers(t *testing.T) {
	r := routers(t, slimFly(5, 2))
	for _, kind := range []PastTrees{PastRandom, PastWeighted, PastValiant} {
		one, err := Past{Trees: kind}.Layers(t.Context(), r, 60, Work{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		many, err := Past{Trees: kind}.Layers(t.Context(), r, 60, Work{Workers: 4})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(one.up, many.up) || !slices.Equal(one.depth, many.depth) {
			t.Errorf("%s: trees depend on the number of workers", kind)
		}
	}
	f, err := Past{}.Layers(t.Context(), r, 60, Work{})
	if err != nil {
		t.Fatal(err)
	}
	roots := make([]int, r.Len())
	for layer := range f.Layers() {
		root := slices.Index(f.up[layer*r.Len():(layer+1)*r.Len()], noPort)
		roots[root]++
	}
	// 60 trees of 50 routers.
	if slices.Min(roots) != 1 || slices.Max(roots) != 2 {
		t.Errorf("routers have %v trees", roots)
	}
}
