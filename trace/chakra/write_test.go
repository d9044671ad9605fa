package chakra

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/trace"
	"weft/trace/collective"
	"weft/trace/internal/draw"
	"weft/unit"
)

// graphs are the operations of a trace without names, and what each requires.
func graphs(tr *trace.Trace) (out []string) {
	for r := range tr.Ranks {
		s := &tr.Ranks[r]
		lines := make([]string, s.Len())
		needs := make([][]uint32, s.Len())
		for i := range uint32(s.Len()) {
			lines[i] = fmt.Sprintf("%d: %v", r, s.At(i))
			s.Dependants(i, func(op uint32, _ bool) { needs[op] = append(needs[op], i) })
		}
		for i := range lines {
			slices.Sort(needs[i])
			lines[i] += fmt.Sprint(" ", slices.Compact(needs[i]))
		}
		out = append(out, lines...)
	}
	return out
}

// TestWrite: messages and computations of whole microseconds come back as they were.
func TestWrite(t *testing.T) {
	for seed := range uint64(30) {
		drawn := draw.Trace(seed, draw.Shape{Ranks: 2 + int(seed%4), Messages: 40, Calcs: 20, CPUs: 1, NICs: 1, Eager: 100})
		want := &trace.Trace{}
		for r := range drawn.Ranks {
			s := &drawn.Ranks[r]
			var b trace.Builder
			for i := range uint32(s.Len()) {
				o := s.At(i)
				if o.Kind == trace.Calc {
					o.Size = 1000 * (o.Size + 1)
				} else {
					o.CPU = network
				}
				b.Add(o)
			}
			for i := range uint32(s.Len()) {
				s.Dependants(i, func(op uint32, start bool) {
					if !start {
						b.Require(op, i, false)
					}
				})
			}
			want.Ranks = append(want.Ranks, b.Schedule())
		}
		prefix := filepath.Join(t.TempDir(), "t")
		notices, err := Write(prefix, want)
		if err != nil || len(notices) > 1 || len(notices) == 1 && !strings.Contains(notices[0], "of a rank to itself") {
			t.Fatal(notices, err)
		}
		if d := cmp.Diff(graphs(want), graphs(read(t, prefix, Options{}))); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
	}
}

// untagged removes the tags of messages.
func untagged(lines []string) []string {
	for i, line := range lines {
		lines[i] = tagged.ReplaceAllString(line, "")
	}
	return lines
}

var tagged = regexp.MustCompile(` tag \d+`)

// TestWriteCollectives: collectives of groups are nodes again.
func TestWriteCollectives(t *testing.T) {
	nodes := func(group string) []one {
		list := []one{{id: 1, kind: computeNode, micros: 5}}
		for i, number := range []uint64{0, 2, 6, 7, 9, 0} {
			list = append(list,
				one{id: uint64(2*i + 2), kind: collectiveNode, on: []uint64{uint64(2*i + 1)}, group: group, attrs: []attr{comm(number), size(6000)}},
				one{id: uint64(2*i + 3), kind: computeNode, on: []uint64{uint64(2*i + 2)}, micros: uint64(i + 1)})
			if i%2 == 1 {
				group, list[len(list)-2].group = list[len(list)-2].group, ""
			}
		}
		return list
	}
	dir := folder(t, nodes("tp0"), nodes("tp1"), nodes("tp0"), nodes("tp1"), nodes("tp0"), nodes("tp1"))
	put(t, dir, "groups.json", []byte(`{"tp0": [0, 2, 4], "tp1": [1, 3, 5]}`))
	for _, a := range []collective.Algorithm{collective.Ring, collective.Direct, collective.RecursiveDoubling} {
		o := Options{Settings: collective.Settings{Choice: collective.Choice{{Algorithm: a}}, Reduction: 8 * unit.Gbps}}
		want := read(t, dir, o)
		prefix := filepath.Join(t.TempDir(), "again")
		notices, err := Write(prefix, want)
		if err != nil || len(notices) != 1 || !strings.Contains(notices[0], "process groups are in "+prefix+".json") {
			t.Fatal(notices, err)
		}
		got := read(t, prefix, o)
		// The barrier is messages now, whose tags come before those of collectives. Direct ones end with a join, which
		// is gone.
		if d := cmp.Diff(untagged(graphs(want)), untagged(graphs(got))); d != "" && a != collective.Direct {
			t.Errorf("%v: %s", a, d)
		}
		if len(want.Calls) != 3+2*3 || len(got.Calls) != 3+2*2 {
			t.Error(a, got.Calls)
		}
		if x, y := end(t, want, unit.Microsecond), end(t, got, unit.Microsecond); x != y {
			t.Errorf("%v: it ends at %v, not at %v", a, y, x)
		}
	}
}

// TestWriteRest: what Chakra cannot say is noted or refused.
func TestWriteRest(t *testing.T) {
	var b trace.Builder
	calc := func(ns int64, cpu uint16, after ...uint32) uint32 {
		op := b.Add(trace.Operation{Kind: trace.Calc, Size: ns, CPU: cpu})
		for _, on := range after {
			b.Require(op, on, false)
		}
		return op
	}
	first := calc(1499, 0)
	second := calc(1500, 1, first)
	third := calc(2000, 9)
	b.Require(third, second, true)
	calc(0, 0, third)
	b.Add(trace.Operation{Kind: trace.Send})
	b.Add(trace.Operation{Kind: trace.Recv})
	prefix := filepath.Join(t.TempDir(), "t")
	notices, err := Write(prefix, &trace.Trace{Ranks: []trace.Schedule{b.Schedule()}})
	want := []string{
		"2 computations rounded to whole microseconds, which Chakra counts in",
		"1 dependencies on a start written as what the start waits for: Chakra has dependencies on ends alone",
		"1 computation put on the accelerator, since Chakra cannot name its processor",
		"1 computation of the host, at which ASTRA-sim's statistics give up",
		"2 operations of messages moved from a processor that computes, since Chakra has one for messages alone",
		"2 operations of messages of 0 bytes written with 1 byte, which replays take them for and ASTRA-sim needs",
		"1 message of a rank to itself, which ASTRA-sim refuses",
	}
	if d := cmp.Diff(want, notices); d != "" || err != nil {
		t.Error(d, err)
	}
	if d := cmp.Diff([]string{"0: calc 1000 cpu 0", "0: calc 2000 cpu 1 < n1", "0: calc 2000 cpu 0 < n1", "0: calc 0 cpu 0 < n3", "0: send 1b to 0 tag 0 cpu 2", "0: recv 1b from 0 tag 0 cpu 2"}, words(read(t, prefix, Options{}))); d != "" {
		t.Error(d)
	}
	for _, c := range []struct {
		o    trace.Operation
		want string
	}{
		{trace.Operation{Kind: trace.Recv, Size: 1, Peer: trace.AnySource}, "rank 0, #0: recv 1b from -1 tag 0: Chakra has no receive from any source"},
		{trace.Operation{Kind: trace.Recv, Size: 1, Tag: trace.AnyTag}, "Chakra has no receive from any source or with any tag"},
		{trace.Operation{Kind: trace.Send, Size: 1, Tag: math.MaxInt32 + 1}, "tags of Chakra are up to 2147483647"},
	} {
		b.Add(c.o)
		if _, err := Write(prefix, &trace.Trace{Ranks: []trace.Schedule{b.Schedule()}}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Error(err)
		}
	}
	x, y := calc(1, 0), calc(1, 0)
	b.Require(x, y, false)
	b.Require(y, x, false)
	if _, err := Write(prefix, &trace.Trace{Ranks: []trace.Schedule{b.Schedule()}}); err == nil || !strings.Contains(err.Error(), "wait for each other") {
		t.Error(err)
	}
}

// TestWriteApart: a call whose node would wait for itself stays messages.
func TestWriteApart(t *testing.T) {
	tr := &trace.Trace{Calls: []trace.Call{{Name: "all-reduce", Ranks: 2, Size: 10}}}
	for r := range int32(2) {
		var b trace.Builder
		send := b.Add(trace.Operation{Kind: trace.Send, Size: 10, Peer: 1 - r, CPU: network})
		recv := b.Add(trace.Operation{Kind: trace.Recv, Size: 10, Peer: 1 - r, CPU: network})
		b.Span(send, recv+1, 0)
		calc := b.Add(trace.Operation{Kind: trace.Calc, Size: 1000})
		b.Require(calc, send, false)
		b.Require(recv, calc, false)
		tr.Ranks = append(tr.Ranks, b.Schedule())
	}
	prefix := filepath.Join(t.TempDir(), "t")
	notices, err := Write(prefix, tr)
	if err != nil || len(notices) != 1 || !strings.Contains(notices[0], "collectives written as messages") {
		t.Fatal(notices, err)
	}
	if got := read(t, prefix, Options{}); len(got.Calls) != 0 || got.Ranks[0].Len() != 3 {
		t.Error(got.Calls, got.Ranks[0].Len())
	}
}
