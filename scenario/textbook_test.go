package scenario_test

import (
	"math"
	"testing"

	"weft"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// textbookRun runs traffic under a control with all that it brings, and nothing else; an empty control is none at
// all.
func textbookRun(t *testing.T, control, topology, traffic string) *record.Result {
	t.Helper()
	text := "weft: 1\nfabric: {host_jitter: auto}\ntopology: " + topology + "\ntraffic: [{name: main, " + traffic + "}]\nrecord: {flows: all, snapshots: 0}\n"
	if control != "" {
		text += "transport: {congestion: " + control + "}\n"
	}
	r := execute(t, parsed(t, text), scenario.RunOptions{})
	if r.Summary.Unfinished != 0 {
		t.Fatalf("%d messages did not end", r.Summary.Unfinished)
	}
	return r
}

// seconds is a time as a number.
func seconds(t unit.Time) float64 { return float64(t) / float64(unit.Second) }

// textbook runs a test for each control, and for files that name none.
func textbook(t *testing.T, test func(t *testing.T, control string)) {
	for _, control := range append([]string{""}, weft.Builtin().Congestion.Names()...) {
		t.Run(control, func(t *testing.T) {
			t.Parallel()
			test(t, control)
		})
	}
}

// TestTextbookAlone: an unloaded message that fits a first window takes the ideal time, and one flow fills the link: its goodput is
// 90 % of what the link carries of payload at least.
func TestTextbookAlone(t *testing.T) {
	const network = "{kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 4, rate: 100Gbps}"
	// Whoever asks first waits an unloaded round trip of a small packet, 8.35 us at most, before data go.
	asks := map[string]float64{"rcp": 8.35, "expresspass": 8.35}
	// ExpressPass sends at a sixteenth of its credit rate at first, and may double it once per round trip.
	const ramp = 15
	textbook(t, func(t *testing.T, control string) {
		lone := textbookRun(t, control, network, `pattern: {kind: pairs, pairs: ["host0->host4"]}, size: 32KiB`).Flows[0]
		most := 1.02*1e6*seconds(lone.Ideal) + asks[control]
		if control == "rcp" {
			most += 2 // the rate is computed once per round trip, and starts at half of the link
		}
		if control == "expresspass" {
			most += ramp
		}
		if took := 1e6 * seconds(lone.FCT()); took > most {
			t.Errorf("8 packets took %.2f us, where %.2f is ideal and %.2f allowed", took, 1e6*seconds(lone.Ideal), most)
		}
		long := textbookRun(t, control, network, `pattern: {kind: pairs, pairs: ["host0->host4"]}, size: 32MiB`)
		goodput := 32 * 1024 * 1024 * 8 / seconds(long.Flows[0].FCT())
		if bound := 100e9 * 4096 / 4160; goodput < 0.9*bound {
			t.Errorf("one flow has %.1f Gb/s, of %.1f that the link carries of payload", goodput/1e9, bound/1e9)
		}
		if n := long.Summary.Drops.Total(); n != 0 {
			t.Errorf("a flow alone lost %d frames", n)
		}
	})
}

// TestTextbookShares: two equal flows over one bottleneck have equal shares, and fill it.
func TestTextbookShares(t *testing.T) {
	// What takes longer than 64 MiB to find the whole bottleneck after both began at line rate: by how much they end later.
	slow := map[string]float64{
		"dcqcn": 1.8, "dart": 1.8, // cut at each notification of the first queue, and then grow by a thousandth of the link every 55 us
		"dcqcn-nic": 1.15, "timely": 1.25, "rocc": 1.3,
		"expresspass": 1.2, "hpcc": 1.12, "fncc": 1.12, "direct": 1.15, // steer to 95 % of a link
	}
	textbook(t, func(t *testing.T, control string) {
		r := textbookRun(t, control, "{kind: dumbbell, left: 2, right: 2, rate: 100Gbps}", `pattern: {kind: pairs, pairs: ["host0->host2", "host1->host3"]}, size: 64MiB`)
		sum, squares, last := 0.0, 0.0, 0.0
		for _, f := range r.Flows {
			last = max(last, seconds(f.FCT()))
			sum += 1 / seconds(f.FCT())
			squares += math.Pow(seconds(f.FCT()), -2)
		}
		jain := sum * sum / (2 * squares)
		if jain < 0.95 {
			t.Errorf("Jain's index of two equal flows is %.3f", jain)
		}
		most := 1.05
		if s, ok := slow[control]; ok {
			most = s
		}
		if bound := 2 * 64 * 1024 * 1024 * 8 / (100e9 * 4096 / 4160); last > most*bound {
			t.Errorf("both end after %.3f times the time that the bottleneck takes, want %.2f", last/bound, most)
		}
	})
}

// TestTextbookPermutation: on a leaf-spine without oversubscription nobody waits for long, and only controls that
// go by losses have any.
func TestTextbookPermutation(t *testing.T) {
	bounds := map[string]float64{
		// Sprayed: hardly slower than alone.
		"mprdma": 1.1, "nscc": 1.1, "eqds": 1.15, "ndp": 1.2, "homa": 1.3, "sird": 1.35, "phost": 1.7, "dcpim": 2,
		// On one path each, three flows share an uplink here. These find the whole link again slowly.
		"expresspass": 7.5, "dcqcn-nic": 6.5, "timely": 14,
	}
	textbook(t, func(t *testing.T, control string) {
		r := textbookRun(t, control, "{kind: leaf-spine, tors: 4, hosts_per_tor: 8, spines: 8, rate: 100Gbps}", "pattern: permutation, size: 1MiB")
		worst := 0.0
		for _, f := range r.Flows {
			worst = max(worst, float64(f.FCT())/float64(f.Ideal))
		}
		most := 3.6
		if b, ok := bounds[control]; ok {
			most = b
		}
		if worst > most {
			t.Errorf("the slowest flow takes %.2f times as long as alone, want %.2f at most", worst, most)
		}
		if n := r.Summary.Drops.Total(); n != 0 && control != "reno" {
			t.Errorf("%d frames were lost", n)
		}
	})
}

// TestSwiftQueuesHoldItsTarget: in the queue that Swift brings, its target delay keeps two flows fair and without loss; in
// a queue of 1 BDP, which holds no such delay, it runs on drops.
func TestSwiftQueuesHoldItsTarget(t *testing.T) {
	const text = "weft: 1\nfabric: {host_jitter: auto}\ntopology: {kind: star, hosts: 9, rate: 100Gbps}\ntransport: {congestion: swift}\ntraffic: [{name: main, pattern: incast, size: 4MiB}]\nrecord: {snapshots: 0}\n"
	drops := func(sets ...string) int64 {
		return execute(t, parsed(t, text, sets...), scenario.RunOptions{}).Summary.Drops.Total()
	}
	if n := drops(); n != 0 {
		t.Errorf("%d drops", n)
	}
	if drops("fabric.queue=1BDP") == 0 {
		t.Error("a queue of 1 BDP drops nothing, so that this test shows nothing")
	}
}
