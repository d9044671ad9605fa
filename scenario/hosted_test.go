package scenario_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/record/section/credits"
	"weft/scenario"
	"weft/unit"
)

// hostedTop is a small fabric for transports of hosts as a whole.
const hostedTop = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}\n"

// TestHostedRefusals checks that what such a transport cannot do is refused with the reason.
func TestHostedRefusals(t *testing.T) {
	const traffic = "traffic:\n- {name: main, pattern: tornado, size: 1MB}\n"
	for _, tt := range []struct{ name, text, want string }{
		{"priorities", "fabric: {classes: 1}\ntransport: {congestion: sird, balancer: ops}\n" + traffic,
			"sird uses 2 priority classes from class 0 on, but fabric.classes is 1; write fabric: {classes: 2}"},
		{"a ninth class", "fabric: {classes: 8}\ntransport: {class: 7, congestion: sird, balancer: ops}\n" + traffic, "ports have 8 at most: write a class of 6 at most"},
		{"sthr", "fabric: {classes: 2}\ntransport: {congestion: {kind: sird, sthr: 0B}, balancer: ops}\n" + traffic, "sthr is 0"},
		{"b", "fabric: {classes: 2}\ntransport: {congestion: {kind: sird, b: 4159B}, balancer: ops}\n" + traffic, "less than one frame"},
		{"balancer", "fabric: {classes: 2}\ntransport: {congestion: sird, balancer: mptcp}\n" + traffic,
			"mptcp needs connections to divide messages over, but sird is a host transport, which has none; choose another balancer, such as ops"},
		{"options differ", "fabric: {classes: 2}\ntransport: {congestion: sird, balancer: ops}\n" + traffic +
			"- {name: b, pattern: tornado, size: 1MB, transport: {congestion: {kind: sird, b: 2BDP}}}\n", "receivers grant credit with options other"},
		{"sizes differ", "fabric: {classes: 2}\ntransport: {congestion: sird, balancer: ops}\n" + traffic +
			"- {name: b, pattern: tornado, size: 1MB, transport: {payload: 1000B}}\n", "payload, header or ack.size differ"},
		{"classes differ", "fabric: {classes: 4}\ntransport: {congestion: sird, balancer: ops}\n" + traffic +
			"- {name: b, pattern: tornado, size: 1MB, transport: {class: 2}}\n", "class or ack.class differ"},
		{"classes of control frames differ", "fabric: {classes: 8}\ntransport: {congestion: homa, balancer: ops}\n" + traffic +
			"- {name: b, pattern: tornado, size: 1MB, transport: {ack: {class: 2}}}\n", "class or ack.class differ"},
		{"classes of control frames differ, with trimming", "fabric: {classes: 4, overflow: trim}\ntransport: {class: 1, congestion: sird, balancer: ops}\n" + traffic +
			"- {name: b, pattern: tornado, size: 1MB, transport: {ack: {class: 1}}}\n", "class or ack.class differ"},
		{"priorities above the class of trimmed headers", "fabric: {classes: 2, overflow: trim}\ntransport: {congestion: sird, balancer: ops}\n" + traffic,
			"sird uses 2 priority classes from class 1 on, but fabric.classes is 2; write fabric: {classes: 3}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := verified("x.yaml", hostedTop+tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %q", err, tt.want)
			}
		})
	}
	s := parsed(t, hostedTop+"fabric: {classes: 2, queue: 4BDP}\ntransport: {congestion: {kind: sird, b: 0.5BDP}, balancer: ops}\n"+traffic)
	notices, err := s.Verify()
	if err != nil || len(notices) != 2 || !strings.Contains(notices[1], "below 1 BDP") {
		t.Errorf("b below 1 BDP: notices %q, error %v; want a warning", notices, err)
	}
}

// TestSharedTransport lets groups that write the same options share the transport of their
// hosts, and no others.
func TestSharedTransport(t *testing.T) {
	for _, tt := range []struct{ same, other, why string }{
		{"kind: sird, bdp: 90kB, pace: 98%, policy: classes, weights: [1, 2]", "kind: sird, bdp: 90kB, pace: 99%, policy: classes, weights: [1, 2]", "with options other"},
		{"kind: homa, overcommit: 3, scheduled: 5, cutoffs: [1kB, 9kB]", "kind: homa, overcommit: 3, scheduled: 5, cutoffs: [1kB, 8kB]", "with options other"},
		{"kind: dcpim, control_rtt: 6us", "kind: dcpim, control_rtt: 7us", "with options other"},
		{"kind: phost, bdp: 90kB", "kind: phost, bdp: 80kB", "with options other"},
		{"kind: sird", "kind: homa", "give both the same congestion"},
	} {
		for _, second := range []string{tt.same, tt.other} {
			text := hostedTop + "fabric: {classes: 8}\ntransport: {congestion: {" + tt.same + "}, balancer: ops}\ntraffic:\n" +
				"- {name: a, pattern: tornado, size: 1MB}\n- {name: b, pattern: tornado, size: 1MB, transport: {congestion: {" + second + "}}}\n"
			err := verified("x.yaml", text)
			if second == tt.same && err != nil || second == tt.other && (err == nil || !strings.Contains(err.Error(), tt.why)) {
				t.Errorf("{%s} beside {%s}: %v", second, tt.same, err)
			}
		}
	}
}

// TestCreditRecorded records where credit is, in an outcast from one host to three.
func TestCreditRecorded(t *testing.T) {
	text := hostedTop + `fabric: {classes: 2}
transport: {payload: 1458B, header: 80B, ack: {size: 84B}, congestion: {kind: sird, sthr: %s}, balancer: ops}
traffic:
- {name: main, pattern: {kind: pairs, pairs: [host0->host4, host0->host5, host0->host6]}, size: 8MB}
until: 1ms
measure: {from: 400us}
record: {credit: true, interval: 5us}
`
	var held [2]float64
	for i, sthr := range []string{"0.5BDP", "inf"} {
		res := execute(t, parsed(t, fmt.Sprintf(text, sthr)), scenario.RunOptions{})
		c := credits.PlacesOf(res.Summary.Sections)
		if c == nil {
			t.Fatal("no credit in the summary")
		}
		held[i] = c.AtSenders
		kinds := map[string]int{}
		for _, row := range res.Series {
			kinds[row.Kind]++
		}
		for _, kind := range []string{credits.AtReceivers, credits.AtSenders, credits.InFlight} {
			if kinds[kind] < 200 {
				t.Errorf("sthr %s: %d rows of %s, want at least one each 5us", sthr, kinds[kind], kind)
			}
		}
	}
	if held[0] >= held[1]/2 {
		t.Errorf("the sender holds %.0f B with informed overcommitment and %.0f B without", held[0], held[1])
	}

	const nothing = "record.credit: true recorded nothing"
	for transport, want := range map[string]bool{"{kind: homa}": false, "dctcp": true, "{kind: dcpim}": true} {
		text := hostedTop + "fabric: {classes: 8, ecn: {kind: threshold, k: 1BDP}}\ntransport: {congestion: " + transport + ", balancer: ops}\n" +
			"traffic:\n- {name: main, pattern: tornado, size: 100kB}\nrecord: {credit: true, interval: 5us}\n"
		res := execute(t, parsed(t, text), scenario.RunOptions{})
		if got := strings.Contains(strings.Join(res.Manifest.Notices, "\n"), nothing); got != want {
			t.Errorf("%s: notices %q, of credit %v, want %v", transport, res.Manifest.Notices, got, want)
		}
	}
}

// BenchmarkSIRD runs the balanced configuration for half a millisecond:
//
//	go test ./scenario -run '^$' -bench SIRD
func BenchmarkSIRD(b *testing.B) {
	f, err := weft.Load("../scenarios/sird/balanced.yaml", weft.Builtin(), "until=500us", "measure.from=0s", "measure.to=500us")
	if err != nil {
		b.Fatal(err)
	}
	sird := slices.IndexFunc(f.Variants, func(v *scenario.Scenario) bool { return v.Variant == "SIRD" })
	var hops, seconds float64
	for b.Loop() {
		r, err := scenario.Run(context.Background(), f.Variants[sird], scenario.RunOptions{})
		if err != nil {
			b.Fatal(err)
		}
		hops += float64(r.Summary.PacketHops)
		seconds += r.Summary.EngineCPU.Seconds()
	}
	b.ReportMetric(hops/seconds/1e6, "Mhops/cpu-s")
}

// TestHostedRuns runs SIRD, alone and beside another transport, over good and bad
// links, and demands the same result for any cut and number of threads.
func TestHostedRuns(t *testing.T) {
	presets, balancers := []string{"paper", "nsdi25"}, []string{"ops", "arcane"}
	if testing.Short() {
		presets, balancers = presets[:1], balancers[1:]
	}
	for _, preset := range presets {
		for _, balancer := range balancers {
			for _, fault := range []string{"", "faults: [{kind: loss, links: tor0->spine0, probability: 2%, at: 0s}]\n"} {
				text := hostedTop + fmt.Sprintf(`fabric: {classes: 2}
transport: {payload: 1458B, header: 80B, ack: {size: 84B}, congestion: {kind: sird, preset: %s, silence: 200us}, balancer: %s}
traffic:
- {name: main, pattern: alltoall, size: 700kB}
- {name: small, pattern: tornado, size: 3kB, arrival: {kind: poisson, load: 5%%, count: 20}}
- {name: other, pattern: tornado, size: 200kB, transport: {congestion: dctcp, class: 1}}
%s`, preset, balancer, fault)
				want := ""
				for _, cut := range [][2]int{{1, 1}, {2, 2}} {
					res := execute(t, parsed(t, text), scenario.RunOptions{Check: cut[0] == 1, Domains: cut[0], Threads: cut[1]})
					s := &res.Summary
					if s.Ended != record.Drained || s.Unfinished != 0 || s.Messages == 0 {
						t.Fatalf("%s, %s, %q: %d of %d messages unfinished, ended %s: %s", preset, balancer, fault, s.Unfinished, s.Messages, s.Ended, s.Cause)
					}
					if fault != "" && s.Retransmits == 0 {
						t.Errorf("%s, %s: nothing was sent again over a link that loses frames", preset, balancer)
					}
					if want == "" {
						want = s.ResultHash
					} else if s.ResultHash != want {
						t.Errorf("%s, %s, %q: %d domains give another result", preset, balancer, fault, cut[0])
					}
				}
			}
		}
	}
}

// TestStuckAfterSilences has transports of hosts, of which some ask only after some silence, and
// none waits for full queues: a run is not stuck before, and does not wait for what has no bound.
func TestStuckAfterSilences(t *testing.T) {
	for _, c := range []struct {
		fabric, congestion string
		want               unit.Time
	}{
		{"", "sird", 160 * unit.Millisecond},
		{"queue: infinite, ecn: {kind: threshold, k: 1.25BDP}, ", "sird", 160 * unit.Millisecond},
		{"", "{kind: sird, silence: 20ms}", 640 * unit.Millisecond},
		{"", "{kind: homa, resend: 0s}", 10 * unit.Millisecond},
		{"", "dcpim", 32 * unit.Millisecond},
	} {
		res := execute(t, parsed(t, hostedTop+fmt.Sprintf(`fabric: {%sclasses: 8}
transport: {congestion: %s, balancer: ops}
traffic: [{name: main, pattern: tornado, size: 1kB}]
`, c.fabric, c.congestion)), scenario.RunOptions{})
		if got := derived(t, res, "stuck_after"); got != float64(c.want/unit.Microsecond) {
			t.Errorf("%s%s: stuck after %v µs, want %v", c.fabric, c.congestion, got, c.want)
		}
	}
}

// TestSettingsOfHosts wants what the options of transports of hosts come to in the manifest: from
// the preset, in bytes, and computed from sizes.
func TestSettingsOfHosts(t *testing.T) {
	for _, c := range []struct {
		congestion string
		want       map[string]float64
	}{
		{"{kind: sird, bdp: 100KB, sthr: inf}", map[string]float64{"b.main": 150_000, "sender_bucket.main": 100_000, "unscht.main": 100_000, "pace.main": 99}},
		{"{kind: sird, preset: nsdi25, bdp: 100KB}", map[string]float64{"sthr.main": 50_000, "pace.main": 100}},
		{"{kind: homa, bdp: 100KB, sizes: {workload: wka}, priorities: 8}", map[string]float64{"rtt_bytes.main": 100_000, "resend.main": 5000}},
		{"{kind: dcpim, bdp: 100KB}", map[string]float64{"token_resend.main": 8}},
		{"{kind: phost, bdp: 100KB}", map[string]float64{"downgrade.main": 25}},
	} {
		res := execute(t, parsed(t, hostedTop+fmt.Sprintf(`fabric: {classes: 8}
transport: {congestion: %s, balancer: ops}
traffic: [{name: main, pattern: tornado, size: 1kB}]
`, c.congestion)), scenario.RunOptions{})
		for name, want := range c.want {
			if got := derived(t, res, name); got != want {
				t.Errorf("%s: %s is %v, want %v", c.congestion, name, got, want)
			}
		}
	}
}

// TestUnconfirmed has senders that are done when all is sent: nobody tells them that it came.
func TestUnconfirmed(t *testing.T) {
	for _, congestion := range []string{"{kind: sird, confirm: false}", "{kind: homa, preset: sird, confirm: false}", "sird"} {
		res := execute(t, parsed(t, hostedTop+fmt.Sprintf(`fabric: {classes: 8}
transport: {congestion: %s, balancer: ops}
traffic: [{name: main, pattern: tornado, size: 100kB}]
record: {flows: all}
`, congestion)), scenario.RunOptions{})
		if len(res.Flows) == 0 {
			t.Fatal("no flows")
		}
		for _, f := range res.Flows {
			if known := f.SenderEnd != record.Unfinished; known != (congestion == "sird") || f.End == record.Unfinished {
				t.Errorf("%s: ended at %v, for its sender at %v", congestion, f.End, f.SenderEnd)
				break
			}
		}
	}
}
