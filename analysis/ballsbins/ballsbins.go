// Package ballsbins models the output ports of a switch as bins and packets as balls. In each
// round a batch of balls falls into the bins, and one ball leaves each non-empty bin. Balls are
// thrown at random, as in oblivious packet spraying, or recycled, as in ARCANE (ARCANE §5.1,
// Appendices C and D.1).
package ballsbins

import (
	"context"
	"errors"
	"fmt"

	"weft/internal/portable"
)

// Arrivals determines how many balls arrive in a round.
type Arrivals string

// Arrival processes.
const (
	// Even has exactly as many balls as the rate asks for. Fractions accumulate into whole balls
	// in some rounds.
	Even Arrivals = "even"
	// Binomial lets each bin's input offer a ball with the probability of the rate.
	Binomial Arrivals = "binomial"
)

// Unreported says what happens to the colors of balls whose removal is not reported, because
// acknowledgements are coalesced.
type Unreported string

// Treatments of unreported colors.
const (
	// Forget makes an unreported color forget its bin: a cached entropy is used once, and returns
	// with an acknowledgement or not at all. ARCANE does this.
	Forget Unreported = "forget"
	// Keep leaves its memory unchanged.
	Keep Unreported = "keep"
)

// Reading is one of the two processes that the paper calls recycled.
type Reading string

// Readings of recycled balls-into-bins.
const (
	// Fixed is the process that the proof of Theorem 5.1 analyses, and what ARCANE's sender does.
	// A ball removed from a bin with at most τ balls is thrown back into it in the same round;
	// all others fall at random. A non-empty bin stays non-empty, and once no bin is empty the
	// number of balls stays constant. The proof uses both. The authors' script for Figure 14
	// (REPS artefact) does the same, except that a bin already forgets at τ balls.
	Fixed Reading = "fixed"
	// AsPrinted is the process in the text of §5.1: b·n colors throw in turn, n per round, each
	// into the bin it remembers. Up to b rounds pass between a ball's removal and its color's
	// turn, in which bins run empty. Each such round adds a ball permanently. Unless exactly b
	// colors happen to remember each bin, the balls outgrow n·τ, and then some bin is always
	// above τ. So this process does not converge in general, contrary to the theorem.
	AsPrinted Reading = "as-printed"
)

// Options holds the parameters of a simulation.
type Options struct {
	// Bins is n, the number of output ports.
	Bins int
	// Rate is λ, the number of balls per round divided by n, above 0 and at most 1.
	Rate float64
	// Arrivals defaults to Even.
	Arrivals Arrivals
	// Rounds is the number of rounds to simulate.
	Rounds int

	// Recycled returns balls to bins with few balls. Otherwise every throw is random.
	Recycled bool
	// Reading defaults to Fixed.
	Reading Reading
	// Threshold is τ, the load above which a color forgets its bin. It is compared with the load
	// before the ball is removed, as in the proof: a bin with more than τ balls does not get back
	// what it loses.
	Threshold int
	// Colors is b, the number of colors per bin; b·n is rounded. In the fixed reading it is the
	// capacity of the memory, from which the oldest entries are evicted. It matters only at rates
	// below 1.
	Colors float64
	// Coalescing is k: the removal of every k-th ball is reported, in random order among the
	// balls of a round. 0 and 1 report all.
	Coalescing int
	// Unreported defaults to Forget.
	Unreported Unreported

	// Seed and Trial select the random numbers.
	Seed  uint64
	Trial int

	// Observe, if not nil, is called with the loads after each round, beginning with round 1. It
	// must not keep the slice.
	Observe func(round int, loads []int)
}

// Outcome is the result of a simulation.
type Outcome struct {
	// Max is the largest load after each round.
	Max []int
	// Peak is the largest load of all rounds, and Final the last round's.
	Peak, Final int
	// Thrown balls are either Removed or Left. Fresh counts the thrown balls that fell at random.
	Thrown, Removed, Left, Fresh int64
	// Above is the number of bins with more than τ balls after the last round.
	Above int
	// Settled is the first round from which no bin held more than τ balls, or Rounds+1. It is set
	// for recycled balls only.
	Settled int
	// Converged is the first round from which all colors remember a bin and keep it forever, or 0
	// if that was not reached. In the fixed reading, it is the first round from which no ball
	// falls at random. It is computed only if Rate is 1 and all removals are reported. A mean or
	// maximum over trials that ignores the 0s is meaningless without the share of 0s.
	Converged int
}

// LeastThreshold returns the least τ of Theorem 5.1 for n bins: 4 ln n, rounded up, and at least
// 1.
func LeastThreshold(bins int) int { return max(1, int(ceil(4*portable.Log(float64(bins))))) }

// LeastColors returns the least b of Theorem 5.1 for n bins: 2.4 ln n, rounded up,
// and at least 1.
func LeastColors(bins int) int { return max(1, int(ceil(2.4*portable.Log(float64(bins))))) }

// leastBins is the least n of Theorem 5.1.
const leastBins = 16

// Covered reports whether Theorem 5.1 covers a setting. If not, it lists the conditions that
// fail: n ≥ 16, τ ≥ 4 ln n, b ≥ 2.4 ln n.
func Covered(bins int, threshold, colors float64) (ok bool, fails []string) {
	log := portable.Log(float64(bins))
	if bins < leastBins {
		fails = append(fails, fmt.Sprintf("n = %d is below %d", bins, leastBins))
	}
	if least := 4 * log; threshold < least {
		fails = append(fails, fmt.Sprintf("τ = %g is below 4 ln n = %.2f", threshold, least))
	}
	if least := 2.4 * log; colors < least {
		fails = append(fails, fmt.Sprintf("b = %g is below 2.4 ln n = %.2f", colors, least))
	}
	return len(fails) == 0, fails
}

// MostBins returns the largest number of bins for which b colors satisfy b ≥ 2.4 ln n.
func MostBins(colors float64) int { return int(portable.Exp(colors / 2.4)) }

func ceil(x float64) float64 {
	whole := float64(int64(x))
	if x > whole {
		whole++
	}
	return whole
}

// mostBins limits the number of bins. Loads stay far below it.
const mostBins = 1 << 20

func (o *Options) complete() error {
	if o.Arrivals == "" {
		o.Arrivals = Even
	}
	if o.Reading == "" {
		o.Reading = Fixed
	}
	if o.Unreported == "" {
		o.Unreported = Forget
	}
	o.Coalescing = max(o.Coalescing, 1)
	switch {
	case o.Bins < 1 || o.Bins > mostBins:
		return fmt.Errorf("%d bins; there must be 1 to %d", o.Bins, mostBins)
	case !(o.Rate > 0 && o.Rate <= 1):
		return fmt.Errorf("a rate of %v; it must be above 0, and at most 1, which is one ball per bin and round", o.Rate)
	case o.Rounds < 1:
		return fmt.Errorf("%d rounds; there must be at least 1", o.Rounds)
	case o.Arrivals != Even && o.Arrivals != Binomial:
		return fmt.Errorf("arrivals %q; use %s or %s", o.Arrivals, Even, Binomial)
	case !o.Recycled:
		return nil
	case o.Reading != Fixed && o.Reading != AsPrinted:
		return fmt.Errorf("reading %q; use %s or %s", o.Reading, Fixed, AsPrinted)
	case o.Unreported == Keep && o.Reading == Fixed:
		return fmt.Errorf("unreported balls cannot keep their memory in the reading %s, which remembers only reports; use %s", Fixed, AsPrinted)
	case o.Unreported != Forget && o.Unreported != Keep:
		return fmt.Errorf("unreported %q; use %s or %s", o.Unreported, Forget, Keep)
	case o.Threshold < 0:
		return fmt.Errorf("a threshold of %d balls; it cannot be negative", o.Threshold)
	case !(o.Colors >= 1) || o.Colors > 1<<16:
		return errors.New("fewer than one color per bin, or more than 65536: a batch of n colors would hold one twice, or memory would run out")
	}
	return nil
}

// Simulate runs one trial. It fails if an option is out of bounds or ctx ends.
func Simulate(ctx context.Context, o Options) (*Outcome, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	switch {
	case !o.Recycled:
		return oblivious(ctx, o)
	case o.Reading == AsPrinted:
		return newColored(o).run(ctx)
	}
	return newReturning(o).run(ctx)
}
