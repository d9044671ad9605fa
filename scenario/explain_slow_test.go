package scenario_test

import (
	"testing"

	"weft/unit"
)

// TestExplainedSlowLink names the link that is slower than the host's, by its nature or since a
// fault, and none where all links are alike.
func TestExplainedSlowLink(t *testing.T) {
	const transport = "transport: {payload: 4096B, header: 64B, balancer: ops, congestion: {kind: constant, window: 1MiB}}\n" +
		"fabric: {queue: 1MiB, ecn: \"off\"}\n"
	const dumbbell = "weft: 1\ntopology: {kind: dumbbell, rate: 100Gbps, delay: 1us}\n" + transport +
		"traffic: [{name: a, pattern: {kind: pairs, pairs: [host0->host1]}, size: 400kB}]\n"
	const leaves = "weft: 1\ntopology: {kind: leaf-spine, tors: 3, hosts_per_tor: 1, spines: 2, rate: 100Gbps}\n" + transport +
		"traffic: [{name: a, pattern: {kind: pairs, pairs: [host0->host1]}, size: 400kB}]\n"
	for _, test := range []struct {
		name, text, set, port string
		rate                  unit.Rate
	}{
		{"a slow bottleneck", dumbbell, "topology.bottleneck_rate=30Gbps", "left->right", 30 * unit.Gbps},
		{"links alike", dumbbell, "topology.bottleneck_rate=100Gbps", "", 0},
		{"a fast core", dumbbell, "topology.bottleneck_rate=400Gbps", "", 0},
		{"a link that a fault degrades", leaves, "faults=[{kind: degrade, links: tor0->spine1, rate: 12.5Gbps}]", "tor0->spine1", 12500 * unit.Mbps},
		{"a link elsewhere", leaves, "faults=[{kind: degrade, links: tor2->spine1, rate: 12.5Gbps}]", "", 0},
	} {
		x := explained(t, load(t, test.text, test.set), simulate(t, test.text, test.set).Flows[0])
		switch {
		case test.port == "" && len(x.Slow) > 0:
			t.Errorf("%s: %s of %v is slow", test.name, x.Port(x.Slow[0].Port), x.Slow[0].Rate)
		case test.port == "":
		case len(x.Slow) != 1 || x.Port(x.Slow[0].Port) != test.port || x.Slow[0].Rate != test.rate || x.Slow[0].Host != 100*unit.Gbps:
			t.Errorf("%s: %+v, want %s of %v", test.name, x.Slow, test.port, test.rate)
		case x.Slow[0].Took < x.Total/2 || x.Slow[0].Took > x.Total:
			t.Errorf("%s: %v of %v went there", test.name, x.Slow[0].Took, x.Total)
		}
	}
}
