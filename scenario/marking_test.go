package scenario_test

import (
	"fmt"
	"testing"
)

// TestMarkingQueue lets three hosts send 20 packets each through one port at once, two of
// them in class 0 and one in class 1. A class never has more than 20 of them queued, but
// the port, where three arrive while one leaves, has more than 30 from the sixteenth round
// on: all of the last four rounds are marked by the port's queue, two of the one before,
// give or take what arrives just as a frame leaves, and none by those of the classes.
func TestMarkingQueue(t *testing.T) {
	const frame = 1500
	for _, law := range []string{"kind: threshold, k: 45000B", "kind: red, kmin: 45000B, kmax: 45001B"} {
		for _, queue := range []string{"class", "port"} {
			t.Run(law+" of "+queue, func(t *testing.T) {
				res := simulate(t, fmt.Sprintf(`weft: 1
topology: {kind: dumbbell, left: 3, right: 1, rate: 10Gbps, delay: 1us, bottleneck_delay: 1us, switch_latency: 0s}
fabric: {queue: 1MiB, classes: 2, ecn: {%s, queue: %s}}
transport: {payload: 1460B, header: 40B, ack: {size: 40B, class: 0}, balancer: ecmp, congestion: {kind: constant, window: %dB}}
traffic:
  - {name: first, pattern: {kind: incast, receiver: host3}, hosts: [host0, host1, host3], size: 29200B}
  - {name: second, pattern: {kind: incast, receiver: host3}, hosts: [host2, host3], size: 29200B, transport: {class: 1}}
record: {ports: "left->right"}
`, law, queue, 20*frame))
				marks := port(t, res, "left->right").Marks
				if queue == "class" && marks != 0 {
					t.Errorf("%d frames were marked, and no class had more than 20 queued", marks)
				}
				if queue == "port" && (marks < 12 || marks > 16) {
					t.Errorf("%d frames were marked, and 14 found more than 30 queued", marks)
				}
			})
		}
	}
}
