package tracing

import (
	"context"
	"testing"

	"weft/trace"
)

// TestMost: a check lists as many faults as are asked for, whichever part of it finds them. Here two ranks wait
// for each other, which only a replay shows.
func TestMost(t *testing.T) {
	const messages = 1500
	tr := &trace.Trace{}
	for r := range int32(2) {
		var b trace.Builder
		for i := range int64(messages) {
			b.Add(trace.Operation{Kind: trace.Recv, Peer: 1 - r, Size: 1, Tag: i})
		}
		for i := range int64(messages) {
			b.Require(b.Add(trace.Operation{Kind: trace.Send, Peer: 1 - r, Size: 1, Tag: i}), 0, false)
		}
		tr.Ranks = append(tr.Ranks, b.Schedule())
	}
	const total = 2*messages + 2 // receives, and operations of each rank that never begin
	for most, want := range map[int]int{3: 3, 2000: 2000, 5000: total} {
		f, err := Program{}.find(context.Background(), tr, most)
		if err != nil || f.Total != total || len(f.List) != want {
			t.Errorf("%d: %d of %d are listed, error %v", most, len(f.List), f.Total, err)
		}
	}
}
