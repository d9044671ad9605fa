package replay_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"weft/trace"
	"weft/trace/internal/draw"
	"weft/trace/replay"
)

// TestMatchesAsLists: matching is as with two lists that are searched from their fronts.
func TestMatchesAsLists(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		// Some ranks use all wildcards, others some of them or none.
		sources, tags := 1+rnd.IntN(3), 1+rnd.IntN(3)
		wildSource, wildTag := rnd.IntN(2), rnd.IntN(2)
		var b trace.Builder
		n := 200
		for range n {
			b.Add(trace.Operation{Kind: trace.Recv, Peer: int32(rnd.IntN(sources+wildSource) - wildSource), Tag: int64(rnd.IntN(tags+wildTag) - wildTag)})
		}
		s := b.Schedule()
		r := replay.New(&trace.Trace{Ranks: []trace.Schedule{s}})[0]
		var posted []uint32
		var came []replay.Message
		next, matches := uint32(0), 0
		for range 2 * n {
			if rnd.IntN(2) == 0 {
				m := replay.Message{Source: int32(rnd.IntN(sources)), Tag: int64(rnd.IntN(tags)), Op: rnd.Uint32()}
				i := slices.IndexFunc(posted, func(op uint32) bool { return fits(s.At(op), m) })
				op, ok := r.Arrive(m)
				switch {
				case ok != (i >= 0) || ok && op != posted[i]:
					t.Fatalf("seed %d: %v takes %v of %v at %d", seed, m, op, posted, i)
				case ok:
					posted = slices.Delete(posted, i, i+1)
					matches++
				default:
					came = append(came, m)
				}
				continue
			}
			if int(next) == n {
				continue
			}
			op := next
			next++
			i := slices.IndexFunc(came, func(m replay.Message) bool { return fits(s.At(op), m) })
			m, ok := r.Post(op)
			switch {
			case ok != (i >= 0) || ok && m != came[i]:
				t.Fatalf("seed %d: %v takes %v of %v at %d", seed, s.At(op), m, came, i)
			case ok:
				came = slices.Delete(came, i, i+1)
				matches++
			default:
				posted = append(posted, op)
			}
		}
		receives, messages := r.Waiting()
		if !slices.Equal(posted, receives) || !slices.Equal(came, messages) {
			t.Errorf("seed %d: %v and %v wait, not %v and %v", seed, receives, messages, posted, came)
		}
		if matches < 20 {
			t.Errorf("seed %d: only %d matched", seed, matches)
		}
	}
}

func fits(o trace.Operation, m replay.Message) bool {
	return (o.Peer == trace.AnySource || o.Peer == m.Source) && (o.Tag == trace.AnyTag || o.Tag == m.Tag)
}

// TestNobodyReceives: a rank without receives keeps what arrives.
func TestNobodyReceives(t *testing.T) {
	var b trace.Builder
	b.Add(trace.Operation{Kind: trace.Calc})
	s := b.Schedule()
	r := replay.New(&trace.Trace{Ranks: []trace.Schedule{s}})[0]
	m := replay.Message{Source: 3, Tag: 5, Op: 7}
	if _, ok := r.Arrive(m); ok {
		t.Error("somebody took it")
	}
	if _, messages := r.Waiting(); !slices.Equal(messages, []replay.Message{m}) || r.Left() != 1 {
		t.Error(messages, r.Left())
	}
}

// TestOrder: operations begin when all they wait for has happened, each once, whatever order a carrier
// chooses; those of one call come by kind, then by the schedule.
func TestOrder(t *testing.T) {
	for seed := range uint64(100) {
		tr := draw.Trace(seed, draw.Shape{Ranks: 1, Messages: 40, Calcs: 30, CPUs: 3, NICs: 1, Eager: 10})
		s := &tr.Ranks[0]
		type state struct{ begun, started, ended bool }
		states := make([]state, s.Len())
		type need struct {
			on    uint32
			start bool
		}
		needs := make([][]need, s.Len())
		for i := range uint32(s.Len()) {
			s.Dependants(i, func(op uint32, start bool) { needs[op] = append(needs[op], need{i, start}) })
		}
		r := replay.New(&trace.Trace{Ranks: []trace.Schedule{*s}})[0]
		rnd := rand.New(rand.NewPCG(seed, 2))
		var todo []uint32
		begin := func(ready []uint32) {
			for k, op := range ready {
				if k > 0 && s.Kind(ready[k-1]) > s.Kind(op) {
					t.Fatal(seed, "not by kind:", ready)
				}
				if states[op].begun {
					t.Fatal(seed, "begins twice:", op)
				}
				states[op].begun = true
				for _, n := range needs[op] {
					if on := states[n.on]; n.start && !on.started || !n.start && !on.ended {
						t.Fatal(seed, op, "begins before", n)
					}
				}
			}
			todo = append(todo, ready...)
		}
		begin(r.Begin(nil))
		for len(todo) > 0 {
			k := rnd.IntN(len(todo))
			op := todo[k]
			if !states[op].started {
				states[op].started = true
				begin(r.Started(op, nil))
				continue
			}
			states[op].ended = true
			todo = slices.Delete(todo, k, k+1)
			begin(r.Ended(op, nil))
		}
		if r.Left() != 0 {
			t.Error(seed, r.Left(), "operations are left")
		}
	}
}
