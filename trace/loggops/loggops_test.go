package loggops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weft/trace"
	"weft/trace/goal"
	"weft/trace/internal/draw"
	"weft/unit"
)

func read(t *testing.T, text string) *trace.Trace {
	t.Helper()
	tr, err := goal.ReadText(strings.NewReader(text), "t")
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// nanoseconds are the ends of ranks.
func nanoseconds(t *testing.T, tr *trace.Trace, p Parameters, asLogGOPSim bool) []int64 {
	t.Helper()
	p.AsLogGOPSim = asLogGOPSim
	r, err := Run(context.Background(), tr, p)
	if err != nil {
		t.Fatal(err)
	}
	if r.Stuck.Total > 0 {
		t.Fatal(r.Stuck.List)
	}
	return inNanoseconds(r)
}

// TestPublished: the examples of LogGOPSim's README, a binomial reduction of 1024 B over 8 ranks, and a
// dissemination of 1 B over 16.
func TestPublished(t *testing.T) {
	const reduce = `num_ranks 8
rank 0 {
a: recv 1024b from 4
b: recv 1024b from 2
c: recv 1024b from 1
}
rank 1 {
a: recv 1024b from 5
b: recv 1024b from 3
c: send 1024b to 0
c requires a
c requires b
}
rank 2 {
a: recv 1024b from 6
b: send 1024b to 0
b requires a
}
rank 3 {
a: recv 1024b from 7
b: send 1024b to 1
b requires a
}
rank 4 {
send 1024b to 0
}
rank 5 {
send 1024b to 1
}
rank 6 {
send 1024b to 2
}
rank 7 {
send 1024b to 3
}
`
	if d := cmp.Diff([]int64{34914, 24776, 13138, 13138, 1500, 1500, 1500, 1500}, nanoseconds(t, read(t, reduce), Defaults(), true)); d != "" {
		t.Error(d)
	}
}

// dissemination is messages of one byte in rounds: in round k each rank sends to the one 2^k after it.
func dissemination(ranks, rounds int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "num_ranks %d\n", ranks)
	for r := range ranks {
		fmt.Fprintf(&b, "rank %d {\n", r)
		for k := range rounds {
			fmt.Fprintf(&b, "s%d: send 1b to %d\nr%d: recv 1b from %d\n", k, (r+1<<k)%ranks, k, (r+ranks-1<<k)%ranks)
			if k > 0 {
				fmt.Fprintf(&b, "s%d requires r%d\n", k, k-1)
			}
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// TestDissemination: a round takes o + L + o.
func TestDissemination(t *testing.T) {
	for _, theirs := range []bool{false, true} {
		for _, end := range nanoseconds(t, read(t, dissemination(16, 4)), Defaults(), theirs) {
			if end != 22000 {
				t.Error(end)
			}
		}
	}
}

// TestByHand: single parameters, worked out by hand.
func TestByHand(t *testing.T) {
	ns := func(l, o, g, bigG, bigO, eager int64) Parameters {
		n := unit.Nanosecond
		return Parameters{Latency: unit.Time(l) * n, Overhead: unit.Time(o) * n, Gap: unit.Time(g) * n, GapPerByte: unit.Time(bigG) * n, OverheadPerByte: unit.Time(bigO) * n, Eager: eager}
	}
	for _, c := range []struct {
		name   string
		p      Parameters
		blocks [2]string
		want   [2]int64
	}{
		{"latency and overheads", ns(100, 10, 0, 0, 0, 1000), [2]string{"send 1b to 1", "recv 1b from 0"}, [2]int64{10, 120}},
		{"bytes at the processor", ns(100, 10, 0, 0, 3, 1000), [2]string{"send 5b to 1", "recv 5b from 0"}, [2]int64{22, 132}},
		{"bytes at the NIC hold the receiver", ns(100, 10, 0, 4, 3, 1000), [2]string{"send 5b to 1", "recv 5b from 0"}, [2]int64{22, 136}},
		{"no bytes are as one", ns(100, 10, 7, 4, 3, 1000), [2]string{"send 0b to 1", "recv 0b from 0"}, [2]int64{10, 120}},
		{"the gap holds the second message back", ns(100, 10, 50, 0, 0, 1000), [2]string{"send 1b to 1; send 1b to 1", "recv 1b from 0; recv 1b from 0"}, [2]int64{60, 170}},
		{"another NIC does not", ns(100, 10, 50, 0, 0, 1000), [2]string{"send 1b to 1; send 1b to 1 nic 1", "recv 1b from 0; recv 1b from 0"}, [2]int64{20, 130}},
		{"a receive of what is there is free", ns(100, 10, 0, 0, 0, 1000), [2]string{"send 1b to 1", "a: calc 500; b: recv 1b from 0; b requires a; c: calc 5; c requires b"}, [2]int64{10, 515}},
		{"an eager send ends at once", ns(100, 10, 0, 0, 0, 1000), [2]string{"a: send 1b to 1; b: calc 1; b requires a", "recv 1b from 0"}, [2]int64{11, 120}},
		{"a large one with its receive", ns(100, 10, 0, 0, 0, 0), [2]string{"a: send 1b to 1; b: calc 1; b requires a", "recv 1b from 0"}, [2]int64{111, 120}},
		{"a large one with a late receive", ns(100, 10, 0, 0, 0, 0), [2]string{"a: send 1b to 1; b: calc 1; b requires a", "a: calc 500; b: recv 1b from 0; b requires a"}, [2]int64{501, 510}},
		{"a start is enough", ns(100, 10, 0, 0, 0, 0), [2]string{"a: send 1b to 1; b: calc 1; b irequires a", "recv 1b from 0"}, [2]int64{110, 120}},
	} {
		text := "num_ranks 2\n"
		for r, b := range c.blocks {
			text += fmt.Sprintf("rank %d {\n%s\n}\n", r, strings.ReplaceAll(b, "; ", "\n"))
		}
		for _, theirs := range []bool{false, true} {
			if d := cmp.Diff(c.want[:], nanoseconds(t, read(t, text), c.p, theirs)); d != "" {
				t.Errorf("%s, as LogGOPSim %v: %s", c.name, theirs, d)
			}
		}
	}
}

// TestCausal: operations that require others on another processor, in both readings.
func TestCausal(t *testing.T) {
	p := Parameters{Latency: 100 * unit.Nanosecond, Overhead: 10 * unit.Nanosecond}
	eager := p
	eager.Eager = 1000
	slow := p
	slow.OverheadPerByte = 50 * unit.Nanosecond
	for _, c := range []struct {
		name, text     string
		p              Parameters
		causal, theirs []int64
	}{
		{"computations", "num_ranks 1\nrank 0 {\na: calc 100\nb: calc 50 cpu 1\nb requires a\n}", p, []int64{150}, []int64{100}},
		{"starts", "num_ranks 1\nrank 0 {\na: calc 100\nb: calc 50 cpu 1\nb requires a\nc: calc 7 cpu 2\nc irequires b\n}", p, []int64{150}, []int64{100}},
		{"a receive", "num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\na: recv 1b from 0\nb: calc 50 cpu 1\nb requires a\n}", eager, []int64{10, 170}, []int64{10, 120}},
		{"a message before its receive", "num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nx: calc 112 cpu 1\na: recv 1b from 0 cpu 1\na requires x\nb: calc 50 cpu 2\nb requires a\n}",
			eager, []int64{10, 170}, []int64{10, 120}},
		{"a send that waits", "num_ranks 2\nrank 0 {\na: send 1b to 1\nb: calc 50 cpu 1\nb requires a\n}\nrank 1 {\nx: calc 500 cpu 1\na: recv 1b from 0 cpu 1\na requires x\n}",
			p, []int64{550, 500}, []int64{550, 500}},
		{"a send that is taken before its processor is done", "num_ranks 2\nrank 0 {\na: send 11b to 1\nb: calc 50 cpu 1\nb requires a\n}\nrank 1 {\na: recv 11b from 0\n}",
			slow, []int64{560, 620}, []int64{510, 620}},
	} {
		if d := cmp.Diff(c.causal, nanoseconds(t, read(t, c.text), c.p, false)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if d := cmp.Diff(c.theirs, nanoseconds(t, read(t, c.text), c.p, true)); d != "" {
			t.Errorf("%s, as LogGOPSim: %s", c.name, d)
		}
	}
}

// TestReadings: both are the same where ranks have one processor and one NIC. With more, no rank ends
// before its longest chain of computations, unless the reading is LogGOPSim's.
func TestReadings(t *testing.T) {
	differ, early := 0, 0
	for seed := range uint64(200) {
		_, p := drawn(seed)
		shape := draw.Shape{Ranks: 6, Messages: 80, Calcs: 60, CPUs: 1, NICs: 1, Eager: p.Eager, Wildcards: true}
		one := draw.Trace(seed, shape)
		both := [2]*Result{}
		for i := range both {
			p.AsLogGOPSim = i == 0
			var err error
			if both[i], err = Run(context.Background(), one, p); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(both[0], both[1], cmpopts.EquateEmpty()); d != "" {
			t.Errorf("seed %d: %s", seed, d)
		}
		shape.CPUs, shape.NICs, shape.Distinct, shape.Wildcards = 40, 2, true, false
		shape.Messages, shape.Calcs = 10, 200
		several := draw.Trace(seed, shape)
		chain := chains(several)
		for i := range both {
			p.AsLogGOPSim = i == 0
			r, err := Run(context.Background(), several, p)
			if err != nil || r.Stuck.Total > 0 {
				t.Fatal(seed, err, r.Stuck)
			}
			both[i] = r
			for rank, end := range r.Ends {
				if end >= chain[rank] {
					continue
				}
				if early++; !p.AsLogGOPSim {
					t.Errorf("seed %d: rank %d ends at %v, before its chain of %v", seed, rank, end, chain[rank])
				}
			}
		}
		if !cmp.Equal(both[0].Ends, both[1].Ends) {
			differ++
		}
	}
	if differ < 150 || early == 0 {
		t.Errorf("the readings differ in %d traces, and %d ranks are early", differ, early)
	}
}

// TestOneProcessor: ranks with one processor need no notes of when requirements end. Those with several, or
// to which messages come on another one, do. Times are the same if all ranks have notes, as with a log.
func TestOneProcessor(t *testing.T) {
	const ranks = 8
	for seed := range uint64(200) {
		_, p := drawn(seed)
		drawn := draw.Trace(seed, draw.Shape{Ranks: ranks, Messages: 500, Calcs: 60, CPUs: 3, NICs: 2, Eager: p.Eager, Distinct: true})
		tr := &trace.Trace{}
		for r := range drawn.Ranks {
			tr.Ranks = append(tr.Ranks, onProcessors(&drawn.Ranks[r], func(o trace.Operation) uint16 {
				if r < ranks/2 || r == ranks-1 || o.Kind == trace.Send && o.Peer < ranks/2 {
					return 7
				}
				return o.CPU
			}))
		}
		bare, err := Run(context.Background(), tr, p)
		if err != nil || bare.Stuck.Total > 0 {
			t.Fatal(seed, err, bare.Stuck)
		}
		m := newMachine(tr, p)
		for r, e := range m.notes.times {
			if (e == nil) != (r < ranks/2) {
				t.Errorf("seed %d: rank %d has notes: %v", seed, r, e != nil)
			}
		}
		p.Log = true
		noted, err := Run(context.Background(), tr, p)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(noted.Ends, bare.Ends); d != "" {
			t.Errorf("seed %d: %s", seed, d)
		}
	}
}

// onProcessors copies a schedule with other processors.
func onProcessors(s *trace.Schedule, cpu func(trace.Operation) uint16) trace.Schedule {
	var b trace.Builder
	for i := range uint32(s.Len()) {
		o := s.At(i)
		o.CPU = cpu(o)
		b.Add(o)
	}
	for i := range uint32(s.Len()) {
		s.Dependants(i, func(op uint32, start bool) { b.Require(op, i, start) })
	}
	return b.Schedule()
}

// chains returns the longest chain of computations of each rank that require each other.
func chains(tr *trace.Trace) (out []unit.Time) {
	for r := range tr.Ranks {
		s := &tr.Ranks[r]
		longest := unit.Time(0)
		begin := make([]unit.Time, s.Len())
		for i := range uint32(s.Len()) { // drawn operations depend on earlier ones
			end := begin[i]
			if o := s.At(i); o.Kind == trace.Calc {
				end += unit.Time(o.Size) * unit.Nanosecond
			}
			longest = max(longest, end)
			s.Dependants(i, func(op uint32, start bool) {
				if start {
					begin[op] = max(begin[op], begin[i])
					return
				}
				begin[op] = max(begin[op], end)
			})
		}
		out = append(out, longest)
	}
	return out
}

// TestRefused: parameters and times that cannot be.
func TestRefused(t *testing.T) {
	tr := read(t, "num_ranks 1\nrank 0 {\ncalc 4611686018427387903\n}")
	if _, err := Run(context.Background(), tr, Defaults()); err == nil || !strings.Contains(err.Error(), "longer than 106 days") {
		t.Error(err)
	}
	p := Defaults()
	p.GapPerByte = -1
	if _, err := Run(context.Background(), read(t, "num_ranks 1\nrank 0 {\n}"), p); err == nil || !strings.Contains(err.Error(), "G is negative") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, read(t, "num_ranks 1\nrank 0 {\ncalc 1\n}"), Defaults()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestStuck: what keeps a replay from its end is named.
func TestStuck(t *testing.T) {
	tr := read(t, "num_ranks 2\nrank 0 {\na: send 9b to 1 tag 4\nb: calc 1\nb requires a\nc: send 1b to 1 tag 5\n}\nrank 1 {\na: recv 1b from -1 tag 6\nb: calc 1\nb requires a\nc: calc 1\nc requires b\n}")
	p := Defaults()
	p.Eager = 5
	r, err := Run(context.Background(), tr, p)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Stuck.List {
		got = append(got, f.String())
	}
	want := []string{
		"rank 1, a: recv 1b from -1 tag 6: no message has come for it",
		"rank 0, a: send 9b to 1 tag 4: rank 1 has posted no receive for it",
		"rank 0, c: send 1b to 1 tag 5: rank 1 has posted no receive for it",
		"rank 0: 1 operation held back by others that never end",
		"rank 1: 2 operations held back by others that never end",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestFaults: a result lists as many faults as the parameters say.
func TestFaults(t *testing.T) {
	tr := read(t, "num_ranks 2\nrank 0 {\n"+strings.Repeat("recv 1b from 1\n", 1500)+"}\nrank 1 {\n}")
	for faults, want := range map[int]int{0: 1000, 3: 3, 1200: 1200, 9999: 1500} {
		p := Defaults()
		p.Faults = faults
		r, err := Run(context.Background(), tr, p)
		if err != nil || r.Stuck.Total != 1500 || len(r.Stuck.List) != want {
			t.Errorf("%d: %v, %d of %d", faults, err, len(r.Stuck.List), r.Stuck.Total)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	for _, cpus := range []int{1, 4} {
		tr := draw.Trace(1, draw.Shape{Ranks: 128, Messages: 500_000, Calcs: 200_000, CPUs: cpus, NICs: 1, Eager: 65535, Distinct: true})
		for _, theirs := range []bool{false, true} {
			b.Run(fmt.Sprintf("cpus=%d/loggopsim=%v", cpus, theirs), func(b *testing.B) {
				events := int64(0)
				p := Defaults()
				p.AsLogGOPSim = theirs
				for b.Loop() {
					r, err := Run(context.Background(), tr, p)
					if err != nil || r.Stuck.Total > 0 {
						b.Fatal(err, r.Stuck)
					}
					events += r.Events
				}
				b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}

// BenchmarkIncast: all wait for one processor.
func BenchmarkIncast(b *testing.B) {
	var text strings.Builder
	const n = 100_000
	fmt.Fprintf(&text, "num_ranks %d\nrank 0 {\n%s}\n", n, strings.Repeat("recv 1b from -1\n", n-1))
	for r := range n - 1 {
		fmt.Fprintf(&text, "rank %d { send 1b to 0\n}\n", r+1)
	}
	tr, err := goal.ReadText(strings.NewReader(text.String()), "t")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if r, err := Run(context.Background(), tr, Defaults()); err != nil || r.Stuck.Total > 0 {
			b.Fatal(err, r.Stuck)
		}
	}
}
