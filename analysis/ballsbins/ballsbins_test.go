package ballsbins

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// failer is what tests, benchmarks and properties have in common.
type failer interface {
	Helper()
	Fatal(...any)
}

func simulate(t failer, o Options) *Outcome {
	t.Helper()
	out, err := Simulate(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// covered are options that Theorem 5.1 covers, if n is at least 16.
func covered(n, rounds, trial int) Options {
	return Options{
		Bins: n, Rate: 1, Rounds: rounds, Recycled: true, Seed: 1, Trial: trial,
		Threshold: LeastThreshold(n), Colors: float64(LeastColors(n)),
	}
}

func TestBallsAreConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{
			Bins:       rapid.IntRange(1, 20).Draw(t, "bins"),
			Rate:       rapid.SampledFrom([]float64{1, 0.99, 0.5, 0.01}).Draw(t, "rate"),
			Rounds:     rapid.IntRange(1, 300).Draw(t, "rounds"),
			Arrivals:   rapid.SampledFrom([]Arrivals{Even, Binomial}).Draw(t, "arrivals"),
			Recycled:   rapid.Bool().Draw(t, "recycled"),
			Reading:    rapid.SampledFrom([]Reading{Fixed, AsPrinted}).Draw(t, "reading"),
			Threshold:  rapid.IntRange(0, 12).Draw(t, "threshold"),
			Colors:     rapid.Float64Range(1, 9).Draw(t, "colors"),
			Coalescing: rapid.IntRange(0, 5).Draw(t, "coalescing"),
			Seed:       rapid.Uint64().Draw(t, "seed"),
		}
		last := make([]int, o.Bins)
		rounds := 0
		o.Observe = func(round int, loads []int) {
			rounds++
			for i, load := range loads {
				if load < 0 || load < last[i]-1 {
					t.Fatalf("round %d: a bin went from %d to %d balls", round, last[i], load)
				}
			}
			copy(last, loads)
		}
		out, err := Simulate(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, load := range last {
			sum += load
		}
		if out.Thrown != out.Removed+out.Left || out.Left != int64(sum) || out.Fresh > out.Thrown {
			t.Fatalf("%d thrown, %d of them at random, %d removed and %d left, of which bins hold %d", out.Thrown, out.Fresh, out.Removed, out.Left, sum)
		}
		if want := o.Rate * float64(o.Bins*o.Rounds); o.Arrivals == Even && math.Abs(float64(out.Thrown)-want) > 1 {
			t.Fatalf("%d balls came, want %v", out.Thrown, want)
		}
		if len(out.Max) != o.Rounds || rounds != o.Rounds || out.Final != slices.Max(last) || out.Peak != slices.Max(out.Max) {
			t.Fatalf("largest loads %v do not fit the last loads %v", out.Max, last)
		}
		again := o
		again.Observe = nil
		if b := simulate(t, again); !slices.Equal(b.Max, out.Max) {
			t.Fatal("the same options gave other loads")
		}
	})
}

// TestAFewRoundsAgainstEnumeration takes two bins at rate 1. All throws of the
// first two rounds are equally likely, and so are their outcomes.
func TestAFewRoundsAgainstEnumeration(t *testing.T) {
	want := map[int]float64{}
	for throws := range 16 {
		loads := [2]int{}
		loads[throws&1]++
		loads[throws>>1&1]++
		for i := range loads {
			loads[i] = max(loads[i]-1, 0)
		}
		loads[throws>>2&1]++
		loads[throws>>3&1]++
		want[max(loads[0], loads[1])] += 1. / 16
	}
	const trials = 20000
	got := map[int]float64{}
	for trial := range trials {
		got[simulate(t, Options{Bins: 2, Rate: 1, Rounds: 2, Seed: 1, Trial: trial}).Final]++
	}
	for load, p := range want {
		if math.Abs(got[load]/trials-p) > 4*math.Sqrt(p*(1-p)/trials) {
			t.Errorf("a largest load of %d has frequency %.3f, want %.3f", load, got[load]/trials, p)
		}
	}
}

// TestMeanLoadAgainstTheChain computes the stationary load of a bin step by step.
func TestMeanLoadAgainstTheChain(t *testing.T) {
	const bins, rate, most = 8, 0.75, 200
	for _, arrivals := range []Arrivals{Even, Binomial} {
		// Arrivals at a bin are binomial: 6 balls that fall here with 1/8, or 8 offers
		// with 0.75/8.
		offers, p := 6, 1./8
		if arrivals == Binomial {
			offers, p = bins, rate/bins
		}
		come := make([]float64, offers+1)
		choose := 1.0
		for k := range come {
			come[k] = choose * math.Pow(p, float64(k)) * math.Pow(1-p, float64(offers-k))
			choose = choose * float64(offers-k) / float64(k+1)
		}
		chain := make([]float64, most)
		chain[0] = 1
		for range 3000 {
			next := make([]float64, most)
			for load, share := range chain {
				for k, q := range come {
					next[min(max(load-1, 0)+k, most-1)] += share * q
				}
			}
			chain = next
		}
		want := 0.0
		for load, share := range chain {
			want += float64(load) * share
		}
		if got := MeanLoad(bins, rate, arrivals); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: a mean load of %v, want %v", arrivals, got, want)
		}
		sum, rounds := 0.0, 0
		simulate(t, Options{Bins: bins, Rate: rate, Arrivals: arrivals, Rounds: 100_000, Seed: 1, Observe: func(round int, loads []int) {
			if round < 1000 {
				return
			}
			rounds++
			for _, load := range loads {
				sum += float64(load) / bins
			}
		}})
		if got := sum / float64(rounds); math.Abs(got/want-1) > 0.02 {
			t.Errorf("%s: simulated a mean load of %v, want %v", arrivals, got, want)
		}
	}
}

// TestTheorem holds the fixed reading to Theorem 5.1: every one of many trials
// converges within a small multiple of n ln n rounds, and no bin ever holds more
// than a small multiple of ln n balls.
func TestTheorem(t *testing.T) {
	for _, n := range []int{16, 32, 64, 128, 256} {
		log := math.Log(float64(n))
		nlogn := float64(n) * log
		for trial := range 30 {
			o := covered(n, int(6*nlogn), trial)
			if ok, fails := Covered(n, float64(o.Threshold), o.Colors); !ok {
				t.Fatalf("not covered: %v", fails)
			}
			out := simulate(t, o)
			if out.Converged == 0 || float64(out.Peak) > 6*log || out.Settled > out.Converged {
				t.Fatalf("n = %d, trial %d: converged at %d, settled at %d of %d rounds, peak %d", n, trial, out.Converged, out.Settled, o.Rounds, out.Peak)
			}
		}
	}
}

// TestConvergedStaysConverged runs on for long where convergence was found: of the
// text's process too the same loads must come again and again.
func TestConvergedStaysConverged(t *testing.T) {
	for _, reading := range []Reading{Fixed, AsPrinted} {
		found := 0
		for trial := range 60 {
			o := covered(5, 1500, trial)
			o.Reading = reading
			short := simulate(t, o)
			if short.Converged == 0 {
				continue
			}
			found++
			o.Rounds *= 3
			var first, last []int
			period := int(o.Colors)
			o.Observe = func(round int, loads []int) {
				switch round {
				case short.Converged + 20*period:
					first = slices.Clone(loads)
				case short.Converged + 700*period:
					last = slices.Clone(loads)
				}
			}
			long := simulate(t, o)
			if long.Converged != short.Converged || !slices.Equal(first, last) || slices.Max(long.Max[short.Converged:]) > o.Threshold {
				t.Errorf("%s, trial %d: converged at %d, then at %d; loads %v, then %v", reading, trial, short.Converged, long.Converged, first, last)
			}
		}
		if found < 5 {
			t.Errorf("%s: only %d trials converged", reading, found)
		}
	}
}

// TestAsPrintedDoesNotConverge shows what the text's process does where the theorem
// would have it converge: balls outgrow what all bins can hold at the threshold.
func TestAsPrintedDoesNotConverge(t *testing.T) {
	for trial := range 10 {
		o := covered(32, 4000, trial)
		o.Reading = AsPrinted
		out := simulate(t, o)
		if out.Converged != 0 || out.Settled <= o.Rounds {
			t.Errorf("trial %d converged at %d and settled at %d", trial, out.Converged, out.Settled)
		}
		o.Recycled = false
		if random := simulate(t, o); out.Final*2 > random.Final {
			t.Errorf("trial %d: a load of %d is not far below the %d of random throws", trial, out.Final, random.Final)
		}
	}
}

// TestCoalescingReportsOneInK uses that without a threshold exactly the reported
// balls go back.
func TestCoalescingReportsOneInK(t *testing.T) {
	for _, k := range []int{1, 2, 3, 8} {
		o := covered(16, 500, 0)
		o.Threshold, o.Coalescing = math.MaxInt, k
		if out := simulate(t, o); out.Fresh != out.Thrown-out.Removed/int64(k) {
			t.Errorf("%d:1: %d of %d balls fell at random, and %d were removed", k, out.Fresh, out.Thrown, out.Removed)
		}
	}
}

func TestCoalescingIsBetweenRecycledAndRandom(t *testing.T) {
	final := func(o Options) (sum int) {
		for o.Trial = range 30 {
			sum += simulate(t, o).Final
		}
		return sum
	}
	before := 0
	for _, k := range []int{1, 2, 4, 8} {
		o := covered(32, 400, 0)
		o.Coalescing = k
		f := final(o)
		if f <= before {
			t.Errorf("%d:1 has loads of %d, not above %d", k, f, before)
		}
		before = f
	}
	o := covered(32, 400, 0)
	o.Recycled = false
	if random := final(o); before >= random {
		t.Errorf("8:1 has loads of %d, not below the %d of random throws", before, random)
	}
}

func TestCovered(t *testing.T) {
	for _, tt := range []struct {
		bins              int
		threshold, colors float64
		ok                bool
		why               string
	}{
		{16, 12, 7, true, ""},
		{28, 14, 8, true, ""},
		{29, 14, 8, false, "b = 8 is below 2.4 ln n = 8.08"},
		{32, 14, 8, false, "b = 8"},
		{32, 13, 9, false, "τ = 13 is below 4 ln n = 13.86"},
		{5, 100, 100, false, "n = 5 is below 16"},
	} {
		ok, fails := Covered(tt.bins, tt.threshold, tt.colors)
		if ok != tt.ok || !strings.Contains(strings.Join(fails, "; "), tt.why) {
			t.Errorf("Covered(%d, %v, %v) = %v, %v", tt.bins, tt.threshold, tt.colors, ok, fails)
		}
	}
	if MostBins(8) != 28 {
		t.Errorf("a buffer of 8 suffices for %d ports", MostBins(8))
	}
	for n := 16; n < 300; n++ {
		if ok, fails := Covered(n, float64(LeastThreshold(n)), float64(LeastColors(n))); !ok {
			t.Errorf("%d: the least values are not enough: %v", n, fails)
		}
	}
}

func TestCoupons(t *testing.T) {
	const trials = 4000
	for _, n := range []int{1, 2, 16, 64} {
		took, err := Coupons(context.Background(), n, trials, 1)
		if err != nil {
			t.Fatal(err)
		}
		mean, within := 0.0, 0
		for _, balls := range took {
			mean += float64(balls) / trials
			if float64(balls) <= EnoughCoupons(n) {
				within++
			}
		}
		// The variance is below n²π²/6.
		if math.Abs(mean-MeanCoupons(n)) > 4*1.29*float64(n)/math.Sqrt(trials) {
			t.Errorf("n = %d: %v balls, want %v", n, mean, MeanCoupons(n))
		}
		promised := 1 - 1/float64(n)
		if n > 1 && float64(within)/trials < promised-4*math.Sqrt(promised*(1-promised)/trials) {
			t.Errorf("n = %d: enough in %d of %d trials, want a share of %v", n, within, trials, promised)
		}
	}
	// Three balls miss one of two bins in 2 of 8 cases, and leave none of three empty
	// in 6 of 27.
	if a, b := CouponsWithin(2, 3), CouponsWithin(3, 3); math.Abs(a-0.75) > 1e-12 || math.Abs(b-6./27) > 1e-12 {
		t.Errorf("probabilities %v and %v, want 3/4 and 6/27", a, b)
	}
	if a, b := CouponsWithin(2048, 16000), CouponsWithin(2049, 16000); math.Abs(a-b) > 5e-3 {
		t.Errorf("probabilities of 2048 and 2049 bins are %v and %v", a, b)
	}
	if MeanCoupons(2) != 3 {
		t.Errorf("two coupons take %v balls, want 3", MeanCoupons(2))
	}
}

func TestRefusals(t *testing.T) {
	good := covered(16, 10, 0)
	for what, change := range map[string]func(*Options){
		"bins":       func(o *Options) { o.Bins = 0 },
		"rate":       func(o *Options) { o.Rate = 1.1 },
		"rounds":     func(o *Options) { o.Rounds = 0 },
		"arrivals":   func(o *Options) { o.Arrivals = "odd" },
		"reading":    func(o *Options) { o.Reading = "odd" },
		"unreported": func(o *Options) { o.Unreported = Keep },
		"threshold":  func(o *Options) { o.Threshold = -1 },
		"color":      func(o *Options) { o.Colors = 0.5 },
	} {
		o := good
		change(&o)
		if _, err := Simulate(context.Background(), o); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("wrong %s gave %v", what, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o := good
	o.Rounds = 1 << 30
	o.Observe = func(round int, _ []int) {
		if round > 10*often {
			t.Fatal("a simulation went on after its context ended")
		}
	}
	if _, err := Simulate(ctx, o); err == nil {
		t.Error("a simulation ended well though its context had ended")
	}
}

func BenchmarkSimulate(b *testing.B) {
	for _, bb := range []struct {
		name    string
		options func(*Options)
	}{
		{"random", func(o *Options) { o.Recycled = false }},
		{"recycled", func(*Options) {}},
		{"as-printed", func(o *Options) { o.Reading = AsPrinted }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			o := covered(256, 10_000, 0)
			bb.options(&o)
			for b.Loop() {
				simulate(b, o)
			}
		})
	}
}
