package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/record"
)

// starvedHosts returns the notices of hosts that starve.
func starvedHosts(res *record.Result) (list []string) {
	for _, n := range res.Summary.Notices() {
		if n.Kind == record.NoticeStarved {
			list = append(list, n.Text)
		}
	}
	return list
}

// TestStarved: a host that gets next to nothing while others go on is noted, and the run is not ranked.
func TestStarved(t *testing.T) {
	t.Parallel()
	const open = "measure: {from: 100us, to: 4ms}\nuntil: 4ms\n"
	for name, c := range map[string]struct{ text, host string }{
		"a small window beside large ones": {"weft: 1\ntopology: {kind: star, hosts: 4, rate: 100Gbps}\nfabric: {queue: infinite}\ntransport: {congestion: {kind: constant, window: 2MB}, balancer: ecmp}\n" +
			"traffic: [{name: a, pattern: {kind: pairs, pairs: [host1->host0, host2->host0]}, size: 1GB}, {name: b, pattern: {kind: pairs, pairs: [host3->host0]}, size: 1GB, transport: {congestion: {kind: constant, window: 8KB}}}]\n" + open, "host3 sent "},
		"a lower priority": {"weft: 1\ntopology: {kind: star, hosts: 4, rate: 100Gbps}\nfabric: {queue: 1MB, classes: 2}\ntransport: {congestion: {kind: constant, window: 200KB}, balancer: ecmp, ack: {class: 0}}\n" +
			"traffic: [{name: a, pattern: {kind: pairs, pairs: [host1->host0, host2->host0]}, size: 1GB}, {name: b, pattern: {kind: pairs, pairs: [host3->host0]}, size: 1GB, transport: {class: 1}}]\n" + open, "host3 sent "},
		"Reno with exact clocks": {"weft: 1\ntopology: {kind: star, hosts: 14, rate: 1Gbps, delay: 10us, switch_latency: 0s}\nfabric: {queue: 24kB, ecn: off}\n" +
			"transport: {payload: 1460B, header: 40B, congestion: reno, balancer: ecmp, recovery: sack, rto: 200ms}\ntraffic: [{name: main, pattern: {kind: incast, receiver: host0}, size: 1GB}]\nmeasure: {from: 100ms, to: 2s}\nuntil: 2s\n", "of what the mean host sent"},
	} {
		t.Run(name, func(t *testing.T) {
			res := simulate(t, c.text)
			if told := starvedHosts(res); len(told) != 1 || !strings.Contains(told[0], c.host) {
				t.Errorf("notices %q, least host %+v", told, res.Summary.LeastHost)
			}
			if !record.Barred(res.Summary.Kinds()) {
				t.Error("it may be ranked")
			}
		})
	}
}

// TestNotStarved: no host is, where short messages go first, hosts have little to send, or links are slow.
func TestNotStarved(t *testing.T) {
	t.Parallel()
	oneThread(t)
	const (
		two    = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 8, spines: 4, rate: 100Gbps}\n"
		window = "measure: {from: 200us, to: %s}\nuntil: %[1]s\n"
		loaded = "traffic: [{name: main, pattern: uniform, size: {workload: %s}, arrival: {kind: poisson, load: %s}}]\n"
	)
	deep := func(classes int, transport string) string {
		return fmt.Sprintf("fabric: {classes: %d, queue: infinite, ecn: {kind: threshold, k: 1.25BDP}}\ntransport: {congestion: %s, balancer: ops}\n", classes, transport)
	}
	same := "traffic: [{name: main, pattern: {kind: incast, receiver: host0}, size: 5MB}]\n"
	cases := map[string]string{
		"homa, one long message after the other": two + deep(8, "{kind: homa, sizes: 5MB}") + same + fmt.Sprintf(window, "3ms"),
		"sird, the same":                         two + deep(2, "sird") + same + fmt.Sprintf(window, "3ms"),
		"a slow link":                            "weft: 1\ntopology:\n  kind: graph\n  nodes: [{name: host0..host2}, {name: s0}]\n  links: [{a: host0, b: s0, rate: 100Gbps}, {a: host1, b: s0, rate: 100Gbps}, {a: host2, b: s0, rate: 100Mbps}]\ntransport: {congestion: dctcp}\ntraffic: [{name: a, pattern: {kind: pairs, pairs: [host1->host0, host2->host1]}, size: 1GB}]\nmeasure: {from: 1ms, to: 20ms}\nuntil: 20ms\n",
		"a link slowed down":                     "weft: 1\ntopology: {kind: star, hosts: 4, rate: 100Gbps}\ntransport: {congestion: dctcp}\ntraffic: [{name: a, pattern: permutation, size: 1GB}]\nfaults: [{kind: degrade, links: host2->tor0, rate: 100Mbps}]\nmeasure: {from: 100us, to: 4ms}\nuntil: 4ms\n",
		"a host with little":                     "weft: 1\ntopology: {kind: star, hosts: 4, rate: 100Gbps}\ntransport: {congestion: dctcp}\ntraffic: [{name: a, pattern: {kind: pairs, pairs: [host1->host0, host2->host3]}, size: 1GB}, {name: b, pattern: {kind: pairs, pairs: [host3->host0]}, size: 1KB, arrival: {kind: poisson, load: 0.1%}}]\nmeasure: {from: 100us, to: 4ms}\nuntil: 4ms\n",
		"a short run":                            "weft: 1\ntopology: {kind: star, hosts: 16, rate: 100Gbps}\nfabric: {queue: 100KB}\ntransport: {congestion: {kind: constant, window: 1MB}, balancer: ecmp, rto: 1ms}\n" + strings.Replace(same, "5MB", "1GB", 1) + "measure: {from: 10us, to: 60us}\nuntil: 60us\n",
		"an incast that is fair":                 "weft: 1\ntopology: {kind: star, hosts: 33, rate: 100Gbps}\ntransport: {congestion: dctcp}\n" + strings.Replace(same, "5MB", "1GB", 1) + fmt.Sprintf(window, "6ms"),
	}
	for _, load := range []string{"50%", "80%"} {
		for _, workload := range []string{"websearch", "wkb"} {
			for name, transport := range map[string]string{
				"dctcp": "transport: {congestion: dctcp}\n", "swift": "transport: {congestion: swift}\n", "homa": deep(8, "{kind: homa, sizes: {workload: "+workload+"}}"), "sird": deep(2, "sird"), "dcpim": deep(3, "dcpim"),
			} {
				cases[name+" "+workload+" "+load] = two + transport + fmt.Sprintf(loaded, workload, load) + fmt.Sprintf(window, "2ms")
			}
		}
	}
	judged := 0
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			res := simulate(t, text)
			if told := starvedHosts(res); len(told) > 0 {
				t.Errorf("notices %q, least host %+v", told, res.Summary.LeastHost)
			}
			if res.Summary.LeastHost != nil {
				judged++
			}
		})
	}
	if judged < len(cases)-1 {
		t.Errorf("%d of %d runs tell of a least host", judged, len(cases))
	}
}
