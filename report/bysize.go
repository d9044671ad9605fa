package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/record"
	"weft/report/internal/bysize"
	"weft/study"
)

// oneSize says why figures that differ from fct-cdf by message size only are left out.
const oneSize = "slowdown-cdf and " + SizesFigure + ": not drawn, because all messages have one size, so both would look like fct-cdf"

const sizePanelHeight = 1.3 * vg.Inch

// sizePoint is the messages of one size, or of a bin of sizes.
type sizePoint struct {
	// bytes is their mean size, messages how many there are.
	bytes    float64
	messages int64
	// slowdowns are the percentiles of sizePercents; unfinished tells that there are none,
	// because more than a few of the messages did not finish.
	slowdowns  [2]float64
	unfinished bool
}

// sizePercents are the percentiles that are drawn, with their names.
func sizePercents() ([2]int64, [2]string) {
	return [2]int64{50, 99}, [2]string{"Median", "99th percentile"}
}

// sizePoints are the points of messages; of those of which too many did not finish, none has
// percentiles: the few that finished are the quick ones.
func sizePoints(g *bysize.Group, unfinished bool) []sizePoint {
	percents, _ := sizePercents()
	var points []sizePoint
	for _, s := range g.Sorted() {
		p := sizePoint{bytes: s.Mean(), messages: s.Messages, unfinished: unfinished || !s.Few()}
		copy(p.slowdowns[:], s.Slowdown.Quantiles(percents[:]...))
		points = append(points, p)
	}
	return points
}

// few tells whether there are too few messages for a percentile, which is then the largest
// value.
func (p sizePoint) few(which int) bool {
	percents, _ := sizePercents()
	return p.messages*(100-percents[which]) < 100
}

// sizePanel is a plot of one percentile with a curve per variant.
type sizePanel struct {
	title string
	which int
	// curves are by the place of the variant.
	curves [][]sizePoint
}

// sizeFigures draws the median and the 99th percentile of slowdowns over message size, a
// curve per run, and a row of plots per group of traffic.
func sizeFigures(runs []run, on paper) ([]*figure, []string) {
	var panels []sizePanel
	groups := groupNames(runs)
	vary := false
	for _, name := range groups {
		counted := make([]*bysize.Group, len(runs))
		for i, r := range runs {
			counted[i] = r.messages(name, len(groups) == 1)
		}
		_, one := bysize.Align(counted)
		vary = vary || one == 0
		_, percents := sizePercents()
		for which, title := range percents {
			p := sizePanel{title: title, which: which, curves: make([][]sizePoint, len(runs))}
			if len(groups) > 1 {
				p.title = name + ", " + strings.ToLower(title)
			}
			for i, r := range runs {
				if counted[i] == nil {
					continue
				}
				s, ok := r.Summary.Of(name)
				if !ok {
					s = r.Stats
				}
				p.curves[i] = sizePoints(counted[i], !finished(&s, r.Partial))
			}
			panels = append(panels, p)
		}
	}
	if !vary {
		return nil, []string{oneSize}
	}
	var keys []key
	for i, r := range runs {
		s := styleOf(i)
		keys = append(keys, lineKey(r.label(pageWidth/3), s.line(), s.glyph))
	}
	list := drawSizes(panels, keys, nil, on)
	if len(list) == 0 {
		return nil, []string{SizesFigure + ": not drawn, because no message with an ideal completion time finished"}
	}
	return list, nil
}

// messages returns those of a group of traffic, or all; nil if there are none.
func (r *run) messages(group string, all bool) *bysize.Group {
	if all && len(r.bySize) > 0 {
		return r.bySize[0]
	}
	for _, g := range r.bySize {
		if g.Name == group {
			return g
		}
	}
	return nil
}

// drawSizes lays panels out, two beside each other, or below each other where there is no
// room for that. There is no figure if no point has a value.
func drawSizes(panels []sizePanel, keys []key, notes []string, on paper) []*figure {
	x := sizeAxis{from: math.Inf(1), to: math.Inf(-1)}
	marks := sizeMarks{}
	// Panels of a percentile have the same vertical axis.
	var ranges [2]valueAxis
	for which := range ranges {
		ranges[which] = rangeOf(panels, which)
	}
	for _, p := range panels {
		for _, points := range p.curves {
			for _, q := range points {
				x.from, x.to = min(x.from, q.bytes), max(x.to, q.bytes)
				marks.add(q, p.which)
			}
		}
	}
	if !marks.any {
		return nil
	}
	return gridFigures(SizesFigure, len(panels), leastPanel, 2, x, on, func(l layout, from, to int) *plotGrid {
		g := &plotGrid{columns: l.columns, height: sizePanelHeight, own: true, notes: notes}
		for _, k := range [][]key{keys, marks.keys()} {
			g.legends = append(g.legends, newLegend(l.width-2*gap, slices.Clone(k)))
		}
		label := wrap(slowdownAxis, write(labelSize, nil, 0, 0), g.height)
		for i, panel := range panels[from:to] {
			p := newPlot("", "")
			if i%l.columns == 0 {
				p.Y.Label.Text = label
			}
			panel.addTo(p, ranges[panel.which])
			g.plots = append(g.plots, p)
			g.titles = append(g.titles, panel.title)
		}
		return g
	})
}

// rangeOf is what the vertical axis of a percentile must show. The ideal is 1.
func rangeOf(panels []sizePanel, which int) valueAxis {
	v := valueAxis{from: 1, to: 1.1}
	for _, p := range panels {
		for _, q := range slices.Concat(p.curves...) {
			if value := q.slowdowns[which]; p.which == which && !q.unfinished && !math.IsNaN(value) {
				v.from, v.to = min(v.from, value), max(v.to, value)
			}
		}
	}
	v.logarithmic = v.from > 0 && v.to/v.from > 5 // less would have few ticks
	return v
}

// addTo draws the curves on a plot.
func (s sizePanel) addTo(p *plot.Plot, axis valueAxis) {
	setRange(&p.Y, axis.from, axis.to, axis.logarithmic)
	y := math.Log10
	if !axis.logarithmic {
		p.Y.Min, p.Y.Tick.Marker = axis.from, ticks(5)
		y = func(v float64) float64 { return v }
	}
	for i, points := range s.curves {
		p.Add(sizeCurve{style: styleOf(i), place: i, which: s.which, points: points, y: y})
	}
}

// sizeCurve draws the points of a variant, joined where they follow each other.
type sizeCurve struct {
	style
	place, which int
	points       []sizePoint
	y            func(float64) float64
}

func (s sizeCurve) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(q sizePoint) vg.Point {
		return vg.Point{X: x(math.Log10(q.bytes)), Y: y(s.y(q.slowdowns[s.which]))}
	}
	there := func(q sizePoint) bool { return !q.unfinished && !math.IsNaN(q.slowdowns[s.which]) }
	for i, q := range s.points {
		if i > 0 && there(q) && there(s.points[i-1]) {
			from, to := at(s.points[i-1]), at(q)
			c.StrokeLine2(s.line(), from.X, from.Y, to.X, to.Y)
		}
	}
	for _, q := range s.points {
		switch {
		case there(q):
			drawSize(c, s.style, at(q), q.few(s.which))
		case q.unfinished: // at the worse end of the axis
			top := vg.Point{X: x(math.Log10(q.bytes)), Y: c.Max.Y - ringSize - vg.Length(s.place%styleCount)*1.1*ringSize}
			drawCross(c, s.color, top)
		}
	}
}

// drawSize draws a point, hollow if it is of few messages.
func drawSize(c draw.Canvas, s style, at vg.Point, hollow bool) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: s.color, Radius: glyphSize, Shape: s.glyph}, at)
	if hollow {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: 0.5 * glyphSize, Shape: s.glyph}, at)
	}
}

// sizeMarks are the marks that a legend explains.
type sizeMarks struct{ any, few, unfinished bool }

func (m *sizeMarks) add(q sizePoint, which int) {
	m.unfinished = m.unfinished || q.unfinished
	if !q.unfinished && !math.IsNaN(q.slowdowns[which]) {
		m.any = true
		m.few = m.few || q.few(which)
	}
}

func (m *sizeMarks) keys() []key {
	var keys []key
	if m.few {
		keys = append(keys, key{name: "fewer messages than the percentile needs: their largest value", wide: keyHeight, draw: func(c draw.Canvas) {
			s := styleOf(0)
			s.color = ink()
			drawSize(c, s, c.Center(), true)
		}})
	}
	if m.unfinished {
		name := fmt.Sprintf("%s (over %g %% of messages, or stuck)", study.Unfinished, 100*record.FewUnfinished)
		keys = append(keys, key{name: name, wide: keyHeight, draw: func(c draw.Canvas) { drawCross(c, ink(), c.Center()) }})
	}
	return keys
}

// sizeAxis is a logarithmic axis of message sizes.
type sizeAxis struct{ from, to float64 }

func (sizeAxis) name() string { return "Message size" }

func (s sizeAxis) set(a *plot.Axis, width vg.Length) {
	a.Min, a.Max = math.Log10(s.from)-0.1, math.Log10(s.to)+0.1
	a.Tick.Marker = within{byteTicks{width}, width}
}

// byteTicks are ticks of an axis that shows decimal logarithms of bytes, labelled with units
// at powers of ten as far as there is room.
type byteTicks struct{ width vg.Length }

// Ticks implements plot.Ticker.
func (b byteTicks) Ticks(from, to float64) []plot.Tick {
	few := to-from < 1.5
	var t []plot.Tick
	last := vg.Length(math.Inf(-1))
	style := write(textSize, nil, 0, 0)
	for e := math.Floor(from); e <= math.Ceil(to); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			at := math.Log10(v)
			if at < from || at > to {
				continue
			}
			label := ""
			if m == 1 || few && (m == 2 || m == 5) {
				label = bytesText(v)
				place, half := b.width*vg.Length((at-from)/(to-from)), style.Width(label)/2
				if place-half < last+3 {
					label = ""
				} else {
					last = place + half
				}
			}
			t = append(t, plot.Tick{Value: at, Label: label})
		}
	}
	return t
}

// bytesText writes a round number of bytes with its decimal unit.
func bytesText(v float64) string {
	for _, u := range []struct {
		name string
		of   float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if v >= u.of*(1-1e-9) {
			return fmt.Sprintf("%.4g %s", v/u.of, u.name)
		}
	}
	return fmt.Sprintf("%.4g B", v)
}
