package scenario_test

import (
	"slices"
	"strings"
	"testing"
)

// TestNoticesOfRoutes tells of balancers that have too few layers, of pairs without paths, and of walks that are too long for lanes.
func TestNoticesOfRoutes(t *testing.T) {
	const top = "weft: 1\ntopology: {kind: slim-fly, order: 3, hosts_per_switch: 1}\ntraffic:\n- {name: main, pattern: tornado, size: 1MB}\n"
	const trim = "fabric: {overflow: trim}\ntransport: {congestion: ndp, balancer: fatpaths}\n"
	const apart = "transport: {congestion: dctcp, balancer: {kind: mptcp, subflows: 4, apart: true}}\n"
	const flowlet = "so that fatpaths is as flowlet on minimal paths; write routing: {policy: {kind: layers, layers: 9}}"
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"fatpaths", trim, []string{"routing.policy: ecmp has no layers, " + flowlet}},
		{"fatpaths, one layer", trim + "routing: {policy: {kind: layers, layers: 1}}\n", []string{"routing.policy: layers has 1 layer, " + flowlet}},
		{"fatpaths, layers", trim + "routing: {policy: layers}\n", nil},
		{"fatpaths, paths", trim + "routing: {policy: ksp}\n", nil},
		{"fatpaths, detours", trim + "routing: {policy: ugal}\n", nil},
		{"ops, one layer", "fabric: {overflow: trim}\ntransport: {congestion: ndp, balancer: ops}\nrouting: {policy: {kind: layers, layers: 1}}\n", []string{"routing.policy has one layer"}},
		{"apart", apart, []string{"mptcp cannot give each subflow a layer of its own (apart: true)"}},
		{"apart, too few", apart + "routing: {policy: {kind: layers, layers: 3}}\n", []string{"routing.policy: layers has 3 layers"}},
		{"apart, enough", apart + "routing: {policy: {kind: layers, layers: 4}}\n", nil},
		{"few paths", "transport: {congestion: dctcp, balancer: ops}\nrouting: {policy: {kind: paths, list: [a0r0 a0r1 a0r2]}}\n", []string{"305 of 306 pairs of switches with hosts have no explicit path"}},
		{"long walks", "fabric: {pfc: 50kB}\ntransport: {congestion: dctcp, balancer: ops}\nrouting: {policy: {kind: layers, density: 25%, layers: 9}, lanes: none}\n",
			[]string{"a higher density, or another layer_seed, leaves fewer", "and ports have 8 at most: remove fabric.pfc"}},
		{"few overlaps", "transport: {congestion: dctcp, balancer: ops}\nrouting: {policy: {kind: layers, scheme: overlap, paths: 5}}\n", []string{"more paths, or another layer_seed, leave fewer"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parsed(t, top+tt.text).Verify()
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !slices.ContainsFunc(got, func(n string) bool { return strings.Contains(n, want) }) {
					t.Errorf("notices %q, want one with %q", got, want)
				}
			}
			if routes := func(n string) bool { return strings.Contains(n, "routing") }; tt.want == nil && slices.ContainsFunc(got, routes) {
				t.Errorf("notices %q, want none of routes", got)
			}
		})
	}
}
