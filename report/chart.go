package report

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/internal/nearest"
)

// Chart is a figure of lines, one panel below another, as wide as a column of a
// two-column paper.
type Chart struct {
	Panels []ChartPanel
}

// ChartPanel is a plot of lines.
type ChartPanel struct {
	// Title stands above the plot, if it is not empty.
	Title string
	// X and Y name the quantities with their units.
	X, Y string
	// LogX and LogY ask for logarithmic axes; values that are not positive are left
	// out of them.
	LogX, LogY bool
	Lines      []ChartLine
	// Levels are horizontal lines of reference.
	Levels []ChartLevel
}

// ChartLine is points joined by a line, with a band from Low to High around it
// if these are not empty.
type ChartLine struct {
	Name            string
	X, Y, Low, High []float64
	// Labels, if any, stand beside the points.
	Labels []string
	// Points has the points drawn without a line between them.
	Points bool
	// RingEnd has a ring drawn around the last point.
	RingEnd bool
}

// ChartLevel is a horizontal line of reference.
type ChartLevel struct {
	Name string
	Y    float64
}

const (
	chartHeight = vg.Length(118)
	// manyLabels is from how many labels of points on a plot is taller and they are smaller.
	manyLabels  = 12
	tallerChart = 1.9 * chartHeight
	// fewPoints is up to how many points of a line each has a glyph. Those of a longer line
	// beside it, which tell it apart, stand where there is room.
	fewPoints = 24
	bandAlpha = 0x30
	// chartMargin is about what the axis of y and its labels take.
	chartMargin = vg.Length(44)
)

// ChartFormat returns the format of a chart's file by its extension: png, svg or
// pdf. It fails for others.
func ChartFormat(path string) (string, error) {
	all := []string{"png", "svg", "pdf"}
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if slices.Contains(all, format) {
		return format, nil
	}
	hint := ""
	if near, ok := nearest.Name(format, all); ok {
		hint = fmt.Sprintf("did you mean %s.%s? ", strings.TrimSuffix(path, filepath.Ext(path)), near)
	}
	return "", fmt.Errorf("%s: figures are written as %s, by the file's extension; %sas in figure.png", path, strings.Join(all, ", "), hint)
}

// Save draws the chart into a file, as Figure does.
func (c Chart) Save(path string) error {
	f, err := c.Figure()
	if err != nil {
		return fmt.Errorf("drawing %s: %w", path, err)
	}
	return f.Save(path)
}

// Figure lays the chart out. It fails if there is nothing to draw.
func (c Chart) Figure() (Figure, error) {
	f, err := c.figure()
	return Figure{f}, err
}

func (c Chart) figure() (*figure, error) {
	if len(c.Panels) == 0 {
		return nil, errors.New("the chart has no panels")
	}
	var names []string // of levels
	for _, p := range c.Panels {
		for _, l := range p.Levels {
			if !slices.Contains(names, l.Name) {
				names = append(names, l.Name)
			}
		}
	}
	panels := make([]*chartPanel, len(c.Panels))
	for i, p := range c.Panels {
		var err error
		if panels[i], err = p.layout(names); err != nil {
			return nil, err
		}
	}
	shareLegend(panels)
	height := gap
	for _, p := range panels {
		height += p.height()
	}
	return &figure{width: columnWidth, height: height, draw: func(canvas draw.Canvas) {
		canvas.SetColor(color.White)
		canvas.Fill(canvas.Rectangle.Path())
		canvas = draw.Crop(canvas, gap, -gap, gap, -gap)
		drawPanels(canvas, panels)
	}}, nil
}

// shareLegend shows the keys of lines once, above the first panel, with those of all
// levels, if the others have the same lines or begin with them; if lines differ, each
// panel keeps its own.
func shareLegend(panels []*chartPanel) {
	same := func(a, b key) bool { return a.name == b.name }
	shared := len(panels) > 1
	for _, p := range panels {
		n := len(p.lines)
		shared = shared && n <= len(panels[0].lines) && slices.EqualFunc(p.lines, panels[0].lines[:n], same)
	}
	all := panels[0].lines
	for i, p := range panels {
		for _, k := range p.levels {
			if shared && !slices.ContainsFunc(all, func(o key) bool { return same(k, o) }) {
				all = append(all, k)
			}
		}
		if keys := slices.Concat(p.lines, p.levels); !shared && len(keys) > 1 {
			panels[i].legend = newLegend(columnWidth-2*gap, keys)
		}
	}
	if shared && len(all) > 1 {
		panels[0].legend = newLegend(columnWidth-2*gap, all)
	}
}

func drawPanels(c draw.Canvas, panels []*chartPanel) {
	plots, bodies := make([]*plot.Plot, len(panels)), make([]draw.Canvas, len(panels))
	heads := make([]draw.Canvas, len(panels))
	for i, p := range panels {
		var cell, strip draw.Canvas
		cell, c = cutTop(c, p.height())
		cell.Min.Y += gap
		strip, cell = cutTop(cell, p.legendHeight())
		p.legend.draw(strip)
		heads[i], bodies[i] = cutTop(cell, p.titleHeight())
		plots[i] = p.plot
	}
	alignColumn(plots, bodies)
	for i, p := range panels {
		p.plot.Draw(bodies[i])
		if p.title != "" {
			style := write(labelSize, ink(), text.XLeft, text.YTop)
			left := p.plot.DataCanvas(bodies[i]).Min.X
			heads[i].FillText(style, vg.Point{X: left, Y: heads[i].Max.Y - 2}, shorten(p.title, style, heads[i].Max.X-left))
		}
	}
}

// chartPanel is a panel that is ready to be drawn.
type chartPanel struct {
	title string
	// tall is the height of the plot with its axis.
	tall   vg.Length
	plot   *plot.Plot
	legend legend
	// lines and levels are their keys.
	lines, levels []key
}

func (p *chartPanel) titleHeight() vg.Length {
	if p.title == "" {
		return 0
	}
	return titleHeight
}

func (p *chartPanel) legendHeight() vg.Length {
	if len(p.legend.keys) == 0 {
		return 0
	}
	return p.legend.height() + gap
}

func (p *chartPanel) height() vg.Length {
	return p.legendHeight() + p.titleHeight() + p.tall + gap
}

// layout prepares the panel of a chart with levels of these names.
func (p ChartPanel) layout(levels []string) (*chartPanel, error) {
	along := write(labelSize, ink(), text.XLeft, middle)
	out := &chartPanel{title: p.Title, plot: newPlot(
		shorten(p.X, along, columnWidth-chartMargin),
		wrap(p.Y, along, chartHeight-labelledAxisHeight),
	)}
	var bands, curves []plot.Plotter
	var labels pointLabels
	x, y := newSpan(), newSpan()
	marked := slices.ContainsFunc(p.Lines, func(l ChartLine) bool { return len(l.X) <= fewPoints })
	for i, l := range p.Lines {
		if len(l.X) != len(l.Y) || len(l.Low) != len(l.High) || len(l.Low) != 0 && len(l.Low) != len(l.X) {
			return nil, fmt.Errorf("line %q has %d, %d, %d and %d values for x, y and its band", l.Name, len(l.X), len(l.Y), len(l.Low), len(l.High))
		}
		if len(l.Labels) != 0 && len(l.Labels) != len(l.X) {
			return nil, fmt.Errorf("line %q has %d labels for %d points", l.Name, len(l.Labels), len(l.X))
		}
		xy := p.points(l.X, l.Y)
		if len(xy) == 0 {
			continue
		}
		s := styleOf(i)
		var glyph draw.GlyphDrawer
		if marked || l.Points {
			glyph = s.glyph
		}
		line := s.line()
		if l.Points {
			line.Width = 0
		}
		curves = append(curves, chartCurve{plotter.Line{XYs: xy, LineStyle: line}, glyph, l.RingEnd})
		labels.add(xy, !l.Points, glyph != nil)
		for j, label := range l.Labels {
			if at := p.points(l.X[j:j+1], l.Y[j:j+1]); len(at) > 0 && label != "" {
				labels.list = append(labels.list, pointLabel{at[0], label, s.color})
			}
		}
		out.lines = append(out.lines, lineKey(l.Name, line, glyph))
		x.add(xy, func(q plotter.XY) float64 { return q.X })
		y.add(xy, func(q plotter.XY) float64 { return q.Y })
		if len(l.Low) > 0 {
			low, high := p.points(l.X, l.Low), p.points(l.X, l.High)
			y.add(low, func(q plotter.XY) float64 { return q.Y })
			y.add(high, func(q plotter.XY) float64 { return q.Y })
			bands = append(bands, chartBand{low, high, s.color})
		}
	}
	if len(curves) == 0 {
		return nil, errors.New("no line of a panel has points that its axes can show")
	}
	for _, l := range p.Levels {
		at := p.value(l.Y, p.LogY)
		if math.IsInf(at, 0) || math.IsNaN(at) {
			continue
		}
		which := slices.Index(levels, l.Name)
		out.levels = append(out.levels, lineKey(l.Name, levelStyle(which), nil))
		curves = append(curves, level{at, which})
		labels.levels = append(labels.levels, at)
		y.low, y.high = min(y.low, at), max(y.high, at)
	}
	out.plot.Add(bands...)
	out.plot.Add(curves...)
	out.plot.Add(&labels)
	x.apply(&out.plot.X, p.LogX, false)
	y.apply(&out.plot.Y, p.LogY, true)
	out.tall, labels.size = chartHeight, labelSize
	if len(labels.list) >= manyLabels {
		out.tall, labels.size = tallerChart, smallSize
	}
	labels.makeRoom(out.plot, out.tall)
	return out, nil
}

// points pairs values, as the axes have them, without those that they cannot show.
func (p ChartPanel) points(x, y []float64) plotter.XYs {
	var xy plotter.XYs
	for i := range x {
		q := plotter.XY{X: p.value(x[i], p.LogX), Y: p.value(y[i], p.LogY)}
		if !math.IsInf(q.X, 0) && !math.IsNaN(q.X) && !math.IsInf(q.Y, 0) && !math.IsNaN(q.Y) {
			xy = append(xy, q)
		}
	}
	return xy
}

// value is where an axis has a value; a logarithmic one shows logarithms on a
// linear scale (see setRange).
func (p ChartPanel) value(v float64, logarithmic bool) float64 {
	if logarithmic {
		return math.Log10(v)
	}
	return v
}

// span is from where to where values reach, and whether all of them are whole numbers.
type span struct {
	low, high float64
	whole     bool
}

func newSpan() span { return span{math.Inf(1), math.Inf(-1), true} }

func (s *span) add(xy plotter.XYs, of func(plotter.XY) float64) {
	for _, q := range xy {
		v := of(q)
		s.low, s.high, s.whole = min(s.low, v), max(s.high, v), s.whole && v == math.Trunc(v)
	}
}

// apply fits an axis to the span; one with a linear scale and nothing below 0
// begins there if asked to and if that is most of the way anyhow, or all there is.
func (s span) apply(a *plot.Axis, logarithmic, fromZero bool) {
	room := max((s.high-s.low)*0.04, math.Abs(s.high)*1e-3, 1e-9)
	a.Min, a.Max = s.low-room, s.high+room
	if most, ok := a.Tick.Marker.(ticks); ok && s.whole && s.high-s.low < float64(most) {
		a.Tick.Marker = wholeTicks{}
	}
	switch {
	case logarithmic:
		a.Tick.Marker = logTicks{}
		if fromZero && s.high-s.low < 0.5 {
			// Less than half a decade would have one label or none.
			a.Min, a.Max = min(a.Min, s.high-0.6), max(a.Max, s.high+0.05)
		}
	case s.low >= 0 && (fromZero && (s.low < s.high/2 || s.low == s.high) || s.low < 0.1*s.high):
		a.Min = 0
	}
}
