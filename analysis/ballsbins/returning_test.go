package ballsbins

import (
	"slices"
	"testing"
)

// These tests follow the proof of Theorem 5.1 in Appendix C.

func returningOf(threshold int, loads ...int) *returning {
	p := newReturning(Options{Bins: len(loads), Rate: 1, Rounds: 1, Recycled: true, Threshold: threshold, Colors: 8, Coalescing: 1, Seed: 1})
	copy(p.loads, loads)
	return p
}

func TestReturnsToBinsUpToTheThreshold(t *testing.T) {
	p := returningOf(3, 1, 3, 4, 5)
	p.remove()
	if !slices.Equal(p.loads, []int{0, 2, 3, 4}) || p.memory.Len() != 2 {
		t.Fatalf("loads %v, %d bins remembered", p.loads, p.memory.Len())
	}
	p.throw(1)
	// Bins 0 and 1 are as before; two balls fell anywhere.
	if p.out.Fresh != 2 || p.loads[0] < 1 || p.loads[1] < 3 {
		t.Errorf("%d balls at random, loads %v", p.out.Fresh, p.loads)
	}
}

func TestABinThatIsNotEmptyStaysSo(t *testing.T) {
	p := returningOf(12, make([]int, 16)...)
	for round := range 2000 {
		before := slices.Clone(p.loads)
		total := p.out.Thrown - p.out.Removed
		p.remove()
		p.throw(round + 1)
		full := true
		for i, load := range before {
			if load > 0 && load <= p.Threshold && p.loads[i] < load {
				t.Fatalf("round %d: bin %d went from %d to %d balls", round, i, load, p.loads[i])
			}
			full = full && load > 0
		}
		if full && p.out.Thrown-p.out.Removed != total {
			t.Fatalf("round %d: without empty bins the number of balls changed", round)
		}
	}
}

func TestMemoryIsFirstInFirstOutAndHasRoom(t *testing.T) {
	p := returningOf(9, 1, 1)
	p.room = 3
	for bin := range int32(2) {
		p.memory.Push(bin)
	}
	p.remove() // pushes two: the oldest gives way
	var got []int32
	for ; !p.memory.Empty(); p.memory.Pop() {
		got = append(got, p.memory.First())
	}
	if len(got) != 3 || got[0] != 1 {
		t.Errorf("the memory holds %v, want the three that came last", got)
	}
}

// TestEveryBinIsReported keeps coalescing from always leaving out the same bins.
func TestEveryBinIsReported(t *testing.T) {
	p := returningOf(9, 9, 9, 9, 9)
	p.Coalescing = 2
	reported := map[int32]bool{}
	for range 8 {
		p.remove()
		for ; !p.memory.Empty(); p.memory.Pop() {
			reported[p.memory.First()] = true
		}
	}
	if len(reported) != 4 {
		t.Errorf("only some bins were ever reported: %v", reported)
	}
}
