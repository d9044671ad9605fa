package scenario_test

import (
	"strings"
	"testing"

	"weft/record"
	"weft/record/section/pauses"
	"weft/scenario"
)

// TestSlowHostsAnyWay runs two scenarios whose slow hosts hold their switches' pauses when the last frame has arrived. What is
// taken back later does not count, however the run is executed, and nothing is paused for longer than the run.
func TestSlowHostsAnyWay(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"the last pause outlasts the run": `weft: 1
topology: {kind: hyperx, rate: 40Gbps, widths: [4], dimensions: 1, hosts_per_switch: 2}
routing: {policy: valiant}
fabric: {classes: 8, pfc: {xoff: 20KB, quanta: 200, refresh: 0%, slow_hosts: [{hosts: host2, rate: 1Gbps, xoff: 1B, xon: 0B}]}}
transport: {payload: 256B, class: 5, congestion: dcqcn, balancer: ecmp}
traffic: [{name: a, pattern: {kind: ring-allreduce, repeat: 2}, size: 8KB}]
`,
		"a host that takes much longer than the run": `weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 100us}
fabric: {pfc: {xoff: 50KB, slow_hosts: [{hosts: host0, rate: 1Gbps}]}}
transport: {congestion: dcqcn, balancer: ecmp}
traffic: [{name: a, pattern: {kind: incast, receiver: host0}, size: 200KB}]
`,
	} {
		want := simulated(t, text)
		if p := pauses.Of(want.Summary.Sections); want.Summary.Ended != record.Drained || p.Share <= 0.1 || p.Share > 1 {
			t.Errorf("%s: it ended as %s, and a port was paused for %v of the run", name, want.Summary.Ended, p.Share)
		}
		for _, p := range want.Pauses {
			if p.Time > want.Summary.Simulated {
				t.Errorf("%s: in a run of %v: %+v", name, want.Summary.Simulated, p)
			}
		}
		for _, queue := range queues() {
			for _, set := range []string{"record.snapshots=0", "record.snapshots=7", "record.ports=*->*"} {
				for _, check := range []bool{false, true} {
					got, err := scenario.Run(t.Context(), load(t, text, "engine.queue="+queue, set), scenario.RunOptions{Check: check})
					if err != nil {
						t.Fatal(err)
					}
					if diff := differ(want, got); diff != "" {
						t.Errorf("%s: %s, %s, check %v: %s", name, queue, set, check, diff)
					}
				}
			}
		}
	}
}

// TestSlowHostForGood runs a host that takes nothing within the clock. What waits for it is named, and so is the host.
func TestSlowHostForGood(t *testing.T) {
	t.Parallel()
	const text = `weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps}
fabric: {pfc: {xoff: 50KB, slow_hosts: [{hosts: host0, rate: 1bps, xoff: 20KB, xon: 1KB}]}}
transport: {congestion: {kind: constant, window: 1TiB}, balancer: ecmp}
traffic: [{name: a, pattern: {kind: incast, receiver: host0}, size: 200KB}]
`
	s := simulated(t, text).Summary
	if s.Ended != record.Stuck {
		t.Fatalf("it ended as %s", s.Ended)
	}
	for _, want := range []string{"class 0 of tor0->host0 is paused", "host0 takes frames at 1bps"} {
		if !strings.Contains(s.Cause, want) {
			t.Errorf("cause %q lacks %q", s.Cause, want)
		}
	}
}

// simulated runs a scenario.
func simulated(t *testing.T, text string, sets ...string) *record.Result {
	t.Helper()
	res, err := scenario.Run(t.Context(), load(t, text, sets...), scenario.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}
