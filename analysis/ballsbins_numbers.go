package analysis

import (
	"math"
	"slices"

	"weft/analysis/ballsbins"
	"weft/internal/portable"
)

// trial is the summary of a trial. It omits the rounds, because there may be millions.
type trial struct {
	ballsbins.Outcome
	// meanMax is the mean over rounds of the largest load. growth is its mean over the last tenth
	// of the rounds divided by that over the middle tenth. above is the share of rounds after
	// which some bin was above the threshold.
	meanMax, growth, above float64
}

func (c *binsCase) sum(out *ballsbins.Outcome) trial {
	rounds := len(out.Max)
	middle := rounds * 45 / 100
	t := trial{
		Outcome: *out,
		meanMax: average(out.Max),
		growth:  average(out.Max[rounds*9/10:]) / average(out.Max[middle:max(rounds*55/100, middle+1)]),
	}
	above := 0
	for _, m := range out.Max {
		if m > c.options.Threshold {
			above++
		}
	}
	t.above = float64(above) / float64(rounds)
	t.Max = nil
	return t
}

func (c *binsCase) numbers() []Number {
	of := func(name, about string, f func(trial) float64) Number {
		return Mean(name, column(c.outcomes, f), "packets", about)
	}
	list := []Number{
		of("peak", "largest load of all rounds, mean over trials", func(o trial) float64 { return float64(o.Peak) }),
		Exact("peak_worst", float64(c.worst()), "packets", "largest load of all rounds and trials"),
		of("mean_max", "largest load of a round, mean over rounds and trials", func(o trial) float64 { return o.meanMax }),
		of("final", "largest load after the last round, mean over trials", func(o trial) float64 { return float64(o.Final) }),
		Mean("growth", column(c.outcomes, func(o trial) float64 { return o.growth }), "", "mean largest load of the last tenth of the rounds over that of the middle tenth: 1 if steady, √2 if it grows like a random walk"),
		of("load", "packets per port after the last round, mean over trials", func(o trial) float64 {
			return float64(o.Left) / float64(c.options.Bins)
		}),
	}
	if c.options.Rate < 1 && !c.Recycled {
		lower, upper := ballsbins.OrderOfMax(c.options.Bins, c.options.Rate)
		return append(list,
			Exact("load_limit", ballsbins.MeanLoad(c.options.Bins, c.options.Rate, c.options.Arrivals), "packets", "packets per port in the long run, exactly"),
			Mean("peak_over_order", column(c.outcomes, func(o trial) float64 { return float64(o.Peak) / upper }), "", "largest load of all rounds over max_order_upper, mean over trials"),
			Exact("max_order_lower", lower, "packets", "ln(n)/(1-λ): some load is at least a constant times this"),
			Exact("max_order_upper", upper, "packets", "ln(n/(1-λ))/(1-λ): every load is at most a constant times this"))
	}
	if !c.Recycled {
		return list
	}
	return append(list, c.recycledNumbers()...)
}

func (c *binsCase) recycledNumbers() []Number {
	o := c.options
	covered := len(c.uncovered()) == 0
	var random []float64
	for _, out := range c.outcomes {
		random = append(random, float64(out.Fresh)/float64(out.Thrown))
	}
	rounds := c.convergences()
	// If no trial converged there is no bound. +Inf satisfies no claim of an upper limit.
	latest, mean := math.Inf(1), Exact("convergence", math.Inf(1), "rounds", "")
	if len(rounds) > 0 {
		latest, mean = slices.Max(rounds), Mean("convergence", rounds, "rounds", "")
	}
	mean.About = "first round from which they all do, mean over the trials that converged"
	worst, tau := c.worst(), float64(o.Threshold)
	return []Number{
		Exact("threshold", float64(o.Threshold), "packets", "τ"),
		Exact("colors", o.Colors, "", "b"),
		Exact("covered", truth(covered), "", "1 if Theorem 5.1 covers the setting, else 0"),
		shares("above_threshold", column(c.outcomes, func(out trial) float64 { return out.above }), "share of the rounds after which some port held more than τ"),
		Mean("peak_over_threshold", column(c.outcomes, func(out trial) float64 { return float64(out.Peak) / tau }), "", "largest load of all rounds over τ, mean over trials"),
		Mean("final_over_threshold", column(c.outcomes, func(out trial) float64 { return float64(out.Final) / tau }), "", "largest load after the last round over τ, mean over trials"),
		shares("final_above", column(c.outcomes, func(out trial) float64 { return float64(out.Above) / float64(o.Bins) }), "share of the ports that held more than τ after the last round"),
		Exact("excess", float64(max(0, worst-o.Threshold)), "packets", "largest excess of a load over τ"),
		shares("random", random, "share of the packets that fell at random"),
		share("converged", len(rounds), c.Trials, "share of the trials in which every color kept its port permanently within the rounds"),
		mean,
		Exact("convergence_worst", latest, "rounds", "the same, the latest of the trials that converged"),
		Exact("convergence_order", latest/nlogn(o.Bins), "", "that over n ln n; a bound of all trials only where converged is 1"),
		Exact("peak_order", float64(worst)/portable.Log(float64(o.Bins)), "", "largest load of all rounds and trials over ln n"),
	}
}

// convergences returns the rounds at which trials converged, without the trials that did not.
func (c *binsCase) convergences() []float64 {
	var rounds []float64
	for _, out := range c.outcomes {
		if out.Converged > 0 {
			rounds = append(rounds, float64(out.Converged))
		}
	}
	return rounds
}

// worst returns the largest load of all rounds and trials.
func (c *binsCase) worst() int {
	worst := 0
	for _, out := range c.outcomes {
		worst = max(worst, out.Peak)
	}
	return worst
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
