package scenario_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/protocol"
	"weft/record"
	"weft/record/section/pauses"
	"weft/scenario"
	"weft/unit"
)

// overloaded is an incast on a star whose pauses take 2 µs and more.
const overloaded = `weft: 1
topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us, switch_latency: 0s}
fabric: {buffer: 8MB, pfc: {xoff: 100KB}, ecn: off}
transport: {congestion: {kind: constant, window: 10MB}, balancer: ecmp, recovery: go-back-n}
traffic: [{name: main, pattern: {kind: incast, receiver: host0}, size: 2MB}]
`

// headroomRemedy is what a notice about headroom says to write.
var headroomRemedy = regexp.MustCompile(`write headroom: ([0-9A-Za-z.]+)`)

// TestHeadroomTooSmall has headroom that does not hold what comes after a pause: notices say so before and after the run, and with
// what they say to write nothing is lost. The whole headroom has no notice.
func TestHeadroomTooSmall(t *testing.T) {
	t.Parallel()
	about := func(notices []string) (found []string) {
		for _, n := range notices {
			if strings.Contains(n, "headroom") {
				found = append(found, n)
			}
		}
		return found
	}
	for headroom, want := range map[string]string{
		"0B":   "fabric.pfc.headroom is 0B, but up to 37545B can come over host0->tor0 after its pause was sent, 37545B more, and 3 more links lack some; what does not fit is dropped (headroom_full), and as it does not hold one frame of 4160B, links may never be paused; leave headroom out, or write headroom: 37545B",
		"10KB": "fabric.pfc.headroom is 10KB, but up to 37545B can come over host0->tor0 after its pause was sent, 27545B more, and 3 more links lack some; what does not fit is dropped (headroom_full); leave headroom out, or write headroom: 37545B",
	} {
		res := runWith(t, overloaded, scenario.RunOptions{}, "fabric.pfc.headroom="+headroom)
		notices := about(res.Manifest.Notices)
		if len(notices) != 2 || notices[0] != want {
			t.Fatalf("headroom %s: notices %q, want first %q", headroom, notices, want)
		}
		lost := fmt.Sprintf("%d frames of lossless classes, ", res.Summary.Drops.HeadroomFull)
		if res.Summary.Drops.HeadroomFull == 0 || !strings.HasPrefix(notices[1], lost) {
			t.Errorf("headroom %s: %d frames were dropped, and the notice is %q", headroom, res.Summary.Drops.HeadroomFull, notices[1])
		}
		for _, n := range notices {
			remedy := headroomRemedy.FindStringSubmatch(n)
			if remedy == nil {
				t.Fatalf("%q has no remedy", n)
			}
			helped := runWith(t, overloaded, scenario.RunOptions{}, "fabric.pfc.headroom="+remedy[1])
			if s := helped.Summary; s.Drops.Total() > 0 || s.Runtime >= res.Summary.Runtime || len(about(helped.Manifest.Notices)) > 0 {
				t.Errorf("with headroom %s there are %d drops, and it takes %v in place of %v; notices %q", remedy[1], s.Drops.Total(), s.Runtime, res.Summary.Runtime, about(helped.Manifest.Notices))
			}
		}
	}
	if notices := about(runWith(t, overloaded, scenario.RunOptions{}).Manifest.Notices); len(notices) > 0 {
		t.Errorf("with the default headroom: %q", notices)
	}
}

// TestQueuesFillTheBuffer has thresholds by queues that a shared buffer cannot hold, which is noted, and the remedies help.
func TestQueuesFillTheBuffer(t *testing.T) {
	const text = `weft: 1
topology: {kind: star, hosts: 8, rate: 100Gbps, delay: 1us}
fabric: {buffer: %s, pfc: {xoff: 500KB, of: %s}, ecn: off}
transport: {congestion: {kind: constant, window: 10MB}, balancer: ecmp, recovery: go-back-n}
traffic:
  - {name: a, pattern: {kind: incast, receiver: host0}, hosts: [host0, host2..host4], size: 2MB}
  - {name: b, pattern: {kind: incast, receiver: host1}, hosts: [host1, host5..host7], size: 2MB}
`
	const told = "with fabric.pfc.of: egress 2 queues fill what a switch shares"
	res := runWith(t, fmt.Sprintf(text, "1200KB", "egress"), scenario.RunOptions{})
	i := slices.IndexFunc(res.Manifest.Notices, func(n string) bool { return strings.Contains(n, told) })
	if i < 0 || res.Summary.Drops.HeadroomFull == 0 {
		t.Fatalf("%d frames were dropped; notices %q", res.Summary.Drops.HeadroomFull, res.Manifest.Notices)
	}
	buffer := regexp.MustCompile(`buffer: ([0-9A-Za-z.]+)}`).FindStringSubmatch(res.Manifest.Notices[i])
	for _, remedy := range [][2]string{{"1200KB", "ingress"}, {buffer[1], "egress"}} {
		helped := runWith(t, fmt.Sprintf(text, remedy[0], remedy[1]), scenario.RunOptions{})
		if n := helped.Summary.Drops.Total(); n > 0 || strings.Contains(strings.Join(helped.Manifest.Notices, "\n"), "fill what a switch shares") {
			t.Errorf("%v: %d drops, notices %q", remedy, n, helped.Manifest.Notices)
		}
	}
}

// TestExpiredPausesAreNamed has pauses that expire, and one remedy for the loss.
func TestExpiredPausesAreNamed(t *testing.T) {
	res := runWith(t, overloaded, scenario.RunOptions{}, "fabric.pfc={xoff: 100KB, quanta: 100, refresh: 0%}")
	told := strings.Join(res.Manifest.Notices, "\n")
	if res.Summary.Drops.HeadroomFull == 0 || !strings.Contains(told, "pauses expire while switches are full (fabric.pfc.refresh: 0%); write fabric: {pfc: {quanta: 132, refresh: 50%}}, or leave quanta and refresh out") {
		t.Errorf("%d frames were dropped; notices %s", res.Summary.Drops.HeadroomFull, told)
	}
	for _, remedy := range []string{"{xoff: 100KB, quanta: 132, refresh: 50%}", "{xoff: 100KB}"} {
		if n := runWith(t, overloaded, scenario.RunOptions{}, "fabric.pfc="+remedy).Summary.Drops.Total(); n > 0 {
			t.Errorf("%s: %d drops", remedy, n)
		}
	}
}

// TestHeadroomOfAllTransports runs every control and transport of hosts on a congested fabric with low thresholds, small packets, long
// replies, stamps and lists: the default headroom holds what comes after pauses, whatever frame it is.
func TestHeadroomOfAllTransports(t *testing.T) {
	t.Parallel()
	reg := weft.Builtin()
	ran, paused := 0, 0
	var refused []string
	for _, kind := range reg.Congestion.Names() {
		c := byDefault(t, kind)
		if c.Needs.Must.Has(protocol.Trimming) || c.Needs.Must.Has(protocol.Credits) {
			refused = append(refused, kind)
			continue // whose drops say something
		}
		classes := max(1, c.Needs.Classes)
		fabric := fmt.Sprintf("classes: %d", classes)
		if c.Needs.Must.Has(protocol.Telemetry) {
			fabric += ", telemetry: {}"
		}
		list := ""
		if c.ListBytes > 0 {
			list = ", look_ahead: members"
		}
		for _, of := range []struct{ reply, jitter string }{{"0B", "none"}, {"5KB", "auto"}, {"0B", "auto"}, {"0B", "300ns"}} {
			reply := of.reply
			if reply != "0B" && c.NewHost != nil {
				continue // which acknowledges in its own way
			}
			if c.Host.CommonClock && of.jitter == "300ns" {
				continue // longer than its stages are here: hardly a request comes in time, and the run takes 100 ms
			}
			scene := load(t, fmt.Sprintf(`weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 1, delay: 10ns, switch_latency: 1ns, rate: 100Gbps}
fabric: {%s, host_jitter: %s, queue: infinite, ecn: {kind: threshold, k: 20KB}, pfc: {xoff: 3KB, xon: 1KB}}
transport: {payload: 200B, congestion: %s, balancer: ecmp, ack: {reply: %s}}
traffic:
  - {name: a, pattern: permutation, size: 32KiB}
  - {name: b, pattern: {kind: incast, receiver: host0}, size: 1KB%s}
`, fabric, of.jitter, kind, reply, list))
			res, err := scenario.Run(context.Background(), scene, scenario.RunOptions{Check: true})
			if err != nil {
				t.Errorf("%s: %v", kind, err)
				continue
			}
			ran++
			s := &res.Summary
			if s.Drops.HeadroomFull > 0 || s.Ended != record.Drained {
				t.Errorf("%s with replies of %s and hosts inexact by %s: %d frames were dropped, and it ended as %s (%s)", kind, reply, of.jitter, s.Drops.HeadroomFull, s.Ended, s.Cause)
			}
			if pauses.Of(s.Sections).Frames > 0 {
				paused++
			}
		}
	}
	if ran < 30 || paused < ran/2 {
		t.Errorf("only %d of %d runs had pauses; refused are %v", paused, ran, refused)
	}
}

// TestLargestOnWire checks what headroom is derived from.
func TestLargestOnWire(t *testing.T) {
	const text = "weft: 1\ntopology: {kind: star, hosts: 4, rate: 100Gbps, delay: 0s, switch_latency: 0s}\nfabric: {classes: 2, pfc: 100KB}\ntransport: {payload: 1000B, header: 50B, ack: {size: 60B}, class: 1, balancer: ecmp, %s}\ntraffic: [{name: main, pattern: {kind: incast, receiver: host0}, size: 10KB%s}]\n"
	for _, c := range []struct {
		transport, traffic string
		want               unit.Bytes
	}{
		{"congestion: dcqcn", "", 1050},
		{"congestion: dcqcn, ack: {reply: 5KB}", "", 5060},
		{"congestion: hpcc", "", 1050 + 42},
		{"congestion: {kind: fncc, count: recent}, ack: {size: 1045B}", "", 1045 + 8 + 4},
		{"congestion: dart", ", look_ahead: members", 1050 + 2*36},
		{"congestion: rcp", "", 1050 + 12},
	} {
		scene := fmt.Sprintf(text, c.transport, c.traffic)
		if strings.Contains(c.transport, "ack: ") {
			scene = strings.Replace(scene, "ack: {size: 60B}, ", "", 1)
			scene = strings.Replace(scene, "ack: {reply", "ack: {size: 60B, reply", 1)
		}
		got, err := load(t, scene).LargestOnWire()
		if err != nil || got != c.want {
			t.Errorf("%s: %v (%v), want %v", c.transport, got, err, c.want)
		}
	}
}
