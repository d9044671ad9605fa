package scenario_test

import (
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/scenario"
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
	wantNotices(t, top+"transport: {congestion: sird, balancer: ops, connection: pool}\n"+traffic, []string{"sird is a host transport without connections, so connection: pool has no effect"})
	wantNotices(t, top+"transport: {congestion: sird, balancer: ops, timer: connection}\n"+traffic, []string{"sird is a host transport with its own timers, so timer: connection has no effect"})
	wantNotices(t, top+"transport: {congestion: sird, balancer: ops, nagle: true}\n"+traffic, []string{"so nagle has no effect"})
	wantNotices(t, strings.Replace(top, "classes: 2", "classes: 2, ecn: off, nic: fifo", 1)+"transport: {congestion: sird, balancer: ops}\n"+traffic, []string{"sird does not notice", "so fabric.nic: fifo has no effect"})
	wantNotices(t, top+"transport: {congestion: sird, balancer: ops, ack: {every: 2, delay: 1us, bitmap: true, entropies: unmarked, reply: 84B, class: 1}, reorder_limit: 9}\n"+traffic,
		[]string{"so ack.every has no effect", "so ack.delay has no effect", "so ack.bitmap has no effect", "so ack.entropies has no effect", "so ack.reply has no effect", "so ack.class has no effect", "so reorder_limit has no effect"})
	wantNotices(t, "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2}\nfabric: {classes: 8, queue: infinite, ecn: off}\n"+
		"transport: {congestion: {kind: homa, sizes: {workload: wka}}, balancer: ops, ack: {class: 1}}\n"+traffic, nil)
	wantNotices(t, top+"transport: {congestion: sird, balancer: ops}\n"+traffic, nil)
	wantNotices(t, top+"transport: {congestion: dctcp, balancer: ops, timer: connection}\n"+traffic, nil)
	wantNotices(t, top+"transport: {congestion: dctcp, balancer: ops, connection: pool}\n"+traffic, nil)
	wantNotices(t, top+"transport: {congestion: dctcp, balancer: ops, connection: pool, pick: turn}\n"+traffic, nil)
	wantNotices(t, top+"transport: {congestion: dctcp, balancer: ops, pick: turn}\n"+traffic, []string{"pick: turn chooses among the connections of a pool, so it has no effect with connection: message"})
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
	const unused = "a host transport has its own timers, so transport.rto has no effect"
	wantNotices(t, top+"fabric: {classes: 2}\ntransport: {congestion: sird, balancer: ops, rto: 1ms}\n"+traffic, []string{unused})
	wantNotices(t, top+"fabric: {classes: 2}\ntransport: {congestion: sird, balancer: arcane, rto: 1ms}\n"+traffic, nil)
	const weights = "sird has options for 3 groups of traffic, such as weights, but there are 1"
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
		return !strings.Contains(n, "marks congestion") && !strings.Contains(n, "host transport") && !strings.Contains(n, "connections of a pool") &&
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

// TestNoticesOfSizes tells of priorities for sizes that the traffic does not have, with the setting
// that is for those that it has; where it is followed nothing is told.
func TestNoticesOfSizes(t *testing.T) {
	const top = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2}\nfabric: {classes: 8, queue: infinite}\n"
	const group = "- {name: main, pattern: uniform, size: SIZE, arrival: {kind: poisson, load: 30%}, stop: 1ms}\n"
	const burst = "- {name: burst, pattern: incast, size: 500kB}\n"
	const ring = "- {name: ring, pattern: ring-allreduce, size: 500kB}\n"
	for _, tt := range []struct{ sizes, size, more, want string }{
		{"{workload: wkb}", "{workload: wkb}", "", ""},
		{"{workload: wkb}", "{workload: wkb, mean: 100000}", "", ""},
		{"{workload: wkb}", "{cdf: ../scenarios/data/wkb.csv, rule: log}", "", ""},
		{"{workload: wkb}", "{workload: wka}", "", "homa sets priorities for sizes {workload: wkb}, but those of main are {workload: wka}"},
		{"1kB", "{workload: wka}", "", "homa sets priorities for sizes 1KB, but those of main are {workload: wka}"},
		{"{workload: wka}", "1MB", "", "homa sets priorities for sizes {workload: wka}, but those of main are 1MB"},
		{"{workload: wkb}", "{workload: wkb}", burst, ""},
		{"{workload: wkb}", "{workload: wka}", burst, "those of main are {workload: wka}"},
		{"{cdf: ../scenarios/data/wkb.csv}", "{workload: wka}", burst, ""},
		{"{cdf: ../scenarios/data/wkb.csv}", "{workload: wka}", "", "those of main are {workload: wka}"},
		{"{workload: wkb}", "{workload: wka}", ring, ""},
	} {
		notices := func(sizes string) []string {
			text := top + "transport: {congestion: {kind: homa, sizes: " + sizes + "}, balancer: ops}\ntraffic:\n" + strings.Replace(group, "SIZE", tt.size, 1) + tt.more
			all, err := parsed(t, text).Verify()
			if err != nil {
				t.Fatal(err)
			}
			return slices.DeleteFunc(all, func(n string) bool { return !strings.Contains(n, "sets priorities for sizes") })
		}
		got := notices(tt.sizes)
		if tt.want == "" {
			if len(got) > 0 {
				t.Errorf("sizes %s of %s: %q", tt.sizes, tt.size, got)
			}
			continue
		}
		if len(got) != 1 || !strings.Contains(got[0], tt.want) {
			t.Errorf("sizes %s of %s: %q, want %q", tt.sizes, tt.size, got, tt.want)
			continue
		}
		_, remedy, _ := strings.Cut(got[0], "write congestion: {kind: homa, sizes: ")
		remedy, _, _ = strings.Cut(remedy, ", and on the command line, --set")
		if again := notices(strings.TrimSuffix(remedy, "}")); len(again) > 0 {
			t.Errorf("with sizes %s: %q", remedy, again)
		}
	}
}

// TestSizesBySet follows the notice of sizes of another key from the command line, where those of
// the variant would stand beside them.
func TestSizesBySet(t *testing.T) {
	const text = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2}\nfabric: {classes: 8, queue: infinite}\ntransport: {balancer: ops}\n" +
		"traffic:\n- {name: main, pattern: uniform, size: {cdf: ../scenarios/data/websearch.csv}, arrival: {kind: poisson, load: 30%}, stop: 1ms}\n" +
		"compare:\n- {name: Homa, set: {transport.congestion: {kind: homa, sizes: {workload: wkb}}}}\n"
	for _, tt := range []struct {
		sets []string
		told bool
	}{
		{nil, true},
		{[]string{"compare.Homa.set.transport.congestion={kind: homa, sizes: {cdf: ../scenarios/data/websearch.csv, rule: linear, workload: null}}"}, false},
	} {
		f, err := scenario.Parse("x.yaml", []byte(text), weft.Builtin(), tt.sets)
		if err != nil {
			t.Fatal(err)
		}
		notices, err := f.Variants[0].Verify()
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Contains(strings.Join(notices, "\n"), "rule: linear}}, and on the command line, --set with workload: null beside cdf")
		if told != tt.told {
			t.Errorf("%q: %q", tt.sets, notices)
		}
	}
}
