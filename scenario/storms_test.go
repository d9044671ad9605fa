package scenario_test

import "testing"

// TestStorms has a host that takes frames slowly: its link is paused nearly all the time, and none without slow hosts.
func TestStorms(t *testing.T) {
	for _, slow := range []string{"", ", slow_hosts: [{hosts: [host0], rate: 1Gbps, xoff: 100kB}]"} {
		res := simulate(t, `weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps}
fabric: {pfc: {xoff: 200kB`+slow+`}, buffer: 16MB, storms: 20us}
transport: {congestion: constant, balancer: ecmp}
traffic: [{name: main, pattern: {kind: incast, receiver: host0, senders: 2}, size: 2MB}]
`)
		for _, m := range res.Summary.Metrics() {
			if m.Name == "storm_links" && (m.Value > 0) != (slow != "") {
				t.Errorf("slow %q: %v links in storms", slow, m.Value)
			}
		}
		if len(res.Summary.Sections) == 0 {
			t.Fatal("no section")
		}
	}
}
