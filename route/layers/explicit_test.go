package layers

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/route"
	"weft/topo"
	"weft/unit"
)

// TestExplicitPaths holds paths, with links down, to what they are: as many as asked for, distinct and without loops, as long
// as the shortest of all, no longer than allowed, and those with all links where no link of theirs is down.
func TestExplicitPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		o := Explicit{Paths: rapid.IntRange(1, 12).Draw(t, "paths")}
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 1:
			o.Stretch = new(int)
			*o.Stretch = rapid.IntRange(0, 3).Draw(t, "stretch")
		case 2:
			o.Longest = new(int)
			*o.Longest = rapid.IntRange(1, 6).Draw(t, "longest")
		}
		dead := rapid.SliceOfN(rapid.SampledFrom([]bool{false, false, false, true}), len(g.Links), len(g.Links)).Draw(t, "dead")
		down := func(l topo.LinkID) bool { return dead[l] }
		policy, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		router, err := policy.Prepare(g, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := router(route.Options{})
		if err != nil {
			t.Fatal(err)
		}
		left, err := router(route.Options{Down: down})
		if err != nil {
			t.Fatal(err)
		}
		intact, err := newRouters(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		rest, err := newRouters(g, down)
		if err != nil {
			t.Fatal(err)
		}
		for from := range int32(len(intact.edges)) {
			for to := range int32(len(intact.edges)) {
				if from == to {
					continue
				}
				before := checkExplicit(t, intact, whole.Paths(), o, from, to)
				after := checkExplicit(t, rest, left.Paths(), o, from, to)
				if !slices.ContainsFunc(slices.Concat(before...), func(p topo.PortID) bool { return down(p.Link()) }) &&
					!slices.EqualFunc(before, after, slices.Equal[[]topo.PortID]) {
					t.Fatalf("%d to %d lost no link, and changed from %v to %v", from, to, before, after)
				}
			}
		}
	})
}

// checkExplicit returns the paths of a pair.
func checkExplicit(t *rapid.T, r *Routers, paths *route.Paths, o Explicit, from, to int32) (got [][]topo.PortID) {
	t.Helper()
	var lengths, all []int
	paths.Each(from, to, func(entropy uint16, weight int, path []topo.PortID) {
		if int(entropy) != len(got) || weight != 1 {
			t.Fatalf("path %d has place %d and weight %d", len(got), entropy, weight)
		}
		walk(t, r, path, int(r.edges[from]), int(r.edges[to]))
		if slices.ContainsFunc(got, func(p []topo.PortID) bool { return slices.Equal(p, path) }) {
			t.Fatal("a path is given twice")
		}
		got = append(got, slices.Clone(path))
		lengths = append(lengths, len(path))
	})
	for _, path := range simplePaths(r, r.edges[from], r.edges[to]) {
		all = append(all, len(path))
	}
	slices.Sort(all)
	if len(all) > 0 {
		most := math.MaxInt
		if o.Stretch != nil {
			most = all[0] + *o.Stretch
		}
		if o.Longest != nil {
			most = max(all[0], *o.Longest)
		}
		all = slices.DeleteFunc(all, func(links int) bool { return links > most })
	}
	if all = all[:min(o.Paths, len(all))]; !slices.Equal(lengths, all) {
		t.Fatalf("%d to %d with %+v: lengths %v, want %v", from, to, o, lengths, all)
	}
	for entropy := range uint16(3 * len(got)) {
		at := paths.EdgeSwitch(from)
		for _, want := range got[int(entropy)%len(got)] {
			id := paths.Ports(at)[paths.Next(from, to, entropy, paths.Row(at))]
			if id != want {
				t.Fatalf("entropy %d takes port %d, want %d", entropy, id, want)
			}
			_, at = r.graph.Ends(id)
		}
	}
	return got
}

// TestAlmostDrawsAmongEqualPaths asks for two of four ways of two links.
func TestAlmostDrawsAmongEqualPaths(t *testing.T) {
	r := routers(t, network([]int{1, 0, 0, 0, 0, 1}, [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 5}, {2, 5}, {3, 5}, {4, 5}}))
	var taken, first [5]int
	for seed := range uint64(400) {
		source, err := Almost{K: 2, Seed: seed}.Source(r)
		if err != nil {
			t.Fatal(err)
		}
		for i, path := range source.Paths(0, 5) {
			_, to := r.Graph().Ends(path[0])
			taken[to]++
			if i == 0 {
				first[to]++
			}
		}
	}
	for mid := 1; mid <= 4; mid++ {
		if taken[mid] < 140 || taken[mid] > 260 || first[mid] < 60 || first[mid] > 140 {
			t.Fatalf("of 800 paths %v went through each router, first %v", taken[1:], first[1:])
		}
	}
}

// TestExplicitMemory holds the estimate to what paths of a Slim Fly take.
func TestExplicitMemory(t *testing.T) {
	g := slimFly(5, 1)
	four := 4
	for _, o := range []Explicit{{Paths: 4}, {Paths: 32}, {Paths: 64, Longest: &four}} {
		policy, err := o.Build()
		if err != nil {
			t.Fatal(err)
		}
		router, err := policy.Prepare(g, 1)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := router(route.Options{})
		if err != nil {
			t.Fatal(err)
		}
		is := tables.Paths().Bytes() + 2*unit.Bytes(50*50)
		if estimate := policy.Bytes(g); float64(estimate) < 0.8*float64(is) || float64(estimate) > 2.5*float64(is) {
			t.Errorf("%+v: %v foretold, %v taken", o, estimate, is)
		}
	}
}

func TestExplicitRefuses(t *testing.T) {
	one := 1
	if _, err := (Explicit{Paths: 2, Stretch: &one, Longest: &one}).Build(); err == nil || !strings.Contains(err.Error(), "remove one") {
		t.Error(err)
	}
	five, nine := 5, 9
	for _, o := range []Explicit{{}, {Paths: MaxShortest + 1}, {Paths: 2, Stretch: &five}, {Paths: 2, Longest: &nine}} {
		if policy, err := o.Build(); err == nil {
			router, err := policy.Prepare(ring(4), 1)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = router(route.Options{}); err == nil {
				t.Errorf("%+v was taken", o)
			}
		}
	}
}
