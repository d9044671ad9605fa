package scenario_test

import (
	"context"
	"fmt"
	"testing"

	"weft"
	"weft/scenario"
)

// Benchmarks run the scenarios of scenarios/bench and report packet-hops per
// second of processor time of the event loop. Compare figures of one machine and
// one hour only, in turn:
//
//	go test ./scenario -run '^$' -bench Queue -benchtime 3x

func benchmark(b *testing.B, name string, o scenario.RunOptions, sets ...string) {
	b.Helper()
	var hops, seconds float64
	for b.Loop() {
		f, err := weft.Load("../scenarios/bench/"+name+".yaml", weft.Builtin(), sets...)
		if err != nil {
			b.Fatal(err)
		}
		r, err := scenario.Run(context.Background(), f.Variants[0], o)
		if err != nil {
			b.Fatal(err)
		}
		hops += float64(r.Summary.PacketHops)
		seconds += r.Summary.EngineCPU.Seconds()
	}
	b.ReportMetric(hops/seconds/1e6, "Mhops/cpu-s")
}

func BenchmarkPermutation(b *testing.B) {
	for _, hosts := range []int{128, 1024, 8192} {
		b.Run(fmt.Sprint(hosts), func(b *testing.B) {
			benchmark(b, fmt.Sprint("permutation-", hosts), scenario.RunOptions{})
		})
	}
}

func BenchmarkShapes(b *testing.B) {
	for _, name := range []string{"three-tiers-1024", "mixed-rates-1024", "short-links-1024", "trimming-1024",
		"ops-permutation-1024", "adaptive-permutation-1024", "ring-allreduce-1024", "sird-144"} {
		b.Run(name, func(b *testing.B) { benchmark(b, name, scenario.RunOptions{}) })
	}
}

func BenchmarkQueue(b *testing.B) {
	for _, hosts := range []int{128, 1024, 8192} {
		for _, kind := range []string{"sweep", "calendar"} {
			b.Run(fmt.Sprint(hosts, "/", kind), func(b *testing.B) {
				benchmark(b, fmt.Sprint("permutation-", hosts), scenario.RunOptions{}, "engine.queue="+kind)
			})
		}
	}
}

func BenchmarkDomains(b *testing.B) {
	for _, hosts := range []int{128, 1024, 8192} {
		for _, domains := range []int{1, 4, 32, 128} {
			b.Run(fmt.Sprint(hosts, "/", domains), func(b *testing.B) {
				benchmark(b, fmt.Sprint("permutation-", hosts), scenario.RunOptions{Domains: domains})
			})
		}
	}
}

func BenchmarkThreads(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			benchmark(b, "permutation-1024", scenario.RunOptions{Threads: threads})
		})
	}
}

func BenchmarkBalancer(b *testing.B) {
	for _, name := range weft.Builtin().Balancers.Names() {
		b.Run(name, func(b *testing.B) {
			benchmark(b, "permutation-128", scenario.RunOptions{}, "transport.balancer="+name)
		})
	}
}
