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

// wantNotices checks that of marks and connections these notices are given, each once.
func wantNotices(t *testing.T, text string, want []string) {
	t.Helper()
	all, err := parsed(t, text).Verify()
	if err != nil {
		t.Fatal(err)
	}
	got := slices.DeleteFunc(all, func(n string) bool {
		return !strings.Contains(n, "marks congestion") && !strings.Contains(n, "serves a host as a whole") && !strings.Contains(n, "connection of a pool")
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
