package tracing

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/trace"
	"weft/trace/loggops"
	"weft/trace/timeline"
	"weft/unit"
)

// called is a replay in which two ranks compute for 1 µs and 3 µs in a call, and one call does not end.
func called(t *testing.T) *replayed {
	t.Helper()
	tr := &trace.Trace{Calls: []trace.Call{{Name: "all-reduce", Group: "dp3", Ranks: 2, Size: 6000}, {Name: "all-reduce", Group: "dp4", Ranks: 2, Size: 6000}}}
	for r := range 2 {
		var b trace.Builder
		b.Add(trace.Operation{Kind: trace.Calc, Size: int64(1000 + 2000*r)})
		b.Add(trace.Operation{Kind: trace.Recv, Peer: int32(1 - r)})
		b.Span(0, 1, 0)
		b.Span(1, 2, 1)
		tr.Ranks = append(tr.Ranks, b.Schedule())
	}
	r, err := loggops.Run(context.Background(), tr, loggops.Parameters{Log: true})
	if err != nil {
		t.Fatal(err)
	}
	return newReplayed(tr, r.Log)
}

// TestCollectives: calls have times and bandwidths, in the table and as JSON.
func TestCollectives(t *testing.T) {
	var b bytes.Buffer
	r := called(t)
	if err := (Program{Stdout: &b}).collectives(r); err != nil {
		t.Fatal(err)
	}
	want := `
CALL        GROUPS  RANKS   CALLS  BYTES  TIME, NS  RANK TIME, NS  ALGBW, GB/S  BUSBW, GB/S
all-reduce  dp          2  1 of 2   6000      3000           2000            2            2
bytes and times are added up over calls; bandwidths are those of nccl-tests
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
	var o ends
	o.add(r, &views{})
	if d := cmp.Diff([]callClass{{"all-reduce", "dp", 2, 1, 1, 6000, 3000, 2000, 2e9, 2e9}}, o.Calls); d != "" {
		t.Error(d)
	}
	if o.Critical.Compute != 3000 || o.Critical.Segments != 1 || o.Critical.Path != nil || len(o.Ranks) != 2 || o.Ranks[0].Waiting != 2000 {
		t.Errorf("%+v", o)
	}
}

// TestManyRanks: the table of ranks ends after some, and the means are of all.
func TestManyRanks(t *testing.T) {
	tr := &trace.Trace{}
	ends := make([]unit.Time, mostRanks+3)
	for r := range ends {
		var b trace.Builder
		b.Add(trace.Operation{Kind: trace.Calc, Size: 100})
		if r >= mostRanks {
			b.Add(trace.Operation{Kind: trace.Calc, Size: 200, CPU: 1})
		}
		tr.Ranks = append(tr.Ranks, b.Schedule())
	}
	r, err := loggops.Run(context.Background(), tr, loggops.Parameters{Log: true})
	if err != nil {
		t.Fatal(err)
	}
	rows, means := newReplayed(tr, r.Log).rankRows(r.Ends)
	if last := rows[len(rows)-1]; len(rows) != mostRanks+2 || last[0] != "3 more, which --json lists" {
		t.Errorf("%d rows, the last is %v", len(rows), last)
	}
	// 64 of 67 ranks compute for half of the time.
	if !strings.HasPrefix(means, "computing 52 %, ") || !strings.HasSuffix(means, "done 48 %") {
		t.Error(means)
	}
}

// TestTransfers: messages of a path count by collective and class of groups, and those of none together.
func TestTransfers(t *testing.T) {
	tr := &trace.Trace{Calls: []trace.Call{{Name: "all-reduce", Group: "tp0", Ranks: 2}, {Name: "all-reduce", Group: "tp1", Ranks: 2}, {Name: "all-gather", Ranks: 2}}}
	var b trace.Builder
	for range 5 {
		b.Add(trace.Operation{Kind: trace.Send})
	}
	b.Span(0, 1, 0)
	b.Span(1, 2, 1)
	b.Span(3, 4, 2)
	tr.Ranks = []trace.Schedule{b.Schedule()}
	r := &replayed{trace: tr}
	var path timeline.Path
	at := unit.Time(0)
	for op, lasts := range []unit.Time{10, 20, 100, 40, 3} {
		path = append(path, timeline.Segment{Begin: at, End: at + lasts, Class: timeline.Transfer, Op: timeline.Ref{Op: uint32(op)}})
		at += lasts
	}
	path[2].Class = timeline.Compute
	want := []transfers{{"all-gather", "", 40}, {"all-reduce", "tp", 30}, {"no collective", "", 3}}
	if got := r.transfers(path); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := r.transfers(path[4:]); got != nil {
		t.Errorf("without collectives: %v", got)
	}
}
