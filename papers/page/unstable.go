package page

import (
	"slices"
	"strings"

	"weft/papers"
	"weft/study"
)

// unstable reports, by place, the cells of a figure that have no meaningful value: their row is
// unstable in a table of the same quantity and study. It is nil if there is no such table. Remarks
// name the rows, and the rows that are unstable in the paper only.
func (p *page) unstable(s *papers.Study, d *papers.Draw, shown *papers.Derived) ([]bool, error) {
	t, column := p.tableOf(s, &shown.Metric)
	axis := slices.IndexFunc(shown.Axes, func(a study.Axis) bool { return t != nil && a.Name == p.AxisName(s, t.Axis) })
	if axis < 0 || d.Over != nil {
		return nil, nil
	}
	all, err := p.Tabulate(t)
	if err != nil {
		return nil, err
	}
	p.remarks.table, _, _ = strings.Cut(t.Title, ",")
	list := make([]bool, len(shown.Cells))
	for i, row := range all.Rows {
		ours, paper := all.Cells[i][column].Unstable, all.Cells[i][column].Paper
		level := slices.Index(shown.Axes[axis].Levels, row)
		switch {
		case level < 0:
		case ours:
			noteOnce(&p.remarks.unstable, row)
			for k, c := range shown.Cells {
				list[k] = list[k] || c.Levels[axis] == level
			}
		case paper != nil && paper.Unstable:
			noteOnce(&p.remarks.theirs, row)
		}
	}
	return list, nil
}

// tableOf finds a table that says at one load what is unstable, which it is the more at higher
// ones, that has a study in a column and is of the same quantity as a metric; nil if there is
// none.
func (p *page) tableOf(s *papers.Study, metric *papers.Metric) (t *papers.Table, column int) {
	for i := range p.Tables {
		t := &p.Tables[i]
		if t.Unstable == nil || t.Along != "" || papers.MetricNamed(t.Metric).Quantity != metric.Quantity {
			continue
		}
		for j, f := range t.Of.Fields {
			if f.Value.Text == s.ID {
				return t, j
			}
		}
	}
	return nil, 0
}

func noteOnce(list *[]string, name string) {
	if !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// leaveOut is a table without the cells that are unstable.
func leaveOut(t *study.Table, unstable []bool) *study.Table {
	if unstable == nil {
		return t
	}
	left := *t
	left.Cells = nil
	for i, c := range t.Cells {
		if !unstable[i] {
			left.Cells = append(left.Cells, c)
		}
	}
	return &left
}
