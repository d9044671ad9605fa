package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestCirclesAreRefused has pauses where routes have a circle, and where they have none. A scenario that says that
// it has no lanes runs, with a notice.
func TestCirclesAreRefused(t *testing.T) {
	const (
		text = `weft: 1
topology: %s
fabric: {pfc: 50KB}
transport: {balancer: %s}
routing: {policy: %s}
traffic: [{name: main, pattern: permutation, size: 10KB}]
`
		dragonfly = "{kind: dragonfly, switches_per_group: 4, hosts_per_switch: 2, global_links: 2, rate: 100Gbps, delay: 500ns}"
		slimFly   = "{kind: slim-fly, order: 5, rate: 100Gbps}"
		leafSpine = "{kind: leaf-spine, tors: 3, hosts_per_tor: 2, spines: 2, rate: 100Gbps}"
	)
	for _, test := range []struct{ topology, balancer, policy, remedy string }{
		{dragonfly, "ecmp", "ecmp", "write routing: {lanes: hop}, fabric: {classes: 3}, transport: {class: 2}"},
		{slimFly, "ops", "{kind: layers, layers: 4}", "write routing: {lanes: hop}, fabric: {classes: 6}, transport: {class: 5}"},
		{"{kind: slim-fly, order: 9, rate: 100Gbps}", "ops", "{kind: layers, layers: 9}", "write routing: {lanes: hop}, fabric: {classes: 5}, transport: {class: 4}"}, // too large to look
		{slimFly, "ops", "ksp", "write routing: {lanes: hop}, fabric: {classes: 4}, transport: {class: 3}"},
		{leafSpine, "ecmp", "ecmp", ""},
		{leafSpine, "ops", "{kind: layers, scheme: minimal, layers: 4}", ""},
	} {
		t.Run(test.topology+test.policy, func(t *testing.T) {
			scene := fmt.Sprintf(text, test.topology, test.balancer, test.policy)
			_, err := parsed(t, scene).Verify()
			if test.remedy == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), "fabric.pfc: ") || !strings.Contains(err.Error(), test.remedy+", or routing: {lanes: none}") {
				t.Errorf("the error is %v", err)
			}
			notices, err := load(t, scene, "routing.lanes=none").Verify()
			if err != nil || !slices.ContainsFunc(notices, func(n string) bool { return strings.Contains(n, test.remedy) }) {
				t.Errorf("with lanes: none, notices %q and error %v", notices, err)
			}
		})
	}
}
