package timeline_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/trace"
	"weft/trace/timeline"
	"weft/unit"
)

// TestCollectives: calls of groups of one class count together, from their first begin to their last end. Those that
// did not end at all ranks are counted alone.
func TestCollectives(t *testing.T) {
	tr := &trace.Trace{Calls: []trace.Call{
		{Name: "all-reduce", Group: "tp0", Ranks: 2, Size: 1000}, {Name: "all-reduce", Group: "tp1", Ranks: 2, Size: 3000},
		{Name: "all-reduce", Group: "dp0", Ranks: 2, Size: 500}, {Name: "all-reduce", Group: "tp0", Ranks: 2, Size: 9}, {Name: "all-gather", Group: "tp0", Ranks: 2, Size: 70},
	}}
	spans := [][]trace.Span{
		{{First: 0, End: 2, Call: 0}, {First: 2, End: 4, Call: 2}, {First: 4, End: 6, Call: 3}, {First: 6, End: 7, Call: 4}},
		{{First: 0, End: 2, Call: 0}, {First: 4, End: 6, Call: 3}},
		{{First: 0, End: 2, Call: 1}, {First: 2, End: 4, Call: 2}},
		{{First: 0, End: 2, Call: 1}},
	}
	for _, list := range spans {
		var b trace.Builder
		for range 8 {
			b.Add(trace.Operation{Kind: trace.Calc})
		}
		for _, s := range list {
			b.Span(s.First, s.End, s.Call)
		}
		tr.Ranks = append(tr.Ranks, b.Schedule())
	}
	l := timeline.New(tr)
	set := func(rank int, op uint32, begin, end unit.Time) {
		l.Ranks[rank].Begin[op], l.Ranks[rank].End[op] = begin, end
	}
	set(0, 0, 10, 30)
	set(0, 1, 5, 20)
	set(1, 0, 7, 9)
	set(1, 1, 9, 40) // call 0: 5 to 40, 25 and 33 at the ranks
	set(2, 0, 100, 150)
	set(2, 1, 100, 120)
	set(3, 0, 110, 160)
	set(3, 1, 160, 200) // call 1: 100 to 200, 50 and 90
	set(0, 2, 1, 2)
	set(0, 3, 2, 3)
	set(2, 2, 4, 5)
	set(2, 3, 5, 8) // call 2: 1 to 8, 2 and 4
	set(0, 4, 50, 60)
	set(0, 5, 60, timeline.Never) // call 3 does not end
	set(1, 4, 50, 60)
	set(0, 6, 0, 35) // call 4
	want := []timeline.Collective{
		{Name: "all-reduce", Group: "tp", Ranks: 2, Calls: 2, Unfinished: 1, Size: 4000, Time: 135, RankTime: 29 + 70},
		{Name: "all-gather", Group: "tp", Ranks: 2, Calls: 1, Size: 70, Time: 35, RankTime: 35},
		{Name: "all-reduce", Group: "dp", Ranks: 2, Calls: 1, Size: 500, Time: 7, RankTime: 3},
	}
	if d := cmp.Diff(want, timeline.Collectives(tr, l)); d != "" {
		t.Error(d)
	}
}

// TestBandwidths: bandwidths are those of nccl-tests, doc/PERFORMANCE.md.
func TestBandwidths(t *testing.T) {
	const n, size = 8, 1 << 30
	for name, share := range map[string]float64{
		"all-reduce": 2 * 7 / 8.0, "reduce-scatter": 7 / 8.0, "all-gather": 7 / 8.0, "all-to-all": 7 / 8.0, "gather": 7 / 8.0, "scatter": 7 / 8.0, "broadcast": 1, "reduce": 1, "matmul": 0,
	} {
		c := timeline.Collective{Name: name, Ranks: n, Calls: 2, Size: size, Time: 10 * unit.Millisecond}
		if got, want := c.Algorithm(), size/0.01; math.Abs(got-want) > 1 {
			t.Errorf("%s: algorithm bandwidth %v, want %v", name, got, want)
		}
		if got, want := c.Bus(), share*size/0.01; math.Abs(got-want) > 1 {
			t.Errorf("%s: bus bandwidth %v, want %v", name, got, want)
		}
	}
	if c := (timeline.Collective{Name: "all-reduce", Size: 5, Ranks: 0}); c.Algorithm() != 0 || c.Bus() != 0 {
		t.Error(c.Algorithm(), c.Bus())
	}
}
