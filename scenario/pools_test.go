package scenario_test

import (
	"fmt"
	"testing"

	"weft/scenario"
	"weft/unit"
)

// TestPoolsOfCredit sends messages one after another over pools of one connection, whose receivers
// count anew with each message. They take as long as over connections of pairs, which go on
// from where they were. A sender that kept its totals took the pulls for late ones, and a
// message of more than a window waited for ever.
func TestPoolsOfCredit(t *testing.T) {
	t.Parallel()
	for _, control := range []string{"eqds", "{kind: eqds, pull: 4}", "ndp"} {
		for _, size := range []string{"3kB", "100kB", "1MB"} {
			t.Run(control+" "+size, func(t *testing.T) {
				run := func(connection string) (took unit.Time, timeouts int64) {
					res := execute(t, parsed(t, fmt.Sprintf(`weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 4, rate: 100Gbps, delay: 1us}
fabric: {queue: 72kB, overflow: trim}
transport: {payload: 4096B, header: 64B, congestion: %s, balancer: ops, connection: %s}
traffic:
- {name: main, pattern: tornado, size: %s, arrival: {kind: closed, count: 12}}
`, control, connection, size)), scenario.RunOptions{})
					drained(t, res)
					return res.Summary.Runtime, res.Summary.Timeouts
				}
				pair, pairTimeouts := run("pair")
				pool, timeouts := run("pool, pool: 1")
				if pool < pair*97/100 || pool > pair*103/100 || timeouts > pairTimeouts {
					t.Errorf("a pool takes %v with %d timeouts, and connections of pairs %v with %d", pool, timeouts, pair, pairTimeouts)
				}
			})
		}
	}
}
