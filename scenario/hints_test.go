package scenario_test

import (
	"slices"
	"strings"
	"testing"
)

// TestNoticesOfMarks tells of whatever goes by marks on a fabric without, if it works there,
// and of nothing else. A control that needs them is of no concern if no group has it.
func TestNoticesOfMarks(t *testing.T) {
	const top = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2}\n"
	const traffic = "traffic:\n- {name: main, pattern: tornado, size: 1MB}\n"
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"sird", "fabric: {classes: 2, ecn: off}\ntransport: {congestion: sird, balancer: ops}\n" + traffic, []string{"sird does not notice congestion between switches"}},
		{"sird with marks", "fabric: {classes: 2}\ntransport: {congestion: sird, balancer: ops}\n" + traffic, nil},
		{"arcane", "fabric: {ecn: off}\ntransport: {congestion: swift, balancer: arcane}\n" + traffic, []string{"arcane recycles the entropies of congested paths"}},
		{"both", "fabric: {classes: 2, ecn: off}\ntransport: {congestion: sird, balancer: arcane}\n" + traffic, []string{"sird does not notice", "arcane recycles"}},
		{"others", "fabric: {ecn: off}\ntransport: {congestion: swift, balancer: ops}\n" + traffic, nil},
		{"of a group only", "fabric: {classes: 2, ecn: off}\ntransport: {balancer: ops}\ntraffic:\n- {name: main, pattern: tornado, size: 1MB, transport: {congestion: swift}}\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) { wantNotices(t, top+tt.text, tt.want) })
	}
}

// TestNoticesOfConnections tells that transports of hosts have none.
func TestNoticesOfConnections(t *testing.T) {
	const top = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2}\nfabric: {classes: 2}\n"
	const traffic = "traffic:\n- {name: main, pattern: tornado, size: 1MB}\n"
	wantNotices(t, top+"transport: {congestion: sird, balancer: ops, connection: pool}\n"+traffic, []string{"sird serves a host as a whole and has no connections, so that connection: pool changes nothing"})
	wantNotices(t, top+"transport: {congestion: sird, balancer: ops, timer: connection}\n"+traffic, []string{"sird serves a host as a whole and has timers of its own, so that timer: connection changes nothing"})
	wantNotices(t, top+"transport: {congestion: sird, balancer: ops, nagle: true}\n"+traffic, []string{"so that nagle changes nothing"})
	wantNotices(t, strings.Replace(top, "classes: 2", "classes: 2, ecn: off, nic: fifo", 1)+"transport: {congestion: sird, balancer: ops}\n"+traffic, []string{"sird does not notice", "so that fabric.nic: fifo changes nothing"})
	wantNotices(t, top+"transport: {congestion: sird, balancer: ops, ack: {every: 2, delay: 1us, bitmap: true, entropies: unmarked, reply: 84B, class: 1}, reorder_limit: 9}\n"+traffic,
		[]string{"so that ack.every changes", "so that ack.delay changes", "so that ack.bitmap changes", "so that ack.entropies changes", "so that ack.reply changes", "so that ack.class changes", "so that reorder_limit changes"})
	wantNotices(t, "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2}\nfabric: {classes: 8, queue: infinite, ecn: off}\n"+
		"transport: {congestion: {kind: homa, sizes: {workload: wka}}, balancer: ops, ack: {class: 1}}\n"+traffic, nil)
	wantNotices(t, top+"transport: {congestion: sird, balancer: ops}\n"+traffic, nil)
	wantNotices(t, top+"transport: {congestion: dctcp, balancer: ops, timer: connection}\n"+traffic, nil)
	wantNotices(t, top+"transport: {congestion: dctcp, balancer: ops, connection: pool}\n"+traffic, nil)
	wantNotices(t, top+"transport: {congestion: dctcp, balancer: ops, connection: pool, pick: turn}\n"+traffic, nil)
	wantNotices(t, top+"transport: {congestion: dctcp, balancer: ops, pick: turn}\n"+traffic, []string{"pick: turn is which connection of a pool a message takes, and changes nothing with connection: message"})
}

// TestNoticesOfTimeouts tells of timeouts that wait for queues without bound where frames are
// lost, of a timeout that nobody waits for, and of weights of groups that there are not.
func TestNoticesOfTimeouts(t *testing.T) {
	const top = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2}\n"
	const traffic = "traffic:\n- {name: main, pattern: tornado, size: 1MB}\n"
	const loss = "faults:\n- {kind: loss, links: tor0->spine0, probability: 1%}\n"
	const silent = "sird asks for what is missing after a silence of 5ms"
	const late = "a timeout is the time through full queues, which have no bound here"
	wantNotices(t, top+"fabric: {queue: infinite, ecn: {kind: threshold, k: 1.25BDP}}\ntransport: {congestion: dctcp, balancer: ops}\n"+traffic+loss, []string{late})
	wantNotices(t, top+"fabric: {queue: infinite, ecn: {kind: threshold, k: 1.25BDP}}\ntransport: {congestion: dctcp, balancer: ops, rto: 1ms}\n"+traffic+loss, nil)
	wantNotices(t, top+"fabric: {queue: infinite, ecn: {kind: threshold, k: 1.25BDP}}\ntransport: {congestion: dctcp, balancer: ops}\n"+traffic, nil)
	wantNotices(t, top+"transport: {congestion: dctcp, balancer: ops}\n"+traffic+loss, nil)
	wantNotices(t, top+"fabric: {queue: infinite, ecn: {kind: threshold, k: 1.25BDP}, classes: 2}\ntransport: {congestion: sird, balancer: ops}\n"+traffic+loss, []string{silent})
	wantNotices(t, top+"fabric: {queue: infinite, ecn: {kind: threshold, k: 1.25BDP}, classes: 2}\ntransport: {congestion: {kind: sird, silence: 200us}, balancer: ops}\n"+traffic+loss, nil)
	const remedy = "congestion: {kind: sird, silence: "
	wantNotices(t, top+"fabric: {queue: infinite, ecn: off, classes: 2}\ntransport: {congestion: sird, balancer: ops}\n"+traffic+loss, []string{"marks congestion", remedy})
	const missing = "faults:\n- {kind: missing, links: tor0->spine0}\n"
	wantNotices(t, top+"fabric: {queue: infinite, ecn: {kind: threshold, k: 1.25BDP}, classes: 2}\ntransport: {congestion: sird, balancer: ops}\n"+traffic+missing, nil)
	wantNotices(t, top+"fabric: {queue: infinite, ecn: {kind: threshold, k: 1.25BDP}}\ntransport: {congestion: dctcp, balancer: ops}\n"+traffic+missing, nil)
	for _, own := range []struct {
		options string
		want    []string
	}{
		{"preset: paper", nil}, // asks after 100us
		{"retry: 2ms", []string{"after a silence of 2ms"}},
		{"preset: sird", []string{"after a silence of 6400us"}},
	} {
		wantNotices(t, top+"fabric: {queue: infinite, ecn: off, classes: 2, credits: {}}\ntransport: {payload: 1460B, header: 78B, ack: {size: 84B}, congestion: {kind: expresspass, "+own.options+"}, balancer: ecmp}\n"+traffic+loss, own.want)
	}
	const unused = "serves a host as a whole has timers of its own, so that transport.rto changes nothing"
	wantNotices(t, top+"fabric: {classes: 2}\ntransport: {congestion: sird, balancer: ops, rto: 1ms}\n"+traffic, []string{unused})
	wantNotices(t, top+"fabric: {classes: 2}\ntransport: {congestion: sird, balancer: arcane, rto: 1ms}\n"+traffic, nil)
	const weights = "sird has options of 3 groups of traffic, such as weights, and there are 1"
	wantNotices(t, top+"fabric: {classes: 2}\ntransport: {congestion: {kind: sird, policy: classes, weights: [3, 1, 2]}, balancer: ops}\n"+traffic, []string{weights})
	wantNotices(t, top+"fabric: {classes: 2}\ntransport: {congestion: {kind: sird, policy: classes, weights: [3]}, balancer: ops}\n"+traffic, nil)
}

// wantNotices checks that of marks, connections, timeouts and weights these notices are given, each once.
func wantNotices(t *testing.T, text string, want []string) {
	t.Helper()
	all, err := parsed(t, text).Verify()
	if err != nil {
		t.Fatal(err)
	}
	got := slices.DeleteFunc(all, func(n string) bool {
		return !strings.Contains(n, "marks congestion") && !strings.Contains(n, "serves a host as a whole") && !strings.Contains(n, "connection of a pool") &&
			!strings.Contains(n, "through full queues") && !strings.Contains(n, "such as weights") && !strings.Contains(n, "after a silence of")
	})
	if len(got) != len(want) {
		t.Fatalf("notices %q, want %q", got, want)
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("notice %q, want %q", got[i], want[i])
		}
	}
}
