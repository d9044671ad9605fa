package ballsbins

import (
	"context"

	"weft/analysis/internal/draw"
	"weft/internal/portable"
)

// Coupons returns, for each trial, how many balls were thrown at random one after another until
// every bin had received one: the first phase in the proof of Theorem 5.1 (Appendix C).
func Coupons(ctx context.Context, bins, trials int, seed uint64) ([]int, error) {
	took := make([]int, trials)
	hit := make([]bool, bins)
	for t := range took {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r := draw.Stream(seed, "coupons", t)
		clear(hit)
		for missing := bins; missing > 0; took[t]++ {
			if i := r.Below(bins); !hit[i] {
				hit[i] = true
				missing--
			}
		}
	}
	return took, nil
}

// MeanCoupons returns the expectation of Coupons, n·H(n) with the harmonic number H.
func MeanCoupons(bins int) float64 {
	harmonic := 0.0
	for i := bins; i >= 1; i-- {
		harmonic += 1 / float64(i)
	}
	return float64(bins) * harmonic
}

// EnoughCoupons returns the number of balls after which Appendix C counts on every bin having
// received one: 2n ln n, with a probability of 1-1/n.
func EnoughCoupons(bins int) float64 {
	n := float64(bins)
	return 2 * n * portable.Log(n)
}

// mostExact is the largest number of bins for which CouponsWithin is exact.
const mostExact = 2048

// CouponsWithin returns the probability that the given number of balls leaves no bin empty. Up to
// 2048 bins it computes the distribution of the number of non-empty bins ball by ball. Above, the
// number of empty bins is nearly a Poisson variable, and the result is e to the minus of its
// mean.
func CouponsWithin(bins, balls int) float64 {
	n := float64(bins)
	if bins > mostExact {
		return portable.Exp(-n * portable.Exp(float64(balls)*portable.Log(1-1/n)))
	}
	hit := make([]float64, bins+1)
	hit[0] = 1
	least := 0
	for ball := range balls {
		for k := min(ball+1, bins); k > least; k-- {
			hit[k] = float64(hit[k]*(float64(k)/n)) + float64(hit[k-1]*(float64(bins-k+1)/n))
		}
		hit[least] *= float64(least) / n
		// Negligible probabilities add nothing and slow the arithmetic down.
		for hit[least] < 1e-200 {
			hit[least] = 0
			least++
		}
	}
	return hit[bins]
}

// MeanLoad returns the long-run mean load of a bin under random throws at a rate below 1, with a
// whole number of balls per round or, for Binomial, with binomial arrivals. A bin is a queue with
// one departure per round and arrivals A; its mean load is λ + E[A(A-1)] / (2(1-λ)) (Pollaczek
// and Khinchine).
func MeanLoad(bins int, rate float64, arrivals Arrivals) float64 {
	pairs := rate * rate
	if arrivals != Binomial {
		pairs -= rate / float64(bins)
	} else {
		// Each of n offers is made with probability λ and falls into this bin with 1/n.
		pairs -= rate * rate / float64(bins)
	}
	return rate + pairs/(2*(1-rate))
}

// OrderOfMax returns the growth of the largest load under random throws at a rate below 1: it is
// bounded by ln(n)/(1-λ) from below and ln(n/(1-λ))/(1-λ) from above, each up to a constant
// factor that the sources do not give (§5.1).
func OrderOfMax(bins int, rate float64) (lower, upper float64) {
	n := float64(bins)
	return portable.Log(n) / (1 - rate), portable.Log(n/(1-rate)) / (1 - rate)
}
