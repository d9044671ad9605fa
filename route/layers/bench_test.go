package layers_test

import (
	"flag"
	"fmt"
	"testing"

	"weft/route"
	"weft/route/layers"
	"weft/topo"
	"weft/unit"
)

var (
	benchOrder = flag.Int("order", 19, "order of the Slim Fly of benchmarks: 37 has about 80 000 hosts, 89 a million")
	benchFew   = flag.Bool("few", false, "leave out nine layers")
)

// BenchmarkRouting computes the tables of a Slim Fly and of a Jellyfish of its hardware: minimal
// ones, and those of layers.
func BenchmarkRouting(b *testing.B) {
	order, cables := *benchOrder, topo.Cables{Rate: 10 * unit.Gbps, Delay: unit.Microsecond}
	fly, err := topo.SlimFly{Order: &order, Cables: cables}.Build()
	if err != nil {
		b.Fatal(err)
	}
	fish, err := topo.Equivalent(fly)
	if err != nil {
		b.Fatal(err)
	}
	fish.Cables = cables
	random, err := fish.Build()
	if err != nil {
		b.Fatal(err)
	}
	for _, graph := range []struct {
		name string
		g    *topo.Graph
	}{{"slim-fly", fly}, {"jellyfish", random}} {
		b.Run(graph.name+"/minimal", func(b *testing.B) {
			for b.Loop() {
				if _, err := route.Minimal(graph.g, route.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, n := range []int{1, 2, 3, 9} {
			if n == 9 && *benchFew {
				continue
			}
			b.Run(fmt.Sprintf("%s/layers-%d", graph.name, n), func(b *testing.B) {
				policy, err := layers.Policy{Scheme: layers.KindSample, Layers: n, NextHops: "one"}.Build()
				if err != nil {
					b.Fatal(err)
				}
				router, err := policy.Prepare(graph.g, 1)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := router(route.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
