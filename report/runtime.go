package report

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/record"
	"weft/study"
)

const (
	barHeight = vg.Length(9)
	barGap    = vg.Length(3)
	groupGap  = vg.Length(9)
	tickLabel = vg.Length(30) // what a number at the axis takes
)

// bar is a number of one run, or of one group of traffic in it.
type bar struct {
	run   int
	group string
	value float64
	text  string
}

// runtimeFigure draws a bar a run, from the first start to the last finish; of
// several groups of traffic, a block of bars each. Runs to which load is offered until they
// end have slowdowns in its place: their runtime is how long that was.
func runtimeFigure(runs []run) (*figure, []string) {
	if !slices.ContainsFunc(runs, func(r run) bool { return r.Summary.Stability == nil }) {
		return slowdownBars(runs)
	}
	chart := barChart{name: "runtime", runs: runs, groups: groupNames(runs)}
	summaries := make([]record.Summary, len(runs))
	for i, r := range runs {
		summaries[i] = r.Summary
	}
	best := bestRuntimes(summaries)
	largest, whole := 0.0, false
	for _, group := range chart.groups {
		for _, r := range runs {
			s, _ := r.Summary.Of(group)
			largest, whole = max(largest, inMicros(s.Runtime)), whole || s.Whole(r.Partial)
		}
	}
	if !whole {
		return nil, []string{"runtime: not drawn, because in no run every message finished"}
	}
	scale := timeScaleOf(largest) // of the axis and of what stands at the bars
	for _, group := range chart.groups {
		for i, r := range runs {
			s, ok := r.Summary.Of(group)
			if !ok {
				continue
			}
			b := bar{run: i, group: group, text: runtimeText(s, r.Partial, scale)}
			// A bar as long as what is known would look shorter than those of whole runs.
			if s.Whole(r.Partial) {
				b.value = inMicros(s.Runtime) / scale.divisor
			}
			if s.Whole(r.Partial) && len(runs) > 1 {
				b.text = fmt.Sprintf("%s (%.2f×)", b.text, float64(s.Runtime)/float64(best[group]))
			}
			chart.bars = append(chart.bars, b)
		}
	}
	chart.axis = fmt.Sprintf("Runtime (%s)", scale.name)
	return chart.figure(), nil
}

// slowdownBars draws a block of bars of the median and of the 99th percentile of slowdowns,
// and of the latter one for each class of sizes, a bar a run. The ideal is without headers,
// the same for all runs, so that they can be compared.
func slowdownBars(runs []run) (*figure, []string) {
	chart := barChart{name: "slowdown", runs: runs, axis: slowdownAxis}
	some := false
	block := func(group string, of func(s *record.Summary) (record.Stats, float64)) {
		drawn := false
		for i, r := range runs {
			s, value := of(&r.Summary)
			b := bar{run: i, group: group, value: value, text: significant(value)}
			switch {
			case s.All() == 0:
				continue
			case !finished(&s, r.Partial):
				b.value, b.text = 0, study.Unfinished
			case value == 0:
				continue
			}
			drawn, some = true, some || b.value > 0
			chart.bars = append(chart.bars, b)
		}
		if drawn {
			chart.groups = append(chart.groups, group)
		}
	}
	block("Median", func(s *record.Summary) (record.Stats, float64) { return s.Stats, s.SlowdownBare.P50 })
	block("99th percentile", func(s *record.Summary) (record.Stats, float64) { return s.Stats, s.SlowdownBare.P99 })
	for _, class := range runs[0].Summary.Sizes {
		block("99th percentile, "+class.Title(), func(s *record.Summary) (record.Stats, float64) {
			i := slices.IndexFunc(s.Sizes, func(g record.Group) bool { return g.Name == class.Name })
			if i < 0 {
				return record.Stats{}, 0
			}
			return s.Sizes[i].Stats, s.Sizes[i].SlowdownBare.P99
		})
	}
	if !some {
		return nil, []string{"slowdown: not drawn, because in no run the messages finished"}
	}
	return chart.figure(), nil
}

// runtimeText writes a runtime, or how far a run came that left messages unfinished.
func runtimeText(s record.Stats, partial bool, scale timeScale) string {
	us := inMicros(s.Runtime)
	if us == 0 {
		return "none finished"
	}
	t := scale.text(us)
	if s.Whole(partial) {
		return t
	}
	if s.Missing() == 0 {
		return fmt.Sprintf("%s after %s", study.Unfinished, t)
	}
	return fmt.Sprintf("%s after %s, %d of %d messages", study.Unfinished, t, s.Missing(), s.All())
}

// barChart is horizontal bars, so that names of any length stay readable.
type barChart struct {
	name, axis string
	runs       []run
	groups     []string
	bars       []bar
}

func barText() text.Style { return write(textSize, ink(), text.XLeft, middle) }

func (b barChart) figure() *figure {
	several := len(b.groups) > 1
	height := 2*gap + labelledAxisHeight + vg.Length(len(b.bars))*(barHeight+barGap) + 2*barGap
	if several {
		height += vg.Length(len(b.groups))*(groupGap+barHeight) - groupGap
	}
	return &figure{name: b.name, width: columnWidth, height: height, draw: b.draw}
}

func (b barChart) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, gap, -gap, gap, -gap)

	// Names stand to the left of the axis, values at the bars' ends.
	var names, values vg.Length
	largest := 0.0
	for _, x := range b.bars {
		largest = max(largest, x.value)
		names = max(names, barText().Width(b.nameOf(x)))
		values = max(values, barText().Width(x.text)+gap)
	}
	all := c.Max.X - c.Min.X
	names = min(names, all*0.4, max(all*0.8-values, 0))
	p := newPlot(b.axis, "")
	p.HideY()
	p.X.Min, p.Y.Min, p.Y.Max = 0, 0, 1
	p.X.Max = largest
	plotted := draw.Crop(c, names+gap, 0, 0, 0)
	length := b.lengthOfAxis(plotted.Max.X-plotted.Min.X, largest)
	plotted.Max.X = plotted.Min.X + length
	p.X.Tick.Marker = ticks(min(max(length/tickLabel, 2), 5))
	p.Add(barsPlotter{b, names})
	p.Draw(plotted)
}

// lengthOfAxis returns how long the axis may be up to the longest bar, so that the text of
// every bar ends within a width.
func (b barChart) lengthOfAxis(width vg.Length, largest float64) vg.Length {
	length := width
	for _, x := range b.bars {
		if x.value > 0 {
			left := width - barText().Width(x.text) - gap
			length = min(length, left*vg.Length(largest/x.value))
		}
	}
	return max(length, width/20)
}

func (b barChart) nameOf(x bar) string { return b.runs[x.run].name }

// barsPlotter draws the bars with their names and values.
type barsPlotter struct {
	barChart
	names vg.Length
}

func (b barsPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	y := c.Max.Y - barGap
	group := ""
	for i, bar := range b.bars {
		if bar.group != group {
			group = bar.group
			if i > 0 {
				y -= groupGap
			}
			c.FillText(write(labelSize, ink(), text.XLeft, text.YTop), vg.Point{X: c.Min.X - b.names - gap, Y: y + 2}, group)
			y -= barHeight
		}
		right := x(bar.value)
		s := styleOf(bar.run)
		box := []vg.Point{{X: c.Min.X, Y: y}, {X: right, Y: y}, {X: right, Y: y - barHeight}, {X: c.Min.X, Y: y - barHeight}}
		c.FillPolygon(s.color, box)
		middle := y - barHeight/2
		name := shorten(b.nameOf(bar), barText(), b.names)
		left := barText()
		left.XAlign = text.XRight
		c.FillText(left, vg.Point{X: c.Min.X - gap, Y: middle}, name)
		c.FillText(barText(), vg.Point{X: right + gap/2, Y: middle}, bar.text)
		y -= barHeight + barGap
	}
}
