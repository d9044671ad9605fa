package trace_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/trace"
)

// TestSpans: spans come in the order of operations, and a builder begins anew with each schedule.
func TestSpans(t *testing.T) {
	var b trace.Builder
	for range 5 {
		b.Add(trace.Operation{Kind: trace.Calc})
	}
	b.Span(3, 5, 1)
	b.Span(1, 1, 7)
	b.Span(0, 2, 0)
	first := b.Schedule()
	b.Add(trace.Operation{Kind: trace.Calc})
	b.Span(0, 1, 2)
	second := b.Schedule()
	b.Add(trace.Operation{Kind: trace.Calc})
	third := b.Schedule()
	if d := cmp.Diff([]trace.Span{{First: 0, End: 2, Call: 0}, {First: 3, End: 5, Call: 1}}, first.Spans()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]trace.Span{{First: 0, End: 1, Call: 2}}, second.Spans()); d != "" {
		t.Error(d)
	}
	for op, want := range []int32{0, 0, -1, 1, 1} {
		call, ok := first.CallOf(uint32(op))
		if !ok {
			call = -1
		}
		if call != want {
			t.Errorf("operation %d is of call %d, not %d", op, call, want)
		}
	}
	if _, ok := third.CallOf(0); ok {
		t.Error("an operation without spans has a call")
	}
	if third.Spans() != nil {
		t.Error(third.Spans())
	}
}
