package trace_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/trace"
	"weft/trace/goal"
	"weft/trace/internal/draw"
)

// ranks reads a trace whose blocks are given.
func ranks(t *testing.T, blocks ...string) *trace.Trace {
	t.Helper()
	text := fmt.Sprintf("num_ranks %d\n", len(blocks))
	for r, b := range blocks {
		text += fmt.Sprintf("rank %d {\n%s\n}\n", r, strings.ReplaceAll(b, "; ", "\n"))
	}
	tr, err := goal.ReadText(strings.NewReader(text), "t")
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func texts(f trace.Faults) (out []string) {
	for _, one := range f.List {
		out = append(out, one.String())
	}
	return out
}

// TestCycles: a cycle is named link by link, from its first operation on.
func TestCycles(t *testing.T) {
	for _, c := range []struct {
		block string
		want  []string
	}{
		{"a: calc 1; b: calc 1; c: calc 1; d: calc 1; a requires d; c requires b; d irequires c; b requires d; a requires b",
			[]string{"rank 1, b: operations wait for each other: b requires d, d irequires c, c requires b; remove one of these dependencies"}},
		{"calc 1; b: calc 1; c: calc 1; c requires b; b irequires c",
			[]string{"rank 1, b: operations wait for each other: b irequires c, c requires b; remove one of these dependencies"}},
		{"b: calc 1; c: calc 1; c requires b; c irequires b", nil},
	} {
		if d := cmp.Diff(c.want, texts(ranks(t, "", c.block).Check(10))); d != "" {
			t.Errorf("%s: %s", c.block, d)
		}
	}
	// A long one is cut.
	var long strings.Builder
	for i := range 30 {
		fmt.Fprintf(&long, "l%d: calc 1; ", i)
	}
	for i := range 30 {
		fmt.Fprintf(&long, "l%d requires l%d; ", (i+1)%30, i)
	}
	got := texts(ranks(t, long.String()+"x: calc 1").Check(10))
	if len(got) != 1 || !strings.Contains(got[0], "l0 requires l29, l29 requires l28") || !strings.Contains(got[0], "and so on over 30 operations") {
		t.Error(got)
	}
}

// TestCyclesAreFound: one dependency that closes a cycle is found in any schedule.
func TestCyclesAreFound(t *testing.T) {
	for seed := range uint64(50) {
		tr := draw.Trace(seed, draw.Shape{Ranks: 2, Messages: 40, Calcs: 10, CPUs: 1, NICs: 1, Eager: 10})
		if f := tr.Check(10); f.Total != 0 {
			t.Fatal(seed, texts(f))
		}
		// An operation is made to wait for one that comes after it, through others.
		s := &tr.Ranks[0]
		from, to := uint32(seed)%4, uint32(seed)%4
		for range 6 {
			s.Dependants(to, func(op uint32, _ bool) { to = max(to, op) })
		}
		if to == from {
			continue
		}
		var b trace.Builder
		for i := range uint32(s.Len()) {
			b.Add(s.At(i))
		}
		for i := range uint32(s.Len()) {
			s.Dependants(i, func(op uint32, start bool) { b.Require(op, i, start) })
		}
		b.Require(from, to, seed%2 == 0)
		tr.Ranks[0] = b.Schedule()
		f := tr.Check(10)
		if f.Total != 1 || f.List[0].Wrong != "cycle" || f.List[0].Rank != 0 {
			t.Error(seed, texts(f))
		}
	}
}

// TestPeers: peers of traces that no reader has checked.
func TestPeers(t *testing.T) {
	var b trace.Builder
	b.Add(trace.Operation{Kind: trace.Send, Size: 1, Peer: 1})
	b.Label([]byte("x"))
	b.Add(trace.Operation{Kind: trace.Send, Size: 1, Peer: trace.AnySource})
	b.Add(trace.Operation{Kind: trace.Recv, Size: 1, Peer: trace.AnySource})
	tr := &trace.Trace{Ranks: []trace.Schedule{b.Schedule()}}
	want := []string{"rank 0, x: send 1b to 1 tag 0: there is no rank 1; ranks are 0 to 0", "rank 0, #1: send 1b to -1 tag 0: there is no rank -1; ranks are 0 to 0"}
	if d := cmp.Diff(want, texts(tr.Check(10))); d != "" {
		t.Error(d)
	}
	if f := tr.Check(1); len(f.List) != 1 || f.Total != 2 {
		t.Error(f)
	}
}

// TestMatch: what certainly does not match is found before a replay.
func TestMatch(t *testing.T) {
	for _, c := range []struct {
		blocks []string
		want   []string
	}{
		{[]string{"send 1b to 1 tag 5; send 2b to 1 tag 5", "recv 1b from 0 tag 5; recv 1b from 0 tag 5"}, nil},
		{[]string{"a: send 1b to 1 tag 5; b: send 2b to 1 tag 5", "recv 1b from 0 tag 5"},
			[]string{"rank 0, b: send 2b to 1 tag 5: rank 1 has no receive for it; it has 1 receive from rank 0 with tag 5, for 2 messages"}},
		{[]string{"a: send 1b to 1 tag 6", "x: recv 1b from 0 tag 5; y: recv 1b from 1 tag 6"},
			[]string{
				"rank 1, x: recv 1b from 0 tag 5: no message reaches it; rank 0 sends 0 messages with tag 5, for 1 receive",
				"rank 0, a: send 1b to 1 tag 6: rank 1 has no receive for it; it has 0 receives from rank 0 with tag 6, for 1 message",
				"rank 1, y: recv 1b from 1 tag 6: no message reaches it; rank 1 sends 0 messages with tag 6, for 1 receive",
			}},
		{[]string{"send 1b to 1 tag 6; send 1b to 1 tag 7", "recv 1b from -1 tag 6; recv 1b from 0 tag -1"}, nil},
		{[]string{"send 1b to 1 tag 6", "recv 1b from -1 tag 6; recv 1b from 0 tag -1"},
			[]string{"rank 1: 2 receives, 2 of them with a wildcard, for 1 message: a receive stays without a message"}},
		{[]string{"send 1b to 1 tag 6; send 1b to 1 tag 6", "recv 1b from -1 tag 6"},
			[]string{"rank 1: 1 receive, 1 of them with a wildcard, for 2 messages: a message stays without a receive"}},
		{[]string{"send 1b to 1 tag 6; send 1b to 1 tag 7", "x: recv 1b from 0 tag 5; recv 1b from -1 tag 6"},
			[]string{"rank 1, x: recv 1b from 0 tag 5: no message reaches it; rank 0 sends 0 messages with tag 5, for 1 receive"}},
	} {
		if d := cmp.Diff(c.want, texts(ranks(t, c.blocks...).Match(10))); d != "" {
			t.Errorf("%q: %s", c.blocks, d)
		}
	}
}

// TestMatchCounts: a drawn trace matches. Without one of its operations it does not.
func TestMatchCounts(t *testing.T) {
	for seed := range uint64(40) {
		tr := draw.Trace(seed, draw.Shape{Ranks: 3, Messages: 40, CPUs: 1, NICs: 1, Eager: 10, Wildcards: seed%2 == 0})
		if f := tr.Match(10); f.Total != 0 {
			t.Fatal(seed, texts(f))
		}
		r := int(seed % 3)
		s := &tr.Ranks[r]
		left := uint32(seed) % uint32(s.Len())
		kind := s.Kind(left)
		var b trace.Builder
		for i := range uint32(s.Len()) {
			if i != left {
				b.Add(s.At(i))
			}
		}
		tr.Ranks[r] = b.Schedule()
		f := tr.Match(10)
		allowed := []trace.Wrong{"surplus", trace.UnmatchedSend}
		if kind == trace.Send {
			allowed[1] = trace.UnmatchedRecv
		}
		// A message that is missing leaves a receive of its class without one, and perhaps the rank.
		if f.Total < 1 || f.Total > 2 || !slices.Contains(allowed, f.List[0].Wrong) {
			t.Error(seed, kind, texts(f))
		}
	}
}

// TestLabels: any mix of labels is kept.
func TestLabels(t *testing.T) {
	var b trace.Builder
	names := []string{"l1", "l2", "x", "", "l4000000", "l07", "m3", "l999999999", "l4294967295", "l0", "a1b2"}
	for range 2 { // a builder makes several
		for _, n := range names {
			b.Add(trace.Operation{Kind: trace.Calc})
			if n != "" && !b.Label([]byte(n)) {
				t.Fatal("taken:", n)
			}
		}
		if b.Label([]byte("l2")) || b.Label([]byte("x")) {
			t.Error("a label is given twice")
		}
		for i, n := range names {
			if op, ok := b.Find([]byte(n)); n != "" && (!ok || op != uint32(i)) {
				t.Errorf("%q is at %d, %v", n, op, ok)
			}
		}
		if _, ok := b.Find([]byte("l3")); ok {
			t.Error("l3 is found")
		}
		s := b.Schedule()
		for i, n := range names {
			if got := s.Label(uint32(i)); got != n {
				t.Errorf("label %d is %q, not %q", i, got, n)
			}
		}
		if got := s.Name(3); got != "#3" {
			t.Error(got)
		}
	}
}

// TestSummary counts what is there.
func TestSummary(t *testing.T) {
	tr := ranks(t, "a: send 5b to 1 cpu 3; b: calc 4611686018427387903; b requires a; calc 4611686018427387903; calc 4611686018427387903", "recv 5b from -1 tag -1 nic 2; recv 1b from 0 tag -1", "")
	var got trace.Summary
	for r := range tr.Ranks {
		got.Add(&tr.Ranks[r])
	}
	want := trace.Summary{Ranks: 3, Sends: 1, Recvs: 2, Calcs: 3, Bytes: 5, Nanoseconds: math.MaxInt64, Dependencies: 1, AnySource: 1, AnyTag: 2, CPUs: 4, NICs: 3, Most: 4, Memory: 6*24 + 4*(5+3+1) + 4}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got.Operations() != 6 || got.Events() != 7 {
		t.Error(got.Operations(), got.Events())
	}
}
