package scenario_test

import (
	"fmt"
	"testing"

	"weft/record/section/reactions"
	"weft/unit"
)

// TestReactions asks when senders slow down after another flow has come to their switch, 301.5 µs after the start. The
// next acknowledgement that crosses the switch says so to FNCC's sender, which is one link away: P = 1.5 µs and up to two
// frames later. It takes HPCC three links of data more, and four of acknowledgements (TestFirstCut has the closed form).
func TestReactions(t *testing.T) {
	t.Parallel()
	const base = `weft: 1
topology:
  kind: graph
  rate: 100Gbps
  delay: 1.5us
  switch_latency: 0s
  nodes: [{name: host0..host2}, {name: switch1..switch3}]
  links: [{a: host0..host1, b: switch1}, {a: switch1, b: switch2}, {a: switch2, b: switch3}, {a: switch3, b: host2}]
fabric: {pfc: 500KB, ecn: "off"}
transport: {payload: 1456B, header: 62B, balancer: ecmp, congestion: %s}
traffic:
  - {name: flow0, pattern: {kind: pairs, pairs: [host0->host2]}, size: 6MB}
  - {name: flow1, pattern: {kind: pairs, pairs: [host1->host2]}, size: 1MB, start: 300us}
record: {interval: 5us, ports: [switch1->switch2], windows: ["*->*"], reaction_to: 301.5us}
`
	for _, c := range []struct {
		control    string
		from, to   unit.Time
		queue      unit.Bytes // at most
		connection int
	}{
		{"fncc", 1500 * unit.Nanosecond, 2200 * unit.Nanosecond, 140 * unit.KB, 2},
		{"hpcc", 10500 * unit.Nanosecond, 11800 * unit.Nanosecond, 170 * unit.KB, 2},
		{"{kind: constant, window: 10MB}", reactions.Never, reactions.Never, 1100 * unit.KB, 0},
	} {
		res := simulate(t, fmt.Sprintf(base, c.control))
		got := reactions.Of(res.Summary.Sections)
		if got == nil || got.Since != 301500*unit.Nanosecond || len(got.Connections) != c.connection || got.QueueMax < 50*unit.KB || got.QueueMax > c.queue {
			t.Fatalf("%s: %+v", c.control, got)
		}
		if c.connection == 0 {
			continue
		}
		first := got.Connections[0]
		if first.Name != "host0->host2" || first.Cut < c.from || first.Cut > c.to || first.Least >= first.Before {
			t.Errorf("%s: %+v, want a cut after %v to %v", c.control, first, c.from, c.to)
		}
	}
}
