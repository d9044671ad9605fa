package scenario_test

import (
	"slices"
	"strings"
	"testing"

	"weft/scenario"
)

// fairShape is a bottleneck that equal senders of long messages share.
type fairShape struct {
	name, topology, pattern string
	more                    string // lines of the file
	receivers               []string
	from, until             string // the measured window, behind the start-up
}

// fairShapes are two senders and thirteen, and a bottleneck that is slow beside the NICs of the senders.
var fairShapes = []fairShape{
	{"two over a dumbbell", "{kind: dumbbell, left: 2, right: 2, rate: 100Gbps}", `{kind: pairs, pairs: ["host0->host2", "host1->host3"]}`, "", []string{"host2", "host3"}, "5ms", "15ms"},
	{"two into a host", "{kind: star, hosts: 3, rate: 100Gbps}", "{kind: incast, receiver: host0}", "", []string{"host0"}, "5ms", "15ms"},
	{"thirteen into a host", "{kind: star, hosts: 14, rate: 100Gbps}", "{kind: incast, receiver: host0}", "", []string{"host0"}, "5ms", "30ms"},
	{"four into a slow host", "{kind: star, hosts: 5, rate: 100Gbps}", "{kind: incast, receiver: host0}", `faults: [{kind: degrade, links: "tor0->host0", rate: 10Gbps}]`, []string{"host0"}, "10ms", "40ms"},
}

// jain is Jain's index of what the senders of a shape get, all else by default.
func (s fairShape) jain(t *testing.T, control, jitter string, seed uint64) float64 {
	t.Helper()
	text := "weft: 1\ntopology: " + s.topology + "\nfabric: {host_jitter: " + jitter + "}\ntransport: {congestion: " + control + "}\n" +
		"traffic: [{name: main, pattern: " + s.pattern + ", size: 4GiB}]\nmeasure: {from: " + s.from + "}\nuntil: " + s.until + "\nrecord: {snapshots: 0}\n" + s.more
	v := parsed(t, text)
	v.Spec.Seed = seed
	res, err := scenario.Run(t.Context(), v, scenario.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sum, squares, n := 0.0, 0.0, 0.0
	for _, p := range res.Ports {
		if strings.HasPrefix(p.From, "host") && !slices.Contains(s.receivers, p.From) {
			x := float64(p.SentBytes)
			sum, squares, n = sum+x, squares+x*x, n+1
		}
	}
	return sum * sum / n / squares
}

// TestEqualSendersShareEqually: with all else by default, equal senders have equal shares, whatever the seed; with exact hosts
// some lock each other out.
func TestEqualSendersShareEqually(t *testing.T) {
	const seeds, least = 20, 0.95
	for _, control := range []string{"reno", "dctcp", "swift", "dcqcn"} {
		for _, shape := range fairShapes {
			t.Run(control+", "+shape.name, func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(seeds) {
					if x := shape.jain(t, control, "auto", seed+1); x < least {
						t.Errorf("seed %d: Jain's index is %.3f, want %.2f", seed+1, x, least)
					}
				}
			})
		}
	}
	for _, control := range []string{"reno", "dctcp"} {
		if x := fairShapes[1].jain(t, control, "none", 1); x > 0.9 {
			t.Errorf("two flows of %s by exact hosts have %.3f: that shows nothing", control, x)
		}
	}
}
