package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLanesAreHinted has pauses where minimal routes have a circle, and where they have none.
func TestLanesAreHinted(t *testing.T) {
	const text = `weft: 1
topology: %s
fabric: {pfc: 50KB}
transport: {balancer: ecmp}
traffic: [{name: main, pattern: permutation, size: 10KB}]
`
	for topology, want := range map[string]bool{
		"{kind: dragonfly, switches_per_group: 4, hosts_per_switch: 2, global_links: 2, rate: 100Gbps, delay: 500ns}": true,
		"{kind: leaf-spine, tors: 3, hosts_per_tor: 2, spines: 2, rate: 100Gbps}":                                     false,
	} {
		res := simulate(t, fmt.Sprintf(text, topology))
		hinted := slices.ContainsFunc(res.Manifest.Notices, func(n string) bool {
			return strings.Contains(n, "write routing: {lanes: hop}, fabric: {classes: 3}, transport: {class: 2}")
		})
		if hinted != want {
			t.Errorf("%s: hinted %v, notices %q", topology, hinted, res.Manifest.Notices)
		}
	}
}
