package scenario_test

import (
	"strings"
	"testing"
)

func TestPHostRuns(t *testing.T) { runTokens(t, "phost") }

func TestPHostRefusals(t *testing.T) {
	const with = "fabric: {classes: 3}\ntransport: {balancer: ops, congestion: {kind: phost, "
	refuseHosted(t, []refusal{
		{"priorities", "fabric: {classes: 1}\ntransport: {congestion: phost, balancer: ops}\n",
			"phost uses 3 priority classes from class 0 on, but fabric.classes is 1; write fabric: {classes: 3}"},
		{"balancer", "fabric: {classes: 3}\ntransport: {congestion: phost, balancer: mptcp}\n", "connections to divide messages over"},
		{"window", with + "window: 1000B}}\n", "window is 1KB, less than a packet"},
		{"life", with + "life: 50%}}\n", "life"},
		{"free_for", with + "free_for: none}}\n", "free_for"},
		{"silence", with + "silence: 3us}}\n", "at least 4 base round-trip times"},
		{"control", "fabric: {classes: 3}\ntransport: {payload: 100B, header: 40B, ack: {size: 200B}, congestion: phost, balancer: ops}\n", "make ack.size smaller"},
	})
	deep := strings.Replace(with, "classes: 3", "classes: 3, queue: infinite, ecn: off", 1)
	notices, err := parsed(t, hostedTop+deep+"window: 0.2BDP}}\ntraffic:\n- {name: main, pattern: tornado, size: 1MB}\n").Verify()
	if err != nil || len(notices) != 1 || !strings.Contains(notices[0], "a lone message is downgraded") {
		t.Errorf("notices %q, error %v", notices, err)
	}
}
