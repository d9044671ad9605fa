package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/record"
)

const (
	cdfHeight = 1.55 * vg.Inch
	// logFrom is the ratio of the largest to the smallest value from which an
	// axis is logarithmic.
	logFrom = 20
	// mostSteps is how many steps of a distribution are drawn; more do not show.
	mostSteps = 2000
)

func fctFigures(runs []run, on paper) ([]*figure, []string) {
	largest := 0.0
	for _, r := range runs {
		for _, g := range r.groups {
			if n := len(g.fcts); n > 0 {
				largest = max(largest, g.fcts[n-1])
			}
		}
	}
	if largest == 0 {
		return nil, []string{"fct-cdf: not drawn, because no message finished"}
	}
	scale := timeScaleOf(largest)
	return cdfFigures("fct-cdf", fmt.Sprintf("Flow completion time (%s)", scale.name), runs, on, func(g *group) []float64 {
		scaled := slices.Clone(g.fcts)
		for i := range scaled {
			scaled[i] /= scale.divisor
		}
		return scaled
	}), nil
}

// slowdownAxis labels slowdowns. Their ideal is the same for all runs, so that they can be
// compared.
const slowdownAxis = "Slowdown (FCT / " + record.IdealWithoutHeaders + ")"

func slowdownFigures(runs []run, on paper) ([]*figure, []string) {
	vary, any := false, false
	for _, r := range runs {
		vary = vary || r.sizes > 1
		for _, g := range r.groups {
			any = any || len(g.slowdowns) > 0
		}
	}
	switch {
	case !vary:
		return nil, []string{oneSize}
	case !any:
		return nil, []string{"slowdown-cdf: not drawn, because no message with an ideal completion time finished"}
	}
	return cdfFigures("slowdown-cdf", slowdownAxis, runs, on, func(g *group) []float64 { return g.slowdowns }), nil
}

// cdfFigures draws a plot a group of traffic with a curve a run. Messages that
// did not finish or start count, so that their curve stays below 1.
func cdfFigures(name, label string, runs []run, on paper, values func(*group) []float64) []*figure {
	groups := groupNames(runs)
	x := valueAxis{label: label}
	x.from, x.to = extent(runs, values)
	x.logarithmic = x.from > 0 && x.to/x.from > logFrom
	return gridFigures(name, len(groups), leastPanel, mostColumns, x, on, func(l layout, from, to int) *plotGrid {
		g := &plotGrid{columns: l.columns, height: cdfHeight, legends: []legend{newLegend(l.width-2*gap, runKeys(runs, l.width, false))}}
		for i, group := range groups[from:to] {
			p := newPlot("", "CDF")
			p.Y.Min, p.Y.Max = 0, 1
			if i%l.columns > 0 {
				p.Y.Label.Text, p.Y.Tick.Marker = "", unlabelled{p.Y.Tick.Marker}
			}
			addCDF(p, runs, group, x.logarithmic, values)
			g.plots = append(g.plots, p)
			title := group
			if len(groups) == 1 {
				title = ""
			}
			g.titles = append(g.titles, title)
		}
		return g
	})
}

// runKeys is the legend of runs in a figure of a width, with what makes their numbers less
// than they seem.
func runKeys(runs []run, width vg.Length, glyphs bool) []key {
	var keys []key
	for i, r := range runs {
		s := styleOf(i)
		var glyph draw.GlyphDrawer
		if glyphs {
			glyph = s.glyph
		}
		keys = append(keys, lineKey(r.label(width-2*gap-keyWidth-keyGap), s.line(), glyph))
	}
	return keys
}

// addCDF adds the curves of a group of traffic to a plot.
func addCDF(p *plot.Plot, runs []run, of string, logarithmic bool, values func(*group) []float64) {
	for j, r := range runs {
		for k := range r.groups {
			g := &r.groups[k]
			v := values(g)
			if g.name != of || len(v) == 0 {
				continue
			}
			xy := steps(v, g.messages)
			if logarithmic {
				for i := range xy {
					xy[i].X = math.Log10(xy[i].X)
				}
			}
			p.Add(&cdfPlotter{plotter.Line{XYs: xy, StepStyle: plotter.PostStep, LineStyle: styleOf(j).line()}})
		}
	}
}

// valueAxis is a horizontal axis of values.
type valueAxis struct {
	label       string
	from, to    float64
	logarithmic bool
}

func (v valueAxis) name() string { return v.label }

func (v valueAxis) set(a *plot.Axis, width vg.Length) {
	setRange(a, v.from, v.to, v.logarithmic)
	if !v.logarithmic {
		a.Tick.Marker = ticks(min(max(width/tickLabel, 2), 5))
	}
	a.Tick.Marker = within{a.Tick.Marker, width}
}

// within are ticks of an axis so wide, without labels that would end beyond the figure.
type within struct {
	plot.Ticker
	width vg.Length
}

// Ticks implements plot.Ticker.
func (w within) Ticks(from, to float64) []plot.Tick {
	all := slices.Clone(w.Ticker.Ticks(from, to))
	style := write(textSize, nil, 0, 0)
	for i, t := range all {
		right := w.width*vg.Length((t.Value-from)/(to-from)) + style.Width(t.Label)/2
		if right > w.width+gap {
			all[i].Label = ""
		}
	}
	return all
}

// line is the line of a variant.
func (s style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: 1.2 * plainLine, Dashes: s.dashes}
}

// groupNames returns the groups of all runs, in the order of the first run that
// has them.
func groupNames(runs []run) []string {
	var names []string
	for _, r := range runs {
		for _, g := range r.groups {
			if !slices.Contains(names, g.name) {
				names = append(names, g.name)
			}
		}
	}
	return names
}

// extent returns the least and the largest value of all runs and groups.
func extent(runs []run, values func(*group) []float64) (from, to float64) {
	from = math.Inf(1)
	for _, r := range runs {
		for i := range r.groups {
			if v := values(&r.groups[i]); len(v) > 0 {
				from, to = min(from, v[0]), max(to, v[len(v)-1])
			}
		}
	}
	return from, to
}

// setRange fits an axis to values, with some room. A logarithmic axis shows
// their logarithms on a linear scale, because the plot package misplaces the
// label of an axis whose scale is not linear.
func setRange(a *plot.Axis, from, to float64, logarithmic bool) {
	if logarithmic {
		a.Min, a.Max = math.Log10(from)-0.05, math.Log10(to)+0.05
		a.Tick.Marker = logTicks{}
		return
	}
	room := max((to-from)*0.04, to*1e-3)
	a.Min, a.Max = max(from-room, 0), to+room
}

// steps returns the steps of the empirical distribution of n values, of which
// those that exist are ascending: at each value, the share that is not larger.
// Of many, it keeps evenly spaced ranks and all of the last percent.
func steps(ascending []float64, n float64) plotter.XYs {
	xy := plotter.XYs{{X: ascending[0], Y: 0}}
	every := max(1, len(ascending)/mostSteps)
	tail := len(ascending) - max(len(ascending)/100, 1)
	for i, v := range ascending {
		dense := i >= tail && len(ascending)-tail <= mostSteps
		if i%every == 0 || dense || i == len(ascending)-1 {
			xy = append(xy, plotter.XY{X: v, Y: float64(i+1) / n})
		}
	}
	return xy
}

// cdfPlotter draws a distribution on to the right end of the plot, where its
// value stays.
type cdfPlotter struct{ plotter.Line }

func (l *cdfPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	line := l.Line
	line.XYs = append(slices.Clone(l.XYs), plotter.XY{X: p.X.Max, Y: l.XYs[len(l.XYs)-1].Y})
	line.Plot(c, p)
}
