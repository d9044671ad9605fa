package diversity

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"weft/analysis"
	"weft/analysis/paths"
	"weft/analysis/routers"
)

// Wanted is how many disjoint paths a pair of routers should have, so that colliding flows find
// one each (FatPaths §IV-A).
const Wanted = 3

// at collects the results of all graphs of a fabric at one length.
type at struct {
	length              int
	paths, interference Histogram
	worded              Histogram
	proved              int64
	// For each graph, in percent of its k'.
	cdpMean, cdpTail, piMean, piTail []float64
}

// Disjoint measures disjoint paths and interference as in FatPaths' Table IV and Figures 7 and 8:
// means and tails in percent of k', with a row for each length of each fabric, and distributions
// as plots. If a fabric has several graphs, values are means over the graphs, with Student's 95 %
// interval.
func Disjoint(ctx context.Context, fabrics []Fabric, o Options) (*analysis.Result, error) {
	for i := range fabrics {
		if err := o.of(&fabrics[i]).Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", fabrics[i].Name, err)
		}
	}
	r := &analysis.Result{
		Model: "disjoint", Source: "FatPaths §IV-B, Table IV, Figures 7 and 8",
		Params: map[string]string{
			"fabrics": names(fabrics), "lengths": numbers(o.Lengths), "samples": strconv.Itoa(o.Samples),
			"seed": strconv.FormatUint(o.Seed, 10), "method": string(o.Method), "shuffle": strconv.FormatBool(o.Shuffle),
		},
	}
	t := &table{o: o}
	err := each(ctx, fabrics, o.Progress, func(f *Fabric, instance int, g *routers.Graph, progress func(float64)) error {
		return t.measure(ctx, f, instance, g, progress)
	})
	if err != nil && !analysis.Stopped(err) {
		return nil, err
	}
	// The last fabric may be incomplete.
	t.shapes = t.shapes[:t.finished]
	r.Rows = slices.Concat(t.shapes, t.rows)
	r.Notes = append(t.notes, t.notesOnMethod()...)
	r.Plots = t.plots
	return r, err
}

// of returns the options for one fabric.
func (o Options) of(f *Fabric) Options {
	if len(f.Lengths) > 0 {
		o.Lengths = f.Lengths
	}
	return o
}

// table collects results while graphs are measured.
type table struct {
	o      Options
	shapes []analysis.Row
	rows   []analysis.Row
	notes  []string
	plots  []analysis.Plot

	ats   []at
	radix int
	// finished counts the fabrics with all their graphs measured.
	finished int
}

func (t *table) measure(ctx context.Context, f *Fabric, instance int, g *routers.Graph, progress func(float64)) error {
	o := t.o.of(f)
	o.Progress = progress
	if o.Share {
		o.Samples = (o.Samples + f.Instances - 1) / f.Instances
	}
	// Graphs of a random family have random streams of their own.
	o.Seed += uint64(instance) << 32
	m, err := Measure(ctx, g, o)
	if err != nil {
		return err
	}
	if instance == 0 {
		t.ats = make([]at, len(o.Lengths))
		_, t.radix = g.Radix()
		s, err := paths.Count(ctx, g, paths.Options{Sources: surveyed, Seed: o.Seed, Threads: o.Threads})
		if err != nil {
			return err
		}
		t.shapes = append(t.shapes, analysis.Row{Name: f.Name, Of: "fabric", Numbers: slices.Concat(shape(g), lengths(s))})
	}
	percent := 100 / float64(t.radix)
	for i, l := range o.Lengths {
		a := &t.ats[i]
		a.length = l
		mean, _ := m.Paths[i].Mean()
		a.cdpMean = append(a.cdpMean, mean*percent)
		a.cdpTail = append(a.cdpTail, float64(m.Paths[i].PerMille(10))*percent)
		if m.Interference[i].Total() > 0 {
			mean, _ = m.Interference[i].Mean()
			a.piMean = append(a.piMean, mean*percent)
			a.piTail = append(a.piTail, float64(m.Interference[i].PerMille(999))*percent)
		}
		a.paths.Merge(&m.Paths[i])
		a.interference.Merge(&m.Interference[i])
		a.worded.Merge(&m.Worded[i])
		a.proved += m.Proved[i]
	}
	if instance == f.Instances-1 {
		t.notes = append(t.notes, irregular(f, g)...)
		t.finish(f)
	}
	return nil
}

// finish writes the rows and plots of a fabric whose graphs are all measured.
func (t *table) finish(f *Fabric) {
	enough := math.NaN()
	percent := 100 / float64(t.radix)
	cdp := analysis.Plot{Title: f.Name, X: "Disjoint paths (% of k')", Y: "Share of pairs"}
	pi := analysis.Plot{Title: f.Name, X: "Path interference (% of k')", Y: "Share of samples"}
	for i := range t.ats {
		a := &t.ats[i]
		if math.IsNaN(enough) && a.paths.PerMille(10) >= Wanted {
			enough = float64(a.length)
		}
		name := fmt.Sprintf("%s, l = %d", f.Name, a.length)
		t.rows = append(t.rows, analysis.Row{Name: name, Of: "fabric and length", Numbers: t.numbersAt(a, percent)})
		cdp.Lines = append(cdp.Lines, line(&a.paths, a.length, percent))
		if a.interference.Total() > 0 {
			pi.Lines = append(pi.Lines, line(&a.interference, a.length, percent))
		}
	}
	t.finished++
	row := &t.shapes[len(t.shapes)-1]
	row.Numbers = append(row.Numbers, analysis.Exact("d'", enough, "", fmt.Sprintf("shortest length asked for at which 99 %% of pairs have %d disjoint paths or more, hops", Wanted)))
	t.plots = append(t.plots, cdp)
	if len(pi.Lines) > 0 {
		t.plots = append(t.plots, pi)
	}
}

func (t *table) numbersAt(a *at, percent float64) []analysis.Number {
	const (
		aboutMean      = "mean number of disjoint paths of at most l hops"
		aboutTail      = "its 1st percentile"
		aboutPI        = "mean path interference of two pairs of routers"
		aboutPITail    = "its 99.9th percentile"
		aboutWorded    = "mean path interference by the paper's wording, instead of its formula"
		aboutProved    = "pairs whose count is proved exact: greedy search and flow agree"
		percentOfRadix = "% of k'"
	)
	out := []analysis.Number{
		estimate("cdp_mean", &a.paths, a.cdpMean, percent, percentOfRadix, aboutMean),
		spread("cdp_p1", a.cdpTail, percentOfRadix, aboutTail),
	}
	if len(a.piMean) > 0 {
		out = append(out,
			estimate("pi_mean", &a.interference, a.piMean, percent, percentOfRadix, aboutPI),
			spread("pi_p999", a.piTail, percentOfRadix, aboutPITail))
	}
	if a.worded.Total() > 0 {
		mean, _ := a.worded.Mean()
		out = append(out, analysis.Exact("pi_worded", mean*percent, percentOfRadix, aboutWorded))
	}
	if t.o.Method == Flow {
		out = append(out, analysis.Exact("proved", 100*float64(a.proved)/float64(a.paths.Total()), "%", aboutProved))
	}
	return out
}

func (t *table) notesOnMethod() []string {
	var out []string
	if t.o.Method == Flow {
		for i := range t.ats {
			if t.ats[i].length > 3 {
				return append(out, "Beyond 3 hops the flow is an upper bound of the most disjoint paths and of the smallest cut; the greedy count is a lower one.")
			}
		}
	}
	return out
}

// estimate returns a mean: over samples for one graph, or over several graphs.
func estimate(name string, h *Histogram, graphs []float64, scale float64, unit, about string) analysis.Number {
	if len(graphs) > 1 {
		return spread(name, graphs, unit, about)
	}
	mean, half := h.Mean()
	return analysis.Number{Name: name, Value: mean * scale, Low: (mean - half) * scale, High: (mean + half) * scale, Unit: unit, About: about}
}

// spread returns a mean over graphs.
func spread(name string, graphs []float64, unit, about string) analysis.Number {
	mean, half := over(graphs)
	return analysis.Number{Name: name, Value: mean, Low: mean - half, High: mean + half, Unit: unit, About: about}
}

// line returns a distribution as shares.
func line(h *Histogram, length int, percent float64) analysis.Line {
	out := analysis.Line{Name: fmt.Sprintf("l = %d", length)}
	total := float64(h.Total())
	for i, n := range h.Counts {
		out.X = append(out.X, float64(h.Low+i)*percent)
		out.Y = append(out.Y, float64(n)/total)
	}
	return out
}
