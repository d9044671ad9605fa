package report

import (
	"errors"
	"fmt"
	"slices"

	"weft/record"
	"weft/study"
	"weft/unit"
)

// Run is a result with the name that figures call it by.
type Run struct {
	Name   string
	Result *record.Result
}

// SavePorts draws rates and queues of recorded ports over time into a file, as PNG,
// SVG or PDF by its extension, a panel a run, up to the time until, or to the end if
// it is 0. Only ports that keep tells are drawn; all if it is nil. It fails if none
// was recorded.
func SavePorts(path string, runs []Run, until unit.Time, keep func(port string) bool) error {
	return saveRuns(path, runs, func(list []run) (*figure, []string) {
		for i := range list {
			r := &list[i]
			for name, p := range r.ports {
				if keep != nil && !keep(name) {
					delete(r.ports, name)
				}
				if until > 0 && r.interval > 0 {
					p.cut(int(until / r.interval))
				}
			}
			r.marks = slices.DeleteFunc(slices.Clone(r.marks), func(m record.Mark) bool { return until > 0 && m.At > until })
		}
		return portFigure(list)
	})
}

// cut leaves only so many buckets of a port's series.
func (p *port) cut(buckets int) {
	for _, values := range []*[]int64{&p.accepted, &p.transmitted, &p.queue, &p.dropped} {
		*values = (*values)[:min(len(*values), buckets)]
	}
}

// SaveFCT draws the distribution of completion times into a file, all runs in one
// plot and a plot a group of traffic. It fails if no message finished.
func SaveFCT(path string, runs []Run) error { return saveRuns(path, runs, fctFigure) }

// SaveStudy draws the means of a metric of a study over its axes into a file, as
// StudyFigures does into a folder. It fails if no run has the metric.
func SaveStudy(path string, t *study.Table, o StudyOptions) error {
	format, err := ChartFormat(path)
	if err != nil {
		return err
	}
	columns, _, err := studyMetrics(t, o.Metrics)
	if err != nil {
		return err
	}
	v, err := newStudyView(t, o)
	if err != nil {
		return fmt.Errorf("drawing %s: %w", path, err)
	}
	if len(columns) != 1 {
		return fmt.Errorf("drawing %s: a file has room for one metric, not %d", path, len(columns))
	}
	f := v.figure(columns[0])
	if f == nil {
		return fmt.Errorf("drawing %s: no run has %s", path, t.Metrics[columns[0]].Name)
	}
	if err := f.save(path, format); err != nil {
		return fmt.Errorf("drawing %s: %w", path, err)
	}
	return nil
}

func saveRuns(path string, runs []Run, draw func([]run) (*figure, []string)) error {
	format, err := ChartFormat(path)
	if err != nil {
		return err
	}
	list := make([]run, len(runs))
	for i, r := range runs {
		if list[i], err = reduce(r.Name, r.Result); err != nil {
			return fmt.Errorf("drawing %s: %w", path, err)
		}
	}
	f, notices := draw(list)
	if f == nil {
		return fmt.Errorf("drawing %s: %w", path, errors.New(slices.Concat(notices, []string{"there is nothing to draw"})[0]))
	}
	if err := f.save(path, format); err != nil {
		return fmt.Errorf("drawing %s: %w", path, err)
	}
	return nil
}
