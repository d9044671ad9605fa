package fabric_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// TestCreditClass sends frames of 1000 bytes, which take a microsecond, to a port that
// earns the tokens for one in ten microseconds, has those for two, and lets eight wait.
func TestCreditClass(t *testing.T) {
	config := fabric.PortConfig{Classes: 2, Limit: unit.MiB, Credit: protocol.CreditClass{Credit: 1000, Data: 9000, Queue: 8000, Burst: 2000}}
	const us = unit.Microsecond
	tests := []struct {
		name  string
		sends []send // at microseconds, in class
		want  map[uint32]sim.Time
		drops uint64
	}{
		{
			"a burst of two, then one for each earned",
			[]send{{Class: 0}, {Class: 0}, {Class: 0}, {Class: 0}},
			map[uint32]sim.Time{0: 1, 1: 2, 2: 11, 3: 21}, 0,
		},
		{
			"eight wait, the rest is dropped",
			[]send{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}},
			map[uint32]sim.Time{0: 1, 1: 2, 2: 11, 3: 21, 4: 31, 5: 41, 6: 51, 7: 61, 8: 71}, 2,
		},
		{
			"data goes while credits wait for tokens, and they before it once there are any",
			[]send{{}, {}, {}, {Class: 1, At: 5}, {Class: 1, At: 9}, {Class: 1, At: 9}, {Class: 1, At: 9}},
			map[uint32]sim.Time{0: 1, 1: 2, 3: 6, 4: 10, 2: 11, 5: 12, 6: 13}, 0,
		},
		{
			"tokens are earned while nothing is sent, up to the burst",
			[]send{{}, {}, {At: 200}, {At: 200}, {At: 200}},
			map[uint32]sim.Time{0: 1, 1: 2, 2: 201, 3: 202, 4: 211}, 0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			last := int32(len(tt.sends))
			link := topo.PortID(2 * (last + 1))
			s := setup{Graph: funnel(len(tt.sends), 8*unit.Gbps, 0, 0), Port: func(p topo.PortID) fabric.PortConfig {
				if p == link {
					return config
				}
				return unlimited(p)
			}}
			for i, what := range tt.sends {
				what.At, what.Src, what.Dst, what.ID, what.Size = what.At*us+sim.Time(i), int32(i), last, uint32(i), 1000
				s.Sends = append(s.Sends, what)
			}
			n := s.build(t)
			n.drain(t)
			got := map[uint32]sim.Time{}
			for id, at := range n.times(last) {
				got[id] = (at - 2000) / us // a picosecond a byte to the port, and from it
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if c := n.Counters(link, unit.Second); c.Drops[fabric.CreditQueueFull] != tt.drops {
				t.Errorf("%d credits dropped, want %d", c.Drops[fabric.CreditQueueFull], tt.drops)
			}
		})
	}
}

// TestCreditShare checks the share of a link that credits of ExpressPass's size get, with
// data that fills the rest.
func TestCreditShare(t *testing.T) {
	link := topo.PortID(2 * 3)
	s := setup{Graph: funnel(2, 100*unit.Gbps, 0, 0), Port: func(p topo.PortID) fabric.PortConfig {
		if p == link {
			return fabric.PortConfig{Classes: 2, Limit: unit.GiB, Credit: protocol.CreditClass{Credit: 84, Data: 1538, Queue: 672, Burst: 168}}
		}
		return unlimited(p)
	}}
	const span = 100 * unit.Microsecond
	for i := range 2000 {
		s.Sends = append(s.Sends,
			send{At: span / 2000 * sim.Time(i), Src: 0, Dst: 2, ID: uint32(2 * i), Size: 84},
			send{At: span / 2000 * sim.Time(i), Src: 1, Dst: 2, ID: uint32(2*i + 1), Size: 1538, Class: 1})
	}
	n := s.build(t)
	n.run(t, span)
	credits, data := 0, 0
	for _, d := range n.logs[2] {
		if d.Size == 84 {
			credits += 84
		} else {
			data += 1538
		}
	}
	if got, want := float64(credits)/float64(credits+data), 84./(84+1538); got < 0.99*want || got > 1.01*want+0.001 {
		t.Errorf("credits are %.2f %% of the bytes, want %.2f %%", 100*got, 100*want)
	}
}

// TestSymmetricHash sends frames between hosts both ways, and demands that each link
// carries the same both ways and that all uplinks of a switch are used alike.
func TestSymmetricHash(t *testing.T) {
	for name, b := range map[string]builder{
		"leaf-spine": topo.LeafSpine{ToRs: 4, HostsPerToR: 4, Spines: 4, Rate: 400 * unit.Gbps, Delay: 1000},
		"fat tree":   topo.FatTree{Tiers: 3, Radix: ptr(4), Rate: 400 * unit.Gbps, Delay: 1000},
	} {
		t.Run(name, func(t *testing.T) {
			s := setup{Graph: graph(t, b), Seed: 7, Domains: 2}
			hosts := int32(len(s.Graph.Hosts))
			for a := range hosts {
				for b := range a {
					for e := range uint16(40) {
						id := uint32(len(s.Sends))
						s.Sends = append(s.Sends,
							send{Src: a, Dst: b, ID: id, Size: 64, Entropy: e * 911, Spray: symmetric},
							send{Src: b, Dst: a, ID: id + 1, Size: 64, Entropy: e * 911, Spray: symmetric})
					}
				}
			}
			n := s.build(t)
			n.drain(t)
			up := map[topo.NodeID][]float64{}
			for p := range topo.PortID(2 * len(s.Graph.Links)) {
				there, back := n.Counters(p, unit.Second).Frames, n.Counters(p.Reverse(), unit.Second).Frames
				if there != back {
					t.Errorf("port %d took %d frames, and %d came back", p, there, back)
				}
				if from, to := s.Graph.Ends(p); s.Graph.Nodes[from].Tier < s.Graph.Nodes[to].Tier && s.Graph.Nodes[from].Kind == topo.Switch {
					up[from] = append(up[from], float64(there))
				}
			}
			for sw, counts := range up {
				if x := chiSquare(counts); x > 2*unlikely { // pairs come in twos
					t.Errorf("uplinks of %s took %v", s.Graph.Nodes[sw].Name, counts)
				}
			}
			if err := fabric.CheckSymmetric(s.Graph, tables(t, s.Graph, nil), s.Seed); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNotSymmetric checks that routes that do not come back are noticed: a fat tree in
// which a link is missing has sets of next hops that differ.
func TestNotSymmetric(t *testing.T) {
	g := graph(t, topo.LeafSpine{ToRs: 4, HostsPerToR: 1, Spines: 4, Rate: 400 * unit.Gbps, Delay: 1000})
	missing := portOf(t, g, "tor1", "spine0").Link()
	down := func(l topo.LinkID) bool { return l == missing }
	// Both ends of a pair leave out the spine that one of them has lost.
	if err := fabric.CheckSymmetric(g, tables(t, g, down), 1); err != nil {
		t.Error(err)
	}
	ring := &topo.Graph{}
	for i := range 6 {
		sw := topo.NodeID(len(ring.Nodes))
		ring.Nodes = append(ring.Nodes, topo.Node{Name: string(rune('a' + i)), Kind: topo.Switch, Tier: 1}, topo.Node{Name: "host" + string(rune('a'+i)), Kind: topo.Host})
		ring.Hosts = append(ring.Hosts, sw+1)
		ring.Links = append(ring.Links, topo.Link{A: sw, B: sw + 1, Rate: unit.Gbps})
	}
	for i := range topo.NodeID(6) {
		ring.Links = append(ring.Links, topo.Link{A: 2 * i, B: 2 * ((i + 1) % 6), Rate: unit.Gbps, Delay: 1000})
	}
	if err := fabric.CheckSymmetric(ring, tables(t, ring, nil), 1); err == nil {
		t.Error("a ring was taken for symmetric")
	}
}
