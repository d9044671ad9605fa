package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"weft/analysis"
	"weft/papers"
	"weft/report"
	"weft/study"
	"weft/unit"
)

// figures draws our figure for each of the paper's, and shows them.
func (p *page) figures(ctx context.Context) error {
	p.line("## Figures\n")
	p.line("Ours, by the paper's numbers. %s\n", p.whiskers())
	for _, head := range headings(p.Studies) {
		p.line("### %s\n", head.text)
		for i := range p.Studies {
			s := &p.Studies[i]
			for j := range s.Draw {
				if headingOf(s, &s.Draw[j]) != head {
					continue
				}
				if err := p.figure(ctx, s, &s.Draw[j]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// whiskers says what intervals in figures are.
func (p *page) whiskers() string {
	runs, analyses := false, false
	for i := range p.Studies {
		analyzed := p.Studies[i].Analyze != nil
		runs, analyses = runs || !analyzed, analyses || analyzed
	}
	var words []string
	if runs {
		words = append(words, "Whiskers are 95 % intervals over seeds, or the extremes of few; timelines and distributions are of one seed.")
	}
	if p.Prefer != "" {
		words = append(words, p.scales())
	}
	if analyses {
		words = append(words, "Whiskers of analyses are the 95 % intervals that these give; exact numbers have none.")
	}
	return strings.Join(words, " ")
}

// scales explains the scales of figures, if one is preferred.
func (p *page) scales() string {
	return fmt.Sprintf("A figure is of one scale, which stands below it: %[1]s if all that it shows was run there, which is looked at column by column where a figure is of a table, else %[2]s. "+
		"Timelines and distributions are of scale %[2]s. "+
		"Tables and claims take each cell at scale %[1]s that was run there, so that a number there may be of another scale than in a figure.", p.Prefer, p.Scale)
}

// figure draws a figure and shows it, or says why not.
func (p *page) figure(ctx context.Context, s *papers.Study, d *papers.Draw) error {
	p.remarks = remarks{}
	f, err := p.layout(ctx, s, d)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	caption := cmp.Or(strings.TrimSpace(d.Caption), strings.TrimSpace(s.About))
	if err != nil {
		p.undrawn = append(p.undrawn, d.Name)
		p.cause = cmp.Or(p.cause, err.Error())
		if only := (*papers.NumbersOnlyError)(nil); errors.As(err, &only) {
			p.line("%s *Not drawn: it shows runs over time, and only their numbers are published. `%s` makes them.*\n", caption, only.Command(p.options.Ledger))
			return nil
		}
		p.line("%s *Not drawn at this scale: study %s has no results for it.*\n", caption, s.ID)
		return nil
	}
	alt := strings.NewReplacer("[", "(", "]", ")").Replace(caption)
	if err := p.show(f, d.Name, alt); err != nil {
		return err
	}
	if more := p.remarks.text(p.Scale, p.Prefer); more != "" {
		caption += " " + more
	}
	p.line("%s\n", caption)
	return nil
}

// show saves a figure, if figures are written, and links to it.
func (p *page) show(f report.Figure, name, alt string) error {
	file := name + ".png"
	if folder := p.options.Images; folder != "" {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return fmt.Errorf("%s: cannot write figures there: %w", folder, err)
		}
		if err := f.Save(filepath.Join(folder, file)); err != nil {
			return err
		}
	}
	p.line("![%s](%s)\n", alt, path.Join(p.options.Link, file))
	return nil
}

// layout makes a figure that is only to be saved.
func (p *page) layout(ctx context.Context, s *papers.Study, d *papers.Draw) (report.Figure, error) {
	switch d.Kind {
	case "bars":
		return p.barsOf(s, d)
	case "curve":
		return figureOf(p.curve(s, d))
	case "lines":
		t, err := p.of(s, d, d.Metric)
		if err != nil {
			return report.Figure{}, err
		}
		p.remarks.see(t, "", nil)
		return report.Study(t.Table, report.StudyOptions{Metrics: []string{d.Metric}, X: p.AxisName(s, d.X), Color: colorOf(t.Table, p.AxisName(s, d.Color))})
	case "model":
		return figureOf(model(ctx, d))
	case "sizes":
		return figureOf(sizes(p.Dir, d))
	case "table":
		b, err := p.tableBars(d)
		if err != nil {
			return report.Figure{}, err
		}
		return b.Figure()
	case "plots":
		plots, err := p.Plots(s, d)
		return figureOf(Chart(plots), err)
	}
	return p.ofRuns(ctx, s, d)
}

func figureOf(c report.Chart, err error) (report.Figure, error) {
	if err != nil {
		return report.Figure{}, err
	}
	return c.Figure()
}

// barsOf makes bars of a metric, or of several.
func (p *page) barsOf(s *papers.Study, d *papers.Draw) (report.Figure, error) {
	if len(d.Metrics) > 0 {
		b, err := p.severalBars(s, d)
		if err != nil {
			return report.Figure{}, err
		}
		return b.Figure()
	}
	t, err := p.of(s, d, d.Metric)
	if err != nil {
		return report.Figure{}, err
	}
	unstable, err := p.unstable(s, d, t)
	if err != nil {
		return report.Figure{}, err
	}
	p.remarks.see(t, "", unstable)
	y, by := axisOf(t.Metrics[0].Title, leaveOut(t.Table, unstable))
	return p.bars(s, d, t, y, by, unstable).Figure()
}

// ofRuns makes a figure from recordings of runs.
func (p *page) ofRuns(ctx context.Context, s *papers.Study, d *papers.Draw) (report.Figure, error) {
	names, results, err := p.Results(s, d)
	if err != nil {
		return report.Figure{}, err
	}
	from, err := p.ResultsFrom(s, d)
	if err != nil {
		return report.Figure{}, err
	}
	p.remarks.noteScale(from)
	for i := range names {
		names[i] = p.levelName(s, names[i])
	}
	runs := make([]report.Run, len(names))
	for i := range names {
		runs[i] = report.Run{Name: names[i], Result: results[i]}
	}
	switch d.Kind {
	case "buffers":
		return figureOf(p.buffers(ctx, d, names, results))
	case "cdf":
		return report.FCT(runs, d.Group)
	case "credit":
		return report.Credit(runs)
	}
	until := unit.Time(0)
	if d.To != nil {
		until = *d.To
	}
	return report.Ports(runs, until)
}

// levelName names a run that is called by a level of an axis alone as figures of means do.
func (p *page) levelName(s *papers.Study, run string) string {
	if planned := p.Planned[s.ID]; planned != nil {
		for _, a := range planned.Axes {
			if j := slices.Index(a.Levels, run); j >= 0 {
				return report.LevelName(a, j)
			}
		}
	}
	return run
}

// colorOf is the axis that colours tell apart, if it has several levels.
func colorOf(t *study.Table, name string) string {
	for _, a := range t.Axes {
		if a.Name == name && len(a.Levels) > 1 {
			return name
		}
	}
	return ""
}

// bars makes groups of bars of a table, with an axis that is labelled y and whose numbers are
// divided by by. Which cells are unstable, if any are, is told by their places.
func (p *page) bars(s *papers.Study, d *papers.Draw, t *papers.Derived, y string, by float64, unstable []bool) report.Bars {
	b := report.Bars{Y: y, Log: d.Log}
	if d.Over != nil {
		var words []string
		for _, f := range d.Over.Fields {
			words = append(words, f.Value.Text)
		}
		b.Level = report.ChartLevel{Name: strings.Join(words, ", "), Y: 1}
	}
	if s.Analyze != nil {
		// Names of numbers are columns of a table; captions say what they are.
		b.Interval, b.Y = "95 % interval", cmp.Or(strings.TrimSuffix(strings.TrimSpace(d.Caption), "."), b.Y)
	}
	color := slices.IndexFunc(t.Axes, func(a study.Axis) bool { return a.Name == p.AxisName(s, d.Color) })
	x := slices.IndexFunc(t.Axes, func(a study.Axis) bool { return a.Name == p.AxisName(s, d.X) })
	if color >= 0 && color != x {
		for j := range t.Axes[color].Levels {
			b.Colors = append(b.Colors, report.LevelName(t.Axes[color], j))
		}
	} else {
		color, b.Colors = -1, []string{""}
	}
	var several []string
	for i, a := range t.Axes {
		if i != color && len(a.Levels) > 1 {
			several = append(several, a.Name)
		}
	}
	b.X = strings.Join(several, ", ")
	index := map[string]int{}
	for _, group := range order(t.Table, x, color) {
		index[fmt.Sprint(group)] = len(b.Groups)
		b.Groups = append(b.Groups, groupName(t.Table, group, color, x))
		b.Values = append(b.Values, make([]report.Bar, len(b.Colors)))
	}
	for i, c := range t.Cells {
		levels := slices.Clone(c.Levels)
		at := 0
		if color >= 0 {
			at, levels[color] = levels[color], 0
		}
		e := c.Estimates[0]
		if s.Analyze != nil && e.Low == e.High {
			e.N = min(e.N, 1) // an exact number has no interval
		}
		off := unstable != nil && unstable[i]
		b.Values[index[fmt.Sprint(levels)]][at] = report.Bar{
			Exists: e.N > 0 && !off, Flawed: c.Failed > 0, Unstable: off, Empty: c.Done > 0 && t.Metric.OfFinished,
			Mean: e.Mean / by, Low: e.Low / by, High: e.High / by, N: e.N,
		}
	}
	return b
}

// order lists the groups that have cells, by their levels without the colour's. The axis
// of groups changes last.
func order(t *study.Table, x, color int) [][]int {
	var list [][]int
	for _, c := range t.Cells {
		levels := slices.Clone(c.Levels)
		if color >= 0 {
			levels[color] = 0
		}
		if !slices.ContainsFunc(list, func(l []int) bool { return slices.Equal(l, levels) }) {
			list = append(list, levels)
		}
	}
	slices.SortFunc(list, func(a, b []int) int {
		if x >= 0 && a[x] != b[x] {
			return cmp.Compare(a[x], b[x])
		}
		return slices.Compare(a, b)
	})
	return list
}

// groupName names a group by the labels that it does not share with all.
func groupName(t *study.Table, levels []int, color, x int) string {
	var words []string
	if x >= 0 {
		words = append(words, t.Axes[x].Levels[levels[x]])
	}
	for i, a := range t.Axes {
		if i != color && i != x && len(a.Levels) > 1 {
			words = append(words, a.Levels[levels[i]])
		}
	}
	return strings.Join(words, ", ")
}

// model makes a figure of package analysis, or of the plots of a model.
func model(ctx context.Context, d *papers.Draw) (report.Chart, error) {
	var plots []analysis.Plot
	if f, err := analysis.FindFigure(d.Model); err == nil {
		drawing, err := f.Run(ctx, nil)
		if err != nil {
			return report.Chart{}, err
		}
		plots = drawing.Panels
	} else {
		r, err := analysis.Run(ctx, d.Model, nil)
		if err != nil {
			return report.Chart{}, err
		}
		plots = r.Plots
	}
	if len(plots) == 0 {
		return report.Chart{}, errors.New("the model has no plots")
	}
	return Chart(plots), nil
}

// Chart is plots of a model as a chart.
func Chart(plots []analysis.Plot) report.Chart {
	var c report.Chart
	for _, q := range plots {
		panel := report.ChartPanel{Title: q.Title, X: q.X, Y: q.Y, LogX: q.LogX, LogY: q.LogY}
		for _, l := range q.Lines {
			panel.Lines = append(panel.Lines, report.ChartLine{Name: l.Name, X: l.X, Y: l.Y, Low: l.Low, High: l.High, Points: l.Points, Labels: l.Labels})
		}
		for _, l := range q.Marks {
			panel.Levels = append(panel.Levels, report.ChartLevel(l))
		}
		c.Panels = append(c.Panels, panel)
	}
	return c
}

// sizes shows tables of message sizes as distributions.
func sizes(dir string, d *papers.Draw) (report.Chart, error) {
	panel := report.ChartPanel{X: "Message size (B)", Y: "CDF", LogX: true}
	for _, name := range d.Files {
		x, y, err := papers.ReadSizes(filepath.Join(dir, name))
		if err != nil {
			return report.Chart{}, err
		}
		label := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		panel.Lines = append(panel.Lines, report.ChartLine{Name: strings.ReplaceAll(label, "-", " "), X: x, Y: y})
	}
	return report.Chart{Panels: []report.ChartPanel{panel}}, nil
}
