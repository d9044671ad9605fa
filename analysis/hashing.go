package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"weft/analysis/hashing"
)

// Imbalance holds the parameters of the model imbalance.
type Imbalance struct {
	Uplinks   []int  `yaml:"uplinks" default:"[32]" doc:"Uplinks n over which the hash spreads; a list gives one row per value and size." source:"ARCANE Figure 16"`
	Flows     int    `yaml:"flows" default:"32" min:"1" max:"65536" doc:"Flows, each with its own header fields, and so hashes." source:"ARCANE Figure 16b; 16a has 1"`
	Entropies []int  `yaml:"entropies" default:"[32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536]" doc:"Size of the entropy values set; a list gives one row per value." source:"ARCANE Figure 16"`
	Groups    int    `yaml:"groups" default:"1" min:"1" max:"65536" doc:"Independent switches; the worst one counts." source:"weft"`
	Trials    int    `yaml:"trials" default:"400" min:"1" max:"1000000" doc:"Trials, each with its own random numbers."`
	Seed      uint64 `yaml:"seed" default:"1" doc:"Seed of all random numbers."`
}

func (o Imbalance) build() (Calculation, error) {
	if err := errors.Join(within("uplinks", o.Uplinks, 1, 1<<16), within("entropies", o.Entropies, 1, 1<<16)); err != nil {
		return nil, err
	}
	return o.run, nil
}

func (o Imbalance) run(ctx context.Context, progress func(float64)) (*Result, error) {
	r := new(Result)
	work := &steps{of: len(o.Uplinks) * len(o.Entropies), report: progress}
	plot := Plot{X: "Entropy values", Y: "Load imbalance (%)", LogX: true, LogY: true}
	for _, n := range o.Uplinks {
		line := Line{Name: "mean, 5 to 95 %"}
		theory := Line{Name: "√(2n ln(n)/m)"}
		if len(o.Uplinks) > 1 {
			line.Name = fmt.Sprintf("n = %d", n)
		}
		for _, e := range o.Entropies {
			model := hashing.Imbalance{Uplinks: n, Flows: o.Flows, Entropies: e, Groups: o.Groups, Trials: o.Trials, Seed: o.Seed}
			sample, err := model.Sample(ctx)
			if err != nil {
				return nil, err
			}
			row := Row{Name: strconv.Itoa(e), Of: "entropies", Numbers: imbalanceNumbers(sample, model)}
			if len(o.Uplinks) > 1 {
				row.Name, row.Of = fmt.Sprintf("%d/%d", n, e), "uplinks/entropies"
			}
			r.Rows = append(r.Rows, row)
			m, low, high := row.Numbers[0].Value, row.Numbers[2].Value, row.Numbers[3].Value
			// A logarithmic axis has no 0, which occurs with one bin or exactly one ball per bin.
			if m > 0 {
				line.X, line.Y = append(line.X, float64(e)), append(line.Y, 100*m)
				line.Low, line.High = append(line.Low, 100*max(low, m/10)), append(line.High, 100*high)
				theory.X, theory.Y = append(theory.X, float64(e)), append(theory.Y, 100*model.Approximate())
			}
			work.next()
		}
		if len(o.Uplinks) > 1 {
			line.Low, line.High = nil, nil
			plot.Lines = append(plot.Lines, line)
		} else {
			plot.Lines = []Line{line, theory}
		}
	}
	r.Plots = []Plot{plot}
	return r, nil
}

func imbalanceNumbers(sample []float64, model hashing.Imbalance) []Number {
	return []Number{
		Mean("mean", sample, "", "largest load of an uplink over the average, less 1, mean over trials"),
		Exact("median", percentile(sample, 50), "", "its median"),
		Exact("p05", percentile(sample, 5), "", "its 5 % quantile"),
		Exact("p95", percentile(sample, 95), "", "its 95 % quantile"),
		Exact("max", slices.Max(sample), "", "the largest of all trials"),
		Exact("approximate", model.Approximate(), "", "√(2n ln(n)/m) for m = flows × entropies, which holds for m well above n ln n"),
	}
}

// SprayBound holds the parameters of the model spray-bound.
type SprayBound struct {
	Tors      int             `yaml:"tors" default:"32" min:"2" max:"4096" doc:"Top-of-rack switches." source:"ARCANE §4.1 (1024 hosts)"`
	Hosts     int             `yaml:"hosts" default:"32" min:"1" max:"4096" doc:"Hosts per switch." source:"ARCANE §4.1 (1024 hosts)"`
	Uplinks   int             `yaml:"uplinks" default:"32" min:"1" max:"4096" doc:"Uplinks per switch, one to each spine, at the rate of the hosts." source:"ARCANE Figure 16"`
	Pattern   hashing.Pattern `yaml:"pattern" default:"permutation" enum:"permutation,tornado" doc:"Who sends to whom." source:"ARCANE Figure 12"`
	Entropies []int           `yaml:"entropies" default:"[32,256,65536]" doc:"Size of the entropy values set; a list gives one row per value." source:"ARCANE Figure 12"`
	Reference int             `yaml:"reference" default:"65536" min:"1" max:"65536" doc:"Reference size of slowdowns." source:"ARCANE §4.5.2"`
	Trials    int             `yaml:"trials" default:"20" min:"1" max:"100000" doc:"Trials, each with its own random numbers."`
	Seed      uint64          `yaml:"seed" default:"1" doc:"Seed of all random numbers."`
}

func (o SprayBound) build() (Calculation, error) {
	if err := within("entropies", o.Entropies, 1, 1<<16); err != nil {
		return nil, err
	}
	if err := o.model(o.Reference).Check(); err != nil {
		return nil, err
	}
	return o.run, nil
}

func (o SprayBound) model(entropies int) hashing.Spray {
	return hashing.Spray{
		Tors: o.Tors, Hosts: o.Hosts, Uplinks: o.Uplinks, Entropies: entropies,
		Pattern: o.Pattern, Trials: o.Trials, Seed: o.Seed,
	}
}

func (o SprayBound) run(ctx context.Context, progress func(float64)) (*Result, error) {
	total := o.Reference
	for _, e := range o.Entropies {
		total += e
	}
	done := 0
	sample := func(e int) ([]hashing.Bound, error) {
		bounds, err := o.model(e).Sample(ctx, func(trial int) {
			if progress != nil {
				progress((float64(done) + float64(e)*float64(trial)/float64(o.Trials)) / float64(total))
			}
		})
		done += e
		return bounds, err
	}
	reference, err := sample(o.Reference)
	if err != nil {
		return nil, err
	}
	r := new(Result)
	lines := []Line{{Name: "runtime, all switches"}, {Name: "runtime, one switch"}, {Name: "slowest flow at equal shares"}}
	for _, e := range o.Entropies {
		bounds := reference
		if e != o.Reference {
			if bounds, err = sample(e); err != nil {
				return nil, err
			}
		}
		relative := make([]float64, len(bounds))
		for t := range bounds {
			relative[t] = bounds[t].Runtime / reference[t].Runtime
		}
		numbers := []Number{
			Mean("runtime", column(bounds, func(b hashing.Bound) float64 { return b.Runtime }), "", "shortest runtime over that of evenly spread packets, mean over trials"),
			Mean("relative", relative, "", "the same over that of the reference, over the same pairs of hosts"),
			Mean("tor", column(bounds, func(b hashing.Bound) float64 { return b.Tor }), "", "shortest runtime by the uplinks of one switch only"),
			Mean("flow", column(bounds, func(b hashing.Bound) float64 { return b.Flow }), "", "1 plus the imbalance of one flow's entropies, mean over flows"),
			Mean("flow_worst", column(bounds, func(b hashing.Bound) float64 { return b.WorstFlow }), "", "the same of the worst flow: no flow takes longer if all links are shared equally"),
		}
		r.Rows = append(r.Rows, Row{Name: strconv.Itoa(e), Of: "entropies", Numbers: numbers})
		for i, n := range []Number{numbers[0], numbers[2], numbers[4]} {
			lines[i].X, lines[i].Y = append(lines[i].X, float64(e)), append(lines[i].Y, n.Value)
		}
	}
	r.Plots = []Plot{{X: "Entropy values", Y: "Slowdown (×)", LogX: true, LogY: true, Lines: lines}}
	return r, nil
}
