package scenario_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/record"
	"weft/scenario"
)

// TestInterruptsInAnyCut has hosts take frames by interrupts, with losses and faults: all is delivered, later than without, to
// the same bytes of result however the network is cut, and a run that stops in between accounts for what hosts hold.
func TestInterruptsInAnyCut(t *testing.T) {
	for _, control := range []string{"dctcp", "ndp", "eqds", "sird"} {
		t.Run(control, func(t *testing.T) {
			t.Parallel()
			var results []*record.Result
			run := func(o scenario.RunOptions, sets ...string) *record.Result {
				sets = append([]string{"transport.congestion=" + control, "transport.balancer=ops"}, sets...)
				r, err := scenario.Run(t.Context(), load(t, flappingPermutation, sets...), o)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			const often = "fabric.nic_interrupts=5us"
			for _, o := range []scenario.RunOptions{{Domains: 1, Threads: 1, Check: true}, {Domains: 4, Threads: 1}, {Domains: 8, Threads: 2, Check: true}} {
				results = append(results, run(o, often))
			}
			for _, r := range results {
				if r.Summary.Unfinished != 0 || r.Summary.ResultHash != results[0].Summary.ResultHash {
					t.Errorf("%d unfinished, result hash %s, want %s", r.Summary.Unfinished, r.Summary.ResultHash, results[0].Summary.ResultHash)
				}
			}
			if exact := run(scenario.RunOptions{}); exact.Summary.FCT.Mean >= results[0].Summary.FCT.Mean {
				t.Errorf("FCT %v with interrupts, and %v without", results[0].Summary.FCT.Mean, exact.Summary.FCT.Mean)
			}
			run(scenario.RunOptions{Check: true}, often, "until=33us")
		})
	}
}

// TestInterruptsLengthenTimeouts: the bound of the timeout has room for the waits of data and of its acknowledgement, and
// without losses nothing is sent again.
func TestInterruptsLengthenTimeouts(t *testing.T) {
	r := execute(t, parsed(t, recoveryText, "fabric.nic_interrupts=40us", "fabric.queue=10MB"), scenario.RunOptions{})
	if r.Summary.Retransmits != 0 || r.Summary.Timeouts != 0 {
		t.Errorf("%d retransmissions, %d timeouts", r.Summary.Retransmits, r.Summary.Timeouts)
	}
	_, err := scenario.Explain(t.Context(), parsed(t, recoveryText, "fabric.nic_interrupts=40us"), r.Flows[0], nil)
	if err == nil || errors.Is(err, scenario.ErrNotTheSame) || !strings.Contains(err.Error(), "leave nic_interrupts out to explain them") {
		t.Errorf("explain: %v", err)
	}
}

// TestCreditsAndInterrupts checks the books of credits where hosts take frames by interrupts: credits that wait before a host are none
// that are lost.
func TestCreditsAndInterrupts(t *testing.T) {
	t.Parallel()
	const text = `weft: 1
topology: {kind: star, hosts: 2, rate: 10Gbps}
fabric: {credits: {}, classes: 2, queue: infinite, ecn: off, nic_interrupts: %s}
transport: {congestion: expresspass, balancer: ecmp, payload: 1460B}
traffic: [{name: a, pattern: permutation, size: 100kB}]
`
	for _, every := range []string{"null", "1us", "10us", "100us"} {
		res := runWith(t, fmt.Sprintf(text, every), scenario.RunOptions{Check: true})
		drained(t, res)
		if n := res.Summary.Drops.Total(); n > 0 {
			t.Errorf("with interrupts every %s %d frames are dropped", every, n)
		}
	}
}
