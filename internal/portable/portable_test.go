package portable

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// ulps returns the distance of two numbers in units in the last place.
func ulps(a, b float64) uint64 {
	order := func(x float64) int64 {
		if i := int64(math.Float64bits(x)); i >= 0 {
			return i
		} else {
			return math.MinInt64 - i
		}
	}
	x, y := order(a), order(b)
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

func TestLogNearTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// The standard library's assembly for amd64 errs on subnormal numbers.
		x := rapid.Float64Range(0x1p-1022, math.MaxFloat64).Draw(t, "x")
		if d := ulps(Log(x), math.Log(x)); d > 2 {
			t.Fatalf("Log(%g) = %g, math.Log = %g: %d ulps apart", x, Log(x), math.Log(x), d)
		}
	})
	r := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		x := math.Ldexp(0.5+r.Float64(), r.IntN(80)-40)
		if d := ulps(Log(x), math.Log(x)); d > 2 {
			t.Fatalf("Log(%g) = %g, math.Log = %g: %d ulps apart", x, Log(x), math.Log(x), d)
		}
	}
}

func TestExpNearTheStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200000 {
		x := (r.Float64() - 0.5) * math.Ldexp(1, r.IntN(12)-1)
		if x > 709 || x < -708 {
			continue
		}
		if d := ulps(Exp(x), math.Exp(x)); d > 2 {
			t.Fatalf("Exp(%g) = %g, math.Exp = %g: %d ulps apart", x, Exp(x), math.Exp(x), d)
		}
	}
}

// The error against 200-bit arithmetic stays below one unit in the last place.
func TestExpAgainstLongArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		x := (r.Float64() - 0.5) * 80
		want := longExp(x)
		unit := math.Nextafter(Exp(x), math.Inf(1)) - Exp(x)
		diff := new(big.Float).Sub(want, big.NewFloat(Exp(x)))
		if e, _ := diff.Float64(); math.Abs(e) >= unit {
			t.Fatalf("Exp(%g) is %g ulps off", x, e/unit)
		}
	}
}

// Log is the inverse of the exponential, to its own precision.
func TestLogAgainstLongArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		x := math.Ldexp(0.5+r.Float64(), r.IntN(60)-30)
		y := Log(x)
		// ln x - y = ln(x·e^-y) ≈ x·e^-y - 1.
		q := new(big.Float).SetPrec(200).Quo(big.NewFloat(x), longExp(y))
		e, _ := q.Sub(q, big.NewFloat(1)).Float64()
		unit := math.Nextafter(math.Abs(y), math.Inf(1)) - math.Abs(y)
		if math.Abs(e) >= unit {
			t.Fatalf("Log(%g) is %g ulps off", x, e/unit)
		}
	}
}

// longExp is the Taylor series of e^(x/2^12), squared twelve times.
func longExp(x float64) *big.Float {
	const prec, halvings = 200, 12
	z := new(big.Float).SetPrec(prec).SetMantExp(big.NewFloat(x), -halvings)
	sum := new(big.Float).SetPrec(prec).SetInt64(1)
	term := new(big.Float).SetPrec(prec).SetInt64(1)
	for n := int64(1); n < 40; n++ {
		term.Mul(term, z)
		term.Quo(term, new(big.Float).SetInt64(n))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestSpecialValues(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"Log(1)", Log(1), 0},
		{"Log(0)", Log(0), -inf},
		{"Log(+Inf)", Log(inf), inf},
		{"Log(-1)", Log(-1), math.NaN()},
		{"Log(NaN)", Log(math.NaN()), math.NaN()},
		{"Log(-Inf)", Log(-inf), math.NaN()},
		{"Log(2)", Log(2), math.Ln2},
		{"Log(least)", Log(math.SmallestNonzeroFloat64), -744.4400719213812},
		{"Log(most)", Log(math.MaxFloat64), math.Log(math.MaxFloat64)},
		{"Exp(0)", Exp(0), 1},
		{"Exp(1)", Exp(1), math.Nextafter(math.E, 3)},
		{"Exp(-Inf)", Exp(-inf), 0},
		{"Exp(+Inf)", Exp(inf), inf},
		{"Exp(NaN)", Exp(math.NaN()), math.NaN()},
		{"Exp(709.9)", Exp(709.9), inf},
		{"Exp(-750)", Exp(-750), 0},
		{"Exp(-740)", Exp(-740), math.Exp(-740)},
	} {
		if test.got != test.want && !(math.IsNaN(test.got) && math.IsNaN(test.want)) {
			t.Errorf("%s = %g, want %g", test.name, test.got, test.want)
		}
	}
}

// Pinned bits: a platform or compiler that computes other ones breaks every
// golden result, and this test tells why.
func TestPinnedBits(t *testing.T) {
	for _, test := range []struct {
		name string
		got  float64
		want uint64
	}{
		{"Log(3)", Log(3), 0x3ff193ea7aad030a},
		{"Log(0.1)", Log(0.1), 0xc0026bb1bbb55515},
		{"Log(0.7)", Log(0.7), 0xbfd6d3c324e13f50},
		{"Log(1e-300)", Log(1e-300), 0xc085963447f87fb5},
		{"Exp(0.3)", Exp(0.3), 0x3ff599058c8c1a96},
		{"Exp(-2.5)", Exp(-2.5), 0x3fb50385c094f425},
		{"Exp(16.1)", Exp(16.1), 0x4162bb3fdd819bd2},
	} {
		if got := math.Float64bits(test.got); got != test.want {
			t.Errorf("%s = %#x (%g), want %#x", test.name, got, test.got, test.want)
		}
	}
}

func TestUniformNeverIsZero(t *testing.T) {
	r := rand.NewPCG(1, 1)
	sum := 0.0
	const n = 100000
	for range n {
		u := Uniform(r)
		if u <= 0 || u > 1 {
			t.Fatalf("drew %g", u)
		}
		sum += u
	}
	// Five standard deviations of the mean of a uniform variable.
	if mean := sum / n; math.Abs(mean-0.5) > 5*math.Sqrt(1./12/n) {
		t.Errorf("mean is %g", mean)
	}
}

func TestBelow(t *testing.T) {
	r := rand.NewPCG(2, 1)
	const n, draws = 6, 60000
	var counts [n]int
	for range draws {
		counts[Below(r, n)]++
	}
	chi2 := 0.0
	for _, c := range counts {
		d := float64(c) - draws/n
		chi2 += d * d / (draws / n)
	}
	if chi2 > 20.5 { // 99.9 % of χ² with five degrees of freedom
		t.Errorf("counts %v, χ² = %.1f", counts, chi2)
	}
	if got := Below(r, 1); got != 0 {
		t.Errorf("Below(1) = %d", got)
	}
	// A range just over half of all words rejects almost every second one.
	for range 1000 {
		if got := Below(r, 1<<63+1); got > 1<<63 {
			t.Fatalf("drew %d", got)
		}
	}
}

func TestSampleOfMoreHoldsSampleOfLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 50).Draw(t, "size")
		less := rapid.IntRange(0, size).Draw(t, "less")
		more := rapid.IntRange(less, size).Draw(t, "more")
		seed := rapid.Uint64().Draw(t, "seed")
		sample := func(n int) []int {
			s := make([]int, size)
			for i := range s {
				s[i] = i
			}
			Sample(rand.NewPCG(seed, 0), s, n)
			sorted := slices.Sorted(slices.Values(s))
			for i, v := range sorted {
				if i != v {
					t.Fatalf("%v is no reordering", s)
				}
			}
			return s[:n]
		}
		if a, b := sample(less), sample(more); !slices.Equal(a, b[:less]) {
			t.Fatalf("a sample of %d is %v, of %d %v", less, a, more, b)
		}
	})
}

func TestNothingAllocates(t *testing.T) {
	r := rand.NewPCG(1, 1)
	s := make([]int, 10)
	sink := 0.0
	if n := testing.AllocsPerRun(1, func() { // of all together, since means are rounded down
		for range 100 {
			sink += Log(Uniform(r)) + Exp(Uniform(r)) + float64(Below(r, 9))
			Shuffle(r, s)
		}
	}); n != 0 {
		t.Errorf("%v allocations, sum %g", n, sink)
	}
}

func BenchmarkLog(b *testing.B) {
	r := rand.NewPCG(1, 1)
	sum := 0.0
	for b.Loop() {
		sum += Log(Uniform(r))
	}
	_ = sum
}
