package scenario_test

import (
	"fmt"
	"testing"

	"weft/unit"
)

// TestStampedCopies has the acknowledgements of a message of eight packets lost for 50 µs. All of it arrived, so its
// receiver answers the first packet that is sent again, 100 µs later, with a single acknowledgement of everything:
// also where it otherwise reports several packets together, where packets bring stamps, and where reports
// of other messages crossed the network meanwhile. So the sender knows a round trip of 4 µs and 0.68 µs after it sent that
// packet, before the answer to the second one, 0.33 µs later.
func TestStampedCopies(t *testing.T) {
	for _, ack := range []string{"{}", "{every: 4}", "{bitmap: true}"} {
		for _, control := range []string{"{kind: constant, window: 1MiB}", "{kind: hpcc, int_bytes: 0B}", "fncc"} {
			res := simulate(t, fmt.Sprintf(`weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us, switch_latency: 0s}
fabric: {pfc: 500KB}
transport: {balancer: ecmp, rto: 100us, timer: connection, ack: %s, congestion: %s}
traffic:
- {name: lone, pattern: {kind: pairs, pairs: [host0->host1]}, size: 32KiB}
- {name: others, pattern: {kind: pairs, pairs: [host2->host1]}, size: 1B, arrival: {kind: once, count: 20}, start: 60us}
faults: [{kind: link-down, links: "tor0->host0", one_way: true, allow_cutoff: true, at: 0s, for: 50us}]
`, ack, control))
			drained(t, res)
			const want = 100*unit.Microsecond + 4*unit.Microsecond + 2*332800*unit.Picosecond
			if f := &res.Flows[0]; f.SenderEnd < want || f.SenderEnd > want+50*unit.Nanosecond {
				t.Errorf("%s, ack %s: the sender knows at %v, want %v", control, ack, f.SenderEnd, want)
			}
		}
	}
}
