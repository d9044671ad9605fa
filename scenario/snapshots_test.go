package scenario_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/record"
	"weft/unit"
)

const twoBursts = `
weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 500ns}
fabric: {queue: 64MiB}
transport: {rto: 20ms}
traffic:
  - {name: first, pattern: tornado, size: 1MB}
  - {name: second, pattern: tornado, size: 1MB, start: 900us}
stuck_after: 1s
`

// spansOf returns the starts of the spans in which something happened, in units
// of their length.
func spansOf(res *record.Result) (list []unit.Time) {
	for _, r := range res.Snapshots {
		at := r.Time / res.Manifest.SnapshotInterval
		if len(list) == 0 || list[len(list)-1] != at {
			list = append(list, at)
		}
	}
	return list
}

// TestSnapshotsFitTheRun varies how many spans there may be. Neither a timer that
// ends long after the last frame nor a pause costs any.
func TestSnapshotsFitTheRun(t *testing.T) {
	for _, c := range []struct {
		about, interval string
		least, most     unit.Time
	}{
		{"48", "", 24, 48},
		{"8", "", 4, 8},
		{"7", "", 4, 8},
		{"1", "", 1, 2},
		{"1000", "20us", 40, 1000}, // the base RTT is 8.4 us
	} {
		res := simulate(t, twoBursts, "record.snapshots="+c.about)
		length := res.Manifest.SnapshotInterval
		if c.interval != "" && length.String() != c.interval {
			t.Errorf("about %s: spans of %v, want %s", c.about, length, c.interval)
		}
		count := (res.Summary.Simulated + length - 1) / length
		if count < c.least || count > c.most {
			t.Errorf("about %s: %d spans of %v, want %d to %d", c.about, count, length, c.least, c.most)
		}
		if spans := spansOf(res); c.least > 4 && unit.Time(len(spans)) > 2*count/3 {
			t.Errorf("about %s: something happens in %d of %d spans, though the network idles most of the time", c.about, len(spans), count)
		}
	}
	if res := simulate(t, twoBursts, "record.snapshots=0"); len(res.Snapshots) > 0 || res.Manifest.SnapshotInterval != 0 {
		t.Errorf("%d snapshots, with spans of %v, though none were asked for", len(res.Snapshots), res.Manifest.SnapshotInterval)
	}
}

// TestSnapshotsOfAQueue fills the queue of one link, which fails.
func TestSnapshotsOfAQueue(t *testing.T) {
	const text = `
weft: 1
topology: {kind: dumbbell, left: 4, right: 1, rate: 10Gbps, delay: 0s, switch_latency: 0s}
fabric: {queue: 1MB, ecn: "off"}
transport: {payload: 936B, header: 64B, congestion: {kind: constant, window: 1MB}, rto: 1ms}
traffic: [{name: all, pattern: {kind: incast, receiver: host4}, size: 93600B}]
faults: [{kind: link-down, links: left->right, at: 100us, allow_cutoff: true}]
until: 200us
`
	res := simulate(t, text, "record.snapshots=20")
	// In every 800 ns four frames arrive and one is sent, from 800 ns on. What arrives
	// when a span ends is in the next one, and what is sent then is not.
	type row struct {
		at                   unit.Time
		sent, queue, dropped int64
	}
	var got []row
	for _, r := range res.Snapshots {
		if r.Port == "left->right" {
			got = append(got, row{r.Time, r.Transmitted, r.Queue, r.Dropped})
		}
	}
	if length := res.Manifest.SnapshotInterval; length != 10*unit.Microsecond {
		t.Fatalf("spans of %v", length)
	}
	arrived := func(ns int64) int64 { return 4 * min(100, (ns-1)/800) }
	sent := func(ns int64) int64 { return max(0, ns/800-1) }
	var want []row
	for end := int64(10_000); end <= 100_000; end += 10_000 {
		want = append(want, row{unit.Time(end-10_000) * unit.Nanosecond, 1000 * (sent(end) - sent(end-10_000)), 1000 * (arrived(end) - sent(end)), 0})
	}
	want = append(want, row{100 * unit.Microsecond, 0, 0, 400 - sent(100_000)}) // the link fails at 100 us
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTiersCountLinksToHosts(t *testing.T) {
	const text = `
weft: 1
topology: {kind: fat-tree, tiers: 3, uplinks_per_tor: 2, hosts_per_tor: 2, tors_per_pod: 2, uplinks_per_agg: 2, pods: 2}
traffic: [{name: all, pattern: tornado, size: 1KB}]
`
	res := simulate(t, text)
	count := map[record.Node]int{}
	for _, n := range res.Nodes {
		n.Name = ""
		count[n]++
	}
	want := map[record.Node]int{{Kind: "host", Tier: 0}: 8, {Kind: "switch", Tier: 1}: 4, {Kind: "switch", Tier: 2}: 4, {Kind: "switch", Tier: 3}: 4}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if res.Nodes[0].Name != "host0" {
		t.Errorf("the first node is %q", res.Nodes[0].Name)
	}
}

// TestManySnapshots has so many rows that the network is freed before they are built: what is
// read from it must have been read by then.
func TestManySnapshots(t *testing.T) {
	t.Parallel()
	res := simulate(t, `weft: 1
topology: {kind: leaf-spine, tors: 16, hosts_per_tor: 4, spines: 4, rate: 10Gbps, delay: 10ns, switch_latency: 0s}
traffic: [{name: a, pattern: uniform, size: 1KiB, arrival: {kind: poisson, load: 1%}, stop: 30ms}]
record: {snapshots: 1000}
`)
	drained(t, res)
	if n := len(res.Snapshots); n <= 1<<16 {
		t.Errorf("only %d rows of snapshots", n)
	}
}
