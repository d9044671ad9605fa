package transport

import (
	"fmt"
	"testing"

	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// TestLoneMessages sends one message alone and compares its completion at both
// ends with the packets' way over one link after another, on every topology.
func TestLoneMessages(t *testing.T) {
	const us = unit.Microsecond
	threeTiers := topo.FatTree{
		Tiers: 3, HostsPerToR: ptr(2), UplinksPerToR: ptr(2), ToRsPerPod: ptr(2), Pods: ptr(2),
		Rate: 400 * unit.Gbps, UplinkRate: ptr(95 * unit.Gbps), Delay: us / 2, SwitchLatency: us / 2,
	}
	networks := []struct {
		name     string
		graph    *topo.Graph
		src, dst int32
	}{
		{"star", star(t, 2), 0, 1},
		{"dumbbell", graph(t, topo.Dumbbell{Left: 1, Right: 2, Rate: 400 * unit.Gbps, Delay: us / 2, SwitchLatency: us / 2, BottleneckRate: ptr(33 * unit.Gbps), BottleneckDelay: ptr(7 * us)}), 0, 2},
		{"slow links of hosts", graph(t, topo.Dumbbell{Left: 1, Right: 1, Rate: 95 * unit.Gbps, Delay: us / 2, SwitchLatency: 1, BottleneckRate: ptr(800 * unit.Gbps)}), 1, 0},
		{"leaf-spine", graph(t, topo.LeafSpine{ToRs: 2, HostsPerToR: 2, Spines: 3, Rate: 100 * unit.Gbps, UplinkRate: ptr(400 * unit.Gbps), Delay: us, SwitchLatency: 0}), 0, 3},
		{"three tiers", graph(t, threeTiers), 7, 0},
		{"three tiers, one pod", graph(t, threeTiers), 0, 2},
		{"back to back", &topo.Graph{
			Nodes: []topo.Node{{Name: "a", Kind: topo.Host}, {Name: "b", Kind: topo.Host}},
			Links: []topo.Link{{A: 0, B: 1, Rate: 10 * unit.Gbps, Delay: us}},
			Hosts: []topo.NodeID{0, 1},
		}, 0, 1},
	}
	sizes := []unit.Bytes{0, 1, payload - 1, payload, payload + 1, 10*payload + 17, unit.MiB, 3*unit.MiB - 1}
	for _, network := range networks {
		for _, domains := range []int{1, 20} {
			t.Run(fmt.Sprintf("%s/%d domains", network.name, domains), func(t *testing.T) {
				for _, size := range sizes {
					const start = 1234567
					probe := labConfig{Graph: network.graph}.build(t)
					there, back := probe.hops(network.src, network.dst), probe.hops(network.dst, network.src)
					rtt := Ideal(there, payload, payload, header) + Ideal(back, 1, 1, ackSize-1)
					p := params(2 * there[0].Rate.In(rtt))
					l := labConfig{Graph: network.graph, Domains: domains, Groups: []Group{{
						Params:  p,
						Sources: from(network.src, len(network.graph.Hosts), workload.Message{At: start, Dst: network.dst, Size: size}),
					}}}.build(t)
					messages := l.finish(t)
					if len(messages) != 1 {
						t.Fatalf("%d messages, want 1", len(messages))
					}
					m := messages[0]
					if got, want := m.End-m.Start, Ideal(there, size, payload, header); m.Start != start || got != want {
						t.Errorf("%d bytes: from %d, took %d, want %d from %d", size, m.Start, got, want, start)
					}

					// The acknowledgements go back as the packets arrive.
					packets := max(1, (size+payload-1)/payload)
					var ready []sim.Time
					var frames, acks []unit.Bytes
					for i := range packets {
						ready = append(ready, start)
						frames = append(frames, min(payload, size-i*payload)+header)
						acks = append(acks, ackSize)
					}
					arrivals := train(there, ready, frames)
					if arrivals[packets-1] != m.End {
						t.Errorf("%d bytes: delivered at %d, packet by packet at %d", size, m.End, arrivals[packets-1])
					}
					if got, want := m.SenderEnd, train(back, arrivals, acks)[packets-1]; got != want {
						t.Errorf("%d bytes: acknowledged at %d, want %d", size, got, want)
					}
					if m.Packets != uint32(packets) || m.Retransmits != 0 || m.Timeouts != 0 {
						t.Errorf("%d bytes: %+v", size, m)
					}
				}
			})
		}
	}
}
