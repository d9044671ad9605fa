package bound_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/route"
	"weft/route/bound"
	"weft/topo"
	"weft/unit"
)

const (
	gbps = unit.Gbps
	ns   = unit.Nanosecond
)

// anyGraph draws a small connected network.
func anyGraph(t *rapid.T) *topo.Graph {
	g := &topo.Graph{}
	switches := rapid.IntRange(1, 7).Draw(t, "switches")
	rates := rapid.SampledFrom([]unit.Rate{gbps, 3 * gbps, 10 * gbps, 10 * gbps, 25 * gbps, 399_999_999_999})
	delays := rapid.SampledFrom([]unit.Time{0, 10 * ns, 500 * ns, 500 * ns, 3000 * ns})
	even := rapid.Bool().Draw(t, "even")
	for i := range switches {
		n := topo.Node{Name: fmt.Sprintf("s%d", i), Kind: topo.Switch, Tier: 1}
		if !even {
			n.Latency = delays.Draw(t, "latency")
		}
		g.Nodes = append(g.Nodes, n)
	}
	join := func(a, b int) {
		l := topo.Link{A: topo.NodeID(a), B: topo.NodeID(b), Rate: rates.Draw(t, "rate"), Delay: 70 * ns}
		if !even {
			l.Delay = delays.Draw(t, "delay")
		}
		g.Links = append(g.Links, l)
	}
	for i := 1; i < switches; i++ {
		join(i, rapid.IntRange(0, i-1).Draw(t, "to"))
	}
	for range rapid.IntRange(0, 8).Draw(t, "more") {
		if a, b := rapid.IntRange(0, switches-1).Draw(t, "a"), rapid.IntRange(0, switches-1).Draw(t, "b"); a != b {
			join(a, b)
		}
	}
	for i := range rapid.IntRange(2, 5).Draw(t, "hosts") {
		host := topo.NodeID(len(g.Nodes))
		g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprintf("host%d", i), Kind: topo.Host})
		g.Hosts = append(g.Hosts, host)
		g.Links = append(g.Links, topo.Link{
			A: host, B: topo.NodeID(rapid.IntRange(0, switches-1).Draw(t, "switch")), Rate: rates.Draw(t, "rate"), Delay: delays.Draw(t, "delay"),
		})
	}
	return g
}

// TestBetween compares with the least of all cuts, tried one by one, and of all latencies.
func TestBetween(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		b := bound.New(g, tables(t, g))
		latency := latencies(g)
		for i, src := range g.Hosts {
			for k, dst := range g.Hosts {
				if i == k {
					continue
				}
				delay, rate := b.Between(int32(i), int32(k))
				if want := latency[src][dst]; delay != want {
					t.Errorf("from %d to %d in %v, want %v", i, k, delay, want)
				}
				if want := leastCut(g, src, dst); rate != want {
					t.Errorf("from %d to %d at %v, want %v", i, k, rate, want)
				}
			}
		}
	})
}

func tables(t rapid.TB, g *topo.Graph) *route.Tables {
	t.Helper()
	tables, err := route.Minimal(g, route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// leastCut tries all sets of nodes that part two.
func leastCut(g *topo.Graph, src, dst topo.NodeID) unit.Rate {
	least := unit.Rate(1 << 62)
	for set := range uint(1) << len(g.Nodes) {
		if set>>src&1 != 1 || set>>dst&1 != 0 {
			continue
		}
		sum := unit.Rate(0)
		for _, l := range g.Links {
			if set>>l.A&1 != set>>l.B&1 {
				sum += l.Rate
			}
		}
		least = min(least, sum)
	}
	return least
}

// latencies returns those between all nodes (Floyd 1962).
func latencies(g *topo.Graph) [][]unit.Time {
	const far = unit.Forever / 4
	d := make([][]unit.Time, len(g.Nodes))
	for i := range d {
		d[i] = make([]unit.Time, len(g.Nodes))
		for k := range d[i] {
			if i != k {
				d[i][k] = far
			}
		}
	}
	for p := range topo.PortID(2 * len(g.Links)) {
		from, to := g.Ends(p)
		d[from][to] = min(d[from][to], g.Links[p.Link()].Delay+g.Nodes[to].Latency)
	}
	for m := range d {
		for i := range d {
			for k := range d {
				d[i][k] = min(d[i][k], d[i][m]+d[m][k])
			}
		}
	}
	return d
}

func TestTwoHostsBackToBack(t *testing.T) {
	g := &topo.Graph{
		Nodes: []topo.Node{{Name: "a", Kind: topo.Host}, {Name: "b", Kind: topo.Host}},
		Links: []topo.Link{{A: 0, B: 1, Rate: gbps, Delay: 5}},
		Hosts: []topo.NodeID{0, 1},
	}
	if delay, rate := bound.New(g, tables(t, g)).Between(1, 0); delay != 5 || rate != gbps {
		t.Errorf("%v and %v, want 5ps and 1Gbps", delay, rate)
	}
}

// BenchmarkNarrow asks for all pairs of switches of a fat tree of 8192 hosts whose uplinks
// are slower than hosts.
func BenchmarkNarrow(b *testing.B) {
	g, err := topo.FatTree{Tiers: 3, Rate: 100 * gbps, UplinkRate: ptr(50 * gbps), HostsPerToR: ptr(16), UplinksPerToR: ptr(16), ToRsPerPod: ptr(16), UplinksPerAgg: ptr(16), Pods: ptr(32), Delay: 500 * ns}.Build()
	if err != nil {
		b.Fatal(err)
	}
	t, err := route.Minimal(g, route.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		least := bound.New(g, t)
		for src := int32(0); src < int32(len(g.Hosts)); src += 16 {
			for dst := int32(0); dst < int32(len(g.Hosts)); dst += 16 {
				if src != dst {
					least.Between(src, dst)
				}
			}
		}
	}
}

func ptr[T any](v T) *T { return &v }
