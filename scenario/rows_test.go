package scenario_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/record"
)

// TestRecordedRows: every policy keeps rows of the same run, in order of ID: the measured
// messages, a share of these, or all; and none pins memory for more.
func TestRecordedRows(t *testing.T) {
	const text = `
weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2}
transport: {congestion: dctcp}
traffic:
- {name: rpc, pattern: uniform, size: 8KiB, arrival: {kind: poisson, load: 50%}, stop: 100us}
- {name: bulk, pattern: permutation, size: 64KiB, arrival: {kind: closed, count: 3}}
measure: {from: 20us, to: 80us}
record: `
	all := simulate(t, text+"{flows: all}")
	window := simulate(t, text+"{flows: window}")
	sampled := simulate(t, text+"{flows: sample, sample: {share: 30%}}")
	var measured []record.Flow
	for i, f := range all.Flows {
		if i > 0 && f.ID <= all.Flows[i-1].ID {
			t.Errorf("message %x comes after %x", f.ID, all.Flows[i-1].ID)
		}
		if f.Measured {
			measured = append(measured, f)
		}
	}
	if len(measured) < 100 || len(measured) == len(all.Flows) {
		t.Fatalf("%d of %d messages are measured", len(measured), len(all.Flows))
	}
	if diff := cmp.Diff(measured, window.Flows); diff != "" {
		t.Errorf("the measured of all and those of the window (-all +window):\n%s", diff)
	}
	if share := float64(len(sampled.Flows)) / float64(len(measured)); share < 0.15 || share > 0.45 {
		t.Errorf("a share of %v was kept, want about 0.3", share)
	}
	rest := window.Flows
	for _, f := range sampled.Flows {
		for len(rest) > 0 && rest[0].ID < f.ID {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0] != f {
			t.Fatalf("%+v is not the row has the window", f)
		}
	}
	for _, r := range []*record.Result{all, window, sampled} {
		if cap(r.Flows) != len(r.Flows) {
			t.Errorf("%d rows have room for %d", len(r.Flows), cap(r.Flows))
		}
		if r.Summary.ResultHash != all.Summary.ResultHash || r.Summary.Messages != int64(len(measured)) {
			t.Errorf("%d messages with hash %s, want %d with %s", r.Summary.Messages, r.Summary.ResultHash, len(measured), all.Summary.ResultHash)
		}
		if diff := cmp.Diff(all.Summary.Groups, r.Summary.Groups); diff != "" {
			t.Errorf("groups (-all +other):\n%s", diff)
		}
	}
}
