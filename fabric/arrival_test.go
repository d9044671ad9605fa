package fabric_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// TestLoneFrames compares the arrival of a frame that meets no other with the
// sum over a path worked out by hand: a rate, a delay and the traversal of the
// next switch for each of its links.
func TestLoneFrames(t *testing.T) {
	const ns = unit.Nanosecond
	type hop struct {
		rate    unit.Rate
		delay   sim.Time
		latency sim.Time
	}
	edge := hop{400 * unit.Gbps, 500 * ns, 300 * ns}
	last := hop{400 * unit.Gbps, 500 * ns, 0}
	threeTiers := topo.FatTree{
		Tiers: 3, HostsPerToR: ptr(2), UplinksPerToR: ptr(2), ToRsPerPod: ptr(2), Pods: ptr(4),
		Rate: 400 * unit.Gbps, UplinkRate: ptr(95 * unit.Gbps), Delay: 500 * ns, SwitchLatency: 300 * ns,
	}
	tests := []struct {
		name     string
		build    builder
		change   func(*topo.Graph)
		src, dst int32
		path     []hop
	}{
		{
			name:  "star",
			build: topo.Star{Hosts: 3, Rate: 400 * unit.Gbps, Delay: 500 * ns, SwitchLatency: 300 * ns},
			src:   0, dst: 2,
			path: []hop{edge, last},
		},
		{
			name:  "star whose byte takes no whole number of picoseconds",
			build: topo.Star{Hosts: 3, Rate: 95 * unit.Gbps, Delay: 7, SwitchLatency: 0},
			src:   2, dst: 1,
			path: []hop{{95 * unit.Gbps, 7, 0}, {95 * unit.Gbps, 7, 0}},
		},
		{
			name: "dumbbell with a slow and long link in its middle",
			build: topo.Dumbbell{
				Left: 2, Right: 2, Rate: 400 * unit.Gbps, Delay: 500 * ns, SwitchLatency: 300 * ns,
				BottleneckRate: ptr(95 * unit.Gbps), BottleneckDelay: ptr(sim.Time(5_000_001)),
			},
			src: 1, dst: 2,
			path: []hop{edge, {95 * unit.Gbps, 5_000_001, 300 * ns}, last},
		},
		{
			name:  "dumbbell, both hosts on one switch",
			build: topo.Dumbbell{Left: 2, Right: 2, Rate: 400 * unit.Gbps, Delay: 500 * ns, SwitchLatency: 300 * ns, BottleneckRate: ptr(unit.Gbps)},
			src:   0, dst: 1,
			path: []hop{edge, last},
		},
		{
			name:  "leaf-spine with slower uplinks",
			build: topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 4, Rate: 400 * unit.Gbps, UplinkRate: ptr(33 * unit.Gbps), Delay: 500 * ns, SwitchLatency: 300 * ns},
			src:   0, dst: 5,
			path: []hop{edge, {33 * unit.Gbps, 500 * ns, 300 * ns}, {33 * unit.Gbps, 500 * ns, 300 * ns}, last},
		},
		{
			name:  "three tiers, every tier of its own kind",
			build: threeTiers,
			change: func(g *topo.Graph) {
				for i := range g.Nodes {
					g.Nodes[i].Latency = sim.Time(g.Nodes[i].Tier) * 100 * ns
				}
				for i := range g.Links {
					l := &g.Links[i]
					l.Delay = 500*ns + sim.Time(g.Nodes[l.A].Tier)*ns
					if g.Nodes[l.B].Tier == 3 {
						l.Rate = 7 * unit.Gbps
					}
				}
			},
			src: 0, dst: 15,
			path: []hop{
				{400 * unit.Gbps, 500 * ns, 100 * ns}, {95 * unit.Gbps, 501 * ns, 200 * ns}, {7 * unit.Gbps, 502 * ns, 300 * ns},
				{7 * unit.Gbps, 502 * ns, 200 * ns}, {95 * unit.Gbps, 501 * ns, 100 * ns}, {400 * unit.Gbps, 500 * ns, 0},
			},
		},
		{
			name:  "three tiers within a pod",
			build: threeTiers,
			src:   1, dst: 3,
			path: []hop{edge, {95 * unit.Gbps, 500 * ns, 300 * ns}, {95 * unit.Gbps, 500 * ns, 300 * ns}, last},
		},
	}
	sizes := []uint16{1, 63, 64, 1500, 4160, 9037, 65535}
	for _, test := range tests {
		for _, domains := range []int{1, 100} {
			t.Run(fmt.Sprintf("%s/%d domains", test.name, domains), func(t *testing.T) {
				g := graph(t, test.build)
				if test.change != nil {
					test.change(g)
				}
				s := setup{Graph: g, Domains: domains}
				want := make(map[uint32]sim.Time)
				for i, size := range sizes {
					at := sim.Time(i)*unit.Millisecond + 12345
					s.Sends = append(s.Sends, send{At: at, Src: test.src, Dst: test.dst, ID: uint32(i), Size: size, Entropy: uint16(i * 777)})
					for _, h := range test.path {
						at += transmit(h.rate, size) + h.delay + h.latency
					}
					want[uint32(i)] = at
				}
				n := s.build(t)
				n.drain(t)
				if diff := cmp.Diff(want, n.times(test.dst)); diff != "" {
					t.Errorf("arrivals (-want +got):\n%s", diff)
				}
				if _, hops := n.Totals(); hops != uint64(len(sizes)*len(test.path)) {
					t.Errorf("%d hops, want %d", hops, len(sizes)*len(test.path))
				}
			})
		}
	}
}

// transmit is the serialisation of a frame, worked out with another arithmetic
// than that of package unit: sizes and rates here don't overflow.
func transmit(r unit.Rate, size uint16) sim.Time {
	bits := int64(size) * 8
	whole, rest := bits/int64(r/1000), bits%int64(r/1000)
	ps := whole*1_000_000_000 + rest*1_000_000_000/int64(r/1000)
	if rest*1_000_000_000%int64(r/1000) != 0 {
		ps++
	}
	return sim.Time(ps)
}

// TestTrains sends trains of frames along lines of switches and compares each
// frame's arrival with its way over one link after another, every link being
// taken by one frame at a time and in the order of their sending.
func TestTrains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &topo.Graph{
			Nodes: []topo.Node{{Name: "a", Kind: topo.Host}, {Name: "b", Kind: topo.Host}},
			Hosts: []topo.NodeID{0, 1},
		}
		spans := rapid.SampledFrom([]sim.Time{0, 1, 999, 500_000, 3_000_000})
		rates := rapid.SampledFrom([]unit.Rate{400 * unit.Gbps, 95 * unit.Gbps, 100 * unit.Gbps, 7 * unit.Gbps, 33_333 * unit.Kbps * 1000})
		from := topo.NodeID(0)
		for i := range rapid.IntRange(1, 6).Draw(t, "switches") {
			to := topo.NodeID(len(g.Nodes))
			g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprintf("s%d", i), Kind: topo.Switch, Tier: 1, Latency: spans.Draw(t, "latency")})
			g.Links = append(g.Links, topo.Link{A: from, B: to, Rate: rates.Draw(t, "rate"), Delay: spans.Draw(t, "delay")})
			from = to
		}
		g.Links = append(g.Links, topo.Link{A: 1, B: from, Rate: rates.Draw(t, "rate"), Delay: spans.Draw(t, "delay")})

		s := setup{Graph: g, Domains: rapid.IntRange(1, 7).Draw(t, "domains"), Threads: rapid.IntRange(1, 3).Draw(t, "threads")}
		free := make([]sim.Time, len(g.Links))
		var want []delivery
		at := sim.Time(0)
		for id := range uint32(rapid.IntRange(1, 60).Draw(t, "frames")) {
			at += sim.Time(rapid.SampledFrom([]int64{0, 0, 0, 1, 80_000, 5_000_000}).Draw(t, "gap"))
			size := uint16(rapid.IntRange(1, 9000).Draw(t, "size"))
			s.Sends = append(s.Sends, send{At: at, Src: 0, Dst: 1, ID: id, Size: size, Extended: id%3 == 0})
			arrival := at
			for i, l := range g.Links {
				free[i] = max(free[i], arrival) + transmit(l.Rate, size)
				arrival = free[i] + l.Delay
				if i+1 < len(g.Links) {
					arrival += g.Nodes[2+i].Latency
				}
			}
			want = append(want, delivery{At: arrival, ID: id, Size: size})
		}
		n := s.build(t)
		n.drain(t)
		if diff := cmp.Diff(want, n.logs[1]); diff != "" {
			t.Errorf("deliveries (-want +got):\n%s", diff)
		}
	})
}

func TestTwoHostsBackToBack(t *testing.T) {
	g := &topo.Graph{
		Nodes: []topo.Node{{Name: "a", Kind: topo.Host}, {Name: "b", Kind: topo.Host}},
		Links: []topo.Link{{A: 0, B: 1, Rate: 100 * unit.Gbps, Delay: 5}},
		Hosts: []topo.NodeID{0, 1},
	}
	n := setup{Graph: g, Sends: []send{
		{Src: 0, Dst: 1, ID: 1, Size: 100},
		{Src: 1, Dst: 0, ID: 2, Size: 1000},
	}}.build(t)
	n.drain(t)
	want := [][]delivery{{{At: 80_005, Src: 1, ID: 2, Size: 1000}}, {{At: 8005, ID: 1, Size: 100}}}
	if diff := cmp.Diff(want, n.logs); diff != "" {
		t.Errorf("deliveries (-want +got):\n%s", diff)
	}
}
