package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/record"
	"weft/scenario"
)

// tokenRun is traffic for the transports whose receivers let each packet go by a token, with
// balancer, transport, and faults to fill in. Long messages meet short ones.
const tokenRun = hostedTop + `fabric: {classes: 4}
transport: {payload: 1460B, header: 78B, ack: {size: 84B}, congestion: %s, balancer: %s}
traffic:
- {name: main, pattern: {kind: pairs, pairs: [host0->host5, host1->host5, host1->host6, host6->host0]}, size: 600kB}
- {name: small, pattern: tornado, size: 3kB, arrival: {kind: poisson, load: 5%%, count: 20}}
- {name: other, pattern: tornado, size: 200kB, transport: {congestion: dctcp, class: 3}}
%s`

// runTokens demands that all messages arrive, over good and bad links, and the same result
// for any cut and number of threads.
func runTokens(t *testing.T, congestion string) {
	t.Helper()
	for _, balancer := range []string{"ops", "arcane"} {
		for _, fault := range []string{"", "faults: [{kind: loss, links: tor0->spine0, probability: 2%, at: 0s}]\n"} {
			text := fmt.Sprintf(tokenRun, congestion, balancer, fault)
			want := ""
			for _, cut := range [][2]int{{1, 1}, {2, 2}, {4, 1}} {
				res := execute(t, parsed(t, text), scenario.RunOptions{Check: cut[0] == 1, Domains: cut[0], Threads: cut[1]})
				s := &res.Summary
				if s.Ended != record.Drained || s.Unfinished != 0 || s.Messages == 0 {
					t.Fatalf("%s, %q: %d of %d messages unfinished, ended %s: %s", balancer, fault, s.Unfinished, s.Messages, s.Ended, s.Cause)
				}
				if fault != "" && s.Retransmits == 0 {
					t.Errorf("%s: nothing was sent again over a link that loses frames", balancer)
				}
				if want == "" {
					want = s.ResultHash
				} else if s.ResultHash != want {
					t.Errorf("%s, %q: %d domains give another result", balancer, fault, cut[0])
				}
			}
		}
	}
}

// refusal is a scenario that cannot be, and why.
type refusal struct{ name, text, want string }

func refuseHosted(t *testing.T, list []refusal) {
	t.Helper()
	for _, tt := range list {
		t.Run(tt.name, func(t *testing.T) {
			err := verified("x.yaml", hostedTop+tt.text+"traffic:\n- {name: main, pattern: tornado, size: 1MB}\n")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %q", err, tt.want)
			}
		})
	}
}

func TestDcPIMRuns(t *testing.T) { runTokens(t, "dcpim") }

func TestDcPIMRefusals(t *testing.T) {
	const with = "fabric: {classes: 3}\ntransport: {balancer: ops, congestion: {kind: dcpim, "
	refuseHosted(t, []refusal{
		{"priorities", "transport: {congestion: dcpim, balancer: ops}\n",
			"dcpim uses 3 priority classes from class 0 on, but fabric.classes is 1; write fabric: {classes: 3}"},
		{"cutoffs", with + "cutoffs: [10kB, 70kB]}}\n", "dcpim uses 4 priority classes"},
		{"cutoffs fall", with + "cutoffs: [10kB, 10kB]}}\n", "cutoffs[1] is 10KB; cutoffs are at least 1B and rise"},
		{"balancer", "fabric: {classes: 3}\ntransport: {congestion: dcpim, balancer: mptcp}\n", "connections to divide messages over"},
		{"alpha", with + "alpha: 50%}}\n", "alpha"},
		{"channels", with + "channels: 64, rounds: 1, control_rtt: 5us}}\n", "a channel carries less than a packet"},
		{"resend", with + "resend: 3us}}\n", "at least 4 base round-trip times"},
		{"share", with + "short: 50%}}\n", "short is 50%, but a share has no reference here"},
		{"control", "fabric: {classes: 3}\ntransport: {payload: 100B, header: 40B, ack: {size: 200B}, congestion: dcpim, balancer: ops}\n", "make ack.size smaller"},
	})
	const traffic = "traffic:\n- {name: main, pattern: tornado, size: 1MB}\n"
	for option, want := range map[string]string{"token_window: 0.2BDP": "token_window is", "control_rtt: 1us": "less than a base round-trip time"} {
		deep := strings.Replace(with, "classes: 3", "classes: 3, queue: infinite, ecn: off", 1)
		notices, err := parsed(t, hostedTop+deep+option+"}}\n"+traffic).Verify()
		if err != nil || len(notices) != 1 || !strings.Contains(notices[0], want) {
			t.Errorf("%s: notices %q, error %v", option, notices, err)
		}
	}
}

// TestDcPIMOutcast sends from one host to three, of which each takes what it is matched for:
// together they have the sender's link, and hardly anything waits in the network.
func TestDcPIMOutcast(t *testing.T) {
	res := execute(t, parsed(t, hostedTop+`fabric: {classes: 3}
transport: {payload: 1460B, header: 78B, ack: {size: 84B}, congestion: dcpim, balancer: ops}
traffic:
- {name: main, pattern: {kind: pairs, pairs: [host0->host4, host0->host5, host0->host6]}, size: 20MB}
until: 1ms
measure: {from: 400us}
`), scenario.RunOptions{})
	line := float64((100_000_000_000 * 600) / 8 / 1_000_000) // bytes of 600 us
	for _, p := range res.Ports {
		if p.Name == "host0->tor0" && float64(p.SentBytes) < 0.97*line {
			t.Errorf("the sender's link carried %d B, of %.0f", p.SentBytes, line)
		}
		if p.QueueMax > 20*1538 {
			t.Errorf("%d B waited at %s", p.QueueMax, p.Name)
		}
	}
}
