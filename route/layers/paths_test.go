package layers

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/topo"
)

// TestEnumerate: the distinct paths of all layers, each once, in order.
func TestEnumerate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := routers(t, anyGraph(t))
		tables, err := anyLayers(t, r).Tables(t.Context(), 1, Work{})
		if err != nil {
			t.Fatal(err)
		}
		trees, err := Past{}.Layers(t.Context(), r, 3, Work{})
		if err != nil {
			t.Fatal(err)
		}
		source := Enumerate(tables, trees)
		for range 3 {
			for _, to := range r.edges {
				for from := range r.Len() {
					var want [][]topo.PortID
					for _, routing := range []Routing{tables, trees} {
						for layer := range routing.Layers() {
							path, ok := routing.AppendPath(nil, layer, from, int(to))
							same := func(p []topo.PortID) bool { return slices.Equal(p, path) }
							if ok && !slices.ContainsFunc(want, same) {
								want = append(want, path)
							}
						}
					}
					got := source.Paths(from, int(to))
					if !slices.EqualFunc(got, want, func(a, b []topo.PortID) bool { return slices.Equal(a, b) }) {
						t.Fatalf("%d to %d: %v, want %v", from, to, got, want)
					}
				}
			}
		}
	})
}

func TestEnumerateDoesNotAllocate(t *testing.T) {
	r := routers(t, slimFly(5, 1))
	l, err := Sample{Layers: 9, Density: 0.5}.Build(r)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := l.Tables(t.Context(), 1, Work{})
	if err != nil {
		t.Fatal(err)
	}
	spain, err := Spain{}.Build(t.Context(), r, Work{})
	if err != nil {
		t.Fatal(err)
	}
	trees, err := spain.Layers(40)
	if err != nil {
		t.Fatal(err)
	}
	source := Enumerate(tables, trees)
	all := func() {
		for to := range r.Len() {
			source.Paths((to+7)%r.Len(), to)
		}
	}
	all()
	if n := testing.AllocsPerRun(1, func() { // of all together, since means are rounded down
		for range 5 {
			all()
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestMeasure(t *testing.T) {
	// Between 0 and 3 there are two ways of two hops and one of three that shares a
	// link with the first.
	g := network([]int{1, 0, 0, 1, 0}, [][2]int{{0, 1}, {1, 3}, {0, 2}, {2, 3}, {1, 4}, {4, 3}})
	r := routers(t, g)
	source := func() (Source, error) { return Shortest{K: 3}.Source(r) }
	d, err := Measure(t.Context(), r, source, Pairs{}, Work{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Pairs != 2 || d.Unreachable != 0 || !slices.Equal(d.Paths, []int64{0, 0, 0, 2}) || !slices.Equal(d.Disjoint, []int64{0, 0, 2}) ||
		!slices.Equal(d.Hops, []int64{0, 0, 4, 2}) || !slices.Equal(d.DisjointHops, []int64{0, 0, 4}) {
		t.Errorf("%+v", d)
	}
	if AtLeast(d.Disjoint, 2) != 1 || AtLeast(d.Disjoint, 3) != 0 || AtLeast(d.Hops, 3) != 1.0/3 {
		t.Error("shares are wrong")
	}
	fly := routers(t, slimFly(5, 1))
	wide := func() (Source, error) { return Shortest{K: 4}.Source(fly) }
	one, err := Measure(t.Context(), fly, wide, Pairs{Samples: 300, Seed: 5}, Work{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	many, err := Measure(t.Context(), fly, wide, Pairs{Samples: 300, Seed: 5}, Work{Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	if one.Pairs != 300 || !slices.Equal(one.Disjoint, many.Disjoint) || !slices.Equal(one.Hops, many.Hops) {
		t.Errorf("%+v with one worker, %+v with four", one, many)
	}
	none := func() (Source, error) { return Shortest{}.Source(fly) }
	if _, err := Measure(t.Context(), fly, none, Pairs{}, Work{}); err == nil {
		t.Error("a source that fails is no error")
	}
}

// TestForest: routes of trees are the only paths that their links have.
func TestForest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := routers(t, anyGraph(t))
		sets := newUnion(r.Len())
		var entries []int32
		for e := range int32(len(r.to)) {
			if rapid.Bool().Draw(t, "take") && sets.join(r.to[e], r.to[r.back[e]]) >= 0 {
				entries = append(entries, e)
			}
		}
		f := &Forest{routers: r}
		f.addLinks(nil)
		f.addLinks(entries)
		in := func(e int32) bool { return slices.Contains(entries, e) || slices.Contains(entries, r.back[e]) }
		unreachable := int64(0)
		for to := range r.Len() {
			distance := hopsTo(r, in, int32(to))
			for from := range r.Len() {
				path, ok := f.AppendPath([]topo.PortID{5}, 1, from, to)
				if ok != (distance[from] >= 0) {
					t.Fatalf("%d to %d: %v, distance %d", from, to, ok, distance[from])
				}
				if !ok {
					if r.edge[from] >= 0 && r.edge[to] >= 0 {
						unreachable++
					}
					continue
				}
				for _, e := range walk(t, r, path[1:], from, to) {
					if !in(e) {
						t.Fatal("a path leaves its tree")
					}
				}
			}
		}
		reach := f.Reach(1)
		if n := int64(len(r.edges)); reach.Unreachable != unreachable || f.Unreachable(1) != unreachable || reach.Pairs() != n*(n-1) || reach.Links != len(entries) {
			t.Fatalf("%+v, want %d unreachable", reach, unreachable)
		}
	})
}
