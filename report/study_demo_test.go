package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"weft/record"
	"weft/study"
)

// studyDemo describes a made-up study.
type studyDemo struct {
	axes []study.Axis
	// runs is the number of seeds, 5 if it is 0.
	runs int
	// failing and stuck choose cells, by their place, that have runs without a
	// result; hopeless those none of whose runs has.
	failing, hopeless, excluded func(levels []int) bool
	// never chooses those in which a third of the messages did not finish.
	never             func(levels []int) bool
	drops, unfinished bool
	// spread multiplies values along the last axis.
	spread float64
}

func numeric(name, unit string, labels ...string) study.Axis {
	a := study.Axis{Name: name, Path: "x." + name, Levels: labels, Unit: unit}
	for i, label := range labels {
		var v float64
		var rest string
		if n, _ := fmt.Sscanf(label, "%g%s", &v, &rest); n == 0 {
			v = float64(i)
		}
		switch rest {
		case "KiB":
			v *= 1 << 10
		case "MiB":
			v *= 1 << 20
		}
		a.Numbers = append(a.Numbers, v)
	}
	return a
}

func words(name string, labels ...string) study.Axis { return study.Axis{Name: name, Levels: labels} }

func (d studyDemo) table() *study.Table {
	t := &study.Table{Name: "demo", Axes: d.axes, Metrics: []study.Column{
		{Name: "runtime_us", Title: "runtime", Unit: "µs", LowerIsBetter: true},
		{Name: "goodput_gbps", Title: "goodput", Unit: "Gb/s"},
		{Name: "fct_p50_us", Title: "median FCT", Unit: "µs", LowerIsBetter: true},
		{Name: "fct_p99_us", Title: "99th percentile of FCT", Unit: "µs", LowerIsBetter: true},
		{Name: "slowdown_bare_p99", Title: "99th percentile of slowdown", LowerIsBetter: true},
		{Name: "unfinished", Title: "unfinished messages", LowerIsBetter: true},
		{Name: "drops", Title: "dropped frames", LowerIsBetter: true},
		{Name: "background.fct_p99_us", Title: "background: 99th percentile of FCT", Unit: "µs", LowerIsBetter: true},
	}}
	for _, known := range record.KnownMetrics("background") {
		if i := t.Column(known.Name); i >= 0 {
			t.Metrics[i].Basis = known.Basis
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	runs := max(d.runs, 1)
	if d.runs == 0 {
		runs = 5
	}
	levels := make([]int, len(d.axes))
	var walk func(i int)
	walk = func(i int) {
		if i < len(levels) {
			for levels[i] = range d.axes[i].Levels {
				walk(i + 1)
			}
			return
		}
		if d.excluded != nil && d.excluded(levels) {
			return
		}
		c := study.Cell{Levels: slices.Clone(levels), Runs: runs, Done: runs}
		if d.failing != nil && d.failing(levels) {
			c.Done, c.Partial = runs-1, 1
		}
		if d.hopeless != nil && d.hopeless(levels) {
			c.Done, c.Failed = 0, runs
		}
		if d.unfinished {
			c.Unfinished = map[string]float64{"": 0.004}
		}
		if d.never != nil && d.never(levels) {
			c.Unfinished = map[string]float64{"": 0.3}
		}
		base := 1.0
		for k, l := range levels {
			base *= 1 + 0.35*float64(l)*float64(k+1)/float64(len(levels))
		}
		if d.spread > 0 {
			base *= math.Pow(d.spread, float64(levels[len(levels)-1]))
		}
		for k, scale := range []float64{1500, 3200 / base / base, 900, 1400, 3, 0, 0, 70} {
			switch {
			case t.Metrics[k].Name == "drops" && d.drops:
				scale = 40000 * float64(levels[0])
			case t.Metrics[k].Name == "unfinished" && d.unfinished:
				scale = 7
			}
			e := study.Estimate{N: c.Done, Mean: math.NaN(), Low: math.NaN(), High: math.NaN(), Min: math.NaN(), Max: math.NaN()}
			if c.Done > 0 {
				e.Mean = scale * base * (1 + 0.05*random.NormFloat64())
				e.Min, e.Max = e.Mean*0.9, e.Mean*1.1
			}
			if c.Done > 1 {
				e.Low, e.High = e.Mean*(1-0.02-0.06*random.Float64()), e.Mean*(1+0.02+0.08*random.Float64())
			}
			c.Estimates = append(c.Estimates, e)
		}
		t.Cells = append(t.Cells, c)
	}
	walk(0)
	return t
}

func studyDemos() map[string]studyDemo {
	variants := words("variant", "ECMP", "OPS", "ARCANE")
	load := numeric("load", "%", "20%", "40%", "60%", "80%")
	faults := words("fault", "healthy", "slow uplink", "link down")
	size := numeric("size", "B", "64KiB", "256KiB", "1MiB", "4MiB", "16MiB")
	last := func(levels []int) bool { return levels[0] == 1 && levels[1] == 3 }
	return map[string]studyDemo{
		"load":       {axes: []study.Axis{variants, load}},
		"facets":     {axes: []study.Axis{variants, load, faults}, drops: true, unfinished: true, failing: last},
		"sizes":      {axes: []study.Axis{variants, size}, spread: 3.3, hopeless: last},
		"variants":   {axes: []study.Axis{variants}},
		"never":      {axes: []study.Axis{variants, load, faults}, never: func(l []int) bool { return l[1]+l[2] > 2 && l[0] < 2 }},
		"categories": {axes: []study.Axis{variants, faults}, drops: true, hopeless: func(l []int) bool { return l[0] == 0 && l[1] == 2 }},
		"long-names": {axes: []study.Axis{words("variant", "ECMP", "ARCANE"), words("balancer", "arcane buffer=8 preset=fixed", "arcane buffer=64 preset=as-printed", "ops", "ecmp", "packet spraying", "#6")}},
		"one-axis":   {axes: []study.Axis{load}, runs: 1},
		"grid":       {axes: []study.Axis{variants, load, faults, numeric("size", "B", "64KiB", "1MiB", "16MiB")}},
		"too-many":   {axes: []study.Axis{variants, load, faults, size}, excluded: func(l []int) bool { return l[2] == 1 && l[3] == 2 }},
		"five":       {axes: []study.Axis{variants, load, words("pattern", "permutation", "incast", "tornado", "all-to-all", "random")}},
		"many":       {axes: []study.Axis{words("variant", "ECMP", "OPS", "ARCANE", "PLB", "REPS", "FlowBender", "Bitmap", "MPTCP", "LetFlow"), size}, drops: true},
	}
}
