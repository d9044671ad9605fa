package galois

import (
	"slices"
	"testing"
)

func orders() []int {
	var all []int
	for q := 2; q <= 49; q++ {
		if _, _, ok := PrimePower(q); ok {
			all = append(all, q)
		}
	}
	return append(all, 64, 81, 89, 121, 125, 128, 169, 243, 256)
}

func TestPrimePowers(t *testing.T) {
	want := []int{2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32, 37, 41, 43, 47, 49}
	var got []int
	for q := -1; q < 50; q++ {
		if _, _, ok := PrimePower(q); ok {
			got = append(got, q)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("prime powers below 50: %v, want %v", got, want)
	}
	if p, n, ok := PrimePower(729); p != 3 || n != 6 || !ok {
		t.Errorf("729 = %d^%d, %v", p, n, ok)
	}
}

// The laws of a field, on all pairs and many triples of elements.
func TestFieldLaws(t *testing.T) {
	for _, q := range orders() {
		f, err := New(q)
		if err != nil {
			t.Fatal(err)
		}
		for a := range q {
			inverses := 0
			if f.Add(a, 0) != a || f.Mul(a, 1) != a || f.Mul(a, 0) != 0 || f.Add(a, f.Neg(a)) != 0 {
				t.Fatalf("GF(%d): %d has wrong neutral elements", q, a)
			}
			for b := range q {
				if f.Add(a, b) != f.Add(b, a) || f.Mul(a, b) != f.Mul(b, a) {
					t.Fatalf("GF(%d): %d and %d do not commute", q, a, b)
				}
				if f.Mul(a, b) == 1 {
					inverses++
				}
				c := (a*7 + b*3 + 1) % q
				if f.Mul(a, f.Add(b, c)) != f.Add(f.Mul(a, b), f.Mul(a, c)) {
					t.Fatalf("GF(%d): %d(%d+%d) is not distributive", q, a, b, c)
				}
				if f.Mul(f.Mul(a, b), c) != f.Mul(a, f.Mul(b, c)) || f.Add(f.Add(a, b), c) != f.Add(a, f.Add(b, c)) {
					t.Fatalf("GF(%d): %d, %d and %d are not associative", q, a, b, c)
				}
			}
			if a != 0 && inverses != 1 {
				t.Fatalf("GF(%d): %d has %d inverses", q, a, inverses)
			}
		}
	}
}

func TestPrimitiveElement(t *testing.T) {
	for _, q := range orders() {
		f, err := New(q)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[int]bool{}
		for n := range q - 1 {
			seen[f.Exp(n)] = true
			if f.Mul(f.Exp(n), f.Exp(1)) != f.Exp(n+1) {
				t.Fatalf("GF(%d): power %d times the primitive element is not the next power", q, n)
			}
		}
		if len(seen) != q-1 || seen[0] {
			t.Errorf("GF(%d): the powers are %d elements, want all %d but zero", q, len(seen), q-1)
		}
		sum := 0
		for range f.Characteristic() {
			sum = f.Add(sum, 1)
		}
		if sum != 0 {
			t.Errorf("GF(%d) does not have the characteristic %d", q, f.Characteristic())
		}
	}
}

// In GF(4), GF(8) and GF(9) elements are not integers modulo q.
func TestPowersAreNoIntegers(t *testing.T) {
	for q, want := range map[int]int{4: 0, 8: 0, 9: 2} {
		f, err := New(q)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Add(1, 1); got != want {
			t.Errorf("1+1 in GF(%d) is %d, want %d", q, got, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, q := range []int{-3, 0, 1, 6, 12, 100, 2048} {
		if _, err := New(q); err == nil {
			t.Errorf("New(%d) made a field", q)
		}
	}
}
