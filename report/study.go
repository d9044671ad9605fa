package report

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"gonum.org/v1/plot/vg"

	"weft/study"
)

// StudyOptions choose what the figures of a study show. With the zero value they
// are those of the main metrics, in every format.
type StudyOptions struct {
	// Formats are some of png, svg and pdf; none means all three.
	Formats []string
	// Metrics are names of metrics of the table. None means the main ones; of
	// drops and unfinished messages only if there are any. SizesFigure among them asks for
	// that figure, which is drawn of Sizes.
	Metrics []string
	// Sizes are the messages by size; nil leaves their figure out.
	Sizes *StudySizes
	// X, Color and Panels are names of axes: what runs along the horizontal axis,
	// what colours tell apart, and what panels differ in, the last one from left
	// to right. Axes of which nothing is said find a place of their own: along
	// the horizontal axis is the numeric one with most levels, colours tell the
	// first of the others apart, and panels the rest.
	X, Color string
	Panels   []string
	// Fix holds axes at one of their levels, by the level's label.
	Fix   map[string]string
	Width Width
}

// mostPanels is how many panels a figure has at most: more cannot be read on a page, and
// stand on another one.
const mostPanels = 12

// StudyFigures draws means over seeds and their 95 % intervals, a figure a metric,
// and writes them into the folder dir under the metrics' names, with a number behind it where
// panels need several figures. One of one panel is as wide as a column of a two-column paper,
// one of several as a page.
func StudyFigures(t *study.Table, dir string, o StudyOptions) (Drawn, error) {
	formats, err := Options{Formats: o.Formats}.formats()
	if err != nil {
		return Drawn{}, err
	}
	metrics := slices.DeleteFunc(slices.Clone(o.Metrics), func(name string) bool { return name == SizesFigure })
	var drawn Drawn
	if len(metrics) > 0 || len(o.Metrics) == 0 {
		if drawn, err = drawMetrics(t, dir, o, metrics, formats); err != nil {
			return drawn, err
		}
	}
	if o.Sizes == nil || len(o.Metrics) > 0 && len(metrics) == len(o.Metrics) {
		return drawn, nil
	}
	figures, notices, err := o.Sizes.figures(t, o, paper{width: vg.Length(o.Width)})
	drawn.Notices = append(drawn.Notices, notices...)
	if err != nil {
		return drawn, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return drawn, fmt.Errorf("%s: cannot write figures there: %w", dir, err)
	}
	return drawn, drawn.save(figures, dir, formats)
}

// drawMetrics draws the means of metrics.
func drawMetrics(t *study.Table, dir string, o StudyOptions, metrics, formats []string) (Drawn, error) {
	columns, notices, err := studyMetrics(t, metrics)
	if err != nil {
		return Drawn{}, err
	}
	drawn := Drawn{Notices: notices}
	v, err := newStudyView(t, o)
	if errors.Is(err, errNoAxes) {
		drawn.Notices = append(drawn.Notices, "no figures of the study: "+err.Error())
		return drawn, nil
	}
	if err != nil {
		return Drawn{}, err
	}
	drawn.Notices = append(drawn.Notices, v.notices...)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return drawn, fmt.Errorf("%s: cannot write figures there: %w", dir, err)
	}
	for _, column := range columns {
		figures := v.figures(column, paper{width: vg.Length(o.Width)})
		if figures == nil {
			drawn.Notices = append(drawn.Notices, fmt.Sprintf("%s: not drawn, because %s", t.Metrics[column].Name, v.why(column)))
			continue
		}
		if err := drawn.save(figures, dir, formats); err != nil {
			return drawn, err
		}
	}
	return drawn, nil
}

// why says why a metric cannot be drawn.
func (v *studyView) why(column int) string {
	for _, panel := range v.all {
		for _, c := range v.shown(panel) {
			if e, instead := v.table.Value(c, column); e.N > 0 && instead != "" {
				return "it is " + instead + " in every cell"
			}
		}
	}
	return "no run in the figure has it"
}

// studyMetrics finds the columns to draw.
func studyMetrics(t *study.Table, names []string) (columns []int, notices []string, err error) {
	if len(t.Metrics) == 0 {
		return nil, []string{"no figures of the study: none of its runs has ended"}, nil
	}
	for _, name := range names {
		i := t.Column(name)
		if i < 0 {
			return nil, nil, t.Unknown(name)
		}
		if !slices.Contains(columns, i) {
			columns = append(columns, i)
		}
	}
	if len(names) > 0 {
		return columns, nil, nil
	}
	for _, name := range t.Main() {
		i := t.Column(name)
		if i < 0 || t.Metrics[i].Counted() && !anyAbove0(t, i) {
			continue
		}
		columns = append(columns, i)
	}
	return columns, nil, nil
}

func anyAbove0(t *study.Table, column int) bool {
	return slices.ContainsFunc(t.Cells, func(c study.Cell) bool { return c.Estimates[column].Max > 0 })
}
