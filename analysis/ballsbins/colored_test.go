package ballsbins

import (
	"slices"
	"testing"
)

// These tests follow the text of §5.1 sentence by sentence.

// process returns a colored process of two bins and four colors.
func process(threshold int) *colored {
	return newColored(Options{Bins: 2, Rate: 1, Rounds: 1, Recycled: true, Threshold: threshold, Colors: 2, Coalescing: 1, Unreported: Forget, Seed: 1})
}

// put places a ball of a color into a bin.
func (p *colored) put(color int32, bin int) {
	p.queues[bin].Push(color)
	p.loads[bin]++
}

func TestCyclesThroughColorsInBatches(t *testing.T) {
	p := process(7)
	for round := 1; round <= 4; round++ {
		before := p.next
		p.throw(round)
		if p.next != (before+2)%4 {
			t.Fatalf("after the colors from %d on the next is %d", before, p.next)
		}
	}
	if p.out.Thrown != 8 || p.loads[0]+p.loads[1] != 8 {
		t.Errorf("threw %d balls, loads %v", p.out.Thrown, p.loads)
	}
}

func TestRemovesABallFromEachNonEmptyBinFirstInFirstOut(t *testing.T) {
	p := process(7)
	p.put(3, 1)
	p.put(2, 1)
	p.remove(1)
	if p.out.Removed != 1 || !slices.Equal(p.loads, []int{0, 1}) {
		t.Errorf("removed %d, loads %v", p.out.Removed, p.loads)
	}
	if !slices.Equal(p.memory, []int32{none, none, none, 1}) {
		t.Errorf("memories are %v, want that of the first color in only", p.memory)
	}
}

func TestRemembersAtTheThresholdAndForgetsAboveIt(t *testing.T) {
	for balls := 1; balls <= 4; balls++ {
		p := process(3)
		p.memory[0] = 1
		p.unremembers--
		for range balls {
			p.put(0, 1)
		}
		p.remove(1)
		want := int32(1)
		if balls > 3 {
			want = none
		}
		if p.memory[0] != want {
			t.Errorf("of a bin with %d balls its color remembers %d, want %d", balls, p.memory[0], want)
		}
	}
}

func TestKeepsAnotherRememberedBin(t *testing.T) {
	p := process(7)
	p.memory[0] = 0
	p.unremembers--
	p.put(0, 1)
	p.remove(1)
	if p.memory[0] != 0 {
		t.Errorf("a color that remembered bin 0 remembers %d", p.memory[0])
	}
}

func TestThrowsIntoTheRememberedBin(t *testing.T) {
	p := process(7)
	p.memory[0], p.memory[1] = 1, 1
	p.unremembers -= 2
	p.throw(1)
	if !slices.Equal(p.loads, []int{0, 2}) || p.out.Fresh != 0 {
		t.Errorf("loads %v, %d at random", p.loads, p.out.Fresh)
	}
	p.throw(2)
	if p.out.Fresh != 2 {
		t.Errorf("%d of two colors without a bin threw at random", p.out.Fresh)
	}
}

func TestUnreportedColors(t *testing.T) {
	for _, u := range []Unreported{Forget, Keep} {
		p := process(7)
		p.Coalescing, p.Unreported = 2, u
		for color := range p.memory {
			p.memory[color] = 0
			p.unremembers--
		}
		for color := range int32(4) {
			p.put(color, int(color%2))
		}
		p.remove(1)
		p.remove(2)
		want := 4
		if u == Forget {
			want = 2
		}
		got := 0
		for _, bin := range p.memory {
			if bin != none {
				got++
			}
		}
		if got != want || p.unremembers != 4-want {
			t.Errorf("%s: %d of 4 colors remember a bin, want %d", u, got, want)
		}
	}
}

func TestConvergenceBeginsWithTheLastChange(t *testing.T) {
	found := false
	for trial := range 40 {
		o := Options{Bins: 4, Rate: 1, Rounds: 1, Recycled: true, Threshold: 7, Colors: 4, Coalescing: 1, Unreported: Forget, Seed: 1, Trial: trial}
		p := newColored(o)
		last := 0
		for round := 1; round <= 1000 && p.watch.since == 0; round++ {
			before := slices.Clone(p.memory)
			p.remove(round)
			p.throw(round)
			if !slices.Equal(before, p.memory) {
				last = round
			}
			p.watch.look(round, p)
		}
		if p.watch.since > 0 {
			found = true
			if p.watch.since != last {
				t.Errorf("trial %d converged at %d, and a memory last changed at %d", trial, p.watch.since, last)
			}
		}
	}
	if !found {
		t.Error("no trial converged")
	}
}
