package pattern

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestOffDiagonal(t *testing.T) {
	for _, c := range []struct{ s, c, n, want int }{{0, 1, 5, 1}, {4, 1, 5, 0}, {0, -1, 5, 4}, {1, -42, 10, 9}, {3, 1337, 10, 0}} {
		if got := OffDiagonal(c.s, c.c, c.n); got != c.want {
			t.Errorf("%d + %d mod %d: %d, want %d", c.s, c.c, c.n, got, c.want)
		}
	}
}

// TestShuffle follows the words by hand. With 8 endpoints, i = 2: abc becomes cab,
// which is once to the right, not once to the left. With 6, words have 3 bits too,
// and 6 and 7 are taken modulo 6.
func TestShuffle(t *testing.T) {
	for n, want := range map[int][]int{
		8: {0, 4, 1, 5, 2, 6, 3, 7},
		6: {0, 4, 1, 5, 2, 0},
		2: {0, 1},
		3: {0, 2, 1},
	} {
		for s := range n {
			if got := Shuffle(s, n); got != want[s] {
				t.Errorf("%d of %d goes to %d, want %d", s, n, got, want[s])
			}
		}
	}
	// Among powers of two it is a permutation, among others not.
	for n, whole := range map[int]bool{64: true, 1024: true, 100: false} {
		hit := make([]bool, n)
		for s := range n {
			hit[Shuffle(s, n)] = true
		}
		if got := !slices.Contains(hit, false); got != whole {
			t.Errorf("the shuffle of %d reaches all: %v", n, got)
		}
	}
}

func TestStencilOffsets(t *testing.T) {
	if got := StencilOffsets(10_000); got != [4]int{1, -1, 42, -42} {
		t.Error(got)
	}
	if got := StencilOffsets(10_001); got != [4]int{1, -1, 1337, -1337} {
		t.Error(got)
	}
}

func TestPermutation(t *testing.T) {
	p := Permutation(100, rand.NewPCG(1, 2))
	if slices.IsSorted(p) {
		t.Error("nothing moved")
	}
	slices.Sort(p)
	for i, v := range p {
		if int(v) != i {
			t.Fatalf("%d is missing", i)
		}
	}
}
