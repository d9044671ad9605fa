package report

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/record"
)

const (
	barHeight = vg.Length(9)
	barGap    = vg.Length(3)
	groupGap  = vg.Length(9)
)

// bar is the runtime of one run, or of one group of traffic in it.
type bar struct {
	run   int
	group string
	us    float64
	text  string
}

// runtimeFigure draws a bar a run, from the first start to the last finish; of
// several groups of traffic, a block of bars each.
func runtimeFigure(runs []run) (*figure, []string) {
	chart := barChart{runs: runs, groups: groupNames(runs)}
	summaries := make([]record.Summary, len(runs))
	for i, r := range runs {
		summaries[i] = r.Summary
	}
	best := bestRuntimes(summaries)
	largest := 0.0
	for _, group := range chart.groups {
		for i, r := range runs {
			s, ok := r.Summary.Of(group)
			if !ok {
				continue
			}
			b := bar{run: i, group: group, us: inMicros(s.Runtime), text: runtimeText(s, r.Partial)}
			if s.Whole(r.Partial) && len(runs) > 1 {
				b.text = fmt.Sprintf("%s (%.2f×)", b.text, float64(s.Runtime)/float64(best[group]))
			}
			largest = max(largest, b.us)
			chart.bars = append(chart.bars, b)
		}
	}
	if largest == 0 {
		return nil, []string{"runtime: not drawn, because no message finished"}
	}
	chart.scale = timeScaleOf(largest)
	chart.largest = largest / chart.scale.divisor
	return chart.figure(), nil
}

// runtimeText writes a runtime, or with what makes it one the time that it exceeds.
func runtimeText(s record.Stats, partial bool) string {
	us := inMicros(s.Runtime)
	if us == 0 {
		return "none finished"
	}
	t := timeScaleOf(us).text(us)
	if s.Whole(partial) {
		return t
	}
	return fmt.Sprintf("> %s, %s", t, shortcomings(s, partial))
}

// barChart is horizontal bars, so that names of any length stay readable.
type barChart struct {
	runs    []run
	groups  []string
	bars    []bar
	scale   timeScale
	largest float64
}

func barText() text.Style { return write(textSize, ink(), text.XLeft, middle) }

func (b barChart) figure() *figure {
	several := len(b.groups) > 1
	height := 2*gap + labelledAxisHeight + vg.Length(len(b.bars))*(barHeight+barGap) + 2*barGap
	if several {
		height += vg.Length(len(b.groups))*(groupGap+barHeight) - groupGap
	}
	return &figure{name: "runtime", width: columnWidth, height: height, draw: b.draw}
}

func (b barChart) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, gap, -gap, gap, -gap)

	// Names stand to the left of the axis, values at the bars' ends.
	var names, values vg.Length
	for _, x := range b.bars {
		names = max(names, barText().Width(b.name(x)))
		values = max(values, barText().Width(x.text)+gap)
	}
	all := c.Max.X - c.Min.X
	names = min(names, all*0.4, max(all*0.8-values, 0))
	p := newPlot(fmt.Sprintf("Runtime (%s)", b.scale.name), "")
	p.HideY()
	p.X.Min, p.Y.Min, p.Y.Max = 0, 0, 1
	plotted := draw.Crop(c, names+gap, 0, 0, 0)
	// The longest bar's value must end within the figure.
	share := float64((plotted.Max.X - plotted.Min.X - values) / (plotted.Max.X - plotted.Min.X))
	p.X.Max = b.largest / max(share, 0.05)
	p.Add(barsPlotter{b, names})
	p.Draw(plotted)
}

func (b barChart) name(x bar) string { return b.runs[x.run].name }

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
		right := x(bar.us / b.scale.divisor)
		s := styleOf(bar.run)
		box := []vg.Point{{X: c.Min.X, Y: y}, {X: right, Y: y}, {X: right, Y: y - barHeight}, {X: c.Min.X, Y: y - barHeight}}
		c.FillPolygon(s.color, box)
		middle := y - barHeight/2
		name := shorten(b.name(bar), barText(), b.names)
		left := barText()
		left.XAlign = text.XRight
		c.FillText(left, vg.Point{X: c.Min.X - gap, Y: middle}, name)
		c.FillText(barText(), vg.Point{X: right + gap/2, Y: middle}, bar.text)
		y -= barHeight + barGap
	}
}
