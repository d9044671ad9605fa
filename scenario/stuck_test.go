package scenario_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// twoPaths is a network of two ToRs and two spines whose hosts send to their
// twins, with faults to follow.
const twoPaths = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Gbps}
transport: {balancer: ecmp, rto: 50us}
traffic: [{name: main, pattern: {kind: pairs, pairs: [host0->host2, host1->host3]}, size: 100KiB}]
stuck_after: 400us
`

// starving has more senders than one port can serve headers for, so that retransmissions
// alone keep class 0 full.
const starving = `weft: 1
topology: {kind: star, hosts: 161, rate: 10Gbps, delay: 500ns}
transport: {congestion: nscc, payload: 1000B, header: 48B, balancer: ops}
fabric: {overflow: trim, queue: 100KB}
traffic: [{name: main, pattern: {kind: incast, receiver: host0}, size: 8KB}]
stuck_after: 2ms
`

// TestStuck ends runs that can go no further, and says what holds them up.
func TestStuck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		// cause is what the summary must say.
		cause []string
	}{
		{
			"the only path is dead",
			twoPaths + `faults: [{kind: link-down, links: "tor0->host0", allow_cutoff: true}, {kind: link-down, links: "tor1->host2", one_way: true, allow_cutoff: true}]`,
			[]string{`message 0 of "main" from host0 to host2`, "no path is alive", "host0->tor0 is down"},
		},
		{
			"the receiver is cut off",
			twoPaths + `faults: [{kind: link-down, links: "tor1->host2", allow_cutoff: true}]`,
			[]string{`from host0 to host2`, "25 of 25 packets", "no path is alive", "tor1->host2 is down"},
		},
		{
			"it dies on the way",
			twoPaths + `faults: [{kind: link-down, links: "tor1->host3", at: 6us, allow_cutoff: true}]`,
			[]string{`from host1 to host3`, "no path is alive", "tor1->host3 is down"},
		},
		{
			"nobody can send",
			twoPaths + `faults: [{kind: switch-down, switches: tor0, at: 3us, allow_cutoff: true}]`,
			[]string{`from host0 to host2`, "host0->tor0 is down"},
		},
		{
			"acknowledgements are lost from the start",
			twoPaths + `faults: [{kind: link-down, links: "tor0->host0", one_way: true, allow_cutoff: true}]`,
			[]string{`from host0 to host2`, "acknowledgements are lost", "tor0->host0 is down"},
		},
		{
			"everything is lost on a link",
			twoPaths + `faults: [{kind: loss, links: "tor1->host2", one_way: true, probability: 100%, allow_cutoff: true}]`,
			[]string{`from host0 to host2`, "tor1->host2 loses its packets"},
		},
		{
			"headers starve data",
			starving,
			[]string{`from host1 to host0`, "data starves at tor0->host0", "--set fabric.trim.ratio=10"},
		},
		{
			"all routes are gone",
			twoPaths + `routing: {reconverge: 5us}
faults: [{kind: link-down, links: "tor0->spine*", allow_cutoff: true}]`,
			[]string{`from host0 to host2`, "no route from tor0"},
		},
		{
			"detours are left",
			`weft: 1
topology: {kind: dragonfly, switches_per_group: 2, hosts_per_switch: 1, global_links: 1, rate: 100Gbps, delay: 1us, switch_latency: 0s}
fabric: {overflow: trim}
transport: {congestion: ndp, balancer: ecmp}
routing: {policy: ugal, reconverge: never}
traffic: [{name: main, pattern: group-shift, size: 100kB}]
faults: [{kind: link-down, links: "g0r*->g1r*"}]`,
			[]string{"its minimal path is dead", "is down; only packets that take a detour can arrive"},
		},
		{
			"a pause holds what no window does",
			`weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps}
fabric: {pfc: {xoff: 20KB, slow_hosts: [{hosts: [host0], rate: 1bps, xoff: 5KB, xon: 2KB}]}}
transport: {congestion: {kind: constant, window: 1TiB}, balancer: ecmp}
traffic: [{name: main, pattern: {kind: incast, receiver: host0}, size: 1MB}]
stuck_after: 1ms
`,
			[]string{`from host1 to host0`, "class 0 of tor0->host0 is paused", "host0 takes frames at 1bps"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			res := simulateBriefly(t, test.text)
			s := &res.Summary
			if strings.Contains(s.Cause, "window of") {
				t.Errorf("the cause names a window: %s", s.Cause)
			}
			if s.Ended != record.Stuck || !s.Partial || s.Unfinished+s.Messages == 0 {
				t.Fatalf("it ended as %s, partial %v, with %d of %d messages unfinished", s.Ended, s.Partial, s.Unfinished, s.Messages)
			}
			for _, want := range test.cause {
				if !strings.Contains(s.Cause, want) {
					t.Errorf("the cause does not say %q: %s", want, s.Cause)
				}
			}
			checkFlowOfCause(t, res)
			if !res.Manifest.Partial {
				t.Error("the manifest does not call the result partial")
			}
		})
	}
}

// checkFlowOfCause looks for the message that a cause names for weft explain, and for its start.
func checkFlowOfCause(t *testing.T, res *record.Result) {
	t.Helper()
	_, id, named := strings.Cut(res.Summary.Cause, "weft explain DIR --flow ")
	if !named && strings.Contains(res.Summary.Cause, ", and all delivered): its acknowledgements are lost") {
		return // no message waits for data, so that there is none to explain
	}
	id, _, _ = strings.Cut(id, ")")
	for _, f := range res.Flows {
		if id == strconv.FormatUint(f.ID, 10) {
			start := fmt.Sprintf("started at %.3f µs;", float64(f.Start)/float64(unit.Microsecond))
			if f.SenderEnd != record.Unfinished || !strings.Contains(res.Summary.Cause, fmt.Sprintf("from %s to %s", f.Src, f.Dst)) || !strings.Contains(res.Summary.Cause, start) {
				t.Errorf("message %s is another: %s", id, res.Summary.Cause)
			}
			return
		}
	}
	t.Errorf("there is no message %q: %s", id, res.Summary.Cause)
}

// simulateBriefly is simulate for a run that must end by itself within a moment.
func simulateBriefly(t testing.TB, text string) *record.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	res, err := scenario.Run(ctx, load(t, text), scenario.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Summary.Ended == record.Interrupted {
		t.Fatal("it did not end")
	}
	return res
}

// TestDeadEntropy keeps one flow of many on a path that dies, which ECMP never
// leaves.
func TestDeadEntropy(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 8, spines: 2, rate: 100Gbps}
transport: {balancer: ecmp, rto: 50us}
traffic: [{name: main, pattern: tornado, size: 100KiB}]
faults: [{kind: link-down, links: "tor0->spine1", one_way: true}]
stuck_after: 400us
`
	const never = "routing: {reconverge: never}\n"
	res := simulateBriefly(t, text+never)
	s := &res.Summary
	if s.Ended != record.Stuck || s.Unfinished == 0 || s.Unfinished == s.Messages {
		t.Fatalf("it ended as %s with %d of %d messages unfinished", s.Ended, s.Unfinished, s.Messages)
	}
	for _, want := range []string{"dead entropy", "tor0->spine1", `message 0 of "main" from host`, "other paths are alive"} {
		if !strings.Contains(s.Cause, want) {
			t.Errorf("the cause does not say %q: %s", want, s.Cause)
		}
	}
	// The message that it names did not arrive.
	for i := range res.Flows {
		f := &res.Flows[i]
		if strings.Contains(s.Cause, "from "+f.Src+" to "+f.Dst+" ") && f.Finished() {
			t.Errorf("the message from %s arrived, but: %s", f.Src, s.Cause)
		}
	}

	// Routes that follow the failure, or packets that take any path, get through.
	for _, remedy := range []string{
		"routing: {reconverge: 20us}\n",
		"routing: {reconverge: 0s}\n",
		"", // the default
	} {
		drained(t, simulateBriefly(t, text+remedy))
	}
	res = simulate(t, text+never, "transport.balancer=ops")
	drained(t, res)
	if res.Summary.Retransmits == 0 {
		t.Error("spraying over a dead path lost nothing")
	}
}

// TestStuckCollective cuts off a rank of a ring: its runtime is more than the time that
// was simulated, and the steps that never began count.
func TestStuckCollective(t *testing.T) {
	res := simulateBriefly(t, `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps}
transport: {balancer: ops, rto: 50us}
traffic:
  - {name: ring, pattern: ring-allreduce, size: 64KiB}
  - {name: pair, pattern: {kind: pairs, pairs: [host0->host1]}, size: 4KiB}
faults: [{kind: link-down, links: "host3->tor0", at: 5us, allow_cutoff: true}]
stuck_after: 400us
`)
	s := &res.Summary
	if s.Ended != record.Stuck || len(s.Groups) != 2 {
		t.Fatalf("it ended as %s, with groups %v", s.Ended, s.Groups)
	}
	const all = 8 * 2 * (8 - 1) // each rank sends 2(n-1) times
	ring, pair := &s.Groups[0].Stats, &s.Groups[1].Stats
	finished := int64(0)
	for i := range res.Flows {
		if f := &res.Flows[i]; f.Group == "ring" && f.Finished() {
			finished++
		}
	}
	if ring.All() != all || ring.Missing() != all-finished || ring.NotStarted() == 0 || ring.Whole(s.Partial) {
		t.Errorf("of %d messages of the ring, %d did not finish and %d did not start", ring.All(), ring.Missing(), ring.NotStarted())
	}
	if ring.Runtime != s.Simulated || s.Runtime != s.Simulated {
		t.Errorf("the ring takes at least %v, all %v; %v were simulated", ring.Runtime, s.Runtime, s.Simulated)
	}
	if !pair.Whole(s.Partial) || pair.Runtime > 50*unit.Microsecond || s.Planned != all+1 {
		t.Errorf("the other group took %v, whole %v; there are %d messages", pair.Runtime, pair.Whole(s.Partial), s.Planned)
	}
}

// TestWaitingIsNotStuck lets a run wait for a repair, for a late start and for
// its end without calling it stuck.
func TestWaitingIsNotStuck(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       record.Ending
	}{
		{"a repair", twoPaths + `faults: [{kind: switch-down, switches: "tor0", at: 4us, for: 200us, allow_cutoff: true}]`, record.Drained},
		{"a late start", strings.Replace(twoPaths, "size: 100KiB", "size: 100KiB, start: 20ms", 1), record.Drained},
		{"the end", twoPaths + "until: 300us\n" + `faults: [{kind: link-down, links: "tor1->host2", allow_cutoff: true}]`, record.Until},
		{"the end, cut off", twoPaths + "until: 300us\n" + `faults: [{kind: link-down, links: "tor0->host*", allow_cutoff: true}]`, record.Until},
	} {
		t.Run(test.name, func(t *testing.T) {
			res := simulateBriefly(t, test.text)
			if s := &res.Summary; s.Ended != test.want || s.Partial || s.Cause != "" {
				t.Errorf("it ended as %s, partial %v: %s", s.Ended, s.Partial, s.Cause)
			}
		})
	}
}

// TestInterrupted leaves a partial result when its context ends.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := load(t, twoPaths+"until: 1s\n", "traffic.main.arrival=closed")
	res, err := scenario.Run(ctx, s, scenario.RunOptions{Progress: func(p scenario.Progress) {
		if p.Completed > 10 {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if s := &res.Summary; s.Ended != record.Interrupted || !s.Partial || s.Messages <= 10 {
		t.Errorf("it ended as %s, partial %v, with %d messages", s.Ended, s.Partial, s.Messages)
	}
}

// TestStuckByPace has a control whose next packet is due long after anybody waits for it: that is the cause, and not its window.
func TestStuckByPace(t *testing.T) {
	reg := weft.Builtin()
	if err := reg.Congestion.Add(catalog.Define("mine", "spaces packets", "", func(struct{}) (protocol.CongestionControl, error) {
		return protocol.CongestionControl{New: func(protocol.Env) protocol.Congestion { return evenly{protocol.Pace{Gap: 10 * unit.Second}} }}, nil
	})); err != nil {
		t.Fatal(err)
	}
	const text = "weft: 1\ntopology: {kind: star, hosts: 2, rate: 100Gbps}\ntransport: {balancer: ecmp, congestion: mine}\ntraffic: [{name: a, pattern: {kind: pairs, pairs: [host0->host1]}, size: 1MB}]\n"
	f, err := scenario.Parse("test.yaml", []byte(text), reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := scenario.Run(t.Context(), f.Variants[0], scenario.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s := &res.Summary; s.Ended != record.Stuck || !strings.Contains(s.Cause, "its congestion control spaces packets, and the next one is due at") {
		t.Errorf("it ended as %s: %s", s.Ended, s.Cause)
	}
}

// TestIdleTimeCostsNothing starts a message after most of the time that can be told, in which nothing is looked at. A message that is
// stuck then is found as soon as any other.
func TestIdleTimeCostsNothing(t *testing.T) {
	t.Parallel()
	idle := 8_000_000 * unit.Second
	if testing.Short() {
		idle /= 100
	}
	text := fmt.Sprintf(`weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps}
traffic:
  - {name: early, pattern: {kind: pairs, pairs: [host0->host1]}, size: 1MB}
  - {name: late, pattern: {kind: pairs, pairs: [host0->host2]}, size: 1KB, start: %v}
`, idle)
	drained(t, simulateBriefly(t, text))
	res := simulateBriefly(t, text+"faults: [{kind: loss, links: tor0->host2, one_way: true, probability: 100%, allow_cutoff: true}]\n")
	after := 0.0
	for _, d := range res.Manifest.Derived {
		if d.Name == "stuck_after" {
			after = d.Value
		}
	}
	s := &res.Summary
	if s.Ended != record.Stuck || s.Unfinished != 1 || !strings.Contains(s.Cause, "tor0->host2 loses its packets") {
		t.Errorf("it ended as %s with %d messages unfinished: %s", s.Ended, s.Unfinished, s.Cause)
	}
	if took := s.Simulated - idle; float64(took)/float64(unit.Microsecond) > 2*after+1 {
		t.Errorf("it was found after %v, and stuck_after is %g us", took, after)
	}
}
