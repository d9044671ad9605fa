package scenario_test

import (
	"strings"
	"testing"

	"weft/scenario"
)

// often has switches notify often in small networks.
const often = "transport.congestion={kind: direct, period: 300ns, threshold: 500B, gap: 400ns}"

// Random scenarios with pauses whose switches stamp acknowledgements and notify senders give the same results, whichever way they
// are run, and account for each frame.
func TestDirectAnyWay(t *testing.T) {
	t.Parallel()
	runs, told := 0, 0
	for i := 0; i < number(200); i += everyWay {
		s := newLosslessSketch(t, i)
		if verified("testdata/scenario.yaml", s.text.String(), often) != nil { // paths that are not symmetric, or two controllers
			continue
		}
		runs++
		want := sameAnyWay(t, s, i, often)
		if differ(want, runRandom(t, s, scenario.RunOptions{}, "transport.congestion=fncc")) != "" {
			told++
		}
	}
	if runs < number(200)/everyWay/3 || told < runs/3 {
		t.Errorf("%d scenarios, of which %d differ from FNCC's", runs, told)
	}
}

// TestNoticesThatPileUp refuses notices that come faster than links take them, and what the refusal says to write drains.
func TestNoticesThatPileUp(t *testing.T) {
	const text = "weft: 1\ntopology: {kind: star, hosts: 16, rate: 100Gbps}\nfabric: {pfc: {xoff: 100KB}, telemetry: {}}\ntransport: {congestion: direct, balancer: ecmp}\ntraffic: [{name: a, pattern: {kind: incast, receiver: host0}, size: 1MB}]\n"
	for options, want := range map[string]string{
		"period: 1ns, gap: 0s":  `gap: "0s" is out of bounds; the least is 1ns`,
		"period: 1ns, gap: 1ns": "a notice of 64B takes 5120ps on a link of 100Gbps, so that notices pile up; write a period or a gap of 6ns or more",
		"period: 1ns, gap: 5ns": "write a period or a gap of 6ns or more",
		"period: 0s":            `period: "0s" is out of bounds; the least is 1ns`,
	} {
		if err := verified("x.yaml", text, "transport.congestion={kind: direct, "+options+"}"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", options, err, want)
		}
	}
	drained(t, simulate(t, text, "transport.congestion={kind: direct, period: 1ns, gap: 6ns}"))
}
