package throughput

import (
	"math"
	"slices"
	"testing"

	"weft/topo"
)

func demands(t testing.TB, n *Network, traffic Traffic) []Demand {
	t.Helper()
	list, err := traffic.Demands(n)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// ends counts how often hosts send and receive.
func ends(n *Network, list []Demand) (sends, receives []int) {
	sends, receives = make([]int, len(n.router)), make([]int, len(n.router))
	for _, d := range list {
		sends[d.From]++
		receives[d.To]++
	}
	return sends, receives
}

// On an even ring, the worst case pairs opposite routers, whose distance nothing
// exceeds.
func TestWorstCaseOnARing(t *testing.T) {
	n := ring(t, 8, 3)
	for _, pattern := range []Pattern{WorstCase, WorstCaseCycles, Adversarial} {
		list := demands(t, n, Traffic{Pattern: pattern, Seed: 7})
		if len(list) != 24 {
			t.Fatalf("%s: %d demands", pattern, len(list))
		}
		sends, receives := ends(n, list)
		if slices.Min(sends) != 1 || slices.Max(sends) != 1 || slices.Max(receives) != 1 {
			t.Errorf("%s: hosts send %v and receive %v times", pattern, sends, receives)
		}
		commodities, local := n.Aggregate(list)
		if len(commodities) != 8 || local != 0 {
			t.Errorf("%s: %v, and %v local", pattern, commodities, local)
		}
		for _, c := range commodities {
			if (c.From+4)%8 != c.To || c.Size != 3 {
				t.Errorf("%s: %v", pattern, c)
			}
		}
		if d, err := n.MeanDistance(commodities); err != nil || d != 4 {
			t.Errorf("%s: a mean distance of %v, %v", pattern, d, err)
		}
		contain(t, flow(t, n, commodities, 0.001), 4./8/3)
	}
}

func TestPartnersExchange(t *testing.T) {
	n := ring(t, 9, 2)
	list := demands(t, n, Traffic{Pattern: WorstCase, Seed: 3})
	if len(list) != 16 {
		t.Errorf("%d demands of 9 routers, one of which is left out", len(list))
	}
	seen := map[[2]int32]bool{}
	for _, d := range list {
		seen[[2]int32{d.From, d.To}] = true
	}
	for p := range seen {
		if !seen[[2]int32{p[1], p[0]}] {
			t.Errorf("%v has no way back", p)
		}
	}
	if list := demands(t, n, Traffic{Pattern: WorstCaseCycles, Seed: 3}); len(list) != 18 {
		t.Errorf("%d demands in cycles", len(list))
	}
}

func TestIntensityAndElephants(t *testing.T) {
	n := ring(t, 10, 20)
	for _, pattern := range []Pattern{WorstCase, Permutation} {
		list := demands(t, n, Traffic{Pattern: pattern, Intensity: 0.55, Elephants: 0.2, Small: 0.1, Seed: 1})
		whole := len(demands(t, n, Traffic{Pattern: pattern, Seed: 1}))
		if want := int(math.Round(0.55 * float64(whole))); len(list) != want {
			t.Errorf("%s: %d of %d communicate, not %d", pattern, len(list), whole, want)
		}
		large := 0
		for _, d := range list {
			switch d.Size {
			case 1:
				large++
			case 0.1:
			default:
				t.Fatalf("a demand of %v", d.Size)
			}
		}
		if want := int(math.Round(0.2 * float64(len(list)))); large != want {
			t.Errorf("%s: %d elephants of %d", pattern, large, len(list))
		}
	}
	a := demands(t, n, Traffic{Pattern: WorstCase, Intensity: 0.5, Seed: 1})
	if b := demands(t, n, Traffic{Pattern: WorstCase, Intensity: 0.5, Seed: 1}); !slices.Equal(a, b) {
		t.Error("the same seed gave other demands")
	}
	if b := demands(t, n, Traffic{Pattern: WorstCase, Intensity: 0.5, Seed: 2}); slices.Equal(a, b) {
		t.Error("another seed gave the same demands")
	}
}

func TestPatterns(t *testing.T) {
	n := ring(t, 5, 2)
	target := func(list []Demand, s int32) (to []int32) {
		for _, d := range list {
			if d.From == s {
				to = append(to, d.To)
			}
		}
		return to
	}
	if got := target(demands(t, n, Traffic{Pattern: OffDiagonal, Offset: -3}), 1); !slices.Equal(got, []int32{8}) {
		t.Errorf("off-diagonal: 1 sends to %v", got)
	}
	// 10 hosts have four bits, rotated by three: 9 = 1001 becomes 1100 = 12 = 2;
	// 6 = 0110 becomes 0011.
	list := demands(t, n, Traffic{Pattern: Shuffle})
	if got := target(list, 9); !slices.Equal(got, []int32{2}) {
		t.Errorf("shuffle: 9 sends to %v", got)
	}
	if got := target(list, 6); !slices.Equal(got, []int32{3}) {
		t.Errorf("shuffle: 6 sends to %v", got)
	}
	if got := target(demands(t, n, Traffic{Pattern: Stencil}), 0); !slices.Equal(got, []int32{1, 9, 2, 8}) {
		t.Errorf("stencil: 0 sends to %v", got)
	}
	all := demands(t, n, Traffic{Pattern: AllToAll})
	if len(all) != 90 {
		t.Errorf("all to all: %d demands", len(all))
	}
	if b := n.EndpointBound(all); math.Abs(b-1) > 1e-9 {
		t.Errorf("all to all may have %v of its hosts' links", b)
	}
	sends, receives := ends(n, demands(t, n, Traffic{Pattern: Permutation, Seed: 4}))
	if slices.Max(sends) != 1 || slices.Max(receives) != 1 {
		t.Errorf("permutation: %v and %v", sends, receives)
	}
	sends, _ = ends(n, demands(t, n, Traffic{Pattern: Uniform, Seed: 4}))
	if slices.Min(sends) != 1 || slices.Max(sends) != 1 {
		t.Errorf("uniform: %v", sends)
	}
	// Neighbours on the ring are not neighbours once they are placed at random.
	near, _ := n.Aggregate(demands(t, n, Traffic{Pattern: OffDiagonal, Offset: 2}))
	far, _ := n.Aggregate(demands(t, n, Traffic{Pattern: OffDiagonal, Offset: 2, Random: true}))
	a, _ := n.MeanDistance(near)
	if b, _ := n.MeanDistance(far); a != 1 || b <= a {
		t.Errorf("mean distances %v and %v", a, b)
	}
}

func TestAggregateLosesNothing(t *testing.T) {
	n := ring(t, 4, 3)
	list := demands(t, n, Traffic{Pattern: AllToAll})
	commodities, local := n.Aggregate(list)
	sum := local
	for _, c := range commodities {
		sum += c.Size
	}
	if len(commodities) != 12 || math.Abs(sum-12) > 1e-9 || math.Abs(local-4*6/11.) > 1e-9 {
		t.Errorf("%d commodities, %v in all, %v local", len(commodities), sum, local)
	}
}

// Adding up the demands of router pairs does not change the optimum.
func TestAggregateIsExact(t *testing.T) {
	n := clique(t, 5, 3)
	list := demands(t, n, Traffic{Pattern: Permutation, Elephants: 0.3, Small: 0.2, Seed: 5})
	var single []Commodity
	for _, d := range list {
		if n.Router(d.From) != n.Router(d.To) {
			single = append(single, Commodity{n.Router(d.From), n.Router(d.To), d.Size})
		}
	}
	merged, _ := n.Aggregate(list)
	a, b := flow(t, n, merged, 0.001), flow(t, n, single, 0.001)
	if a.Lower > b.Upper || b.Lower > a.Upper {
		t.Errorf("%v to %v merged, and %v to %v one by one", a.Lower, a.Upper, b.Lower, b.Upper)
	}
}

// A tree of its own for each host: two hosts of a router are reached over different
// ways, and each way carries its own host's traffic only.
func TestRestrictHosts(t *testing.T) {
	n := ring(t, 4, 2)
	way := func(from topo.NodeID, host int32, yield func([]topo.PortID)) {
		var path []topo.PortID
		step := topo.NodeID(1 + 2*(host%2))
		for at := from; at != n.Router(host); at = (at + step) % 4 {
			for e := n.first[at]; e < n.first[at+1]; e++ {
				if topo.NodeID(n.head[n.out[e]]) == (at+step)%4 {
					path = append(path, topo.PortID(n.out[e]))
				}
			}
		}
		yield(path)
	}
	list := []Demand{{0, 4, 1}, {1, 4, 1}, {0, 5, 1}}
	p, err := n.RestrictHosts(list, way)
	if err != nil {
		t.Fatal(err)
	}
	if p.Commodities() != 2 {
		t.Errorf("%d commodities", p.Commodities())
	}
	contain(t, solve(t, p, 1e-6), 0.5)
}

func TestTrafficRefuses(t *testing.T) {
	n := ring(t, 4, 2)
	for what, traffic := range map[string]Traffic{
		"unknown pattern":         {Pattern: "worst"},
		"intensity":               {Pattern: WorstCase, Intensity: 2},
		"elephants":               {Pattern: WorstCase, Elephants: -1},
		"elephants without small": {Pattern: WorstCase, Elephants: 0.5},
		"small":                   {Pattern: WorstCase, Small: math.Inf(1)},
		"offset":                  {Pattern: OffDiagonal, Offset: 8},
		"no offset":               {Pattern: OffDiagonal},
	} {
		if list, err := traffic.Demands(n); err == nil {
			t.Errorf("%s: %v", what, list)
		}
		// That 8 is the number of hosts is not known before the network.
		if err := traffic.Check(); (err == nil) != (what == "offset") {
			t.Errorf("%s, without a network: %v", what, err)
		}
	}
	one := network(t, build(t, 1, 4))
	for _, pattern := range []Pattern{WorstCase, WorstCaseCycles, Adversarial} {
		if list, err := (Traffic{Pattern: pattern}).Demands(one); err == nil {
			t.Errorf("%s on a star: %v", pattern, list)
		}
	}
	// A star has no links between routers: everything is local.
	list := demands(t, one, Traffic{Pattern: Permutation, Seed: 1})
	if commodities, local := one.Aggregate(list); len(commodities) != 0 || local != float64(len(list)) || one.EndpointBound(list) != 1 {
		t.Errorf("a star: %v, %v", commodities, local)
	}
}
