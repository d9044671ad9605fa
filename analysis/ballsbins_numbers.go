package analysis

import (
	"math"

	"weft/analysis/ballsbins"
	"weft/internal/portable"
)

func (c *binsCase) numbers() []Number {
	type outcome = *ballsbins.Outcome
	of := func(name, about string, f func(outcome) float64) Number {
		return mean(name, column(c.outcomes, f), "packets", about)
	}
	worst := 0
	for _, out := range c.outcomes {
		worst = max(worst, out.Peak)
	}
	rounds := len(c.outcomes[0].Max)
	list := []Number{
		of("peak", "largest load of all rounds, mean over trials", func(o outcome) float64 { return float64(o.Peak) }),
		exact("peak_worst", float64(worst), "packets", "largest load of all rounds and trials"),
		of("mean_max", "largest load of a round, mean over rounds and trials", func(o outcome) float64 { return average(o.Max) }),
		of("final", "largest load after the last round, mean over trials", func(o outcome) float64 { return float64(o.Final) }),
		mean("growth", column(c.outcomes, func(o outcome) float64 {
			return average(o.Max[rounds*9/10:]) / average(o.Max[rounds*45/100:max(rounds*55/100, rounds*45/100+1)])
		}), "", "mean largest load of the last tenth of the rounds over that of the middle tenth: 1 if steady, √2 if it grows like a random walk"),
		of("load", "packets a port after the last round, mean over trials", func(o outcome) float64 {
			return float64(o.Left) / float64(c.options.Bins)
		}),
	}
	if c.options.Rate < 1 && !c.Recycled {
		lower, upper := ballsbins.OrderOfMax(c.options.Bins, c.options.Rate)
		return append(list,
			exact("load_limit", ballsbins.MeanLoad(c.options.Bins, c.options.Rate, c.options.Arrivals), "packets", "packets a port after long enough, exactly"),
			exact("max_order_lower", lower, "packets", "ln(n)/(1-λ), below which the largest load stays by at most a constant factor"),
			exact("max_order_upper", upper, "packets", "ln(n/(1-λ))/(1-λ), above which the largest load stays by at most a constant factor"))
	}
	if !c.Recycled {
		return list
	}
	return append(list, c.recycledNumbers()...)
}

func (c *binsCase) recycledNumbers() []Number {
	o := c.options
	covered := len(c.uncovered()) == 0
	var above, random, rounds []float64
	latest := math.NaN()
	for _, out := range c.outcomes {
		n := 0
		for _, m := range out.Max {
			if m > o.Threshold {
				n++
			}
		}
		above = append(above, float64(n)/float64(len(out.Max)))
		random = append(random, float64(out.Fresh)/float64(out.Thrown))
		if out.Converged > 0 {
			rounds = append(rounds, float64(out.Converged))
			if at := float64(out.Converged); !(at <= latest) {
				latest = at
			}
		}
	}
	worst := 0
	for _, out := range c.outcomes {
		worst = max(worst, out.Peak)
	}
	return []Number{
		exact("threshold", float64(o.Threshold), "packets", "τ"),
		exact("colors", o.Colors, "", "b"),
		exact("covered", truth(covered), "", "1 if Theorem 5.1 covers the setting, else 0"),
		shares("above_threshold", above, "share of the rounds after which some port held more than τ"),
		exact("excess", float64(max(0, worst-o.Threshold)), "packets", "how far a load ever was above τ"),
		shares("random", random, "share of the packets that fell at random"),
		share("converged", len(rounds), c.Trials, "share of the trials after which all colors keep their port for ever"),
		mean("convergence", rounds, "rounds", "first round from which on they do, mean over the trials that converged"),
		exact("convergence_worst", latest, "rounds", "the same, the latest of the trials that converged"),
		exact("convergence_order", latest/nlogn(o.Bins), "", "that over n ln n"),
		exact("peak_order", float64(worst)/portable.Log(float64(o.Bins)), "", "largest load of all rounds and trials over ln n"),
	}
}

func average(values []int) float64 {
	sum := 0
	for _, v := range values {
		sum += v
	}
	return float64(sum) / float64(len(values))
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
