package analysis

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"weft/analysis/ballsbins"
	"weft/internal/portable"
)

// Theorem holds the parameters of the model theorem.
type Theorem struct {
	Bins   []int   `yaml:"bins" default:"[5,16,28,29,32,64]" doc:"Output ports n." source:"ARCANE §4, §5.1"`
	Buffer float64 `yaml:"buffer" default:"8" min:"1" max:"4096" doc:"Entries of ARCANE's buffer, the colors b." source:"ARCANE §3.1"`
}

func (o Theorem) build() (Calculation, error) {
	if err := within("bins", o.Bins, 1, 1<<16); err != nil {
		return nil, err
	}
	return instant(func() (*Result, error) {
		r := new(Result)
		var x, colors, threshold []float64
		for _, n := range o.Bins {
			log := portable.Log(float64(n))
			ok, fails := ballsbins.Covered(n, float64(ballsbins.LeastThreshold(n)), o.Buffer)
			r.Rows = append(r.Rows, Row{Name: strconv.Itoa(n), Of: "bins", Numbers: []Number{
				Exact("covered", truth(ok), "", "1 if the theorem covers n and this buffer with the smallest threshold, else 0"),
				Exact("least_threshold", 4*log, "packets", "4 ln n"),
				Exact("least_buffer", 2.4*log, "", "2.4 ln n"),
				Exact("most_bins", float64(ballsbins.MostBins(o.Buffer)), "", "largest number of ports for which this buffer suffices"),
			}})
			if !ok {
				r.note(fmt.Sprintf("Theorem 5.1 does not cover %d ports with a buffer of %g: %s.", n, o.Buffer, strings.Join(fails, "; ")))
			}
		}
		for n := 2; n <= 256; n += 2 {
			log := portable.Log(float64(n))
			x, colors, threshold = append(x, float64(n)), append(colors, 2.4*log), append(threshold, 4*log)
		}
		r.Plots = []Plot{{
			X: "Output ports n", Y: "Least value",
			Lines: []Line{{Name: "threshold τ = 4 ln n", X: x, Y: threshold}, {Name: "colors b = 2.4 ln n", X: x, Y: colors}},
			Marks: []Level{{fmt.Sprintf("buffer of %g", o.Buffer), o.Buffer}},
		}}
		return r, nil
	})
}

// Coupons holds the parameters of the model coupons.
type Coupons struct {
	Bins   []int  `yaml:"bins" default:"[16,32,64,128,256]" doc:"Output ports n; a list gives one row per value."`
	Trials int    `yaml:"trials" default:"2000" min:"1" max:"1000000" doc:"Trials, each with its own random numbers."`
	Seed   uint64 `yaml:"seed" default:"1" doc:"Seed of all random numbers."`
}

func (o Coupons) build() (Calculation, error) {
	if err := within("bins", o.Bins, 1, 1<<16); err != nil {
		return nil, err
	}
	return o.run, nil
}

func (o Coupons) run(ctx context.Context, progress func(float64)) (*Result, error) {
	r := new(Result)
	work := &steps{of: len(o.Bins), report: progress}
	var x, measured, expected, enough []float64
	for _, n := range o.Bins {
		took, err := ballsbins.Coupons(ctx, n, o.Trials, o.Seed)
		if err != nil {
			return nil, err
		}
		within := 0
		for _, t := range took {
			if float64(t) <= ballsbins.EnoughCoupons(n) {
				within++
			}
		}
		m := Mean("balls", column(took, func(t int) float64 { return float64(t) }), "packets", "random packets until every port has received one, mean over trials")
		probability := ballsbins.CouponsWithin(n, int(ballsbins.EnoughCoupons(n)))
		r.Rows = append(r.Rows, Row{Name: strconv.Itoa(n), Of: "bins", Numbers: []Number{
			m,
			Exact("expected", ballsbins.MeanCoupons(n), "packets", "n·H(n), its expectation"),
			Exact("enough", ballsbins.EnoughCoupons(n), "packets", "2n ln n, the number in Appendix C"),
			share("within", within, o.Trials, "share of the trials in which that was enough"),
			Exact("probability", probability, "", "the probability of that, computed"),
			Exact("promised", 1-1/float64(n), "", "1-1/n, the probability in Appendix C"),
			Exact("margin", probability-(1-1/float64(n)), "", "difference of the two"),
		}})
		x, measured = append(x, float64(n)), append(measured, m.Value)
		expected, enough = append(expected, ballsbins.MeanCoupons(n)), append(enough, ballsbins.EnoughCoupons(n))
		work.next()
	}
	r.Plots = []Plot{{X: "Output ports n", Y: "Random packets", LogX: true, LogY: true, Lines: []Line{
		{Name: "mean of trials", X: x, Y: measured},
		{Name: "n·H(n)", X: x, Y: expected},
		{Name: "2n ln n", X: x, Y: enough},
	}}}
	return r, nil
}
