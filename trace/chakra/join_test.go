package chakra

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/trace"
	"weft/trace/loggops"
	"weft/unit"
)

// joinedTrace draws a trace with joins: computations of no time that depend on up to seven operations. Operations of
// a processor, other than joins, follow each other, and each rank begins at a time of its own. So nothing depends on
// the order of operations that become ready at the same instant.
func joinedTrace(seed uint64) *trace.Trace {
	const ranks = 4
	r := rand.New(rand.NewPCG(seed, 29))
	builders := make([]trace.Builder, ranks)
	var last [ranks][3]uint32
	var begun [ranks][3]bool
	add := func(rank int, o trace.Operation, chain int) {
		b := &builders[rank]
		op := b.Add(o)
		for range r.IntN(8) {
			if op > 0 {
				b.Require(op, uint32(max(0, int(op)-1-r.IntN(10))), false)
			}
		}
		if op > 0 {
			b.Require(op, 0, false)
		}
		if chain < 0 {
			return
		}
		if begun[rank][chain] {
			b.Require(op, last[rank][chain], false)
		}
		last[rank][chain], begun[rank][chain] = op, true
	}
	for rank := range ranks {
		add(rank, trace.Operation{Kind: trace.Calc, Size: 1000 * (1 + r.Int64N(1e5))}, 0)
	}
	for tag := range int64(80) {
		rank := r.IntN(ranks)
		switch cpu := r.IntN(2); r.IntN(4) {
		case 0:
			add(rank, trace.Operation{Kind: trace.Calc, Size: 1000 * r.Int64N(2e5), CPU: uint16(cpu)}, cpu)
		case 1:
			peer := (rank + 1 + r.IntN(ranks-1)) % ranks
			bytes := 1 + r.Int64N(4e8)
			add(rank, trace.Operation{Kind: trace.Send, Size: bytes, Tag: tag, Peer: int32(peer), CPU: network}, 2)
			add(peer, trace.Operation{Kind: trace.Recv, Size: bytes, Tag: tag, Peer: int32(rank), CPU: network}, 2)
		default:
			add(rank, trace.Operation{Kind: trace.Calc, CPU: joints}, -1)
		}
	}
	out := &trace.Trace{}
	for i := range builders {
		out.Ranks = append(out.Ranks, builders[i].Schedule())
	}
	return out
}

// TestWriteJoins: a trace with joins ends at the same time at each rank once it has been written and read. Messages
// hold NICs and no processors: LogGOPS decides when an operation is released whether its receive waits for a busy
// processor, and a computation releases what follows when it begins, but a join when it ends.
func TestWriteJoins(t *testing.T) {
	ends := func(tr *trace.Trace) (all [][]unit.Time) {
		t.Helper()
		for _, p := range []loggops.Parameters{
			{Latency: 1717 * unit.Nanosecond, Eager: 2e8},
			{Latency: 1717 * unit.Nanosecond, Gap: 912_345_678 * unit.Picosecond, Eager: math.MaxInt64},
		} {
			r, err := loggops.Run(context.Background(), tr, p)
			if err != nil || r.Stuck.Total > 0 {
				t.Fatal(err, r.Stuck.List)
			}
			all = append(all, r.Ends)
		}
		return all
	}
	operations := func(tr *trace.Trace) (n int) {
		for r := range tr.Ranks {
			n += tr.Ranks[r].Len()
		}
		return n
	}
	fewer, kept := 0, 0
	for seed := range uint64(100) {
		want := joinedTrace(seed)
		prefix := filepath.Join(t.TempDir(), "t")
		if notices, err := Write(prefix, want); err != nil || len(notices) != 1 || !strings.Contains(notices[0], "of the host") {
			t.Fatal(notices, err)
		}
		got := read(t, prefix, Options{})
		if d := cmp.Diff(ends(want), ends(got)); d != "" {
			t.Errorf("seed %d: %s", seed, d)
		}
		if operations(got) < operations(want) {
			fewer++
		}
		for r := range got.Ranks {
			for op := range uint32(got.Ranks[r].Len()) {
				if got.Ranks[r].At(op).CPU == joints {
					kept++
				}
			}
		}
	}
	if fewer < 100 || kept < 100 {
		t.Errorf("joins went in %d of 100 traces, and %d stayed", fewer, kept)
	}
}

// TestWriteWideJoin: a join between many operations and many others does not multiply dependencies, and one that
// waits for a busy processor stays a computation.
func TestWriteWideJoin(t *testing.T) {
	const many = 50
	var b trace.Builder
	join := func(cpu uint16) {
		for range many {
			b.Add(trace.Operation{Kind: trace.Calc, Size: 1000})
		}
		op := b.Add(trace.Operation{Kind: trace.Calc, CPU: cpu})
		for on := op - many; on < op; on++ {
			b.Require(op, on, false)
		}
		for range many {
			b.Require(b.Add(trace.Operation{Kind: trace.Calc, Size: 1000}), op, false)
		}
	}
	join(joints)
	join(accelerator)
	var empty, idle trace.Builder
	idle.Add(trace.Operation{Kind: trace.Calc})
	tr := &trace.Trace{Ranks: []trace.Schedule{b.Schedule(), empty.Schedule(), idle.Schedule()}}
	prefix := filepath.Join(t.TempDir(), "t")
	if notices, err := Write(prefix, tr); err != nil || notices != nil {
		t.Fatal(notices, err)
	}
	got := read(t, prefix, Options{})
	if d := cmp.Diff(graphs(tr)[:4*many+2], graphs(got)); d != "" {
		t.Error(d)
	}
	p := loggops.Parameters{Eager: math.MaxInt64}
	r, err := loggops.Run(context.Background(), got, p)
	if err != nil || r.End() != 4*many*unit.Microsecond {
		t.Error(r.End(), err)
	}
}
