package timeline_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/trace"
	"weft/trace/internal/draw"
	"weft/trace/loggops"
	"weft/trace/timeline"
	"weft/unit"
)

// told is a path in words: class, operation, receive, time in ns, reason.
func told(tr *trace.Trace, p timeline.Path) (out []string) {
	name := func(r timeline.Ref) string { return fmt.Sprintf("%d.%s", r.Rank, tr.Ranks[r.Rank].Name(r.Op)) }
	for _, s := range p {
		text := fmt.Sprintf("%v %s", s.Class, name(s.Op))
		if s.Recv.Rank >= 0 {
			text += " to " + name(s.Recv)
		}
		out = append(out, fmt.Sprintf("%s %d, %v", text, (s.End-s.Begin)/unit.Nanosecond, s.Why))
	}
	return out
}

// TestCriticalByHand: small traces whose paths are known.
func TestCriticalByHand(t *testing.T) {
	n := unit.Nanosecond
	eager := loggops.Parameters{Latency: 100 * n, Overhead: 10 * n, Eager: math.MaxInt64}
	large := eager
	large.Eager = 0
	gap := eager
	gap.Gap = 50 * n
	for _, c := range []struct {
		name   string
		p      loggops.Parameters
		blocks []string
		held   bool
		want   []string
	}{
		{"a chain", eager, []string{"a: calc 7; b: calc 5; b requires a; c: calc 3"}, false, []string{"compute 0.a 7, start", "compute 0.c 3, busy", "compute 0.b 5, busy"}},
		{"on two processors", eager, []string{"a: calc 7; b: calc 5; b requires a; c: calc 3 cpu 1"}, false, []string{"compute 0.a 7, start", "compute 0.b 5, required"}},
		{"a start", eager, []string{"a: calc 7; b: calc 9 cpu 1; b irequires a; x: calc 4 cpu 1; a requires x"}, false, []string{"compute 0.x 4, start", "compute 0.b 9, required"}},
		{"a message", eager, []string{"a: calc 50; b: send 1b to 1; b requires a", "c: calc 20; d: recv 1b from 0; e: calc 6; e requires d"}, false,
			[]string{"compute 0.a 50, start", "transfer 0.b to 1.d 120, required", "compute 1.e 6, arrived"}},
		{"a message that was there", eager, []string{"b: send 1b to 1", "c: calc 200 cpu 1; d: recv 1b from 0; d requires c; e: calc 6; e requires d"}, false,
			[]string{"compute 1.c 200, start", "compute 1.e 6, required"}},
		{"a late receive ends the send", large, []string{"a: send 1b to 1; b: calc 90; b requires a", "c: calc 500 cpu 1; d: recv 1b from 0; d requires c"}, false,
			[]string{"compute 1.c 500, start", "compute 0.b 90, posted"}},
		{"a large message waits for the receiver's processor", large, []string{"a: send 1b to 1; b: calc 90; b requires a", "c: calc 500; d: recv 1b from 0"}, false,
			[]string{"compute 1.c 500, start", "compute 0.b 90, busy"}},
		{"so does a small one", eager, []string{"a: send 1b to 1", "d: recv 1b from 0; c: calc 500"}, false,
			[]string{"compute 1.c 500, start", "transfer 0.a to 1.d 10, busy"}},
		{"two messages at one processor", eager, []string{"send 1b to 2", "a: calc 5; send 1b to 2", "recv 1b from 0; recv 1b from 1; "}, false,
			[]string{"transfer 0.#0 to 2.#0 120, start", "transfer 1.#1 to 2.#1 10, busy"}},
		{"a receive posted while the processor works", eager, []string{"send 1b to 1", "a: calc 112 cpu 1; b: recv 1b from 0 cpu 1; b requires a; c: calc 4 cpu 1; c requires b"}, false,
			[]string{"transfer 0.#0 to 1.b 120, start", "compute 1.c 4, arrived"}},
		{"the NIC", gap, []string{"a: send 1b to 1; b: send 1b to 1", "recv 1b from 0; recv 1b from 0"}, false,
			[]string{"transfer 0.a to 1.#0 50, start", "transfer 0.b to 1.#1 120, busy"}},
		{"another NIC does not hold a send", gap, []string{"a: send 1b to 1; c: send 1b to 1 nic 1; b: send 1b to 1", "recv 1b from 0; recv 1b from 0; recv 1b from 0"}, false,
			[]string{"transfer 0.a to 1.#0 50, start", "transfer 0.b to 1.#2 120, busy"}},
		{"a message before its receive holds the processor", eager, []string{"send 1b to 1", "a: calc 105 cpu 1; b: calc 9; b requires a; c: calc 50 cpu 1; r: recv 1b from 0 cpu 1; r requires c"}, false,
			[]string{"compute 1.a 105, start", "compute 1.c 50, busy"}},
		{"which delays a computation", eager, []string{"send 1b to 1", "a: calc 112 cpu 1; b: calc 90; b requires a; z: calc 20 cpu 1; z requires a; r: recv 1b from 0 cpu 1; r requires z"}, false,
			[]string{"compute 1.a 112, start", "queue 1.b 8, required", "compute 1.b 90, busy"}},
		{"a receive holds the processor", eager, []string{"send 1b to 1", "a: recv 1b from 0; b: calc 112 cpu 1; c: calc 5; c requires b; c requires a"}, false,
			[]string{"transfer 0.#0 to 1.a 120, start", "compute 1.c 5, arrived"}},
		{"a held message", eager, []string{"a: send 1b to 1", "c: calc 60; d: recv 1b from 0; d requires c"}, true,
			[]string{"compute 1.c 60, start", "transfer 0.a to 1.d 60, posted"}},
	} {
		text := fmt.Sprintf("num_ranks %d\n", len(c.blocks))
		for r, b := range c.blocks {
			text += fmt.Sprintf("rank %d {\n%s\n}\n", r, strings.ReplaceAll(b, "; ", "\n"))
		}
		tr := read(t, text)
		l := replay(t, tr, c.p)
		if c.held {
			l.Waits = func(timeline.Ref) timeline.Wait { return timeline.Held }
		}
		if d := cmp.Diff(c.want, told(tr, timeline.Critical(tr, l))); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestCriticalTiles: paths of random replays go from the first begin to the last end without gaps, and each segment
// is part of its operation.
func TestCriticalTiles(t *testing.T) {
	sums := timeline.Path(nil).Sums()
	reasons := map[string]int{}
	for seed := range uint64(600) {
		tr, l, _ := drawn(t, seed)
		begin, end := l.Bounds()
		at := begin
		p := timeline.Critical(tr, l)
		for i, s := range p {
			if s.Begin != at || s.End <= s.Begin {
				t.Fatalf("seed %d: segment %d of %d is %v, at %d", seed, i, len(p), s, at)
			}
			at = s.End
			reasons[s.Why.String()]++
			log := &l.Ranks[s.Op.Rank]
			from, to := log.Begin[s.Op.Op], log.End[s.Op.Op]
			ok := true
			switch kind := tr.Ranks[s.Op.Rank].Kind(s.Op.Op); s.Class {
			case timeline.Compute:
				ok = kind == trace.Calc && s.Begin == from && s.End == to
			case timeline.Transfer:
				ok = kind == trace.Send && s.Begin >= from
				if s.Recv.Rank >= 0 {
					recv := &l.Ranks[s.Recv.Rank]
					ok = ok && recv.Took[s.Recv.Op] == s.Op && (s.End == to || s.End == recv.End[s.Recv.Op] || s.End == from+l.Sending(s.Op))
				}
			case timeline.Queue:
				ok = s.End == from
			default:
				ok = false
			}
			if !ok {
				t.Errorf("seed %d: %v is not part of its operation, from %d to %d", seed, s, from, to)
			}
		}
		if at != end {
			t.Errorf("seed %d: the path ends at %d, not %d", seed, at, end)
		}
		for class, sum := range p.Sums() {
			sums[class] += sum
		}
	}
	for class, sum := range sums {
		if (sum > 0) != (timeline.Class(class) != timeline.Other) {
			t.Errorf("paths are %v for %v", timeline.Class(class), sum)
		}
	}
	for _, why := range []string{"start", "required", "busy", "arrived", "posted"} {
		if reasons[why] == 0 {
			t.Errorf("no segment is there because of %v", why)
		}
	}
}

// TestCriticalDecides: where nothing waits for processors, a computation on the path that takes longer delays the
// end by as much, and one that is not on any path for less than its slack by nothing. So the path is a longest one.
func TestCriticalDecides(t *testing.T) {
	computed := 0
	for seed := range uint64(120) {
		shape := draw.Shape{Ranks: 5, Messages: 60, Calcs: 60, CPUs: 1, NICs: 1, Eager: 200, Distinct: true}
		tr := apart(draw.Trace(seed, shape), timeline.Ref{}, 0)
		p := loggops.Parameters{Latency: 50 * unit.Nanosecond, Eager: math.MaxInt64}
		if seed%2 == 0 {
			p.Eager = shape.Eager
		}
		l := replay(t, tr, p)
		begin, end := l.Bounds()
		path := timeline.Critical(tr, l)
		if sums := path.Sums(); sums[timeline.Queue]+sums[timeline.Other] > 0 {
			t.Errorf("seed %d: something waits: %v", seed, sums)
		}
		for _, s := range path {
			if s.Class != timeline.Compute {
				continue
			}
			computed++
			const more = 13
			slow := replay(t, apart(tr, s.Op, more), p)
			if _, later := slow.Bounds(); later-end != more*unit.Nanosecond {
				t.Errorf("seed %d: %v takes %d ns longer, and the job %d ps, from %d to %d", seed, s, more, later-end, begin, end)
			}
		}
	}
	if computed < 300 {
		t.Errorf("only %d computations were on paths", computed)
	}
}

// apart returns a trace in which each operation has a processor of its own number, and one computation takes longer.
func apart(tr *trace.Trace, slow timeline.Ref, more int64) *trace.Trace {
	out := &trace.Trace{}
	cpu := uint16(0)
	for r := range tr.Ranks {
		s := &tr.Ranks[r]
		var b trace.Builder
		for i := range uint32(s.Len()) {
			o := s.At(i)
			o.CPU = cpu
			cpu++
			if (timeline.Ref{Rank: int32(r), Op: i}) == slow {
				o.Size += more
			}
			b.Add(o)
		}
		for i := range uint32(s.Len()) {
			s.Dependants(i, func(op uint32, start bool) { b.Require(op, i, start) })
		}
		out.Ranks = append(out.Ranks, b.Schedule())
	}
	return out
}

// TestLongest: the longest segments of a class, the earlier of two that are as long first.
func TestLongest(t *testing.T) {
	p := timeline.Path{
		{Begin: 0, End: 3, Class: timeline.Compute}, {Begin: 3, End: 8, Class: timeline.Transfer}, {Begin: 8, End: 15, Class: timeline.Transfer}, {Begin: 15, End: 20, Class: timeline.Transfer},
	}
	if got, want := p.Longest(2, timeline.Transfer), []timeline.Segment{p[2], p[1]}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := p.Longest(9, timeline.Compute); len(got) != 1 {
		t.Error(got)
	}
}

// TestNothing: a trace in which nothing happens has no path, and no time.
func TestNothing(t *testing.T) {
	tr := &trace.Trace{Ranks: make([]trace.Schedule, 2)}
	l := timeline.New(tr)
	begin, end := l.Bounds()
	if begin != 0 || end != 0 || timeline.Critical(tr, l) != nil {
		t.Error(begin, end, timeline.Critical(tr, l))
	}
	for _, times := range timeline.Account(tr, l, begin, end) {
		if times.Total() != 0 {
			t.Error(times)
		}
	}
}
