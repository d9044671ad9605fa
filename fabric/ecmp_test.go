package fabric_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// fan sends one small frame for each source, destination and entropy given and
// returns what the uplinks of tor0 to each spine took.
func fan(t *testing.T, s setup) (perSpine []float64, n *network) {
	t.Helper()
	n = s.build(t)
	n.drain(t)
	for p := range topo.PortID(2 * len(s.Graph.Links)) {
		from, to := s.Graph.Ends(p)
		if s.Graph.Nodes[from].Name == "tor0" && s.Graph.Nodes[to].Tier == 2 {
			perSpine = append(perSpine, float64(n.Counters(p, unit.Second).Frames))
		}
	}
	return perSpine, n
}

func leafSpine(t *testing.T, hosts, spines int) *topo.Graph {
	t.Helper()
	return graph(t, topo.LeafSpine{ToRs: 2, HostsPerToR: hosts, Spines: spines, Rate: 400 * unit.Gbps, Delay: 1000, SwitchLatency: 0})
}

// unlikely is how many standard deviations a fair spread stays within.
const unlikely = 4.5

// TestHashSpreads sends frames that differ in one thing, and compares the shares
// of equal uplinks with a fair draw.
func TestHashSpreads(t *testing.T) {
	if testing.Short() {
		t.Skip("statistics of one thread")
	}
	total := 1 << 14
	if testing.Short() {
		total = 1 << 12
	}
	for _, ports := range []int{2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 48, 64} {
		kinds := []struct {
			name string
			send func(i int) send
		}{
			{"all entropies", func(i int) send { return send{Src: 0, Dst: 64, Entropy: uint16(i * (1 << 16 / total))} }},
			{"128 entropies of many pairs", func(i int) send {
				return send{Src: int32(i / 128 % 2), Dst: 64 + int32(i/256), Entropy: uint16(i % 128)}
			}},
			{"one entropy, many pairs", func(i int) send { return send{Src: int32(i % 64), Dst: 64 + int32(i/64%64), Entropy: 7} }},
		}
		g := leafSpine(t, 64, ports)
		for _, kind := range kinds {
			t.Run(fmt.Sprintf("%s/%d ports", kind.name, ports), func(t *testing.T) {
				s := setup{Graph: g, Seed: uint64(ports)}
				distinct := map[send]bool{}
				for i := range total {
					what := kind.send(i)
					what.Size = 64
					if !distinct[what] {
						distinct[what] = true
						s.Sends = append(s.Sends, what)
					}
				}
				perSpine, _ := fan(t, s)
				if len(perSpine) != ports {
					t.Fatalf("%d uplinks, want %d", len(perSpine), ports)
				}
				if x := chiSquare(perSpine); x > unlikely {
					t.Errorf("%v frames: %.1f standard deviations from an even spread", perSpine, x)
				}
			})
		}
	}
}

// TestSaltsAreIndependent compares the choices that switches of equal ports make
// for the same frames: every pair of choices must be equally frequent, or
// traffic that one tier spreads would meet again in the next.
func TestSaltsAreIndependent(t *testing.T) {
	const ports, entropies = 8, 1 << 12
	g := graph(t, topo.LeafSpine{ToRs: 4, HostsPerToR: 1, Spines: ports, Rate: 400 * unit.Gbps, Delay: 1000, SwitchLatency: 0})
	// The same source cannot send from two ToRs, so two networks are compared:
	// the ToR keeps its place, and the seed gives it another salt.
	choices := func(seed uint64) []int {
		s := setup{Graph: g, Seed: seed}
		for i := range entropies {
			s.Sends = append(s.Sends, send{At: sim.Time(i) * unit.Microsecond, Src: 0, Dst: 3, ID: uint32(i), Size: 64, Entropy: uint16(i * 13)})
		}
		n := s.build(t)
		chosen := make([]int, entropies)
		seen := make([]uint64, 0, ports)
		uplinks := uplinksOf(g, "tor0")
		for range uplinks {
			seen = append(seen, 0)
		}
		for i := range entropies {
			n.run(t, sim.Time(i+1)*unit.Microsecond)
			for k, p := range uplinks {
				if f := n.Counters(p, sim.Time(i+1)*unit.Microsecond).Frames; f > seen[k] {
					chosen[i], seen[k] = k, f
				}
			}
		}
		return chosen
	}
	first := choices(1)
	for seed := range uint64(3) {
		second := choices(2 + seed)
		together := make([]float64, ports*ports)
		for i := range first {
			together[first[i]*ports+second[i]]++
		}
		if x := chiSquare(together); x > unlikely {
			t.Errorf("choices under salts of seed 1 and %d: %.1f standard deviations from independence", 2+seed, x)
		}
	}
}

func uplinksOf(g *topo.Graph, name string) (ports []topo.PortID) {
	for p := range topo.PortID(2 * len(g.Links)) {
		from, to := g.Ends(p)
		if g.Nodes[from].Name == name && g.Nodes[to].Tier > g.Nodes[from].Tier {
			ports = append(ports, p)
		}
	}
	return ports
}

// TestTiersDoNotPolarise sends all entropies up a three-tier fat tree: of what
// the ToR's hash sends to an aggregation switch, that one's hash must send equal
// shares to its cores.
func TestTiersDoNotPolarise(t *testing.T) {
	if testing.Short() {
		t.Skip("statistics of one thread")
	}
	g := graph(t, topo.FatTree{Tiers: 3, Radix: ptr(16), Rate: 400 * unit.Gbps, Delay: 1000, SwitchLatency: 0})
	for seed := range uint64(4) {
		s := setup{Graph: g, Seed: seed}
		for i := range 1 << 14 {
			s.Sends = append(s.Sends, send{Src: 0, Dst: 1023, Size: 64, Entropy: uint16(i * 4)})
		}
		n := s.build(t)
		n.drain(t)
		var all []float64
		for a := range 8 {
			var shares []float64
			for _, p := range uplinksOf(g, fmt.Sprintf("agg%d", a)) {
				shares = append(shares, float64(n.Counters(p, unit.Second).Frames))
			}
			if x := chiSquare(shares); x > unlikely {
				t.Errorf("seed %d: agg%d sends %v to its cores, %.1f standard deviations from an even spread", seed, a, shares, x)
			}
			all = append(all, shares...)
		}
		if x := chiSquare(all); x > unlikely || len(all) != 64 {
			t.Errorf("seed %d: the %d cores get %v, %.1f standard deviations from an even spread", seed, len(all), all, x)
		}
	}
}

// TestHashIsAFunction sends every frame twice, with other traffic between: both
// take the same spine. Other entropies of the pair take others.
func TestHashIsAFunction(t *testing.T) {
	const flows = 40
	g := leafSpine(t, 4, 8)
	uplinks := uplinksOf(g, "tor0")
	s := setup{Graph: g}
	for round := range 2 {
		for i := range flows {
			at := sim.Time(round*flows+i) * unit.Microsecond
			s.Sends = append(s.Sends, send{At: at, Src: int32(i % 4), Dst: 4 + int32(i/4%4), Size: uint16(64 + round*1000), Entropy: uint16(i), Class: uint8(round), ID: uint32(round)})
		}
	}
	n := s.build(t)
	var before []uint64
	for range uplinks {
		before = append(before, 0)
	}
	var path [2][]int
	for k := range 2 * flows {
		now := sim.Time(k+1) * unit.Microsecond
		n.run(t, now)
		for u, p := range uplinks {
			if f := n.Counters(p, now).Frames; f > before[u] {
				before[u] = f
				path[k/flows] = append(path[k/flows], u)
			}
		}
	}
	if !slices.Equal(path[0], path[1]) {
		t.Errorf("the same flows took the uplinks %v and later %v", path[0], path[1])
	}
	if len(path[0]) != flows {
		t.Fatalf("saw %d of %d frames", len(path[0]), flows)
	}
}

// TestRandomSpray sends equal frames: the switch chooses anew for each.
func TestRandomSpray(t *testing.T) {
	if testing.Short() {
		t.Skip("statistics of one thread")
	}
	const total = 1 << 13
	for _, ports := range []int{2, 3, 8, 13, 64} {
		t.Run(fmt.Sprintf("%d ports", ports), func(t *testing.T) {
			run := func(seed uint64) []float64 {
				s := setup{Graph: leafSpine(t, 1, ports), Seed: seed}
				for range total {
					s.Sends = append(s.Sends, send{Src: 0, Dst: 1, Size: 64, Entropy: 9, Spray: random})
				}
				perSpine, _ := fan(t, s)
				return perSpine
			}
			one, two := run(1), run(2)
			if x := chiSquare(one); math.Abs(x) > unlikely {
				t.Errorf("%v frames: %.1f standard deviations from an even spread", one, x)
			}
			if slices.Equal(one, two) {
				t.Errorf("seeds 1 and 2 both give %v", one)
			}
			if !slices.Equal(one, run(1)) {
				t.Error("the same seed gives another spread")
			}
		})
	}
}
