package scenario_test

import (
	"slices"
	"strings"
	"testing"
)

// TestNoticesOfLostLinkOptions has a notice for each option of links that the base gives, that a
// variant of another kind does not, and whose value differs.
func TestNoticesOfLostLinkOptions(t *testing.T) {
	const base = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Gbps, uplink_rate: 200Gbps, delay: 0.5us, switch_latency: 1us}\n" +
		"transport: {balancer: ops}\ntraffic: [{name: main, pattern: permutation, size: 10kB}]\n"
	for _, test := range []struct {
		rest string
		want []string // what each notice begins with
	}{
		{"compare: [{name: a, topology.tors: 4}, {name: b, topology: {kind: leaf-spine, tors: 4}}]", nil},
		{"compare: [{name: a}, {name: b, topology: {kind: dragonfly, uplink_rate: 200Gbps, rate: 100Gbps, switch_latency: 1000ns}}]", nil},
		// What dragonflies have no option for is no concern of the notice.
		{"compare: [{name: a}, {name: b, topology: dragonfly}, {name: c, topology: {kind: dumbbell, rate: 100Gbps}}]", []string{
			`variant "b": topology.rate of the base (100Gbps) does not carry over to another kind; it is 400Gbps now; to keep it, write rate: 100Gbps beside kind: dragonfly`,
			`variant "b": topology.uplink_rate of the base (200Gbps) does not carry over to another kind; it has its default now; to keep it, write uplink_rate: 200Gbps`,
			`variant "b": topology.switch_latency of the base (1us) does not carry over to another kind; it is 500ns now`,
			`variant "c": topology.switch_latency of the base (1us)`,
		}},
		{"compare: [{name: a, topology.kind: dragonfly}]\nmatrix: [{path: topology.rate, values: [100Gbps, 200Gbps]}]", []string{
			`variant "a": topology.uplink_rate`, `variant "a": topology.switch_latency`,
		}},
		{"matrix: [{path: topology.rate, values: [50Gbps, 200Gbps]}, {name: fabric, levels: {tree: {}, groups: {topology: {kind: dragonfly, uplink_rate: 200Gbps, switch_latency: 1us}}}}]", []string{
			`axis "fabric", level "groups": topology.rate of the base (50Gbps) does not carry over to another kind; it is 400Gbps now`,
			`axis "fabric", level "groups": topology.rate of the base (200Gbps) does not`,
		}},
	} {
		f, err := parse(t, base+test.rest+"\n")
		if err != nil {
			t.Fatal(err)
		}
		got := f.Notices
		if strings.Contains(test.rest, "matrix") {
			m, err := f.Matrix()
			if err != nil {
				t.Fatal(err)
			}
			got = m.Notices
		}
		if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
			t.Errorf("%s:\n%s\nwant:\n%s", test.rest, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}
