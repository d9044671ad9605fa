package scenario_test

import (
	"math"
	"strings"
	"testing"

	"weft/record/section/convergence"
	"weft/scenario"
	"weft/unit"
)

// joinText has a long flow, and another sender that comes to its receiver, whose link is ten times as fast, so that nothing waits there.
const joinText = `weft: 1
topology:
  kind: graph
  nodes: [{name: host0..host2}, {name: s0, kind: switch, latency: 0s}]
  links:
    - {a: host0, b: s0, rate: 10Gbps, delay: 3us}
    - {a: host1, b: s0, rate: 10Gbps, delay: 3us}
    - {a: host2, b: s0, rate: 100Gbps, delay: 3us}
fabric: {host_jitter: none, queue: 20MB, ecn: {kind: threshold, k: 1MB}}
transport:
  payload: 1186B
  header: 64B
  ack: {size: 125B}
  connection: pair
  balancer: ecmp
  recovery: selective
  congestion: {kind: dart, fallback: none, rate: sender, count_bytes: 0B}
traffic:
  - {name: long, pattern: {kind: pairs, pairs: [host0->host2]}, size: 2MB}
  - {name: burst, pattern: {kind: pairs, pairs: [host1->host2]}, size: 200kB, start: 100300ns}
record: {convergence: true}
`

// TestConvergence: a sender takes notice of another one in a round trip. All of it is known: a full frame takes F = 1 us on its link
// and f = 100 ns on the receiver's, an acknowledgement A = 100 ns and a = 10 ns, and light d = 3 us over a link. Frames of the long flow
// leave at each us. Expected, before the first run:
//
//	the first frame of the burst comes at 100.3 + F + d + f + d = 107.4 us
//	the next one of the long flow comes 0.7 us later, at 101 + F + d + f + d = 108.1
//	its acknowledgement comes at 108.1 + a + d + A + d = 114.21
//	the frame after that would leave at 115; at half the rate what is left of the wait doubles: 114.21 + 2 · 0.79 = 115.79
//	it comes at 115.79 + F + d + f + d = 122.89
func TestConvergence(t *testing.T) {
	const want = (122_890 - 107_400) * unit.Nanosecond
	for _, set := range [][]string{nil, {"engine.domains=3"}, {"measure.from=107400ns", "measure.to=107401ns"}} {
		res := execute(t, parsed(t, joinText, set...), scenario.RunOptions{})
		got := convergence.Of(res.Summary.Sections)
		if got == nil || *got != (convergence.Times{Count: 1, P50: got.P50, P90: got.P50, P99: got.P50, Worst: want}) ||
			math.Abs(float64(got.P50-want)) > 0.004*float64(want) {
			t.Errorf("%v: %+v, want one of %v", set, got, want)
		}
	}
	for _, set := range [][]string{{"measure.from=107401ns"}, {"measure.to=107400ns"}} { // others come before or after
		if got := convergence.Of(execute(t, parsed(t, joinText, set...), scenario.RunOptions{}).Summary.Sections); got == nil || got.Count != 0 {
			t.Errorf("%v: %+v, want none", set, got)
		}
	}
}

// TestConvergenceChangesNothing: a run has the same result, measured or not, and no section if nobody asks.
func TestConvergenceChangesNothing(t *testing.T) {
	hashes := map[string]bool{}
	for _, set := range []string{"record.convergence=true", "record.convergence=false"} {
		res := execute(t, parsed(t, joinText, set, "traffic.burst.arrival=closed", "traffic.burst.arrival.count=5"), scenario.RunOptions{})
		hashes[res.Summary.ResultHash] = true
		if asked := strings.HasSuffix(set, "true"); (convergence.Of(res.Summary.Sections) != nil) != asked {
			t.Errorf("%s: section %+v", set, convergence.Of(res.Summary.Sections))
		}
	}
	if len(hashes) != 1 {
		t.Errorf("results differ: %v", hashes)
	}
}

// TestConvergenceOfOthers: what cannot be measured is noted.
func TestConvergenceOfOthers(t *testing.T) {
	res := execute(t, parsed(t, joinText, "transport.congestion=dctcp"), scenario.RunOptions{})
	if notices := strings.Join(res.Manifest.Notices, "\n"); !strings.Contains(notices, "record.convergence: true recorded nothing") || convergence.Of(res.Summary.Sections) != nil {
		t.Errorf("notices %q, section %+v", notices, convergence.Of(res.Summary.Sections))
	}
}
