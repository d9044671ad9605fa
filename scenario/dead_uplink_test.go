package scenario_test

import (
	"fmt"
	"testing"

	"weft/unit"
)

// TestPLBLeavesDeadUplink lets an uplink die under transports of hosts, which echo entropies
// and marks, but no round-trip times, and do not keep the paths of what they lose. PLB takes a
// loss for one of its current path and leaves that, so that all messages arrive; before, those
// whose path it was never did. Without faults nothing is lost, and PLB is not what takes time.
func TestPLBLeavesDeadUplink(t *testing.T) {
	t.Parallel()
	oneThread(t)
	for _, control := range []string{
		"{kind: sird, silence: 100us}", "{kind: sird, preset: nsdi25, silence: 100us}",
		"{kind: homa, priorities: 4, resend: 100us}", "{kind: dcpim, resend: 100us}",
	} {
		t.Run(control, func(t *testing.T) {
			text := fmt.Sprintf(`weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 4, rate: 100Gbps, delay: 1us}
fabric: {classes: 4, queue: 1MB}
transport: {payload: 1460B, header: 78B, ack: {size: 84B}, congestion: %s, balancer: plb}
traffic:
- {name: main, pattern: tornado, size: 2MB}
`, control)
			whole := simulate(t, text)
			drained(t, whole)
			if s := &whole.Summary; s.Drops.Total() > 0 || s.Runtime > unit.Millisecond {
				t.Errorf("without faults: %v, %+v", s.Runtime, s.Drops)
			}
			again := int64(0)
			for seed := range 3 {
				res := simulate(t, text+`faults: [{kind: link-down, links: ["tor0->spine0"], at: 20us}]`, fmt.Sprint("seed=", seed+1))
				drained(t, res)
				// What takes time is that transports learn late of what is lost: they wait for
				// silences, which become longer, and dcPIM's tokens go through the message once
				// before any packet is sent again.
				s := &res.Summary
				again += s.Timeouts
				if s.Drops.LinkDown == 0 || s.Runtime > 30*unit.Millisecond {
					t.Errorf("seed %d: %v, %d frames lost at the dead link", seed+1, s.Runtime, s.Drops.LinkDown)
				}
			}
			if again < 100 {
				t.Errorf("%d packets sent again in all: the dead uplink was the path of too few", again)
			}
		})
	}
}
