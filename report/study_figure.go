package report

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/record"
	"weft/study"
)

// Heights of the data of the only panel and of one of several, and the room
// between panels.
const (
	singleHeight = 1.5 * vg.Inch
	panelHeight  = 1.15 * vg.Inch
	panelGap     = vg.Length(9)
)

// studyPlots is the figure of one metric.
type studyPlots struct {
	legends []legend
	notes   []string
	titles  []string
	plots   []*plot.Plot
	columns int
	height  vg.Length
	// left and bottom are what stands beside and below the outer panels.
	left, bottom vg.Length
}

// figures draws a metric on as many figures as its panels need, those after the first with a
// number in their names; none if no cell has it. Their axes are the same.
func (v *studyView) figures(column int) []*figure {
	var list []*figure
	for points := range slices.Chunk(v.points, mostPanels) {
		part := *v
		part.points = points
		f := part.figure(column)
		if f == nil {
			return nil
		}
		if list = append(list, f); len(list) > 1 {
			f.name += fmt.Sprintf("-%d", len(list))
		}
	}
	return list
}

// figure draws a metric; nil if no cell has it.
func (v *studyView) figure(column int) *figure {
	from, to, logarithmic := v.valueRange(column)
	if from > to {
		return nil
	}
	metric := v.table.Metrics[column]
	scale := valueScaleOf(metric.Unit, to)
	y := func(value float64) float64 { return value / scale.divisor }
	if logarithmic {
		y = func(value float64) float64 { return math.Log10(value / scale.divisor) }
	}

	x := newLevelAxis(v.table.Axes[v.x])
	s := studyPlots{columns: v.columns(), height: panelHeight}
	width := vg.Length(pageWidth)
	if len(v.points) == 1 {
		width, s.height = columnWidth, singleHeight
	}
	for _, keys := range [][]key{v.colorKeys(x.joined), v.markKeys(column)} {
		s.legends = append(s.legends, newLegend(width-2*gap, keys))
	}
	s.notes = v.notesOf(column)
	label := wrap(scale.label(metric.Title), write(labelSize, nil, 0, 0), s.height)
	for i, panel := range v.points {
		p := newPlot("", "")
		setValues(&p.Y, from/scale.divisor, to/scale.divisor, logarithmic)
		if i%s.columns == 0 {
			p.Y.Label.Text = label
		} else {
			p.Y.Tick.Marker = unlabelled{p.Y.Tick.Marker}
		}
		p.Add(v.meansOf(panel, column, x, y))
		s.titles = append(s.titles, v.title(panel))
		s.plots = append(s.plots, p)
	}
	s.arrange(width, x)
	return &figure{name: fileName(metric.Name), width: width, height: s.wholeHeight(), draw: s.draw}
}

// fileName makes the name of a metric, in which a group of traffic has its own,
// that of a file.
func fileName(metric string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '-'
		}
		return r
	}, metric)
}

// valueRange returns what the vertical axis of a metric must show; from is above
// to if there is nothing.
func (v *studyView) valueRange(column int) (from, to float64, logarithmic bool) {
	from, to = math.Inf(1), math.Inf(-1)
	least, largest := from, to
	for _, panel := range v.all {
		for _, c := range v.shown(panel) {
			e, instead := v.table.Value(c, column)
			if e.N == 0 || instead != "" {
				continue
			}
			least, largest = min(least, e.Mean), max(largest, e.Mean)
			from, to = min(from, e.Mean), max(to, e.Mean)
			if e.N > 1 {
				from, to = min(from, e.Low), max(to, e.High)
			}
		}
	}
	logarithmic = least > 0 && largest/least > logFrom
	if logarithmic {
		// An interval may reach down to 0, which has no logarithm.
		from = max(from, least/2)
	}
	return from, to, logarithmic
}

// colorKeys is the legend of colours.
func (v *studyView) colorKeys(joined bool) []key {
	if v.color == none {
		return nil
	}
	var keys []key
	for i := range v.colors() {
		s := styleOf(i)
		k := lineKey(LevelName(v.table.Axes[v.color], i), s.line(), s.glyph)
		if !joined {
			k.wide = keyHeight
			k.draw = func(c draw.Canvas) {
				c.DrawGlyphNoClip(draw.GlyphStyle{Color: s.color, Radius: glyphSize, Shape: s.glyph}, c.Center())
			}
		}
		keys = append(keys, k)
	}
	return keys
}

// fewRuns is up to how many runs an interval is no more than the extremes.
const fewRuns = 4

// markKeys is the legend of what else is drawn.
func (v *studyView) markKeys(column int) []key {
	var keys []key
	var intervals, rings bool
	words := map[string]bool{}
	least, most := math.MaxInt, 0
	for _, panel := range v.points {
		for _, c := range v.shown(panel) {
			e, instead := v.table.Value(c, column)
			if flawed(c) && e.N == 0 {
				instead = cmp.Or(instead, study.RunsFailed)
			}
			if instead != "" {
				words[instead] = true
				continue
			}
			intervals = intervals || e.N > 1
			rings = rings || flawed(c) && e.N > 0
			if e.N > 0 {
				least, most = min(least, e.N), max(most, e.N)
			}
		}
	}
	if intervals {
		keys = append(keys, key{name: intervalName(least, most), wide: keyHeight, draw: func(c draw.Canvas) {
			m := c.Center()
			drawInterval(c, ink(), m.X, m.Y-3.2, m.Y+3.2)
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: ink(), Radius: glyphSize * 0.8, Shape: draw.CircleGlyph{}}, m)
		}})
	}
	if rings {
		keys = append(keys, key{name: "some runs failed or were cut short", wide: keyHeight, draw: func(c draw.Canvas) { drawRing(c, c.Center()) }})
	}
	if len(words) > 0 {
		name := strings.Join(slices.Sorted(maps.Keys(words)), " or ")
		if words[study.Unfinished] {
			name += fmt.Sprintf(" (over %g %% of messages, or stuck)", 100*record.FewUnfinished)
		}
		keys = append(keys, key{name: name, wide: keyHeight, draw: func(c draw.Canvas) { drawCross(c, ink(), c.Center()) }})
	}
	return keys
}

// notesOf says what makes a metric less than it seems.
func (v *studyView) notesOf(column int) []string {
	name := v.table.Metrics[column].Name
	group := ""
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		group, name = name[:i+1], name[i+1:]
	}
	var notes []string
	if unfinished := v.table.Column(group + "unfinished"); unfinished >= 0 && name != "unfinished" && name != "messages" {
		most := 0.0
		for _, panel := range v.points {
			for _, c := range v.shown(panel) {
				if e, instead := c.Estimates[unfinished], c.Instead(v.table.Metrics[column].Name); e.N > 0 && instead == "" {
					most = max(most, e.Mean)
				}
			}
		}
		if most > 0 {
			notes = append(notes, fmt.Sprintf("On average up to %s messages of a run did not finish.", significant4(most)))
		}
	}
	if fixed := v.heldAt(); fixed != "" {
		notes = append(notes, fixed)
	}
	return notes
}

// heldAt names the levels that other axes are held at.
func (v *studyView) heldAt() string {
	var words []string
	for i, a := range v.table.Axes {
		if j, ok := v.fixed[i]; ok && len(a.Levels) > 1 {
			words = append(words, LevelName(a, j))
		}
	}
	return strings.Join(words, ", ")
}

// significant4 writes a number with four significant digits and no zeros after
// them.
func significant4(v float64) string {
	s := significant(v)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// arrange finds out how much room the axes take, and labels the lowest panels.
func (s *studyPlots) arrange(width vg.Length, x levelAxis) {
	left := func(p *plot.Plot, data vg.Length) vg.Length {
		c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: data, Y: s.height}}}
		return c.Min.X - fit(p, c, c.Rectangle).Min.X
	}
	guess := (width - 2*gap) / vg.Length(s.columns)
	for _, p := range s.plots {
		x.set(&p.X, guess)
		s.left = max(s.left, left(p, guess))
	}
	data := s.dataWidth(width)
	for i, p := range s.plots {
		x.set(&p.X, data)
		if i+s.columns < len(s.plots) {
			p.X.Tick.Marker = unlabelled{p.X.Tick.Marker}
			continue
		}
		p.X.Label.Text = shorten(x.label, write(labelSize, nil, 0, 0), data)
		c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: data, Y: s.height}}}
		s.bottom = max(s.bottom, c.Min.Y-fit(p, c, c.Rectangle).Min.Y)
	}
}

// dataWidth is the width of the data of a panel.
func (s *studyPlots) dataWidth(width vg.Length) vg.Length {
	return (width - 2*gap - s.left - vg.Length(s.columns-1)*panelGap - 2) / vg.Length(s.columns)
}

// fit returns the canvas in which the data of a plot fill a rectangle.
func fit(p *plot.Plot, c draw.Canvas, want vg.Rectangle) draw.Canvas {
	c.Rectangle = want
	// What stands beside the data depends a little on the canvas.
	for range 3 {
		have := p.DataCanvas(c)
		c.Min = c.Min.Add(want.Min.Sub(have.Min))
		c.Max = c.Max.Add(want.Max.Sub(have.Max))
	}
	return c
}

func (s *studyPlots) rows() int { return (len(s.plots) + s.columns - 1) / s.columns }

func (s *studyPlots) titleHeight() vg.Length {
	if len(s.plots) == 1 {
		return 0
	}
	return titleHeight
}

func (s *studyPlots) legendHeight() vg.Length {
	var h vg.Length
	for _, l := range s.legends {
		h += l.height()
	}
	return h
}

func (s *studyPlots) wholeHeight() vg.Length {
	rows := vg.Length(s.rows())
	h := 2*gap + s.legendHeight() + vg.Length(len(s.notes))*keyHeight + gap
	return h + rows*(s.titleHeight()+s.height) + (rows-1)*panelGap + s.bottom
}

func (s *studyPlots) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	width := s.dataWidth(c.Max.X - c.Min.X)
	c = draw.Crop(c, gap, -gap, gap, -gap)
	var strip draw.Canvas
	for _, l := range s.legends {
		strip, c = cutTop(c, l.height())
		l.draw(strip)
	}
	for _, note := range s.notes {
		strip, c = cutTop(c, keyHeight)
		style := write(textSize, paleInk(), text.XLeft, middle)
		c.FillText(style, vg.Point{X: strip.Min.X, Y: strip.Center().Y}, shorten(note, style, strip.Max.X-strip.Min.X))
	}
	_, c = cutTop(c, gap)
	for row := range slices.Chunk(s.indices(), s.columns) {
		var head draw.Canvas
		head, c = cutTop(c, s.titleHeight())
		for column, i := range row {
			data := vg.Rectangle{Max: vg.Point{Y: c.Max.Y}}
			data.Min.X = c.Min.X + s.left + vg.Length(column)*(width+panelGap)
			data.Min.Y, data.Max.X = data.Max.Y-s.height, data.Min.X+width
			s.plots[i].Draw(fit(s.plots[i], c, data))
			if s.titleHeight() > 0 {
				style := write(labelSize, ink(), text.XLeft, text.YTop)
				c.FillText(style, vg.Point{X: data.Min.X, Y: head.Max.Y - 2}, shorten(s.titles[i], style, width))
			}
		}
		_, c = cutTop(c, s.height+panelGap)
	}
}

func (s *studyPlots) indices() []int {
	list := make([]int, len(s.plots))
	for i := range list {
		list[i] = i
	}
	return list
}
