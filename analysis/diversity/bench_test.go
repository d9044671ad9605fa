package diversity_test

import (
	"context"
	"testing"

	"weft/analysis/diversity"
	"weft/analysis/routers"
	"weft/topo"
	"weft/unit"
)

// BenchmarkMeasure counts samples of a Jellyfish at four hops, where most routers are
// within reach.
func BenchmarkMeasure(b *testing.B) {
	like, size := "fat-tree", "10k"
	t, err := topo.Jellyfish{Like: &like, Size: &size, Seed: 1, Cables: topo.Cables{Rate: unit.Gbps}}.Build()
	if err != nil {
		b.Fatal(err)
	}
	g, err := routers.FromTopology(t)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		o := diversity.Options{Lengths: []int{4}, Samples: 100, Seed: 1, Method: diversity.Greedy, Threads: 1}
		if _, err := diversity.Measure(context.Background(), g, o); err != nil {
			b.Fatal(err)
		}
	}
}
