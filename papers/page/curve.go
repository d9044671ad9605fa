package page

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"weft/papers"
	"weft/report"
	"weft/study"
)

// of derives the table of one of a figure's metrics.
func (p *page) of(s *papers.Study, d *papers.Draw, metric string) (*study.Table, error) {
	one := *d
	one.Metric, one.Metrics = metric, nil
	return p.Derive(s, &one)
}

// severalBars makes bars of several metrics, a group or several each.
func (p *page) severalBars(s *papers.Study, d *papers.Draw) (report.Bars, error) {
	var all report.Bars
	var titles []string
	for _, metric := range d.Metrics {
		t, err := p.of(s, d, metric)
		if err != nil {
			return all, err
		}
		b := p.bars(s, d, t)
		title := t.Metrics[0].Title
		titles = append(titles, title)
		if len(all.Colors) == 0 {
			all = report.Bars{Y: b.Y, X: b.X, Colors: b.Colors, Log: d.Log}
		}
		short := shortOf(metric, title)
		for i, group := range b.Groups {
			if !slices.ContainsFunc(b.Values[i], func(v report.Bar) bool { return v.Exists }) {
				continue // as of a class of sizes with too few messages
			}
			if len(b.Groups) > 1 {
				all.Groups = append(all.Groups, short+", "+group)
			} else {
				all.Groups = append(all.Groups, short)
			}
			all.Values = append(all.Values, b.Values[i])
		}
	}
	if len(all.Groups) == 0 {
		return all, errors.New("none of the metrics has a number")
	}
	all.Y = capital(common(titles))
	return all, nil
}

// shortOf is what a metric's group is called: the class of sizes, or the title.
func shortOf(metric, title string) string {
	group, _, ok := strings.Cut(metric, ".")
	switch class, isClass := strings.CutPrefix(group, "size:"); {
	case ok && isClass:
		return class
	case strings.HasPrefix(metric, "slowdown"):
		return "all"
	}
	return title
}

// common is the words that all titles end with, or the last title.
func common(titles []string) string {
	words := strings.Fields(titles[len(titles)-1])
	for n := len(words); n > 0; n-- {
		tail := strings.Join(words[len(words)-n:], " ")
		if !slices.ContainsFunc(titles, func(t string) bool { return !strings.HasSuffix(t, tail) }) {
			return tail
		}
	}
	return strings.Join(words, " ")
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
	xTitle, xBy := axisOf(x)
	yTitle, yBy := axisOf(y)
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
			name = y.Axes[a].Levels[c.Levels[a]]
		}
		if lines[name] == nil {
			names = append(names, name)
		}
		lines[name] = append(lines[name], point{c.Levels[max(axis(along), 0)], f.Mean / xBy, e.Mean / yBy})
	}
	if len(names) == 0 {
		return report.Chart{}, errors.New("no cell has both numbers")
	}
	for _, name := range names {
		list := lines[name]
		slices.SortStableFunc(list, func(a, b point) int { return cmp.Compare(a.step, b.step) })
		l := report.ChartLine{Name: name}
		for _, q := range list {
			l.X, l.Y = append(l.X, q.x), append(l.Y, q.y)
			if a := axis(along); a >= 0 && len(names) == 1 {
				l.Labels = append(l.Labels, capital(along)+" "+y.Axes[a].Levels[q.step])
			}
		}
		panel.Lines = append(panel.Lines, l)
	}
	return report.Chart{Panels: []report.ChartPanel{panel}}, nil
}

// axisOf returns the title of an axis for the metric of a table, and what its numbers are
// divided by there.
func axisOf(t *study.Table) (title string, by float64) {
	largest := 0.0
	for i := range t.Cells {
		if e := t.Cells[i].Estimates[0]; e.N > 0 {
			largest = max(largest, e.Mean)
		}
	}
	title = capital(t.Metrics[0].Title)
	unit, by := report.ScaleOf(t.Metrics[0].Unit, largest)
	if unit != "" {
		title += " (" + unit + ")"
	}
	return title, by
}
