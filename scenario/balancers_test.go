package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"weft"
	"weft/scenario"
)

// flappingPermutation meets congestion, a dead link and a slow one.
const flappingPermutation = `weft: 1
topology: {kind: fat-tree, tiers: 3, radix: 4, rate: 100Gbps}
traffic: [{name: main, pattern: permutation, size: 256KiB}]
faults:
  - {kind: link-down, links: "tor0->agg0", at: 10us, for: 300us}
  - {kind: degrade, links: "agg2->core1", at: 5us, rate: 50Gbps}
routing: {reconverge: 100us}
`

// balancers are all that there are, but those of their options that change what
// switches or senders do.
func balancers() []string {
	return append(weft.Builtin().Balancers.Names(),
		"{kind: ops, at: switch}", "{kind: round-robin, at: switch}",
		"{kind: adaptive-roce, load: time, step: 1us, local_failures: avoid}", "{kind: adaptive-roce, choices: 2, bin: 8KiB, ties: first}", "{kind: adaptive-roce, ties: ranked}",
		"{kind: letflow, gap: 1us, flowlets: 16}", "{kind: plb, rounds: 2, threshold: 50%, pause: 50us}",
		"{kind: bitmap, entropies: 64, max_penalty: 15}", "{kind: arcane, preset: code}", "{kind: arcane, exit: probe}")
}

// TestBalancersDeliver runs every balancer, cut in different ways: each delivers
// everything, and to the same bytes of result.
func TestBalancersDeliver(t *testing.T) {
	for _, b := range balancers() {
		t.Run(b, func(t *testing.T) {
			t.Parallel()
			want := ""
			for _, o := range []scenario.RunOptions{
				{Domains: 1, Threads: 1, Check: true}, {Domains: 4, Threads: 1}, {Domains: 8, Threads: 2, Check: true},
			} {
				r, err := scenario.Run(t.Context(), load(t, flappingPermutation, "transport.balancer="+b), o)
				if err != nil {
					t.Fatal(err)
				}
				s := &r.Summary
				if s.Messages != 16 || s.Unfinished != 0 {
					t.Fatalf("%d of %d messages are unfinished", s.Unfinished, s.Messages)
				}
				if want == "" {
					want = s.ResultHash
				}
				if s.ResultHash != want {
					t.Errorf("%d domains, %d threads: result hash %s, want %s", o.Domains, o.Threads, s.ResultHash, want)
				}
			}
		})
	}
}

// TestManyWaysToSpray has as many groups spray in different ways as frames can tell apart, cut in different ways. One more is refused.
func TestManyWaysToSpray(t *testing.T) {
	const most = 31
	text := "weft: 1\ntopology: {kind: leaf-spine, tors: 3, hosts_per_tor: 2, spines: 4, rate: 10Gbps}\ntraffic:\n"
	for i := range most {
		text += fmt.Sprintf("  - {name: g%d, pattern: permutation, size: 20KB, transport: {balancer: {kind: adaptive-roce, bin: %dB}}}\n", i, 100*i+1)
	}
	want := ""
	for _, o := range []scenario.RunOptions{{Domains: 1, Threads: 1, Check: true}, {Domains: 7, Threads: 2, Check: true}} {
		r, err := scenario.Run(t.Context(), load(t, text), o)
		if err != nil {
			t.Fatal(err)
		}
		if s := &r.Summary; s.Messages != 6*most || s.Unfinished != 0 {
			t.Errorf("%d of %d messages are unfinished", s.Unfinished, s.Messages)
		}
		if want == "" {
			want = r.Summary.ResultHash
		}
		if r.Summary.ResultHash != want {
			t.Errorf("%d domains: result hash %s, want %s", o.Domains, r.Summary.ResultHash, want)
		}
	}
	text += "  - {name: more, pattern: permutation, size: 20KB, transport: {balancer: {kind: adaptive-roce, bin: 7B}}}\n"
	_, err := scenario.Run(t.Context(), load(t, text), scenario.RunOptions{})
	if err == nil || !strings.Contains(err.Error(), "more than 31 different ways") {
		t.Errorf("error %v", err)
	}
}
