package scenario_test

import (
	"math"
	"strings"
	"testing"

	"weft/record"
	"weft/unit"
)

const us = unit.Microsecond

// ceaseless is a host that sends 1000 B, which take 800 ns, again and again to another
// one through two switches, whatever becomes of them.
const ceaseless = `weft: 1
topology: {kind: dumbbell, left: 1, right: 1, rate: 10Gbps, delay: 500ns, switch_latency: 100ns}
fabric: {queue: 1MB, ecn: "off"}
transport: {payload: 936B, header: 64B, congestion: {kind: constant, window: 100MB}, rto: 10ms}
traffic: [{name: all, pattern: {kind: pairs, pairs: [host0->host1]}, size: 936000B}]
`

// derivedTime returns a derived value of a run.
func derivedTime(t testing.TB, res *record.Result, name string) unit.Time {
	t.Helper()
	for _, d := range res.Manifest.Derived {
		if d.Name == name {
			return unit.Time(math.Round(d.Value * float64(us)))
		}
	}
	t.Fatalf("no derived value %s", name)
	return 0
}

// faultsOf returns the rows of a port.
func faultsOf(res *record.Result, port string) (rows []record.Fault) {
	for _, f := range res.Faults {
		if f.Port == port {
			rows = append(rows, f)
		}
	}
	return rows
}

// TestDeadPortAtLineRate sends at line rate to a port that is dead for a hundred
// frames: exactly these are lost, and what was on the wire and in service.
func TestDeadPortAtLineRate(t *testing.T) {
	const faults = `faults: [{kind: link-down, links: left->right, at: 100us, for: 80us, allow_cutoff: true}]
until: 900us
`
	res := simulate(t, ceaseless+faults)
	rows := faultsOf(res, "left->right")
	if len(rows) != 1 || len(faultsOf(res, "right->left")) != 1 || len(res.Faults) != 2 {
		t.Fatalf("faults %+v", res.Faults)
	}
	f := rows[0]
	// A frame is on the wire for 500 of 800 ns; one is in service at any time.
	underWay := f.Lost - f.Offered
	if f.Offered != 100 || f.OfferedBytes != 100_000 || underWay < 1 || underWay > 2 || f.LostBytes != 1000*f.Lost || f.Flushed != 1 {
		t.Errorf("%+v: want 100 frames sent to the dead port, and one or two lost under way", f)
	}
	if f.Kind != record.FaultDown || f.From != 100*us || f.To != 180*us {
		t.Errorf("%+v: want it down from 100 to 180 us", f)
	}
	if f.LastOffered < f.To-800*unit.Nanosecond || f.LastOffered >= f.To || f.Avoided != record.Unfinished {
		t.Errorf("%+v: want frames sent to the end", f)
	}
	s := &res.Summary
	if s.LostToFaults != (record.Loss{Frames: s.Drops.Total(), Bytes: s.LostToFaults.Bytes}) || s.LostToCongestion != (record.Loss{}) {
		t.Errorf("lost: %+v and %+v of %+v", s.LostToFaults, s.LostToCongestion, s.Drops)
	}
	if n := s.Faults; n.Down != 2 || n.Offered < 100 || n.LastOffered < f.LastOffered-f.From || n.Avoided != record.None {
		t.Errorf("sums %+v of %+v", n, f)
	}

	// The rate comes back when the link does: nothing holds the sender up.
	bucket := derivedTime(t, res, "base_rtt")
	line := 10 * unit.Gbps / 1000 * 936
	if f.RateBefore < line*99/100 || f.RateBefore > line*101/100 || f.RateTarget < line*94/100 || f.RateTarget > line*96/100 {
		t.Errorf("rates %v and %v, want %v and 95 %% of it", f.RateBefore, f.RateTarget, line)
	}
	if again := f.Regained - f.From; f.Regained == record.Unfinished || again < 80*us || again > 80*us+2*bucket || res.Summary.Faults.Regained != again {
		t.Errorf("regained after %v, want 80 us to two round trips later; in the sums %v", again, res.Summary.Faults.Regained)
	}

	// A run that ends before it comes back tells so.
	s = &simulate(t, ceaseless+strings.Replace(faults, "900us", "150us", 1)).Summary
	if n := s.Faults; n.Incidents != 1 || n.Unregained != 1 || n.Regained != record.None {
		t.Errorf("cut short: %+v", n)
	}
	// Without faults there is nothing to tell.
	if res := simulate(t, ceaseless); res.Summary.Faults != nil || res.Faults != nil {
		t.Errorf("%+v without faults", res.Summary.Faults)
	}
}

// TestRoundTripsOfAnIdleNetwork compares percentiles of packets that meet nobody with
// the base round-trip time.
func TestRoundTripsOfAnIdleNetwork(t *testing.T) {
	const text = `weft: 1
topology: {kind: fat-tree, radix: 4}
traffic:
  - {name: full, pattern: {kind: pairs, pairs: [host0->host7]}, size: 4096B, arrival: {kind: closed, count: 20}}
  - {name: near, pattern: {kind: pairs, pairs: [host2->host3]}, size: 4096B, arrival: {kind: closed, count: 5}}
`
	res := simulate(t, text)
	base := derivedTime(t, res, "base_rtt")
	full, near, all := res.Summary.Groups[0].RTT, res.Summary.Groups[1].RTT, res.Summary.RTT
	if full.Packets != 20 || near.Packets != 5 || all.Packets != 25 {
		t.Errorf("%d and %d of %d packets, want 20 and 5 of 25", full.Packets, near.Packets, all.Packets)
	}
	if full.Max != base || all.Max != base {
		t.Errorf("at most %v and %v, want %v", full.Max, all.Max, base)
	}
	for _, got := range []unit.Time{full.P50, full.P99, full.P999, all.P50, all.P99} {
		if off := math.Abs(float64(got-base)) / float64(base); off > 1.0/256 {
			t.Errorf("%v is %.2f %% off %v", got, 100*off, base)
		}
	}
	if near.Max >= base {
		t.Errorf("%v below one switch, %v across", near.Max, base)
	}

	// Of a measured window, only what is acknowledged in it counts.
	sum := int64(0)
	for _, window := range []string{"{to: 20us}", "{from: 20us, to: 60us}", "{from: 60us}"} {
		n := simulate(t, text, "measure="+window).Summary.RTT.Packets
		if n == 0 {
			t.Errorf("no packets within the window %s", window)
		}
		sum += n
	}
	if sum != 25 {
		t.Errorf("three windows have %d packets, the whole run 25", sum)
	}
}

// TestMissingCables keeps routes off cables that are not there, which a repair of
// others does not bring.
func TestMissingCables(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 4, hosts_per_tor: 4, spines: 4, rate: 100Gbps}
transport: {balancer: ops}
traffic: [{name: main, pattern: tornado, size: 256KiB}]
faults:
  - {kind: missing, links: "tor*->spine*", share: 20%}
  - {kind: link-up, links: "tor*->spine*", at: 10us}
`
	for _, more := range []string{"", "routing: {policy: wcmp}\n", "routing: {reconverge: 5us}\n"} {
		res := simulate(t, text+more)
		drained(t, res)
		missing := map[string]bool{}
		for _, f := range res.Faults {
			if f.Kind != record.FaultMissing || f.Offered != 0 || f.Lost != 0 || f.To != record.Unfinished {
				t.Errorf("%+v", f)
			}
			missing[f.Port] = true
		}
		if len(missing) != 2*3 {
			t.Fatalf("%d ports are missing, want those of 3 links: %v", len(missing), missing)
		}
		for _, p := range res.Ports {
			if p.Frames > 0 && missing[p.Name] {
				t.Errorf("%s is missing and has %d frames", p.Name, p.Frames)
			}
		}
		if res.Summary.Faults != nil || res.Summary.Drops.LinkDown+res.Summary.Drops.NoRoute != 0 {
			t.Errorf("%+v, %+v", res.Summary.Faults, res.Summary.Drops)
		}
	}
}

// That links are missing is known from the start, and makes no routes follow other
// failures earlier.
func TestMissingCablesAreNoNews(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 4, hosts_per_tor: 4, spines: 4, rate: 100Gbps}
transport: {balancer: ops}
routing: {reconverge: 10us}
traffic: [{name: main, pattern: tornado, size: 256KiB}]
faults:
  - {kind: missing, links: "tor0->spine0"}
  - {kind: link-down, links: "tor0->spine1", at: 5us}
`
	f := simulate(t, text).Summary.Faults
	if f.LastOffered < 8*us || f.LastOffered >= 10*us {
		t.Errorf("last sent to the dead port after %v, want nearly 10 us", f.LastOffered)
	}
}

// TestRoutesThatFollow keep what is sent to a dead port to the time that they take;
// balancers that do not look profit from that.
func TestRoutesThatFollow(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 4, hosts_per_tor: 4, spines: 4, rate: 100Gbps}
traffic: [{name: main, pattern: tornado, size: 1MiB}]
faults: [{kind: link-down, links: tor0->spine1, at: 20us}]
stuck_after: 1ms
`
	for _, way := range []string{"transport.balancer=ecmp", "transport.balancer=ops", "routing.policy=wcmp"} {
		sets := []string{way}
		if strings.HasPrefix(way, "routing") {
			sets = append(sets, "transport.balancer=ops")
		}
		never := simulate(t, text, sets...)
		follow := simulate(t, text, append(sets, "routing.reconverge=30us")...)
		drained(t, follow)
		a, b := never.Summary.Faults, follow.Summary.Faults
		if b.LastOffered < 0 || b.LastOffered >= 30*us || b.Avoided != b.LastOffered || a.LastOffered < 30*us {
			t.Errorf("%s: last sent to the dead port after %v, with routes that follow after %v", way, a.LastOffered, b.LastOffered)
		}
		if a.Offered <= b.Offered {
			t.Errorf("%s: %d frames sent to the dead port, with routes that follow %d", way, a.Offered, b.Offered)
		}
	}
}

// TestCapacityBound takes three of the four uplinks of a ToR: no more is asked for
// than the last one carries, both ways.
func TestCapacityBound(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 3, hosts_per_tor: 4, spines: 4, rate: 100Gbps}
transport: {balancer: ops}
routing: {reconverge: 1us}
traffic: [{name: main, pattern: tornado, size: 64MiB}]
faults: [{kind: link-down, links: "tor0->spine*", pick: 3, at: 100us, every: 200us}]
until: 1ms
record: {snapshots: 0}
`
	res := simulate(t, text)
	s := res.Summary.Faults
	if s.Down != 6 || s.Incidents != 3 {
		t.Fatalf("%+v", s)
	}
	var at []unit.Time
	for _, f := range res.Faults {
		if n := len(at); n == 0 || at[n-1] != f.From {
			at = append(at, f.From)
		}
	}
	if len(at) != 3 || at[0] != 100*us || at[1] != 300*us || at[2] != 500*us {
		t.Errorf("failures at %v", at)
	}
	last := res.Faults[len(res.Faults)-1]
	want := 2 * 100 * unit.Gbps / 4160 * 4096 * 95 / 100
	if math.Abs(float64(last.RateTarget-want)) > float64(want)/1e4 || last.RateBefore <= last.RateTarget {
		t.Errorf("%v is to be regained after %v, want %v", last.RateTarget, last.RateBefore, want)
	}
	first := res.Faults[0]
	if first.RateTarget < 3*want*85/100 || first.RateTarget > 3*want {
		t.Errorf("%v is to be regained with three uplinks, want about %v", first.RateTarget, 3*want)
	}
}
