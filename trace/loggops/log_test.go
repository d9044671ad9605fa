package loggops

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/trace"
	"weft/trace/timeline"
	"weft/unit"
)

// TestLog: a log changes no times. Each operation begins and ends in it, computations last as long as they say,
// receives have the send whose message fits them, nothing begins before what it requires, and the last operation ends
// when the replay does.
func TestLog(t *testing.T) {
	operations := 0
	for seed := range uint64(300) {
		tr, p := drawn(seed)
		want, err := Run(context.Background(), tr, p)
		if err != nil || want.Log != nil {
			t.Fatal(err, want.Log)
		}
		p.Log = true
		got, err := Run(context.Background(), tr, p)
		if err != nil {
			t.Fatal(err)
		}
		l := got.Log
		got.Log = nil
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("seed %d: %s", seed, d)
		}
		if _, end := l.Bounds(); end != got.End() && got.Stuck.Total == 0 {
			t.Errorf("seed %d: the last operation ends at %v, not at %v", seed, end, got.End())
		}
		for r := range tr.Ranks {
			s, log := &tr.Ranks[r], &l.Ranks[r]
			for i := range uint32(s.Len()) {
				o, begin, end := s.At(i), log.Begin[i], log.End[i]
				if want.Stuck.Total > 0 && end == timeline.Never {
					continue
				}
				operations++
				if begin == timeline.Never || end < begin {
					t.Fatalf("seed %d: rank %d, %s: from %d to %d", seed, r, s.Describe(i), begin, end)
				}
				took := log.Took[i]
				if (took.Rank >= 0) != (o.Kind == trace.Recv) {
					t.Errorf("seed %d: rank %d, %s took %v", seed, r, s.Describe(i), took)
				}
				if o.Kind == trace.Calc && end-begin != unit.Time(o.Size)*unit.Nanosecond {
					t.Errorf("seed %d: rank %d, %s: from %d to %d", seed, r, s.Describe(i), begin, end)
				}
				if o.Kind == trace.Recv {
					send := tr.Ranks[took.Rank].At(took.Op)
					fits := send.Kind == trace.Send && send.Peer == int32(r) && (o.Peer == trace.AnySource || o.Peer == took.Rank) && (o.Tag == trace.AnyTag || o.Tag == send.Tag)
					if after, work := l.Handling(took); !fits || end < l.Ranks[took.Rank].Begin[took.Op]+after+work && !p.AsLogGOPSim {
						t.Errorf("seed %d: rank %d, %s took %v at %d", seed, r, s.Describe(i), send, end)
					}
				}
				if !p.AsLogGOPSim {
					s.Dependants(i, func(op uint32, start bool) {
						after := end
						if start {
							after = begin
						}
						if b := log.Begin[op]; b != timeline.Never && b < after {
							t.Errorf("seed %d: rank %d, %s begins at %d, before %s at %d", seed, r, s.Name(op), b, s.Name(i), after)
						}
					})
				}
			}
		}
	}
	if operations < 20_000 {
		t.Errorf("only %d operations", operations)
	}
}
