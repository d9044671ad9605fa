package collective

import (
	"context"
	"fmt"
	"math"
	"testing"

	"weft/trace"
	"weft/trace/loggops"
	"weft/unit"
)

// lowered is a collective at all of its ranks.
type lowered struct {
	Call
	algorithm Algorithm
	group     []int32
	trace     *trace.Trace
	// moves are by place and operation, and ends by place.
	moves []map[uint32]move
	ends  [][]uint32
}

// lower lowers a collective at each rank, after one computation. Ranks of the trace are numbered backwards,
// to tell them from places.
func lower(t *testing.T, c Call, a Algorithm, ranks int) *lowered {
	t.Helper()
	l := &lowered{Call: c, algorithm: a, trace: &trace.Trace{Ranks: make([]trace.Schedule, ranks)}}
	for place := range ranks {
		l.group = append(l.group, int32(ranks-1-place))
	}
	var b trace.Builder
	for place := range ranks {
		first := b.Add(trace.Operation{Kind: trace.Calc, CPU: c.CPU})
		after := []uint32{first}
		moves := map[uint32]move{}
		ends, err := c.Lower(&b, a, l.group, place, after)
		if err != nil {
			t.Fatal(c, a, ranks, err)
		}
		if ranks > 1 {
			// Once more, to look at the data.
			var again trace.Builder
			again.Add(trace.Operation{Kind: trace.Calc, CPU: c.CPU})
			w := newWriter(c, &again, l.group, place, after)
			w.seen = func(m move) { moves[m.op] = m }
			a.lowering(c.Kind)(w)
			if got := w.ends(); fmt.Sprint(got) != fmt.Sprint(ends) || again.Len() != b.Len() {
				t.Fatal(c, a, ranks, "another lowering has other ends:", got, ends)
			}
			if used := w.tag - c.Tag; used > c.Tags(a, ranks) {
				t.Fatalf("%v %v of %d ranks takes %d tags, not %d", c.Kind, a, ranks, used, c.Tags(a, ranks))
			}
		}
		l.moves, l.ends = append(l.moves, moves), append(l.ends, ends)
		l.trace.Ranks[l.group[place]] = b.Schedule()
	}
	return l
}

// allKinds returns all kinds.
func allKinds() []Kind {
	list := make([]Kind, len(kinds))
	for i := range list {
		list[i] = Kind(1 + i)
	}
	return list
}

// each calls visit for many collectives: all kinds, algorithms, ranks to 17, and sizes.
func each(t *testing.T, most int, visit func(t *testing.T, c Call, a Algorithm, ranks int)) {
	for _, k := range allKinds() {
		for _, a := range algorithmsOf(k) {
			t.Run(fmt.Sprintf("%v/%v", k, a), func(t *testing.T) {
				for ranks := 1; ranks <= most; ranks++ {
					for i, size := range []int64{int64(ranks) * 12, int64(ranks)*5 + 3, int64(ranks) / 2, 0} {
						c := Call{Kind: k, Size: size, Tag: 1000, CPU: 2, NIC: 1}
						if i == 1 {
							c.Reduction = 8 * unit.Gbps
						}
						roots, nodes := []int{0}, []int{0}
						if c.rooted() {
							roots = []int{0, ranks / 2, ranks - 1}
						}
						if a == Hierarchical {
							nodes = []int{1, 3, 4, ranks}
						}
						for _, c.Root = range roots {
							for _, c.Node = range nodes {
								visit(t, c, a, ranks)
							}
						}
					}
				}
			})
		}
	}
}

// TestReplays: all collectives come to their end, whether sends wait for their receives or not.
func TestReplays(t *testing.T) {
	each(t, 17, func(t *testing.T, c Call, a Algorithm, ranks int) {
		l := lower(t, c, a, ranks)
		if f := l.trace.Check(1); f.Total > 0 {
			t.Fatal(c, ranks, f.List)
		}
		if f := l.trace.Match(1); f.Total > 0 {
			t.Fatal(c, ranks, f.List)
		}
		for _, eager := range []int64{0, math.MaxInt64} {
			r, err := loggops.Run(context.Background(), l.trace, loggops.Parameters{Latency: unit.Microsecond, Eager: eager})
			if err != nil || r.Stuck.Total > 0 {
				t.Fatal(c, ranks, err, r.Stuck.List)
			}
		}
	})
}

// TestVolumes: bytes that all ranks send together are as textbooks say.
func TestVolumes(t *testing.T) {
	const s = 1 << 20
	log := func(n int) int64 {
		l := int64(0)
		for ; n > 1; n /= 2 {
			l++
		}
		return l
	}
	for _, c := range []struct {
		kind      Kind
		algorithm Algorithm
		ranks     []int
		want      func(n int64) int64
	}{
		{AllReduce, Ring, []int{2, 8, 16}, func(n int64) int64 { return 2 * (n - 1) * s }},
		{AllReduce, Ring, []int{3, 5, 17}, func(n int64) int64 { return 2 * (n - 1) * s }},
		{AllReduce, halvingDoubling, []int{2, 8, 16}, func(n int64) int64 { return 2 * (n - 1) * s }},
		{AllReduce, RecursiveDoubling, []int{2, 8, 16}, func(n int64) int64 { return n * log(int(n)) * s }},
		{AllReduce, RecursiveDoubling, []int{3, 6, 9}, func(n int64) int64 {
			p := int64(1) << log(int(n))
			return p*log(int(p))*s + 2*(n-p)*s
		}},
		{AllReduce, tree, []int{2, 7, 16}, func(n int64) int64 { return 2 * (n - 1) * s }},
		{AllReduce, Pairwise, []int{2, 7, 16}, func(n int64) int64 { return 2 * (n - 1) * s }},
		{AllReduce, Direct, []int{2, 7, 16}, func(n int64) int64 { return 2 * (n - 1) * s }},
		// Nodes of 4: rings of all in each node, and a ring over nodes for each quarter.
		{AllReduce, Hierarchical, []int{8, 16}, func(n int64) int64 { return n/4*2*3*s + 2*(n/4-1)*s }},
		{AllGather, Ring, []int{2, 7, 16}, func(n int64) int64 { return (n - 1) * s }},
		{AllGather, RecursiveDoubling, []int{2, 8, 16}, func(n int64) int64 { return (n - 1) * s }},
		{AllGather, Direct, []int{2, 7, 16}, func(n int64) int64 { return (n - 1) * s }},
		{ReduceScatter, Ring, []int{2, 7, 16}, func(n int64) int64 { return (n - 1) * s }},
		{ReduceScatter, RecursiveDoubling, []int{2, 8, 16}, func(n int64) int64 { return (n - 1) * s }},
		{AllToAll, Pairwise, []int{2, 7, 16}, func(n int64) int64 { return (n - 1) * s }},
		{AllToAll, RecursiveDoubling, []int{2, 8, 16}, func(n int64) int64 { return n * log(int(n)) * s / 2 }},
		{Broadcast, tree, []int{2, 7, 16}, func(n int64) int64 { return (n - 1) * s }},
		{Reduce, tree, []int{2, 7, 16}, func(n int64) int64 { return (n - 1) * s }},
		{Gather, tree, []int{2, 8, 16}, func(n int64) int64 { return log(int(n)) * s / 2 }},
		{Scatter, tree, []int{2, 8, 16}, func(n int64) int64 { return log(int(n)) * s / 2 }},
		{Gather, Direct, []int{2, 8, 16}, func(n int64) int64 { return s - s/n }},
		{Barrier, RecursiveDoubling, []int{2, 8, 16}, func(n int64) int64 { return n * log(int(n)) }},
	} {
		for _, n := range c.ranks {
			l := lower(t, Call{Kind: c.kind, Size: s, Node: 4}, c.algorithm, n)
			var sum trace.Summary
			for r := range l.trace.Ranks {
				sum.Add(&l.trace.Ranks[r])
			}
			if want := c.want(int64(n)); sum.Bytes != want {
				t.Errorf("%v %v over %d ranks: %d bytes are sent, not %d", c.kind, c.algorithm, n, sum.Bytes, want)
			}
		}
	}
}

// TestRingPerRank: with a size that all ranks divide, each sends 2(n-1)/n of it.
func TestRingPerRank(t *testing.T) {
	for n := 2; n <= 17; n++ {
		size := int64(n) * 4096
		l := lower(t, Call{Kind: AllReduce, Size: size}, Ring, n)
		for r := range l.trace.Ranks {
			var sum trace.Summary
			sum.Add(&l.trace.Ranks[r])
			if want := 2 * int64(n-1) * 4096; sum.Bytes != want || sum.Sends != 2*int64(n-1) {
				t.Errorf("rank %d of %d sends %d bytes, not %d", r, n, sum.Bytes, want)
			}
		}
	}
}

// TestTimes: by LogGOPS, steps of a ring and of an exchange follow each other; a step takes o, L, o, and
// the bytes but the first.
func TestTimes(t *testing.T) {
	p := loggops.Parameters{Latency: 2500 * unit.Nanosecond, Overhead: 1500 * unit.Nanosecond, GapPerByte: 6 * unit.Nanosecond, Eager: math.MaxInt64}
	step := func(bytes int64) unit.Time {
		return 2*p.Overhead + p.Latency + unit.Time(bytes-1)*p.GapPerByte
	}
	for _, n := range []int{2, 3, 8, 17} {
		const part = 1000
		size := int64(n) * part
		steps := unit.Time(n - 1)
		wants := map[Call]unit.Time{
			{Kind: AllReduce, Size: size}: 2 * steps * step(part),
			{Kind: AllGather, Size: size}: steps * step(part),
			// 8 Gbit/s is a byte per ns.
			{Kind: AllReduce, Size: size, Reduction: 8 * unit.Gbps}: 2*steps*step(part) + steps*part*unit.Nanosecond,
		}
		for c, want := range wants {
			l := lower(t, c, Ring, n)
			r, err := loggops.Run(context.Background(), l.trace, p)
			if err != nil {
				t.Fatal(err)
			}
			for rank, end := range r.Ends {
				if end != want {
					t.Errorf("%v over %d ranks: rank %d ends at %v, not at %v", c, n, rank, end, want)
				}
			}
		}
	}
	l := lower(t, Call{Kind: AllReduce, Size: 4096}, RecursiveDoubling, 16)
	r, err := loggops.Run(context.Background(), l.trace, p)
	if err != nil || r.End() != 4*step(4096) {
		t.Error(r.End(), err)
	}
}
