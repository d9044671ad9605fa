package scenario_test

import (
	"strings"
	"testing"

	"weft/scenario"
	"weft/unit"
)

// Two hosts that send messages in a row on a connection each share their receiver equally if those count that wait (counts: backlog). By
// default each is taken for gone between two of its messages, and both send more than the link takes.
func TestDartBacklog(t *testing.T) {
	const text = `weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us, switch_latency: 0s}
fabric: {queue: 16MB, ecn: {kind: threshold, k: 225KB}}
transport: {congestion: {kind: dart, fallback: none, drain: 90%}, connection: pair, balancer: ecmp, rto: 10ms}
record: {interval: 1us, ports: ["*->*"]}
until: 2ms
traffic:
  - {name: a, pattern: {kind: pairs, pairs: [host0->host2]}, size: 64KB, arrival: {kind: closed, outstanding: 16}}
  - {name: b, pattern: {kind: pairs, pairs: [host1->host2]}, size: 64KB, arrival: {kind: closed, outstanding: 16}, start: 100us}
`
	for _, backlog := range []bool{true, false} {
		var sets []string
		if backlog {
			sets = []string{"transport.congestion.counts=backlog"}
		}
		res := execute(t, parsed(t, text, sets...), scenario.RunOptions{})
		for _, name := range []string{"host0->tor0", "host1->tor0"} {
			r := sentIn(res, name, 500*unit.Microsecond, 1900*unit.Microsecond)
			t.Logf("backlog %t: %s sends at %.2f Gb/s, the switch holds %d B at most", backlog, name, r/gbps, portOf(t, res, "tor0->host2").QueueMax)
			if backlog && !within(r, 45*gbps, 0.005) || !backlog && r < 48*gbps {
				t.Errorf("backlog %t: %s sends at %.2f Gb/s, want 45 with it, and more without", backlog, name, r/gbps)
			}
		}
		if most := portOf(t, res, "tor0->host2").QueueMax; backlog && most > 40*4160 {
			t.Errorf("the switch holds %d B", most)
		}
	}
	for _, connection := range []string{"message", "pool", "pair"} {
		res := execute(t, parsed(t, text, "transport.congestion.counts=backlog", "transport.connection="+connection, "traffic.b.start=0s", "until=20us"), scenario.RunOptions{})
		want := "connection: " + connection + " keeps no connection for each pair of hosts, and dart counts a sender only while one of its messages is in flight; write connection: pair"
		if told := strings.Contains(strings.Join(res.Manifest.Notices, "\n"), want); told == (connection == "pair") {
			t.Errorf("connection: %s: the notices are %q", connection, res.Manifest.Notices)
		}
	}
}
