package sim

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// reference is the plainest queue that can be: a binary heap of all events that
// were ever scheduled, with the stale ones skipped.
type reference struct {
	events []event
	at     map[Entity]Time
	ranks  []uint32
}

func (r *reference) Len() int           { return len(r.events) }
func (r *reference) Less(i, j int) bool { return r.events[i].before(r.events[j]) }
func (r *reference) Swap(i, j int)      { r.events[i], r.events[j] = r.events[j], r.events[i] }
func (r *reference) Push(x any)         { r.events = append(r.events, x.(event)) }
func (r *reference) Pop() any {
	x := r.events[len(r.events)-1]
	r.events = r.events[:len(r.events)-1]
	return x
}

func (r *reference) schedule(e Entity, at Time) {
	if t, ok := r.at[e]; ok && t == at {
		return
	}
	r.at[e] = at
	heap.Push(r, event{at, makeKey(r.ranks[e], e)})
}

func (r *reference) next(limit Time) (Entity, Time, bool) {
	for len(r.events) > 0 {
		ev := r.events[0]
		e := ev.key.entity()
		if t, ok := r.at[e]; !ok || t != ev.at {
			heap.Pop(r)
			continue
		}
		if ev.at >= limit {
			return 0, 0, false
		}
		heap.Pop(r)
		delete(r.at, e)
		return e, ev.at, true
	}
	return 0, 0, false
}

// TestSchedulersAgree drives every kind of queue and a plain heap with the same
// random operations over distances from picoseconds to milliseconds, with ties,
// bursts, cancellations, moves and windows.
func TestSchedulersAgree(t *testing.T) {
	scales := []Time{1, 5, 1000, 80_000, 1_000_000, 70_000_000, 5_000_000_000}
	for _, kind := range []QueueKind{Calendar, Heap} {
		for seed := range seeds() {
			t.Run(fmt.Sprintf("kind%d/seed%d", kind, seed), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 1))
				n := 1 + rng.IntN(700)
				ranks := make([]uint32, n)
				for i, p := range rng.Perm(n) {
					ranks[i] = uint32(p)
				}
				s := NewScheduler(kind, ranks)
				ref := &reference{at: map[Entity]Time{}, ranks: ranks}
				now, limit := Time(0), Time(0)
				grain := scales[rng.IntN(4)]
				for step := range 30_000 {
					switch {
					case step%7000 == 0: // a burst at one instant
						for i := range n {
							at := limit + 3*grain
							s.Schedule(Entity(i), at)
							ref.schedule(Entity(i), at)
						}
					case rng.IntN(40) == 0:
						e := Entity(rng.IntN(n))
						s.Cancel(e)
						delete(ref.at, e)
					default:
						e := Entity(rng.IntN(n))
						at := max(now, limit) + Time(rng.Int64N(int64(scales[rng.IntN(len(scales))])))/grain*grain
						s.Schedule(e, at)
						ref.schedule(e, at)
					}
					if rng.IntN(3) > 0 {
						continue
					}
					limit = max(limit, now) + Time(rng.Int64N(2_000_000))
					if b := s.Bound(); len(ref.at) > 0 {
						first := Forever
						for _, at := range ref.at {
							first = min(first, at)
						}
						if b > first {
							t.Fatalf("step %d: bound %d after the first event %d", step, b, first)
						}
					}
					for range 5 {
						e, at, ok := s.Next(limit)
						re, rat, rok := ref.next(limit)
						if e != re || at != rat || ok != rok {
							t.Fatalf("step %d: got (%d, %d, %v), want (%d, %d, %v)", step, e, at, ok, re, rat, rok)
						}
						if !ok {
							break
						}
						now = at
						if _, pending := s.Pending(e); pending {
							t.Fatalf("step %d: entity %d still pending after it was yielded", step, e)
						}
						if rng.IntN(2) == 0 { // as a link does: the next frame right away
							at += Time(rng.Int64N(400_000))
							s.Schedule(e, at)
							ref.schedule(e, at)
						}
					}
					// All before the limit must go before the window moves on.
					for {
						e, at, ok := s.Next(limit)
						re, rat, rok := ref.next(limit)
						if e != re || at != rat || ok != rok {
							t.Fatalf("step %d: got (%d, %d, %v), want (%d, %d, %v)", step, e, at, ok, re, rat, rok)
						}
						if !ok {
							break
						}
						now = at
					}
				}
			})
		}
	}
}

// seeds is how many histories a kind of queue is driven through.
func seeds() uint64 {
	if testing.Short() {
		return 8
	}
	return 40
}

func TestSchedulerOrdersTiesByRank(t *testing.T) {
	for _, kind := range []QueueKind{Calendar, Heap} {
		ranks := []uint32{5, 1, 9, 3}
		s := NewScheduler(kind, ranks)
		for e := range ranks {
			s.Schedule(Entity(e), 42)
		}
		var got []Entity
		for {
			e, _, ok := s.Next(43)
			if !ok {
				break
			}
			got = append(got, e)
		}
		if want := []Entity{1, 3, 0, 2}; !slices.Equal(got, want) {
			t.Errorf("kind %d: order %v, want %v", kind, got, want)
		}
	}
}

// TestSchedulersAgreeAsDensityChanges has a link busy for a while, and then three entities that
// wait long between events: buckets become thousands of times wider, and the one that is
// opened then covers what waited beyond the reach of all of them.
func TestSchedulersAgreeAsDensityChanges(t *testing.T) {
	const us = 1_000_000
	for _, kind := range []QueueKind{Calendar, Heap} {
		for busy := range Time(4 * seeds()) {
			s := NewScheduler(kind, []uint32{0, 1, 2})
			ref := &reference{at: map[Entity]Time{}, ranks: []uint32{0, 1, 2}}
			schedule := func(e Entity, at Time) {
				s.Schedule(e, at)
				ref.schedule(e, at)
			}
			schedule(0, 0)
			begun, near := false, false
			for step := range Time(30_000) {
				e, at, ok := s.Next(Forever)
				if re, rat, rok := ref.next(Forever); e != re || at != rat || ok != rok {
					t.Fatalf("kind %d, busy for %d, step %d: got (%d, %d, %v), want (%d, %d, %v)", kind, busy, step, e, at, ok, re, rat, rok)
				}
				switch {
				case step < 10_000+busy:
					schedule(0, at+1000)
				case !begun:
					begun = true
					schedule(0, at+100*us)
					schedule(1, at+100*us+us/10)
					schedule(2, at+110*us)
				case e != 1:
					schedule(e, at+100*us)
				case !near: // after the next event of 2
					near = true
					schedule(1, at+12*us)
				default:
					near = false
					schedule(1, at+88*us)
				}
			}
		}
	}
}
