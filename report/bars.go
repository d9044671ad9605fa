package report

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars is a figure of vertical bars in groups, with their intervals: groups beside
// each other, and in each a bar of every colour. On a logarithmic axis, which has no zero
// for bars to stand on, they are points.
type Bars struct {
	// Y names the quantity with its unit.
	Y string
	// X names what groups differ in; Groups are their names.
	X      string
	Groups []string
	// Colors are the names of the bars of a group; the only one may have none.
	Colors []string
	// Values are the bars, by group and by colour.
	Values [][]Bar
	// Level is a horizontal line of reference with its name, none if that is empty.
	Level ChartLevel
	// Log asks for a logarithmic axis, on which all values are positive.
	Log bool
	// Interval is the legend's name for intervals that are not of means over runs.
	Interval string
	// Notes stand above the plot, a line each.
	Notes []string
}

// Bar is a mean with its interval.
type Bar struct {
	// Exists tells whether there is a mean. What has none shows as a cross if it is Flawed,
	// because something was run for it and has no whole result, as an arrow if it is
	// Unstable and grows without end, and as a dash if it is Empty, because of what it is
	// of no message ended.
	Exists, Flawed, Unstable, Empty bool
	Mean, Low, High                 float64
	// N is how many values the mean is of.
	N int
}

// Save draws the bars into a file, as Figure does.
func (b Bars) Save(path string) error {
	f, err := b.Figure()
	if err != nil {
		return fmt.Errorf("drawing %s: %w", path, err)
	}
	return f.Save(path)
}

// Figure lays the bars out. It fails if there is nothing to draw.
func (b Bars) Figure() (Figure, error) {
	f, err := b.figure()
	return Figure{f}, err
}

const (
	barsHeight = 1.7 * vg.Inch
	// wideBars is from how many bars on a figure is as wide as a page.
	wideBars = 18
	// barsShare is the share of a group's room that its bars take up, and pointsShare that of
	// points, which would not show as groups if they stood as far apart.
	barsShare, pointsShare = 0.84, 0.55
)

func (b Bars) figure() (*figure, error) {
	from, to := b.extent()
	if from > to {
		return nil, errors.New("there is no value to draw")
	}
	y := func(v float64) float64 { return v }
	if b.Log {
		y = func(v float64) float64 { return math.Log10(v) }
	}
	x := levelAxis{names: b.Groups}
	for i := range b.Groups {
		x.at = append(x.at, float64(i))
	}
	width := vg.Length(columnWidth)
	if _, flat := x.flat(width - 2*gap - chartMargin); !flat || len(b.Groups)*len(b.Colors) >= wideBars {
		width = pageWidth
	}
	s := &plotGrid{columns: 1, height: barsHeight, titles: []string{""}, notes: b.Notes}
	s.legends = []legend{newLegend(width-2*gap, b.keys()), newLegend(width-2*gap, b.markKeys())}
	p := newPlot("", "")
	b.setValues(&p.Y, from, to)
	p.Y.Label.Text = wrap(b.Y, write(labelSize, nil, 0, 0), s.height)
	p.Add(groupedBars{b, y})
	s.plots = []*plot.Plot{p}
	x.label = wrap(titleCase(b.X), write(labelSize, nil, 0, 0), width-2*gap)
	s.arrange(width, x)
	if b.X == "" {
		p.X.Label.Text = ""
	}
	return &figure{width: width, height: s.wholeHeight(), draw: s.draw}, nil
}

// extent returns what the vertical axis must show.
func (b Bars) extent() (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	for _, group := range b.Values {
		for _, v := range group {
			if !v.Exists || b.Log && v.Mean <= 0 {
				continue
			}
			from, to = min(from, v.Mean), max(to, v.Mean)
			if !v.hasInterval() {
				continue
			}
			to = max(to, v.High)
			if b.Log {
				// An interval may reach down to 0, which has no logarithm.
				from = min(from, max(v.Low, v.Mean/2))
			}
		}
	}
	if b.Level.Name != "" && from <= to {
		from, to = min(from, b.Level.Y), max(to, b.Level.Y)
	}
	return from, to
}

// hasInterval tells whether there is an interval that shows.
func (v Bar) hasInterval() bool { return v.Exists && v.N > 1 && v.High > v.Low }

func (b Bars) setValues(a *plot.Axis, from, to float64) {
	if b.Log {
		if slices.ContainsFunc(slices.Concat(b.Values...), func(v Bar) bool { return v.Unstable }) {
			to *= 1.5 // arrows stand above all points
		}
		setRange(a, from/1.05, to*1.05, true)
		return
	}
	a.Min, a.Max = min(0, from), max(to*1.06, 1e-9)
}

// keys is the legend of colours.
func (b Bars) keys() []key {
	if len(b.Colors) == 1 && b.Colors[0] == "" {
		return nil
	}
	var keys []key
	for i, name := range b.Colors {
		keys = append(keys, key{name: name, wide: keyHeight, draw: func(c draw.Canvas) {
			m := c.Center()
			if b.Log {
				drawPoint(c, i, m)
				return
			}
			drawBar(c, i, vg.Rectangle{Min: vg.Point{X: m.X - 3, Y: m.Y - 3}, Max: vg.Point{X: m.X + 3, Y: m.Y + 3}})
		}})
	}
	return keys
}

// markKeys is the legend of what else is drawn.
func (b Bars) markKeys() []key {
	var keys []key
	least, most, intervals := math.MaxInt, 0, false
	marks := map[string]barMark{}
	for _, v := range slices.Concat(b.Values...) {
		intervals = intervals || v.hasInterval()
		if v.Exists {
			least, most = min(least, v.N), max(most, v.N)
		} else if name, mark := v.mark(); mark != nil {
			marks[name] = mark
		}
	}
	if intervals {
		keys = append(keys, key{name: cmp.Or(b.Interval, intervalName(least, most)), wide: keyHeight, draw: func(c draw.Canvas) {
			m := c.Center()
			drawInterval(c, ink(), m.X, m.Y-3.2, m.Y+3.2)
		}})
	}
	if b.Level.Name != "" {
		keys = append(keys, lineKey(b.Level.Name, levelStyle(0), nil))
	}
	for _, name := range slices.Sorted(maps.Keys(marks)) {
		keys = append(keys, key{name: name, wide: keyHeight, draw: func(c draw.Canvas) { marks[name](c, ink(), c.Center()) }})
	}
	return keys
}

// barMark draws what stands in the place of a bar, around a point.
type barMark func(c draw.Canvas, ink color.Color, at vg.Point)

// mark is what stands in the place of a bar that does not exist, with what it says; nil if
// nothing does.
func (v Bar) mark() (name string, draw barMark) {
	switch {
	case v.Exists:
	case v.Unstable:
		return "unstable", drawArrow
	case v.Flawed:
		return "no whole run", drawCross
	case v.Empty:
		return "no message ended", drawDash
	}
	return "", nil
}

func drawCross(c draw.Canvas, ink color.Color, at vg.Point) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: ink, Radius: 1.3 * glyphSize, Shape: draw.CrossGlyph{}}, at)
}

func drawDash(c draw.Canvas, ink color.Color, at vg.Point) {
	c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.8}, at.X-1.3*glyphSize, at.Y, at.X+1.3*glyphSize, at.Y)
}

func drawArrow(c draw.Canvas, ink color.Color, at vg.Point) {
	line := draw.LineStyle{Color: ink, Width: 0.8}
	top, wing := at.Y+2*glyphSize, 1.2*glyphSize
	c.StrokeLine2(line, at.X, at.Y-2*glyphSize, at.X, top)
	c.StrokeLines(line, []vg.Point{{X: at.X - wing, Y: top - wing}, {X: at.X, Y: top}, {X: at.X + wing, Y: top - wing}})
}

// intervalName says what intervals are of so many runs.
func intervalName(least, most int) string {
	runs := fmt.Sprint(most)
	if least < most {
		runs = fmt.Sprintf("%d–%d", least, most)
	}
	if most <= fewRuns {
		return fmt.Sprintf("mean and extremes of %s runs", runs)
	}
	return fmt.Sprintf("mean and 95 %% interval, %s runs", runs)
}

// groupedBars draws the bars of a plot whose groups stand at whole numbers.
type groupedBars struct {
	Bars
	y func(float64) float64
}

// Plot implements plot.Plotter.
func (b groupedBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	share := barsShare
	if b.Log {
		share = pointsShare
	}
	step := share / float64(max(len(b.Colors), 1))
	// A single group needs no more room than its bars look good in.
	step = min(step, 0.3)
	value := func(v float64) vg.Length { return y(max(b.y(v), p.Y.Min)) }
	floor := y(max(p.Y.Min, 0))
	if b.Level.Name != "" {
		at := value(b.Level.Y)
		defer c.StrokeLine2(levelStyle(0), c.Min.X, at, c.Max.X, at)
	}
	for g, group := range b.Values {
		for i, v := range group {
			left := float64(g) + (float64(i)-float64(len(group))/2)*step
			from, to := x(left), x(left+step)
			space := (to - from) * 0.06
			middle := (from + to) / 2
			if !v.Exists || b.Log && v.Mean <= 0 {
				at := vg.Point{X: middle, Y: c.Min.Y + 2*ringSize}
				if v.Unstable {
					at.Y = c.Max.Y - ringSize
				}
				if _, draw := v.mark(); draw != nil {
					draw(c, styleOf(i).color, at)
				}
				continue
			}
			if !b.Log {
				drawBar(c, i, vg.Rectangle{Min: vg.Point{X: from + space, Y: floor}, Max: vg.Point{X: to - space, Y: value(v.Mean)}})
			}
			if v.hasInterval() {
				drawWhisker(c, middle, value(v.Low), value(v.High), (to-from)/4)
			}
			if b.Log {
				drawPoint(c, i, vg.Point{X: middle, Y: value(v.Mean)})
			}
		}
	}
}

// drawPoint is a bar's value where it is a point.
func drawPoint(c draw.Canvas, i int, at vg.Point) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: styleOf(i).color, Radius: 1.3 * glyphSize, Shape: styleOf(i).glyph}, at)
}

// drawBar fills a bar; those beyond the colours that there are get stripes.
func drawBar(c draw.Canvas, i int, box vg.Rectangle) {
	c.SetColor(styleOf(i).color)
	c.Fill(box.Path())
	if i < styleCount {
		return
	}
	stripe := draw.LineStyle{Color: color.White, Width: 0.9}
	const every = vg.Length(3)
	for at := box.Min.Y + every/2; at < box.Max.Y; at += every {
		c.StrokeLine2(stripe, box.Min.X, at, box.Max.X, at)
	}
}

// drawWhisker draws an interval so that it shows on any bar and on paper.
func drawWhisker(c draw.Canvas, x, low, high, half vg.Length) {
	half = min(half, capSize)
	for _, line := range []draw.LineStyle{{Color: color.White, Width: 1.5}, {Color: ink(), Width: 0.7}} {
		c.StrokeLine2(line, x, low, x, high)
		c.StrokeLine2(line, x-half, low, x+half, low)
		c.StrokeLine2(line, x-half, high, x+half, high)
	}
}
