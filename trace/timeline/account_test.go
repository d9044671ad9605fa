package timeline_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/trace"
	"weft/trace/goal"
	"weft/trace/internal/draw"
	"weft/trace/loggops"
	"weft/trace/timeline"
	"weft/unit"
)

// replay replays a trace by LogGOPS.
func replay(t testing.TB, tr *trace.Trace, p loggops.Parameters) *timeline.Log {
	t.Helper()
	p.Log = true
	r, err := loggops.Run(context.Background(), tr, p)
	if err != nil {
		t.Fatal(err)
	}
	return r.Log
}

func read(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := goal.ReadText(strings.NewReader(text), "t")
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// drawn is a random trace with its replay, the same one from the same seed. Some get stuck, and in some messages
// are held.
func drawn(t testing.TB, seed uint64) (tr *trace.Trace, l *timeline.Log, held bool) {
	rnd := rand.New(rand.NewPCG(seed, 0x71e))
	some := func(most int64) unit.Time {
		if rnd.IntN(4) == 0 {
			return 0
		}
		return unit.Time(rnd.Int64N(most)+1) * unit.Nanosecond
	}
	p := loggops.Parameters{
		Latency: some(3000), Overhead: some(1000), Gap: some(1500), GapPerByte: some(8), OverheadPerByte: some(4), Eager: 1 + rnd.Int64N(400),
	}
	tr = draw.Trace(seed, draw.Shape{
		Ranks: 1 + rnd.IntN(8), Messages: rnd.IntN(120), Calcs: rnd.IntN(120), CPUs: 1 + rnd.IntN(4), NICs: 1 + rnd.IntN(2), Eager: p.Eager, Wildcards: rnd.IntN(4) == 0, Distinct: rnd.IntN(2) == 0,
	})
	l = replay(t, tr, p)
	if held = rnd.IntN(3) == 0; held {
		l.Waits = func(send timeline.Ref) timeline.Wait {
			if tr.Ranks[send.Rank].At(send.Op).Size > p.Eager {
				return timeline.Held
			}
			return timeline.Eager
		}
	}
	return tr, l, held
}

// naive asks at each instant what each operation does.
func naive(tr *trace.Trace, l *timeline.Log, rank int, begin, end unit.Time) (list []timeline.Interval) {
	instants := []unit.Time{begin, end}
	for r := range l.Ranks {
		instants = append(append(instants, l.Ranks[r].Begin...), l.Ranks[r].End...)
	}
	slices.Sort(instants)
	instants = slices.Compact(instants)
	for k, at := range instants[:len(instants)-1] {
		if at < begin || at >= end {
			continue
		}
		list = append(list, timeline.Interval{Begin: at, End: min(instants[k+1], end), State: stateAt(tr, l, rank, at)})
	}
	return list
}

func stateAt(tr *trace.Trace, l *timeline.Log, rank int, at unit.Time) timeline.State {
	var computes, moves, awaits, left bool
	log := &l.Ranks[rank]
	for i := range uint32(tr.Ranks[rank].Len()) {
		ended := log.End[i] != timeline.Never && log.End[i] <= at
		left = left || !ended
		if log.Begin[i] == timeline.Never || log.Begin[i] > at || ended {
			continue
		}
		o := tr.Ranks[rank].At(i)
		switch o.Kind {
		case trace.Calc:
			computes = true
		case trace.Send:
			posted := true
			if me := (timeline.Ref{Rank: int32(rank), Op: i}); l.Waits(me) == timeline.Held {
				k := slices.Index(l.Ranks[o.Peer].Took, me)
				posted = k >= 0 && l.Ranks[o.Peer].Begin[k] <= at
			}
			moves, awaits = moves || posted, true
		case trace.Recv:
			if from := log.Took[i]; from.Rank >= 0 {
				moves = moves || l.Ranks[from.Rank].Begin[from.Op] <= at
			}
			awaits = true
		}
	}
	switch {
	case computes:
		return timeline.Computing
	case moves:
		return timeline.Exposed
	case awaits:
		return timeline.Waiting
	case left:
		return timeline.Idle
	}
	return timeline.Done
}

// TestAccountByInstants: the times of random replays are those that looking at each instant gives, and add up.
func TestAccountByInstants(t *testing.T) {
	var all timeline.Times
	held, stuck := 0, 0
	for seed := range uint64(400) {
		tr, l, isHeld := drawn(t, seed)
		begin, end := l.Bounds()
		if seed%5 == 0 { // a window that cuts operations
			begin, end = begin+(end-begin)/5, end-(end-begin)/3
		}
		if isHeld {
			held++
		}
		for r, got := range timeline.Account(tr, l, begin, end) {
			if got.Total() != end-begin {
				t.Errorf("seed %d, rank %d: the times add up to %d of %d", seed, r, got.Total(), end-begin)
			}
			var want timeline.Times
			for _, i := range naive(tr, l, r, begin, end) {
				want[i.State] += i.End - i.Begin
			}
			if got != want {
				t.Fatalf("seed %d, rank %d: %v, want %v", seed, r, got, want)
			}
			for state := range got {
				all[state] += got[state]
			}
			if slices.Contains(l.Ranks[r].End, timeline.Never) {
				stuck++
			}
		}
	}
	for state, sum := range all {
		if sum == 0 {
			t.Errorf("no rank is ever %v", timeline.State(state))
		}
	}
	if held < 50 || stuck < 20 {
		t.Errorf("messages are held in %d replays, and %d ranks do not end", held, stuck)
	}
}

// TestTimeline: drawn exactly it is what the instants give. Drawn coarsely it has no gaps and few intervals, shows
// long ones as they are, and each state for about as long as it took.
func TestTimeline(t *testing.T) {
	merged, long := 0, 0
	for seed := range uint64(300) {
		tr, l, _ := drawn(t, seed)
		begin, end := l.Bounds()
		if begin == end {
			continue
		}
		var ranks []int32
		for r := range tr.Ranks {
			ranks = append(ranks, int32(r))
		}
		exact := timeline.Timeline(tr, l, ranks, begin, end, 0)
		resolution := (end - begin) / unit.Time(3+seed%60)
		times := timeline.Account(tr, l, begin, end)
		for i, coarse := range timeline.Timeline(tr, l, ranks, begin, end, resolution) {
			if d := cmp.Diff(joined(naive(tr, l, i, begin, end)), exact[i]); d != "" {
				t.Fatalf("seed %d, rank %d: %s", seed, i, d)
			}
			if len(coarse) < len(exact[i]) {
				merged++
			}
			at := begin
			var shown timeline.Times
			for _, v := range coarse {
				if v.Begin != at || v.End <= v.Begin {
					t.Fatalf("seed %d, rank %d: %v at %d", seed, i, v, at)
				}
				at = v.End
				shown[v.State] += v.End - v.Begin
			}
			if at != end {
				t.Errorf("seed %d, rank %d: ends at %d, not %d", seed, i, at, end)
			}
			if most := 2*int((end-begin)/max(resolution, 1)) + 2; len(coarse) > most {
				t.Errorf("seed %d, rank %d: %d intervals, more than %d", seed, i, len(coarse), most)
			}
			for state := range shown {
				if d := shown[state] - times[i][state]; max(d, -d) > 4*resolution {
					t.Errorf("seed %d, rank %d: %v for %d, but it took %d, and the resolution is %d", seed, i, timeline.State(state), shown[state], times[i][state], resolution)
				}
			}
			for _, v := range exact[i] {
				if v.End-v.Begin < resolution {
					continue
				}
				long++
				if !slices.ContainsFunc(coarse, func(c timeline.Interval) bool {
					return c.State == v.State && c.Begin <= v.Begin && c.End >= v.End
				}) {
					t.Errorf("seed %d, rank %d: %v is not shown", seed, i, v)
				}
			}
		}
	}
	if merged < 300 || long < 300 {
		t.Errorf("%d rows have fewer intervals, and %d intervals are long", merged, long)
	}
}

// TestTimelineShares: where all intervals are too short to be drawn, each state gets its share nevertheless.
func TestTimelineShares(t *testing.T) {
	const times = 10_000
	var b trace.Builder
	for range 2 * times {
		b.Add(trace.Operation{Kind: trace.Calc})
	}
	tr := &trace.Trace{Ranks: []trace.Schedule{b.Schedule()}}
	l := timeline.New(tr)
	for i := range unit.Time(times) { // computes for 5, is idle for 2
		l.Ranks[0].Begin[i], l.Ranks[0].End[i] = 7*i, 7*i+5
	}
	var shown timeline.Times
	for _, v := range timeline.Timeline(tr, l, []int32{0}, 0, 7*times, 50)[0] {
		shown[v.State] += v.End - v.Begin
	}
	if idle := shown[timeline.Idle]; idle < 2*times-100 || idle > 2*times+100 {
		t.Errorf("idle for %d of %d, want %d", idle, 7*times, 2*times)
	}
}

// joined joins intervals of one state.
func joined(list []timeline.Interval) (out []timeline.Interval) {
	for _, i := range list {
		if n := len(out); n > 0 && out[n-1].State == i.State {
			out[n-1].End = i.End
			continue
		}
		out = append(out, i)
	}
	return out
}

// wanted is times in nanoseconds: computing, exposed, waiting, idle, done.
type wanted [timeline.States]int64

func accounted(t *testing.T, tr *trace.Trace, p loggops.Parameters) (out []wanted) {
	t.Helper()
	l := replay(t, tr, p)
	begin, end := l.Bounds()
	for _, times := range timeline.Account(tr, l, begin, end) {
		var w wanted
		for i, v := range times {
			w[i] = int64(v / unit.Nanosecond)
		}
		out = append(out, w)
	}
	return out
}

// TestPingPong: a message takes m = o + L + o + (s-1)G. A rank waits for the other one until that sends, which is
// when its own message has arrived.
func TestPingPong(t *testing.T) {
	const rounds, size, l, o, g = 5, 101, 700, 30, 2
	const m = o + l + o + (size-1)*g
	blocks := [2]strings.Builder{}
	for k := range rounds {
		for r := range blocks {
			kinds := []string{fmt.Sprintf("s%d: send %db to %d tag %d", k, size, 1-r, k), fmt.Sprintf("r%d: recv %db from %d tag %d", k, size, 1-r, k)}
			before := fmt.Sprintf("r%d requires s%d", k, k)
			next := fmt.Sprintf("s%d requires r%d", k, k-1)
			if r == 1 {
				before = fmt.Sprintf("s%d requires r%d", k, k)
				next = fmt.Sprintf("r%d requires s%d", k, k-1)
			}
			if k == 0 {
				next = ""
			}
			fmt.Fprintf(&blocks[r], "%s\n%s\n%s\n%s\n", kinds[0], kinds[1], before, next)
		}
	}
	tr := read(t, fmt.Sprintf("num_ranks 2\nrank 0 {\n%s}\nrank 1 {\n%s}\n", &blocks[0], &blocks[1]))
	n := unit.Nanosecond
	p := loggops.Parameters{Latency: l * n, Overhead: o * n, GapPerByte: g * n, Eager: math.MaxInt64}
	// Rank 1 waits for nothing at first, since the first message goes at once.
	want := []wanted{
		{0, rounds * (o + m), rounds * (m - o), 0, 0},
		{0, rounds*(m+o) - 0, (rounds - 1) * (m - o), 0, m - o},
	}
	if d := cmp.Diff(want, accounted(t, tr, p)); d != "" {
		t.Error(d)
	}
}

// TestRing: a ring all-reduce of n ranks has 2(n-1) steps. In each, a rank sends, receives, and in the first half
// adds what it received. Nobody waits, since all send at once.
func TestRing(t *testing.T) {
	const ranks, size, adds, l, o, g = 6, 1001, 400, 900, 25, 3
	const steps = 2 * (ranks - 1)
	var text strings.Builder
	fmt.Fprintf(&text, "num_ranks %d\n", ranks)
	for r := range ranks {
		fmt.Fprintf(&text, "rank %d {\n", r)
		for k := range steps {
			fmt.Fprintf(&text, "s%d: send %db to %d tag %d\nr%d: recv %db from %d tag %d\nr%d irequires s%d\n", k, size, (r+1)%ranks, k, k, size, (r+ranks-1)%ranks, k, k, k)
			last := fmt.Sprintf("r%d", k)
			if k < ranks-1 {
				fmt.Fprintf(&text, "c%d: calc %d\nc%d requires r%d\n", k, adds, k, k)
				last = fmt.Sprintf("c%d", k)
			}
			if k < steps-1 {
				fmt.Fprintf(&text, "s%d requires %s\n", k+1, last)
			}
		}
		text.WriteString("}\n")
	}
	n := unit.Nanosecond
	p := loggops.Parameters{Latency: l * n, Overhead: o * n, GapPerByte: g * n, Eager: math.MaxInt64}
	want := slices.Repeat([]wanted{{(ranks - 1) * adds, steps * (o + l + o + (size-1)*g), 0, 0, 0}}, ranks)
	if d := cmp.Diff(want, accounted(t, read(t, text.String()), p)); d != "" {
		t.Error(d)
	}
}

// TestPipeline: 1F1B with P stages and M micro-batches takes (M + P - 1)(f + b) if messages take no time. A
// stage computes M(f + b). The bubble is the rest: it waits, and after its last backward pass it is done.
func TestPipeline(t *testing.T) {
	const stages, batches, f, b = 4, 7, 300, 500
	tr := read(t, pipeline(stages, batches, f, b))
	var want []wanted
	for p := range int64(stages) {
		done := p * b
		want = append(want, wanted{batches * (f + b), 0, (stages-1)*(f+b) - done, 0, done})
	}
	if d := cmp.Diff(want, accounted(t, tr, loggops.Parameters{Eager: math.MaxInt64})); d != "" {
		t.Error(d)
	}
}

// pipeline is 1F1B (PipeDream-Flush) in GOAL: stage p runs P - p forward passes ahead of the backward passes.
func pipeline(stages, batches, f, b int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "num_ranks %d\n", stages)
	for p := range stages {
		fmt.Fprintf(&text, "rank %d {\n", p)
		last := ""
		step := func(format string, args ...any) {
			line := fmt.Sprintf(format, args...)
			label, _, _ := strings.Cut(line, ":")
			text.WriteString(line + "\n")
			if last != "" {
				fmt.Fprintf(&text, "%s requires %s\n", label, last)
			}
			last = label
		}
		forward := func(k int) {
			if p > 0 {
				step("ra%d: recv 1b from %d tag %d", k, p-1, k)
			}
			step("f%d: calc %d", k, f)
			if p < stages-1 {
				step("sa%d: send 1b to %d tag %d", k, p+1, k)
			}
		}
		backward := func(k int) {
			if p < stages-1 {
				step("rg%d: recv 1b from %d tag %d", k, p+1, 1000+k)
			}
			step("b%d: calc %d", k, b)
			if p > 0 {
				step("sg%d: send 1b to %d tag %d", k, p-1, 1000+k)
			}
		}
		ahead := min(stages-p, batches)
		for k := range ahead {
			forward(k)
		}
		for k := range batches {
			backward(k)
			if k+ahead < batches {
				forward(k + ahead)
			}
		}
		text.WriteString("}\n")
	}
	return text.String()
}
