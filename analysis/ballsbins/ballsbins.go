// Package ballsbins models the output ports of a switch as bins into which a
// batch of balls, the packets, falls at each round, and from which one leaves at
// each round: with random throws as oblivious packet spraying does them, and with
// recycled ones, as ARCANE does (ARCANE §5.1, Appendices C and D.1).
package ballsbins

import (
	"context"
	"errors"
	"fmt"

	"weft/internal/portable"
)

// Arrivals says how many balls come in a round.
type Arrivals string

// Ways in which balls arrive.
const (
	// Even has as many as the rate asks for; of a fraction of a ball, whole ones in
	// the rounds in which it adds up.
	Even Arrivals = "even"
	// Binomial has each bin's input offer a ball with the probability of the rate.
	Binomial Arrivals = "binomial"
)

// Unreported says what becomes of the colors of balls whose removal nobody
// reports, because acknowledgements are coalesced.
type Unreported string

// Fates of unreported colors.
const (
	// Forget has an unreported color forget its bin: a cached entropy is used once,
	// and comes back with an acknowledgement or not at all. It is what ARCANE does.
	Forget Unreported = "forget"
	// Keep leaves its memory as it was.
	Keep Unreported = "keep"
)

// Reading is one of the two processes that the paper calls recycled.
type Reading string

// Readings of recycled balls-into-bins.
const (
	// Fixed is the process that the proof of Theorem 5.1 analyses, and what ARCANE's
	// sender does: a ball removed from a bin with at most τ balls is thrown back into
	// it in the same round, all others fall at random. A bin that is not empty stays
	// so, and once none is empty the number of balls stays the same; both of which
	// the proof uses. The authors' script for Figure 14 (REPS artefact) does the
	// same, but that a bin forgets with τ balls already.
	Fixed Reading = "fixed"
	// AsPrinted is the process of the text of §5.1: b·n colors throw in turn, n a
	// round, each into the bin it remembers. Between a ball's removal and the turn
	// of its color pass up to b rounds, in which bins run empty. Each such round
	// adds a ball for good; unless by luck exactly b colors come to remember each
	// bin, the balls outgrow n·τ, and then some bin is always above τ. So it does not
	// converge in general, whatever the theorem says.
	AsPrinted Reading = "as-printed"
)

// Options are the parameters of a simulation.
type Options struct {
	// Bins is n, the output ports.
	Bins int
	// Rate is λ, the balls of a round divided by n, from above 0 to 1.
	Rate float64
	// Arrivals is Even if it is empty.
	Arrivals Arrivals
	// Rounds to simulate.
	Rounds int

	// Recycled has balls go back to bins with few of them; without it every throw
	// is random.
	Recycled bool
	// Reading is Fixed if it is empty.
	Reading Reading
	// Threshold is τ, the load above which a color forgets its bin. It is compared
	// with a bin before the ball is removed, which is the reading of the proof: a
	// bin with more than τ balls does not get back what it loses.
	Threshold int
	// Colors is b, the colors for each bin; b·n is rounded. In the fixed reading it
	// is the room of the memory, whose oldest entries give way; it matters at rates
	// below 1 only.
	Colors float64
	// Coalescing is k: the removal of every k-th ball is reported, in random order
	// among the balls of a round. 0 and 1 report all.
	Coalescing int
	// Unreported is Forget if it is empty.
	Unreported Unreported

	// Seed and Trial choose the random numbers.
	Seed  uint64
	Trial int

	// Observe, if it is not nil, sees the loads after each round, the first being
	// round 1. It must not keep them.
	Observe func(round int, loads []int)
}

// Outcome is what a simulation came to.
type Outcome struct {
	// Max is the largest load after each round.
	Max []int
	// Peak is the largest of them, and Final the last.
	Peak, Final int
	// Thrown balls are Removed or Left; Fresh ones among them fell at random.
	Thrown, Removed, Left, Fresh int64
	// Above is how many bins held more than τ after the last round.
	Above int
	// Settled is the first round from which on no bin held more than τ, or Rounds+1;
	// of recycled balls only.
	Settled int
	// Converged is the first round from which on all colors remember a bin and
	// keep it for ever, or 0 if that was not reached; in the fixed reading, the first
	// from which on no ball falls at random. It is looked for if Rate is 1 and all
	// removals are reported. A mean or maximum of it over trials that leaves out the
	// 0s tells nothing without the share that they are.
	Converged int
}

// LeastThreshold returns the least τ of Theorem 5.1 for n bins: 4 ln n, rounded
// up, and at least 1.
func LeastThreshold(bins int) int { return max(1, int(ceil(4*portable.Log(float64(bins))))) }

// LeastColors returns the least b of Theorem 5.1 for n bins: 2.4 ln n, rounded up,
// and at least 1.
func LeastColors(bins int) int { return max(1, int(ceil(2.4*portable.Log(float64(bins))))) }

// leastBins is the least n of Theorem 5.1.
const leastBins = 16

// Covered tells whether Theorem 5.1 covers a setting, and if not, the conditions
// that it fails: n ≥ 16, τ ≥ 4 ln n, b ≥ 2.4 ln n.
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

// MostBins returns the most bins for which b colors each satisfy b ≥ 2.4 ln n.
func MostBins(colors float64) int { return int(portable.Exp(colors / 2.4)) }

func ceil(x float64) float64 {
	whole := float64(int64(x))
	if x > whole {
		whole++
	}
	return whole
}

// most balls a bin or a batch can have; loads are far below it.
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
