package page

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/internal/readable"
	"weft/papers"
	"weft/record"
	"weft/report"
	"weft/study"
	"weft/unit"
)

// of derives the table of one of a figure's metrics, whose title is short enough for an axis.
func (p *page) of(s *papers.Study, d *papers.Draw, metric string) (*papers.Derived, error) {
	one := *d
	one.Metric, one.Metrics = metric, nil
	t, err := p.Derive(s, &one)
	if err == nil {
		t.Metrics[0].Title = t.Short
		p.remarks.over(&t.Metric)
	}
	return t, err
}

// severalBars makes bars of several metrics on one axis: each metric has groups of its own,
// or a colour of its own if colours tell nothing else apart.
func (p *page) severalBars(s *papers.Study, d *papers.Draw) (report.Bars, error) {
	var all report.Bars
	var tables []*papers.Derived
	var shown []*study.Table
	var titles, bounds []string
	var unstable [][]bool
	for _, metric := range d.Metrics {
		t, err := p.of(s, d, metric)
		if err != nil {
			return all, err
		}
		class, _ := p.shortOf(s, t)
		off, err := p.unstable(s, d, t)
		if err != nil {
			return all, err
		}
		p.remarks.see(t, class, off)
		unstable, shown = append(unstable, off), append(shown, leaveOut(t.Table, off))
		tables, titles = append(tables, t), append(titles, t.Metrics[0].Title)
		if unit, first := t.Metrics[0].Unit, tables[0].Metrics[0].Unit; unit != first {
			return all, fmt.Errorf("metrics in %q and in %q are not for one axis: %s", first, unit, strings.Join(d.Metrics, ", "))
		}
	}
	shared := common(titles)
	y, by := axisOf(shared, shown...)
	byMetric := make([]report.Bars, len(tables))
	for k, t := range tables {
		byMetric[k] = p.bars(s, d, t, y, by, unstable[k])
	}
	first := byMetric[0]
	all = report.Bars{Y: y, X: first.X, Colors: first.Colors, Log: d.Log}
	grouped := len(first.Groups) > 1
	colored := grouped && len(first.Colors) == 1
	if colored {
		all.Colors, all.Groups, all.Values = nil, first.Groups, make([][]report.Bar, len(first.Groups))
	}
	for k, b := range byMetric {
		name, bound := p.shortOf(s, tables[k])
		if own, ok := strings.CutSuffix(name, " "+shared); ok {
			name = own // the axis says the rest
		}
		switch {
		case bound == "":
		case grouped && !colored:
			bounds = append(bounds, name+" "+bound)
		default:
			name += ", " + bound
		}
		if colored {
			addColor(&all, b, name)
		} else {
			addGroups(&all, b, name)
		}
	}
	if len(all.Groups) == 0 {
		return all, errors.New("none of the metrics has a number")
	}
	if !colored && slices.ContainsFunc(tables, func(t *papers.Derived) bool { return t.Metric.Class != "" }) {
		all.X = sizesAnd(all.X, bounds)
	}
	return all, nil
}

// addGroups adds the groups of bars that have the same colours, under a metric's name.
func addGroups(all *report.Bars, b report.Bars, name string) {
	for i, group := range b.Groups {
		if !slices.ContainsFunc(b.Values[i], func(v report.Bar) bool { return v.Exists || v.Flawed || v.Unstable || v.Empty }) {
			continue
		}
		if len(b.Groups) > 1 {
			group = name + ", " + group
		} else {
			group = name
		}
		all.Groups, all.Values = append(all.Groups, group), append(all.Values, b.Values[i])
	}
}

// addColor adds bars of one colour as one more of bars that have the same groups.
func addColor(all *report.Bars, b report.Bars, name string) {
	all.Colors = append(all.Colors, name)
	for i := range b.Groups {
		all.Values[i] = append(all.Values[i], b.Values[i][0])
	}
}

// sizesAnd names the axes along which groups differ, which are classes of sizes and others. It adds
// the bounds that the names of the groups leave out.
func sizesAnd(axes string, bounds []string) string {
	name := "Message size"
	if len(bounds) > 0 {
		name += " (" + strings.Join(bounds, ", ") + ")"
	}
	if axes != "" {
		name += ", " + axes
	}
	return name
}

// shortOf is what a metric's group is called: the letter of its class of sizes with the
// class's bound, if that is known, or the title.
func (p *page) shortOf(s *papers.Study, t *papers.Derived) (name, bound string) {
	switch m := &t.Metric; {
	case m.Class != "":
		if planned := p.Planned[s.ID]; planned != nil {
			bound = boundOf(m.Group, planned.Sizes)
		}
		return m.Class, bound
	case m.Group == "" && m.Ideal != "":
		return "all", ""
	}
	return t.Short, ""
}

// boundOf is the upper bound of a class of sizes, as in "< 95 KB". The last class has a lower
// bound.
func boundOf(class string, cuts []unit.Bytes) string {
	for i, cut := range cuts {
		if record.SizeClass(i) == class {
			return "< " + cut.Spaced()
		}
	}
	if len(cuts) == 0 {
		return ""
	}
	return "≥ " + cuts[len(cuts)-1].Spaced()
}

// common is the words that all titles end with, else those that all begin with, or the last
// title.
func common(titles []string) string {
	last := titles[len(titles)-1]
	shared := func(part string, is func(title, part string) bool) bool {
		return !slices.ContainsFunc(titles, func(t string) bool { return !is(t, part) })
	}
	words := strings.Fields(last)
	for n := range words {
		if part := strings.Join(words[n:], " "); shared(part, strings.HasSuffix) {
			return part
		}
	}
	for n := len(words); n > 0; n-- {
		if part := strings.Join(words[:n], " "); shared(part, strings.HasPrefix) {
			return part
		}
	}
	return last
}

// curve makes lines of one metric against another, a line a colour and a point a level
// of the axis along which they lead.
func (p *page) curve(s *papers.Study, d *papers.Draw) (report.Chart, error) {
	y, err := p.of(s, d, d.Metric)
	if err != nil {
		return report.Chart{}, err
	}
	x, err := p.of(s, d, d.Against)
	if err != nil {
		return report.Chart{}, err
	}
	color, along := p.AxisName(s, d.Color), p.AxisName(s, d.Along)
	axis := func(name string) int {
		return slices.IndexFunc(y.Axes, func(a study.Axis) bool { return a.Name == name })
	}
	p.remarks.see(y, "", nil)
	xTitle, xBy := axisOf(x.Metrics[0].Title, x.Table)
	yTitle, yBy := axisOf(y.Metrics[0].Title, y.Table)
	panel := report.ChartPanel{X: xTitle, Y: yTitle, LogY: d.Log}
	type point struct {
		step int
		x, y float64
	}
	lines := map[string][]point{}
	var names []string
	for i, c := range y.Cells {
		e, f := c.Estimates[0], x.Cells[i].Estimates[0]
		if e.N == 0 || f.N == 0 {
			continue
		}
		name := ""
		if a := axis(color); a >= 0 {
			name = report.LevelName(y.Axes[a], c.Levels[a])
		}
		if lines[name] == nil {
			names = append(names, name)
		}
		lines[name] = append(lines[name], point{c.Levels[max(axis(along), 0)], f.Mean / xBy, e.Mean / yBy})
	}
	if len(names) == 0 {
		return report.Chart{}, errors.New("no cell has both numbers")
	}
	// Ends with one label between them need none beside each.
	ends := map[int]bool{}
	for _, list := range lines {
		slices.SortStableFunc(list, func(a, b point) int { return cmp.Compare(a.step, b.step) })
		ends[list[len(list)-1].step] = true
	}
	ringed := false
	if a := axis(along); a >= 0 && len(names) > fewLines {
		p.remarks.along, p.remarks.from = along, y.Axes[a].Levels[0]
		if ringed = len(ends) == 1; ringed {
			for step := range ends {
				p.remarks.to = y.Axes[a].Levels[step]
			}
		}
	}
	for _, name := range names {
		list := lines[name]
		l := report.ChartLine{Name: name, RingEnd: ringed}
		for _, q := range list {
			l.X, l.Y = append(l.X, q.x), append(l.Y, q.y)
			if a := axis(along); a >= 0 && !ringed {
				l.Labels = append(l.Labels, pointLabel(len(l.Labels), len(list), len(names), y.Axes[a].Levels[q.step], along))
			}
		}
		panel.Lines = append(panel.Lines, l)
	}
	return report.Chart{Panels: []report.ChartPanel{panel}}, nil
}

// fewLines is how many lines leave room for both their ends.
const fewLines = 2

// pointLabel is what is written beside point k of a line of n points: its level along an axis, whose
// name there is room for once. Among some lines there is room for their ends, and among many
// for where they lead to.
func pointLabel(k, n, lines int, level, along string) string {
	switch {
	case lines > fewLines && k < n-1:
		return ""
	case lines == 1 && k == 0:
		return readable.Capital(along) + " " + level
	}
	return level
}

// axisOf returns the label of an axis with a title for the metrics of tables, which have the
// same unit, and what their numbers are divided by there.
func axisOf(title string, tables ...*study.Table) (label string, by float64) {
	largest := 0.0
	for _, t := range tables {
		for i := range t.Cells {
			if e := t.Cells[i].Estimates[0]; e.N > 0 {
				largest = max(largest, e.Mean)
			}
		}
	}
	label = readable.Capital(title)
	unit, by := report.ScaleOf(tables[0].Metrics[0].Unit, largest)
	if unit != "" {
		label += " (" + unit + ")"
	}
	return label, by
}
