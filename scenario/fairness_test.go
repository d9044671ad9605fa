package scenario_test

import (
	"fmt"
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

// TestInexactHostsDelayLittle: a packet alone is late by 2 % of its ideal time at most on average, and ideals and what is derived
// are those of exact hosts, but for timeouts, which allow for it.
func TestInexactHostsDelayLittle(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Gbps}
fabric: {host_jitter: %s}
transport: {congestion: %s}
traffic: [{name: main, pattern: {kind: pairs, pairs: ["host0->host2"]}, size: 4KiB}]
`
	for _, control := range []string{"reno", "dctcp", "swift", "dcqcn", "mprdma", "homa"} {
		exact := simulate(t, fmt.Sprintf(text, "none", control))
		sum := 0.0
		const seeds = 20
		for seed := range seeds {
			res := simulate(t, fmt.Sprintf(text, "auto", control), fmt.Sprintf("seed=%d", seed+1))
			f := &res.Flows[0]
			sum += float64(f.FCT()) / float64(f.Ideal)
			if f.Ideal != exact.Flows[0].Ideal || f.IdealBare != exact.Flows[0].IdealBare {
				t.Fatalf("%s: ideals are %v and %v, and %v and %v by exact hosts", control, f.Ideal, f.IdealBare, exact.Flows[0].Ideal, exact.Flows[0].IdealBare)
			}
			for i, d := range res.Manifest.Derived {
				if e := exact.Manifest.Derived[i]; d != e && !strings.HasPrefix(d.Name, "rto") && d.Name != "stuck_after" {
					t.Errorf("%s: %s is %v, and %v by exact hosts", control, d.Name, d.Value, e.Value)
				}
			}
		}
		if mean := sum / seeds; mean > 1.02 || mean <= 1 {
			t.Errorf("%s: a packet alone has a slowdown of %.4f on average", control, mean)
		}
	}
}
