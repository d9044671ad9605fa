package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/internal/readable"
	"weft/record"
	"weft/study"
)

// Heights of the data of the only panel and of one of several, and the room
// between panels.
const (
	singleHeight = 1.5 * vg.Inch
	panelHeight  = 1.15 * vg.Inch
	panelGap     = vg.Length(9)
	// leastStudyPanel is how wide a panel is at least.
	leastStudyPanel = 1.5 * vg.Inch
)

// figures draws a metric on as many figures as its panels need, those after the first with a
// number in their names; none if no cell has it. Their axes are the same.
func (v *studyView) figures(column int, on paper) []*figure {
	from, to, _ := v.valueRange(column)
	if from > to {
		return nil
	}
	l := on.split(v.layout(on), len(v.points), func(l layout, from, to int) vg.Length {
		return v.part(from, to).grid(column, l).wholeHeight()
	})
	var list []*figure
	for from := 0; from < len(v.points); from += l.each {
		g := v.part(from, min(from+l.each, len(v.points))).grid(column, l)
		list = append(list, &figure{name: fileName(v.table.Metrics[column].Name), width: l.width, height: g.wholeHeight(), draw: g.draw})
	}
	return numbered(list)
}

// layout is how the panels stand: a single one in a column, others across a page.
func (v *studyView) layout(on paper) layout {
	if len(v.points) == 1 {
		return layout{on.column(), 1, 1}
	}
	columns := max(min(v.columns(), int(on.page()/leastStudyPanel)), 1)
	return layout{on.page(), columns, max(mostPanels/columns, 1) * columns}
}

// part is the view of the panels from one to before another.
func (v *studyView) part(from, to int) *studyView {
	part := *v
	part.points = v.points[from:to]
	return &part
}

// grid lays out a metric that some cell has.
func (v *studyView) grid(column int, l layout) *plotGrid {
	from, to, logarithmic := v.valueRange(column)
	metric := v.table.Metrics[column]
	scale := valueScaleOf(metric.Unit, to)
	y := func(value float64) float64 { return value / scale.divisor }
	if logarithmic {
		y = func(value float64) float64 { return math.Log10(value / scale.divisor) }
	}

	x := newLevelAxis(v.table.Axes[v.x])
	s := &plotGrid{columns: l.columns, height: panelHeight}
	if len(v.all) == 1 {
		s.height = singleHeight
	}
	for _, keys := range [][]key{v.colorKeys(x.joined), v.markKeys(column)} {
		s.legends = append(s.legends, newLegend(l.width-2*gap, keys))
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
	s.arrange(l.width, x)
	return s
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
	barred := map[string]bool{}
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
			if why := c.Bar(&v.table.Metrics[column]); why != "" && e.N > 0 {
				barred[why] = true
			}
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
		barred["some runs failed or were cut short"] = true
	}
	if len(barred) > 0 {
		keys = append(keys, key{name: strings.Join(slices.Sorted(maps.Keys(barred)), " or "), wide: keyHeight, draw: func(c draw.Canvas) { drawRing(c, c.Center()) }})
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
	m := &v.table.Metrics[column]
	_, name := record.SplitMetric(m.Name)
	var notes []string
	if unfinished := v.table.Column(strings.TrimSuffix(m.Name, name) + "unfinished"); unfinished >= 0 && name != "unfinished" && name != "messages" {
		most := 0.0
		for _, panel := range v.points {
			for _, c := range v.shown(panel) {
				if e, instead := c.Estimates[unfinished], c.Instead(m); e.N > 0 && instead == "" {
					most = max(most, e.Mean)
				}
			}
		}
		if most > 0 {
			notes = append(notes, fmt.Sprintf("Up to %s messages per run did not finish (mean over seeds).", readable.Short(most, 4)))
		}
	}
	notes = append(notes, v.marked()...)
	if fixed := v.heldAt(); fixed != "" {
		notes = append(notes, fixed)
	}
	return notes
}

// marked says which notices qualify cells that are ranked all the same: rings are around the others.
func (v *studyView) marked() []string {
	cells := map[record.NoticeKind]int{}
	all := 0
	for _, panel := range v.points {
		for _, c := range v.shown(panel) {
			all++
			for _, k := range c.Kinds() {
				if !k.Bars() {
					cells[k]++
				}
			}
		}
	}
	var notes []string
	for _, k := range record.NoticeKinds() {
		if n := cells[k]; n > 0 {
			notes = append(notes, fmt.Sprintf("%s: %d of %d cells", k.Word(), n, all))
		}
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
