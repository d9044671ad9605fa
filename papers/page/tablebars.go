package page

import (
	"fmt"
	"slices"

	"weft/internal/readable"
	"weft/internal/stats"
	"weft/papers"
	"weft/report"
)

// tableBars makes bars of a table's rows, ours and the paper's: the mean and the extremes of
// the columns in which a row is stable. In how many it is not stands below its name.
func (p *page) tableBars(d *papers.Draw) (report.Bars, error) {
	t, ok := p.TableNamed(d.Table)
	if !ok {
		return report.Bars{}, fmt.Errorf("there is no table %q", d.Table)
	}
	all, err := p.TabulateByColumn(t)
	if err != nil {
		return report.Bars{}, fmt.Errorf("table %s: %w", t.ID, err)
	}
	columns := len(t.Of.Fields)
	b := report.Bars{
		X: "Protocol (unstable: ours, the paper's)", Colors: []string{"ours", "the paper's"},
		Log: d.Log, Interval: fmt.Sprintf("mean and extremes of at most %d configurations", columns),
	}
	metric := papers.MetricNamed(t.Metric)
	b.Y = quantity(t, &metric)
	p.remarks.over(&metric)
	p.remarks.columns = p.preferredColumns(all, columns)
	for i, row := range all.Rows {
		ours, unstable := all.Stable(i, columns, false)
		theirs, theirUnstable := all.Stable(i, columns, true)
		name := row
		if unstable > 0 || theirUnstable > 0 {
			name += fmt.Sprintf(" (%d, %d)", unstable, theirUnstable)
		}
		b.Groups, b.Values = append(b.Groups, name), append(b.Values, []report.Bar{barOf(ours), barOf(theirs)})
	}
	return b, nil
}

// preferredColumns lists the columns at the preferred scale among the first columns of a table,
// and notes the scales of all of them.
func (p *page) preferredColumns(t *papers.Tabulated, columns int) []string {
	var list []string
	for j, name := range t.Columns[:columns] {
		for _, cells := range t.Cells {
			c := &cells[j]
			if c.Missing != "" {
				continue
			}
			preferred := c.Preferred && !c.Both
			p.remarks.noteScale(papers.DerivedFrom{Preferred: preferred, Other: !c.Preferred && !c.Both})
			if preferred && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// quantity is the label of an axis with a table's numbers, which are of a metric.
func quantity(t *papers.Table, m *papers.Metric) string {
	label := readable.Capital(m.Title)
	if t.Best {
		return label + ", over the best"
	}
	if t.Unit != "" {
		label += " (" + t.Unit + ")"
	}
	return label
}

func barOf(values []float64) report.Bar {
	if len(values) == 0 {
		return report.Bar{}
	}
	return report.Bar{Exists: true, Mean: stats.Mean(values), Low: slices.Min(values), High: slices.Max(values), N: len(values)}
}
