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

// TestStampsAfterFailure has a link fail with a queue before it. What the queue loses was not sent: between two
// stamps of its port no more is than the link takes in the time, and a frame.
func TestStampsAfterFailure(t *testing.T) {
	for _, control := range []string{"hpcc", "fncc"} {
		_, notes := watching(t, fmt.Sprintf(`weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us, switch_latency: 0s}
fabric: {pfc: 500KB}
transport: {balancer: ecmp, rto: 100us}
traffic:
- {name: a, pattern: {kind: pairs, pairs: [host0->host2]}, size: 2MB, transport: {congestion: %s-0}}
- {name: b, pattern: {kind: pairs, pairs: [host1->host2]}, size: 2MB, transport: {congestion: %s-1}}
faults: [{kind: link-down, links: "tor0->host2", one_way: true, allow_cutoff: true, at: 8us, for: 5us}]
`, control, control))
		across := 0
		for _, list := range notes {
			for i := 1; i < len(list); i++ {
				now, was := list[i].stamps[0], list[i-1].stamps[0]
				if now.At <= was.At {
					continue
				}
				if now.At > 13*unit.Microsecond && was.At < 13*unit.Microsecond {
					across++
				}
				if sent, most := now.Sent-was.Sent, now.Rate.In(now.At-was.At)+4200; sent > most {
					t.Errorf("%s: from %v to %v the port sends %v, of %v at most", control, was.At, now.At, sent, most)
				}
			}
		}
		if across == 0 {
			t.Errorf("%s: nothing is stamped before the failure and after", control)
		}
	}
}
