package scenario_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/scenario"
	"weft/unit"
)

// TestDCQCNAlone: one flow that nobody notifies takes as long as with a window that is never full.
func TestDCQCNAlone(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 1, spines: 1, rate: 100Gbps}
fabric: {queue: infinite, ecn: {kind: threshold, k: 100kB}}
transport: {balancer: ecmp, congestion: dcqcn}
traffic: [{name: main, pattern: {kind: incast, senders: 1}, size: 3MB}]
`
	got, want := simulate(t, text), simulate(t, text, "transport.congestion={kind: constant, window: 64MiB}")
	drained(t, got)
	if g, w := got.Summary.FCT.Max, want.Summary.FCT.Max; g != w {
		t.Errorf("the flow takes %v, and %v at line rate", g, w)
	}
	if r := derived(t, got, "initial_rate.main"); r != 100 {
		t.Errorf("it begins at %v Gb/s", r)
	}
}

// TestDCQCNShares lets flows share a bottleneck for 100 ms: rates come close to each other, and
// fill the link but for what cuts leave.
func TestDCQCNShares(t *testing.T) {
	t.Parallel()
	oneThread(t)
	const from, window = 100 * unit.Millisecond, 100 * unit.Millisecond
	for _, n := range []int{2, 4} {
		res := simulate(t, fmt.Sprintf(`weft: 1
topology: {kind: dumbbell, left: %d, right: %[1]d, rate: 40Gbps}
fabric: {queue: infinite, ecn: {kind: red, kmin: 5kB, kmax: 200kB, pmax: 1%%, at: dequeue}}
transport: {balancer: ecmp, rto: 50ms, congestion: dcqcn, payload: 1000B, header: 48B}
traffic: [{name: long, pattern: tornado, hosts: [host0..host%d], size: 2GiB, jitter: 200us}]
until: %dps
measure: {from: %dps}
`, n, n-1, from+window, from))
		var shares []float64
		for i := range n {
			shares = append(shares, float64(port(t, res, fmt.Sprintf("right->host%d", n+i)).SentBytes))
		}
		jain, total := fairness(shares)
		most := float64((40 * unit.Gbps).In(window))
		t.Logf("%d flows: Jain's index %.4f, %.1f %% of the link", n, jain, 100*total/most)
		if jain < 0.95 || total < 0.93*most || res.Summary.ECNMarks == 0 {
			t.Errorf("%d flows: shares %.0f, Jain's index %.4f, %.1f %% of the link, %d marks", n, shares, jain, 100*total/most, res.Summary.ECNMarks)
		}
	}
}

// TestRoomBesideAnswers has acknowledgements carry an answer beside as many entropies as they ever return.
func TestRoomBesideAnswers(t *testing.T) {
	const text = "weft: 1\ntopology: {kind: star, hosts: 2}\ntransport: {congestion: dcqcn, balancer: ops, ack: {every: %d, entropies: unmarked}}\ntraffic:\n- {name: main, pattern: tornado, size: 10kB}\n"
	drained(t, simulate(t, fmt.Sprintf(text, reliable.MaxEntropies)))
	_, err := scenario.Run(t.Context(), load(t, fmt.Sprintf(text, reliable.MaxEntropies+1)), scenario.RunOptions{})
	if err == nil || !strings.Contains(err.Error(), "has room for 16, but reports 17 packets") {
		t.Errorf("error %v", err)
	}
}

// TestBrokenControlEndsTheRun has a control of a user's own whose deadline stays: the run ends with
// a sentence that names the host and the rule.
func TestBrokenControlEndsTheRun(t *testing.T) {
	reg := weft.Builtin()
	if err := reg.Congestion.Add(catalog.Define("mine", "a deadline that stays", "", func(struct{}) (protocol.CongestionControl, error) {
		return protocol.CongestionControl{New: func(protocol.Env) protocol.Congestion { return staying{} }}, nil
	})); err != nil {
		t.Fatal(err)
	}
	f, err := scenario.Parse("test.yaml", []byte("weft: 1\ntopology: {kind: star, hosts: 2}\ntransport: {congestion: mine, balancer: ecmp}\ntraffic:\n- {name: main, pattern: tornado, size: 10kB}\n"), reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = scenario.Run(context.Background(), f.Variants[0], scenario.RunOptions{})
	const want = "a congestion control of host host0 broke a rule of protocol.Timed at 1ns: after Expire at 1ns Deadline returned 1ns; it must be later"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

type staying struct{}

func (staying) Start(unit.Time)     {}
func (staying) Acked(*protocol.Ack) {}
func (staying) Lost(*protocol.Loss) {}
func (staying) Window() unit.Bytes  { return unit.MiB }
func (staying) Deadline() unit.Time { return unit.Nanosecond }
func (staying) Expire(unit.Time)    {}
