package ballsbins

import (
	"context"

	"weft/analysis/internal/draw"
	"weft/internal/portable"
)

// Coupons returns how many balls, thrown at random one after another, it took in
// each trial until every bin had received one: the first phase in the proof of
// Theorem 5.1 (Appendix C).
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

// EnoughCoupons returns the balls after which Appendix C counts on every bin having
// received one: 2n ln n, with a probability of 1-1/n.
func EnoughCoupons(bins int) float64 {
	n := float64(bins)
	return 2 * n * portable.Log(n)
}

// mostExact is up to how many bins CouponsWithin counts exactly.
const mostExact = 2048

// CouponsWithin returns the probability that so many balls leave no bin without
// one. From how many bins are hit after a ball follows how many are after the
// next; above 2048 bins, whose number of empty ones is all but a Poisson variable,
// it is e to the minus of its mean.
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
		// What has become this unlikely adds nothing, and slows arithmetic down.
		for hit[least] < 1e-200 {
			hit[least] = 0
			least++
		}
	}
	return hit[bins]
}

// MeanLoad returns the mean load of a bin under random throws at a rate below 1
// after long enough, with a whole number of balls a round, or, if binomial, with
// arrivals of that kind. A bin is a queue with one departure a round and arrivals
// A, whose mean load is λ + E[A(A-1)] / (2(1-λ)) (Pollaczek and Khinchine).
func MeanLoad(bins int, rate float64, arrivals Arrivals) float64 {
	pairs := rate * rate
	if arrivals != Binomial {
		pairs -= rate / float64(bins)
	} else {
		// Of n offers, each is made with probability λ and falls here with 1/n.
		pairs -= rate * rate / float64(bins)
	}
	return rate + pairs/(2*(1-rate))
}

// OrderOfMax returns what the largest load under random throws at a rate below 1
// grows like: ln(n/(1-λ))/(1-λ) bounds it from above and ln(n)/(1-λ) from below,
// each up to a constant factor that the sources do not give (§5.1).
func OrderOfMax(bins int, rate float64) (lower, upper float64) {
	n := float64(bins)
	return portable.Log(n) / (1 - rate), portable.Log(n/(1-rate)) / (1 - rate)
}
