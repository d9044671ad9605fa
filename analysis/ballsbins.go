package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/analysis/ballsbins"
	"weft/internal/portable"
)

// BallsIntoBins holds the parameters of the model balls-into-bins.
type BallsIntoBins struct {
	Bins       []int                `yaml:"bins" default:"[32]" doc:"Output ports n; a list gives one row per value." source:"ARCANE §5.1"`
	Rate       float64              `yaml:"rate" default:"1" min:"0.001" max:"1" doc:"Packets that arrive per round, divided by n (λ)." source:"ARCANE §5.1"`
	Rounds     int                  `yaml:"rounds" default:"1000" min:"1" max:"10000000" doc:"Rounds; in each, one packet leaves every port that is not empty."`
	Recycled   bool                 `yaml:"recycled" default:"false" doc:"Whether packets go back to ports with few packets, as with ARCANE, rather than all at random, as with OPS."`
	Reading    ballsbins.Reading    `yaml:"reading" default:"fixed" enum:"fixed,as-printed" doc:"With recycled: the process of the proof, in which a packet's place is taken again in the same round, or that of the text, with colors in turn." source:"ARCANE §5.1, Appendix C"`
	Threshold  *int                 `yaml:"threshold" min:"0" max:"1000000" doc:"With recycled: load τ above which a port is not reused (default: 4 ln n, rounded up)." source:"ARCANE Theorem 5.1"`
	Colors     *float64             `yaml:"colors" min:"1" max:"4096" doc:"With recycled: colors b per port (default: 2.4 ln n, rounded up)." source:"ARCANE Theorem 5.1"`
	Coalescing []int                `yaml:"coalescing" default:"[1]" doc:"With recycled: packets per acknowledgement; a list gives one row per value." source:"ARCANE Appendix D.1"`
	Unreported ballsbins.Unreported `yaml:"unreported" default:"forget" enum:"forget,keep" doc:"With recycled as printed: whether unacknowledged colors forget their port or keep it." source:"weft; the paper does not say"`
	Arrivals   ballsbins.Arrivals   `yaml:"arrivals" default:"even" enum:"even,binomial" doc:"Whether λn packets arrive in every round, up to one more or less, or λn on average." source:"ARCANE §5.1 (even), Appendix C (binomial)"`
	Trials     int                  `yaml:"trials" default:"20" min:"1" max:"100000" doc:"Trials, each with its own random numbers."`
	Seed       uint64               `yaml:"seed" default:"1" doc:"Seed of all random numbers."`
	Show       string               `yaml:"show" default:"max" enum:"max,bins" doc:"What figures show: the largest load, a mean over the trials, or each port's load in the first trial."`
}

func (o BallsIntoBins) build() (Calculation, error) {
	if err := errors.Join(within("bins", o.Bins, 1, 1<<16), within("coalescing", o.Coalescing, 1, 1e6)); err != nil {
		return nil, err
	}
	switch {
	case len(o.Bins) > 1 && len(o.Coalescing) > 1:
		return nil, errors.New("both bins and coalescing have several values; give several for only one of them")
	case !o.Recycled && (o.Coalescing[0] != 1 || len(o.Coalescing) > 1):
		return nil, errors.New("coalescing has no effect on packets thrown at random; set recycled, or leave it out")
	case o.Unreported == ballsbins.Keep && o.Reading == ballsbins.Fixed:
		return nil, errors.New("the reading fixed remembers only acknowledged packets; set reading to as-printed, or unreported to forget")
	}
	return o.run, nil
}

func (o BallsIntoBins) run(ctx context.Context, progress func(float64)) (*Result, error) {
	work := &steps{of: len(o.Bins) * len(o.Coalescing) * o.Trials, report: progress}
	r := new(Result)
	plot := Plot{X: "Round", Y: "Largest load (packets)"}
	if o.Show == "bins" {
		plot.Y = "Load (packets)"
	}
	for _, n := range o.Bins {
		for _, k := range o.Coalescing {
			c := &binsCase{BallsIntoBins: o, options: o.options(n, k)}
			if err := c.simulate(ctx, work); err != nil {
				return nil, err
			}
			r.Rows = append(r.Rows, Row{Name: c.name(), Of: o.swept(), Numbers: c.numbers()})
			plot.Lines = append(plot.Lines, c.lines()...)
			if o.Recycled {
				level := Level{fmt.Sprintf("τ = %d", c.options.Threshold), float64(c.options.Threshold)}
				if len(o.Bins) == 1 {
					plot.Marks = []Level{level}
				}
				r.note(c.notes()...)
			}
		}
	}
	r.Plots = []Plot{plot}
	return r, nil
}

// options returns the simulation's options for n bins and one report per k removals.
func (o BallsIntoBins) options(n, k int) ballsbins.Options {
	s := ballsbins.Options{
		Bins: n, Rate: o.Rate, Arrivals: o.Arrivals, Rounds: o.Rounds, Seed: o.Seed,
		Recycled: o.Recycled, Reading: o.Reading, Coalescing: k, Unreported: o.Unreported,
		Threshold: ballsbins.LeastThreshold(n), Colors: float64(ballsbins.LeastColors(n)),
	}
	if o.Threshold != nil {
		s.Threshold = *o.Threshold
	}
	if o.Colors != nil {
		s.Colors = *o.Colors
	}
	return s
}

func (o BallsIntoBins) swept() string {
	switch {
	case len(o.Bins) > 1:
		return "bins"
	case len(o.Coalescing) > 1:
		return "coalescing"
	}
	return ""
}

// note adds notes that are not yet present.
func (r *Result) note(notes ...string) {
	for _, n := range notes {
		if !slices.Contains(r.Notes, n) {
			r.Notes = append(r.Notes, n)
		}
	}
}

// binsCase is one setting of the model with the outcomes of its trials.
type binsCase struct {
	BallsIntoBins
	options  ballsbins.Options
	outcomes []trial
	// stretches holds the largest load in each stretch of rounds, summed over the trials.
	stretches []float64
	// bins holds the loads of each bin, if they are to be shown.
	bins [][]float64
}

// points is the approximate number of points per line.
const points = 400

func (c *binsCase) stride() int { return max(1, c.options.Rounds/points) }

func (c *binsCase) simulate(ctx context.Context, work *steps) error {
	c.stretches = make([]float64, (c.options.Rounds+c.stride()-1)/c.stride())
	for t := range c.Trials {
		s := c.options
		s.Trial = t
		if t == 0 && c.Show == "bins" {
			c.bins = make([][]float64, s.Bins)
			s.Observe = c.observe
		}
		out, err := ballsbins.Simulate(ctx, s)
		if err != nil {
			return err
		}
		for i := range c.stretches {
			most := 0
			for _, m := range out.Max[i*c.stride() : min((i+1)*c.stride(), len(out.Max))] {
				most = max(most, m)
			}
			c.stretches[i] += float64(most)
		}
		c.outcomes = append(c.outcomes, c.sum(out))
		work.next()
	}
	return nil
}

func (c *binsCase) observe(round int, loads []int) {
	if round%c.stride() != 0 {
		return
	}
	for i, load := range loads {
		c.bins[i] = append(c.bins[i], float64(load))
	}
}

func (c *binsCase) name() string {
	switch c.swept() {
	case "bins":
		return strconv.Itoa(c.options.Bins)
	case "coalescing":
		return strconv.Itoa(c.options.Coalescing)
	}
	return ""
}

func (c *binsCase) lines() []Line {
	var lines []Line
	if c.Show == "bins" {
		for i, y := range c.bins {
			lines = append(lines, Line{Name: fmt.Sprintf("port %d", i), X: c.rounds(len(y), c.stride()), Y: y})
		}
		return lines
	}
	name := fmt.Sprintf("%d ports", c.options.Bins)
	switch {
	case c.Recycled && len(c.Bins) == 1:
		name = fmt.Sprintf("recycled, %d:1", c.options.Coalescing)
	case len(c.Bins) == 1:
		name = "random"
	}
	line := Line{Name: name, X: c.rounds(len(c.stretches), 1)}
	for _, sum := range c.stretches {
		line.Y = append(line.Y, sum/float64(c.Trials))
	}
	return append(lines, line)
}

func (c *binsCase) rounds(n, from int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(from + i*c.stride())
	}
	return x
}

// uncovered lists the reasons why Theorem 5.1 does not cover the setting.
func (c *binsCase) uncovered() []string {
	o := c.options
	_, fails := ballsbins.Covered(o.Bins, float64(o.Threshold), o.Colors)
	if o.Rate < 1 {
		fails = append(fails, "the rate is below 1")
	}
	if o.Coalescing > 1 {
		fails = append(fails, fmt.Sprintf("one packet in %d is acknowledged", o.Coalescing))
	}
	return fails
}

func (c *binsCase) notes() []string {
	var notes []string
	o := c.options
	if fails := c.uncovered(); len(fails) > 0 {
		notes = append(notes, fmt.Sprintf("Theorem 5.1 does not cover %d ports with τ = %d and b = %g: %s.", o.Bins, o.Threshold, o.Colors, strings.Join(fails, "; ")))
	}
	if o.Coalescing > 1 {
		notes = append(notes, "With coalescing some packets always fall at random, so nothing converges (Appendix D.1).")
	}
	if o.Reading == ballsbins.AsPrinted {
		notes = append(notes, "As printed, ports run empty between a packet's departure and the turn of its color; the process does not converge in general. The proof uses the reading fixed.")
	}
	if n := len(c.convergences()); n > 0 && n < c.Trials {
		notes = append(notes, fmt.Sprintf("With %d ports, only %d of %d trials converged within %d rounds: convergence, convergence_worst and convergence_order cover only these.", o.Bins, n, c.Trials, o.Rounds))
	}
	return notes
}

// nlogn returns n ln n.
func nlogn(n int) float64 { return float64(n) * portable.Log(float64(n)) }
