package scenario_test

import (
	"fmt"
	"testing"
)

// TestMarkingPorts sends an incast within a rack and across the core: with ports: core only
// what queues between switches is marked.
func TestMarkingPorts(t *testing.T) {
	for _, kind := range []string{"threshold, k: 10KB", "red, kmin: 10KB, kmax: 20KB"} {
		for _, at := range []string{"enqueue", "dequeue"} {
			for _, tt := range []struct {
				where, topology string
				marks           [2]bool // with all, core
			}{
				{"downlink", "{kind: star, hosts: 9, rate: 100Gbps}", [2]bool{true, false}},
				{"core", "{kind: leaf-spine, tors: 2, spines: 1, hosts_per_tor: 8, rate: 100Gbps, uplink_rate: 10Gbps}", [2]bool{true, true}},
			} {
				for n, ports := range []string{"all", "core"} {
					res := simulate(t, fmt.Sprintf(`weft: 1
topology: %s
fabric: {ecn: {kind: %s, at: %s, ports: %s}}
traffic: [{name: incast, pattern: incast, size: 200KB}]
`, tt.topology, kind, at, ports))
					if got := res.Summary.ECNMarks > 0; got != tt.marks[n] {
						t.Errorf("%s at the %s, %s, ports: %s: %d marks", kind, tt.where, at, ports, res.Summary.ECNMarks)
					}
				}
			}
		}
	}
}
