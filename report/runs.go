package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/record"
	"weft/study"
	"weft/unit"
)

// Run is a result with the name that figures call it by.
type Run struct {
	Name   string
	Result *record.Result
}

// Ports shows rates and queues of recorded ports over time, a panel a run, up to the
// time until, or to the end if it is 0. It fails if none was recorded.
func Ports(runs []Run, until unit.Time) (Figure, error) {
	return figureOf(runs, func(list []run, on paper) ([]*figure, []string) {
		for i := range list {
			r := &list[i]
			for _, p := range r.ports {
				if until > 0 && r.interval > 0 {
					p.cut(int(until / r.interval))
				}
			}
			r.marks = slices.DeleteFunc(slices.Clone(r.marks), func(m record.Mark) bool { return until > 0 && m.At > until })
		}
		return portFigures(list, on)
	})
}

// cut leaves only so many buckets of a port's series.
func (p *port) cut(buckets int) {
	for _, values := range []*[]int64{&p.accepted, &p.transmitted, &p.queue, &p.dropped} {
		*values = (*values)[:min(len(*values), buckets)]
	}
}

// FCT shows the distribution of completion times, all runs in one plot and a plot a
// group of traffic, or only the group that is called only, if it is not empty. It fails if
// no message finished, or no run has that group.
func FCT(runs []Run, only string) (Figure, error) {
	return figureOf(runs, func(list []run, on paper) ([]*figure, []string) {
		if only == "" {
			return fctFigures(list, on)
		}
		there := groupNames(list)
		if !slices.Contains(there, only) {
			return nil, []string{fmt.Sprintf("no run has a group of traffic called %q; there are %s", only, strings.Join(there, ", "))}
		}
		for i := range list {
			list[i].narrow(only)
		}
		return fctFigures(list, on)
	})
}

// narrow leaves one group of traffic, and what the summary says of it.
func (r *run) narrow(only string) {
	r.groups = slices.DeleteFunc(r.groups, func(g group) bool { return g.name != only })
	if s, ok := r.Summary.Of(only); ok {
		r.Stats = s
	}
}

// Credit shows over time where the credit of receiver-driven transports is, a panel a run.
// It fails if none was recorded.
func Credit(runs []Run) (Figure, error) { return figureOf(runs, creditFigures) }

// Study shows the means of a metric of a study over its axes, as StudyFigures draws
// them. It fails if no run has the metric.
func Study(t *study.Table, o StudyOptions) (Figure, error) {
	columns, _, err := studyMetrics(t, o.Metrics)
	if err != nil {
		return Figure{}, err
	}
	v, err := newStudyView(t, o)
	if err != nil {
		return Figure{}, err
	}
	if len(columns) != 1 {
		return Figure{}, fmt.Errorf("a figure has room for one metric, not %d", len(columns))
	}
	if n := len(v.points); n > mostPanels {
		return Figure{}, fmt.Errorf("a figure has room for %d panels, not %d; hold %s at one level", mostPanels, n, v.namesOf(v.panels))
	}
	figures := v.figures(columns[0], paper{single: true})
	if len(figures) == 0 {
		return Figure{}, fmt.Errorf("%s cannot be drawn, because %s", t.Metrics[columns[0]].Name, v.why(columns[0]))
	}
	return Figure{figures[0]}, nil
}

// figureOf makes the one figure that a caller asks for, however tall.
func figureOf(runs []Run, draw func([]run, paper) ([]*figure, []string)) (Figure, error) {
	list := make([]run, len(runs))
	for i, r := range runs {
		var err error
		if list[i], err = reduce(r.Name, r.Result); err != nil {
			return Figure{}, err
		}
	}
	figures, notices := draw(list, paper{single: true})
	if len(figures) == 0 {
		return Figure{}, errors.New(slices.Concat(notices, []string{"there is nothing to draw"})[0])
	}
	return Figure{figures[0]}, nil
}
