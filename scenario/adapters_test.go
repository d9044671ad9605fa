package scenario_test

import (
	"fmt"
	"testing"

	"weft/unit"
)

// One flow alone has the line for itself with each control of adapters that begins at line rate,
// and takes as long as with a window that is never full.
func TestAdaptersAlone(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 1, spines: 1, rate: 100Gbps}
fabric: {queue: infinite, ecn: {kind: threshold, k: 100kB}}
transport: {balancer: ecmp}
traffic: [{name: main, pattern: {kind: incast, senders: 1}, size: 3MB}]
`
	want := simulate(t, text, "transport.congestion={kind: constant, window: 64MiB}").Summary.FCT.Max
	for _, control := range []string{
		"dcqcn-nic", "timely", "{kind: timely, preset: paper}", "{kind: timely, preset: scaled, window: 2BDP}", "{kind: dctcp-rate, window: 2BDP}",
	} {
		res := simulate(t, text, "transport.congestion="+control)
		drained(t, res)
		if got := res.Summary.FCT.Max; got != want {
			t.Errorf("%s: the flow takes %v, and %v at line rate", control, got, want)
		}
	}
}

// Two flows into one host fill its link, but for what cuts leave, and neither starves. The queue
// stays where each control steers it: near the threshold of marks, or below high.
func TestAdaptersShare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		control string
		most    float64 // time, in multiples of that at line rate
		queue   unit.Time
	}{
		{"dcqcn-nic", 1.6, 100 * unit.Microsecond}, {"timely", 1.3, 110 * unit.Microsecond},
		{"{kind: timely, preset: scaled}", 1.5, 30 * unit.Microsecond}, {"dctcp-rate", 1.02, 10 * unit.Microsecond},
	} {
		ecn := "{kind: red, kmin: 400kB, kmax: 1600kB, pmax: 20%}"
		if tt.control == "dctcp-rate" {
			ecn = "{kind: threshold, k: 300kB}"
		}
		res := simulate(t, fmt.Sprintf(`weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps}
fabric: {queue: infinite, ecn: %s}
transport: {balancer: ecmp, payload: 1000B, header: 48B, rto: 50ms, congestion: %s}
traffic: [{name: main, pattern: {kind: incast, senders: 2}, size: 20MB}]
`, ecn, tt.control))
		drained(t, res)
		fct := res.Summary.FCT
		line := (100 * unit.Gbps).Transmit(2 * 20_000 * 1048)
		if float64(fct.Max) > tt.most*float64(line) || float64(fct.P50) < 0.85*float64(fct.Max) || res.Summary.RTT.Max > tt.queue {
			t.Errorf("%s: flows take %v and %v, %v at line rate; the longest RTT is %v", tt.control, fct.P50, fct.Max, line, res.Summary.RTT.Max)
		}
	}
}
