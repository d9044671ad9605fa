package scenario_test

import (
	"testing"

	"weft/record"
	"weft/scenario"
	"weft/unit"
)

const ndpText = `weft: 1
topology: {kind: leaf-spine, tors: 4, hosts_per_tor: 4, spines: 4, rate: 100Gbps, delay: 1us}
fabric: {queue: 72kB, ecn: "off", overflow: trim, trim: {header: 64B, queue: 72kB, victim: coin}}
transport: {payload: 8936B, header: 64B, ack: {size: 64B}, congestion: ndp, balancer: ops}
`

// TestNDPIncast lets 15 hosts push to one: queues of 8 packets trim most of the first
// windows, nothing else is lost, no sender waits for a timeout, and the receiver's link
// stays full.
func TestNDPIncast(t *testing.T) {
	res := execute(t, parsed(t, ndpText+`traffic:
- {name: main, pattern: incast, size: 1MB}
`), scenario.RunOptions{Check: true})
	s := &res.Summary
	if s.Unfinished > 0 || s.Timeouts > 0 || s.Drops.Total() > 0 || s.Trims < 50 {
		t.Errorf("%d unfinished, %d timeouts, %d drops, %d trims", s.Unfinished, s.Timeouts, s.Drops.Total(), s.Trims)
	}
	full := (100 * unit.Gbps).Transmit(15 * 1_000_000 * 9000 / 8936)
	if s.Runtime < full || s.Runtime > full*105/100 {
		t.Errorf("%v; the link alone takes %v", s.Runtime, full)
	}
	for i := range res.Ports {
		if p := &res.Ports[i]; p.QueueMax > 2*72*unit.KB && p.From[0] != 'h' {
			t.Errorf("%s held %v", p.Name, p.QueueMax)
		}
	}
}

// TestNDPRuns demands the same result for any cut, over good links and bad ones.
func TestNDPRuns(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"", "faults: [{kind: loss, links: tor0->spine0, probability: 2%, at: 0s}]\n"} {
		text := ndpText + `traffic:
- {name: main, pattern: alltoall, size: 2MB}
- {name: small, pattern: tornado, size: 3kB, arrival: {kind: poisson, load: 5%, count: 20}}
` + fault
		want := ""
		for _, cut := range [][2]int{{1, 1}, {3, 2}} {
			res := execute(t, parsed(t, text), scenario.RunOptions{Check: cut[0] == 1, Domains: cut[0], Threads: cut[1]})
			s := &res.Summary
			if s.Ended != record.Drained || s.Unfinished != 0 || s.Messages == 0 {
				t.Fatalf("%q: %d of %d messages unfinished, ended %s: %s", fault, s.Unfinished, s.Messages, s.Ended, s.Cause)
			}
			if fault != "" && s.Timeouts == 0 {
				t.Error("no timeout over a link that loses frames")
			}
			if want == "" {
				want = s.ResultHash
			} else if s.ResultHash != want {
				t.Errorf("%q: %d domains give another result", fault, cut[0])
			}
		}
	}
}
