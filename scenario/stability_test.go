package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/record"
)

// twoSizes offers a share of the links of 16 hosts, most of it in messages that take 0.8 ms alone.
const twoSizes = `weft: 1
topology: {kind: star, hosts: 16, rate: 10Gbps, delay: 500ns, switch_latency: 0s}
fabric: {queue: infinite, ecn: "off"}
transport: {congestion: {kind: constant, window: 2BDP}, balancer: ecmp}
traffic:
  - {name: small, pattern: uniform, size: 10kB, arrival: {kind: poisson, load: %g%%}}
  - {name: large, pattern: uniform, size: 1MB, arrival: {kind: poisson, load: %g%%}}
until: %v
`

// TestStabilityOfLargeMessages: no run whose links carry the load is called unstable, however short its window is
// beside its largest messages, and all runs are whose links do not, if the window is some times as
// long as these.
func TestStabilityOfLargeMessages(t *testing.T) {
	t.Parallel()
	growing := 0
	for _, load := range []float64{20, 50, 80} {
		for _, until := range []string{"1.2ms", "2ms", "6ms", "20ms"} {
			for seed := range 3 {
				res := simulate(t, fmt.Sprintf(twoSizes, load/12, load*11/12, until), fmt.Sprintf("seed=%d", seed+1))
				s := res.Summary.Stability
				if s == nil || s.Unstable {
					t.Errorf("at a load of %v %% until %s, seed %d: %+v", load, until, seed+1, s)
					continue
				}
				if s.Grows() && s.UnderWay > 0 {
					growing++
				}
			}
		}
	}
	if growing < 3 {
		t.Errorf("a backlog grows in %d runs only; the test wants some to be told apart", growing)
	}
	for _, load := range []float64{115, 150} {
		res := simulate(t, fmt.Sprintf(twoSizes, load/12, load*11/12, "20ms"))
		s := res.Summary.Stability
		if s == nil || !s.Unstable {
			t.Errorf("at a load of %v %%: %+v", load, s)
		}
		found := false
		for _, n := range res.Summary.Notices() {
			found = found || n.Kind == record.NoticeUnstable && strings.Contains(n.Text, "no window makes it stable: offer at most")
		}
		if !found {
			t.Errorf("at a load of %v %%: %v", load, res.Summary.Notices())
		}
	}
}
