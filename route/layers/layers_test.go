package layers

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/topo"
)

func TestRouters(t *testing.T) {
	// r1 has no host; the link r0-r2 is given twice.
	g := network([]int{1, 0, 2}, [][2]int{{0, 1}, {1, 2}, {2, 0}, {0, 2}})
	r := routers(t, g)
	if r.Len() != 3 || r.Links() != 4 || r.Degree() != 3 || !slices.Equal(r.Edges(), []int32{0, 2}) {
		t.Errorf("%d routers, %d links, degree %d, edges %v", r.Len(), r.Links(), r.Degree(), r.Edges())
	}
	if r.Router(g.Hosts[2]) != 2 || r.Node(1) != 1 || r.Name(2) != "r2" || len(r.Ports(0)) != 3 {
		t.Error("routers are numbered wrongly")
	}
	for router := range r.Len() {
		for i, p := range r.Ports(router) {
			from, to := g.Ends(p)
			e := r.offset[router] + int32(i)
			if r.Router(from) != router || r.Router(to) != int(r.to[e]) || r.port[r.back[e]] != p.Reverse() {
				t.Errorf("port %d of router %d is %d", i, router, p)
			}
		}
	}
	// Links 0 to 2 lead to hosts.
	less, err := NewRouters(g, func(l topo.LinkID) bool { return l >= 5 })
	if err != nil || less.Links() != 2 {
		t.Errorf("without links that are down: %v", err)
	}
}

func TestRoutersRefuse(t *testing.T) {
	down := func(topo.LinkID) bool { return true }
	split := network([]int{1, 1, 1, 1}, [][2]int{{0, 1}, {2, 3}})
	for _, test := range []struct {
		g    *topo.Graph
		down func(topo.LinkID) bool
		want string
	}{
		{ring(3), down, "nothing to route"},
		{split, nil, `no path leads from router "r0" to router "r2"; link the parts`},
	} {
		if _, err := NewRouters(test.g, test.down); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	r := routers(t, ring(5))
	alone := routers(t, network([]int{1, 0}, [][2]int{{0, 1}}))
	sample := func(o Sample) error { _, err := o.Build(r); return err }
	overlap := func(o Overlap, r *Routers) error { _, err := o.Build(t.Context(), r, Work{}); return err }
	_, minimal := Minimal(r, 0)
	_, shortest := Shortest{}.Source(r)
	_, spain := Spain{K: 65}.Build(t.Context(), r, Work{})
	_, past := Past{Trees: "tall"}.Addresses(t.Context(), r, Work{})
	_, trees := Past{}.Layers(t.Context(), r, 5000, Work{})
	noHosts := routers(t, network([]int{0, 0}, [][2]int{{0, 1}}))
	_, addresses := Past{}.Addresses(t.Context(), noHosts, Work{})
	for _, test := range []struct {
		err  error
		want string
	}{
		{sample(Sample{Layers: 0, Density: 0.5}), "from 1 to 4096"},
		{sample(Sample{Layers: 2, Density: 1.5}), "density is 1.5; use more than 0 and at most 1"},
		{sample(Sample{Layers: 2}), "density is 0"},
		{sample(Sample{Layers: 2, Density: 0.5, Attempts: -1}), "attempts"},
		{sample(Sample{Layers: 2, Density: 0.5, Reading: "sideways"}), `unknown reading "sideways"`},
		{minimal, "0 layers"},
		{overlap(Overlap{Layers: 2, MinHops: 3, MaxHops: 2}, r), "3 to 2 hops"},
		{overlap(Overlap{Layers: 2, MaxHops: 40}, r), "40 hops"},
		{overlap(Overlap{Layers: 2, Paths: -1}, r), "-1 paths"},
		{overlap(Overlap{Layers: 2, MinHops: 1, MaxHops: 1, Paths: 1}, alone), "only one router has hosts"},
		{overlap(Overlap{Layers: 2, Reading: "x"}, r), "unknown reading"},
		{shortest, "0 shortest paths"},
		{spain, "65 paths"},
		{past, `unknown trees "tall"`},
		{trees, "5000 layers"},
		{addresses, "no hosts"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("got %v, want %s", test.err, test.want)
		}
	}
}

// TestSample follows Section V-B2: exactly ⌊ρ·|E|⌋ links, in both directions, drawn
// again until they connect all if there are enough attempts.
func TestSample(t *testing.T) {
	r := routers(t, slimFly(5, 1))
	l, err := Sample{Layers: 5, Density: 0.6, Seed: 4}.Build(r)
	if err != nil {
		t.Fatal(err)
	}
	for layer := range l.Len() {
		want := r.Links()
		if layer > 0 {
			want = r.Links() * 6 / 10
		}
		if l.Links(layer) != want {
			t.Errorf("layer %d has %d links, want %d", layer, l.Links(layer), want)
		}
		if n := r.unreachable(l.arcs[layer]); n != 0 {
			t.Errorf("layer %d leaves %d pairs without a path", layer, n)
		}
		for e := range int32(len(r.to)) {
			if l.arcs[layer].has(e) != l.arcs[layer].has(r.back[e]) {
				t.Fatalf("layer %d has link %d in one direction", layer, e)
			}
		}
		if layer > 1 && slices.Equal(l.arcs[layer], l.arcs[1]) {
			t.Errorf("layers 1 and %d are the same", layer)
		}
	}
	if !l.Has(0, 3, 2) {
		t.Error("layer 0 lacks a link")
	}
}

func TestDrawIsEven(t *testing.T) {
	const draws = 20000
	r := routers(t, ring(8))
	var seen [8]int
	var s stream
	s.start(1, 0, "test")
	for range draws {
		arcs := draw(r, &s, 3)
		i := 0
		for e := range int32(len(r.to)) {
			if e > r.back[e] {
				continue
			}
			if arcs.has(e) {
				seen[i]++
			}
			i++
		}
	}
	for i, n := range seen {
		if n < draws*3/8-300 || n > draws*3/8+300 {
			t.Errorf("link %d was drawn %d times of %d", i, n, draws)
		}
	}
}

// TestSampleKeepsTheBestAttempt: a ring without two links always falls apart.
func TestSampleKeepsTheBestAttempt(t *testing.T) {
	r := routers(t, ring(10))
	worst := int64(0)
	for seed := range uint64(20) {
		one, err := Sample{Layers: 2, Density: 0.8, Attempts: 1, Seed: seed}.Build(r)
		if err != nil {
			t.Fatal(err)
		}
		many, err := Sample{Layers: 2, Density: 0.8, Attempts: 100, Seed: seed}.Build(r)
		if err != nil {
			t.Fatal(err)
		}
		if r.unreachable(many.arcs[1]) > r.unreachable(one.arcs[1]) {
			t.Error("a later attempt is worse than the first and was kept")
		}
		// A single router cut off is the least that can happen.
		if n := r.unreachable(many.arcs[1]); n != 18 {
			t.Errorf("the best of 100 attempts leaves %d pairs apart, want 18", n)
		}
		worst = max(worst, r.unreachable(one.arcs[1]))
	}
	if worst <= 18 {
		t.Error("first attempts are all the best ones")
	}
}

func TestAsPrintedLayersAreAcyclic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := routers(t, anyGraph(t))
		seed := rapid.Uint64().Draw(t, "seed")
		l, err := Sample{Layers: 3, Density: 0.9, Reading: AsPrinted, Seed: seed}.Build(r)
		if err != nil {
			t.Fatal(err)
		}
		low, err := Overlap{Layers: 3, Reading: AsPrinted, Seed: seed}.Build(t.Context(), r, Work{})
		if err != nil {
			t.Fatal(err)
		}
		for _, arcs := range slices.Concat(l.arcs[1:], low.arcs[1:]) {
			left := r.Len()
			gone := make([]bool, r.Len())
			for again := true; again; {
				again = false
				for x := range int32(r.Len()) {
					sink := !gone[x]
					for e := r.offset[x]; e < r.offset[x+1]; e++ {
						sink = sink && !(arcs.has(e) && !gone[r.to[e]])
					}
					if sink {
						gone[x], again = true, true
						left--
					}
				}
			}
			if left > 0 {
				t.Fatal("a layer has a cycle")
			}
		}
	})
}

func TestShuffleIsAPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 3000).Draw(t, "n")
		var s stream
		s.start(rapid.Uint64().Draw(t, "seed"), 0, "test")
		f := newShuffle(n, &s)
		seen := make([]bool, n)
		for i := range n {
			at := f.at(i)
			if at >= n || seen[at] {
				t.Fatalf("place %d has %d of %d, once more or out of range", i, at, n)
			}
			seen[at] = true
		}
	})
}
