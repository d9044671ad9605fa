package layers

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

func anyLayers(t *rapid.T, r *Routers) *Layers {
	l, err := Sample{
		Layers:  rapid.IntRange(1, 4).Draw(t, "layers"),
		Density: unit.Ratio(rapid.Float64Range(0.05, 1).Draw(t, "density")),
		Reading: rapid.SampledFrom([]Reading{Undirected, AsPrinted, ""}).Draw(t, "reading"),
		Seed:    rapid.Uint64().Draw(t, "seed"),
	}.Build(r)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestTablesAgreeWithTheirDefinition: σ(s,t) exists if and only if the layer has a
// path, and following it takes links of the layer only and no more of them than the
// shortest path has.
func TestTablesAgreeWithTheirDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := routers(t, anyGraph(t))
		l := anyLayers(t, r)
		tables, err := l.Tables(context.Background(), 7, Work{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		for layer := range l.Len() {
			unreachable, links := int64(0), 0
			var hops []int64
			for _, to := range r.Edges() {
				distance := hopsTo(r, l.arcs[layer].has, to)
				for from := range r.Len() {
					path, ok := tables.AppendPath(nil, layer, from, int(to))
					if ok != (distance[from] >= 0) {
						t.Fatalf("layer %d, %d to %d: route %v, distance %d", layer, from, to, ok, distance[from])
					}
					edge := from != int(to) && slices.Contains(r.Edges(), int32(from))
					if !ok {
						if edge {
							unreachable++
						}
						continue
					}
					for _, e := range walk(t, r, path, from, int(to)) {
						if !l.arcs[layer].has(e) {
							t.Fatalf("layer %d does not have a link of the path from %d to %d", layer, from, to)
						}
					}
					if len(path) != distance[from] {
						t.Fatalf("layer %d, %d to %d: %d hops, want %d", layer, from, to, len(path), distance[from])
					}
					if edge {
						countAt(&hops, len(path), 1)
					}
				}
			}
			for e := range int32(len(r.to)) {
				if e < r.back[e] && (l.arcs[layer].has(e) || l.arcs[layer].has(r.back[e])) {
					links++
				}
			}
			reach := tables.Reach(layer)
			if reach.Unreachable != unreachable || reach.Links != links || !slices.Equal(trim(reach.Hops), trim(hops)) {
				t.Fatalf("layer %d: %+v, want %v hops, %d unreachable, %d links", layer, reach, hops, unreachable, links)
			}
		}
		if tables.Reach(0).Unreachable != 0 || tables.Reach(0).Links != r.Links() {
			t.Fatal("layer 0 lacks a link or a route")
		}
	})
}

func trim(h []int64) []int64 {
	for len(h) > 0 && h[len(h)-1] == 0 {
		h = h[:len(h)-1]
	}
	return h
}

// TestBothWaysOfSearchingChooseAlike: searching from the frontier and from the
// routers not yet seen reach the same, and choose each next hop as often.
func TestBothWaysOfSearchingChooseAlike(t *testing.T) {
	// Router 0 has 3 neighbours, which all others have too, and some links that lead
	// nowhere nearer.
	const mids, far, rounds = 3, 40, 3000
	hosts := make([]int, 1+mids+far)
	var links [][2]int
	for m := range mids {
		links = append(links, [2]int{0, 1 + m})
		for f := range far {
			links = append(links, [2]int{1 + m, 1 + mids + f})
		}
	}
	for f := range far {
		links = append(links, [2]int{1 + mids + f, 1 + mids + (f+1)%far})
	}
	hosts[0] = 1
	r := routers(t, network(hosts, links))
	for _, way := range []string{"forth", "back"} {
		s := newSearcher[uint8](newSubgraph(r, r.all()))
		s.random.start(1, 0, way)
		row := make([]uint8, r.Len())
		var chosen [mids]int
		for range rounds {
			clear(s.state)
			s.state[0] = near
			s.frontier, s.next = s.frontier[:0], s.next[:0]
			for m := range int32(mids) {
				s.state[1+m] = frontier
				s.frontier = append(s.frontier, 1+m)
			}
			if way == "forth" {
				s.forth(row)
			} else {
				s.list()
				s.back(row)
			}
			if len(s.next) != far {
				t.Fatalf("%s reaches %d routers, want %d", way, len(s.next), far)
			}
			for f := range far {
				to := r.to[r.offset[1+mids+f]+int32(row[1+mids+f])]
				if to < 1 || to > mids {
					t.Fatalf("%s goes on to router %d", way, to)
				}
				chosen[to-1]++
			}
		}
		chi := 0.0
		for _, n := range chosen {
			want := float64(rounds * far / mids)
			chi += (float64(n) - want) * (float64(n) - want) / want
		}
		// The 99.9 % quantile with 2 degrees of freedom; the seed is fixed.
		if chi > 13.8 {
			t.Errorf("%s chooses %v, χ² = %.1f", way, chosen, chi)
		}
	}
}

func TestTablesOfManyPorts(t *testing.T) {
	// A hub with more ports than a byte tells apart.
	const leaves = 300
	var links [][2]int
	hosts := slices.Repeat([]int{1}, leaves+1)
	for i := range leaves {
		links = append(links, [2]int{0, i + 1})
	}
	r := routers(t, network(hosts, links))
	l, err := Minimal(r, 2)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := l.Tables(t.Context(), 1, Work{})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.TableBytes(2); tables.wide == nil || got != 2*2*301*301 {
		t.Errorf("tables take %d bytes", got)
	}
	for _, to := range []int{1, 255, 256, 300} {
		if p, ok := tables.Next(1, 0, to); !ok || p != to-1 {
			t.Errorf("the hub sends to leaf %d by port %d, %v", to, p, ok)
		}
		if p, ok := tables.Next(0, 5, to); !ok || p != 0 {
			t.Errorf("a leaf sends to leaf %d by port %d, %v", to, p, ok)
		}
	}
}

func TestTablesDoNotDependOnWorkers(t *testing.T) {
	r := routers(t, slimFly(5, 2))
	l, err := Sample{Layers: 4, Density: 0.5, Seed: 3}.Build(r)
	if err != nil {
		t.Fatal(err)
	}
	one, err := l.Tables(t.Context(), 9, Work{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	many, err := l.Tables(t.Context(), 9, Work{Workers: 5})
	if err != nil {
		t.Fatal(err)
	}
	other, err := l.Tables(t.Context(), 10, Work{Workers: 5})
	if err != nil {
		t.Fatal(err)
	}
	same := true
	for layer := range one.narrow {
		if !slices.Equal(one.narrow[layer], many.narrow[layer]) {
			t.Errorf("layer %d depends on the number of workers", layer)
		}
		same = same && slices.Equal(one.narrow[layer], other.narrow[layer])
	}
	if same {
		t.Error("the seed changes no table")
	}
}

func TestTablesReportProgressAndStop(t *testing.T) {
	r := routers(t, slimFly(5, 1))
	l, err := Minimal(r, 3)
	if err != nil {
		t.Fatal(err)
	}
	last := 0.0
	if _, err := l.Tables(t.Context(), 1, Work{Workers: 1, Progress: func(share float64) {
		if share < last || share > 1 {
			t.Errorf("progress %v after %v", share, last)
		}
		last = share
	}}); err != nil || last != 1 {
		t.Errorf("progress ends at %v, %v", last, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Tables(ctx, 1, Work{}); err == nil {
		t.Error("tables are computed after an interrupt")
	}
}

func TestReach(t *testing.T) {
	reach := Reach{Hops: []int64{0, 4, 6}, Unreachable: 2}
	if reach.Pairs() != 12 || math.Abs(reach.Mean()-1.6) > 1e-12 {
		t.Errorf("%d pairs, mean %v", reach.Pairs(), reach.Mean())
	}
}

func BenchmarkTables(b *testing.B) {
	r := routers(b, slimFly(29, 1))
	l, err := Sample{Layers: 2, Density: 0.6, Seed: 1}.Build(r)
	if err != nil {
		b.Fatal(err)
	}
	l.arcs = l.arcs[1:]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Tables(b.Context(), 1, Work{Workers: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*r.Len()), "µs/destination")
}
