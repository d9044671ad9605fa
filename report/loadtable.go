package report

import (
	"slices"
	"strconv"

	"weft/internal/tabular"
	"weft/record"
	"weft/study"
	"weft/unit"
)

// loadHeading is how many rows of the table of loads are its heading.
const loadHeading = 3

// loadGroups are its columns with headings in common: slowdowns, buffers, and the backlog
// with what it says.
var loadGroups = []tabular.Group{{From: 3, Columns: 2, Spans: 2}, {From: 5, Columns: 4, Spans: 1}, {From: 9, Columns: 2}}

// loadTable returns a table of how each run carried its load, with its heading; nil if
// what switches buffer was recorded of none.
func loadTable(runs []record.Summary) [][]string {
	if !slices.ContainsFunc(runs, func(s record.Summary) bool { return s.Buffers != nil }) {
		return nil
	}
	rates := rateScale(runs)
	rows := [][]string{
		{"", "", "", "slowdown, ideal", "", "switch buffer, MB", "", "", "", "", ""},
		{"", "goodput", "completed", "without headers", "", "", "", "", "max of", "backlog", ""},
		{"variant", rates.Name + "·host", rates.Name + "·host", "p50", "p99", "mean", "p99", "max", intervals(runs), "growth %", "load is"},
	}
	for i := range runs {
		s := &runs[i]
		row := make([]string, len(rows[0]))
		for k := range row {
			row[k] = "-"
		}
		row[0], row[len(row)-1] = s.Name, ""
		if s.Hosts > 0 && s.HasGoodput() {
			row[1] = rates.Text(perHost(s, s.Goodput))
		}
		if s.Hosts > 0 && s.Completed != nil {
			row[2] = rates.Text(perHost(s, *s.Completed))
		}
		row[3], row[4] = slowdowns(&s.Stats, s.Partial, "-")
		if b := s.Buffers; b != nil {
			row[5], row[6], row[7], row[8] = megabytes(int64(b.Mean)), megabytes(int64(b.P99)), megabytes(int64(b.Max)), megabytes(int64(b.MaxMean))
		}
		if y := s.Stability; y != nil {
			row[9], row[10] = strconv.FormatFloat(100*y.Growth, 'f', 1, 64), "stable"
			switch {
			case y.Unstable:
				row[10] = "unstable"
			case y.TooShort != "":
				row[10] = "too short"
			}
		}
		rows = append(rows, row)
		for _, g := range s.Sizes {
			row := make([]string, len(row))
			row[0] = "  " + g.Title() + ", n=" + strconv.FormatInt(g.Messages, 10)
			row[3], row[4] = slowdowns(&g.Stats, s.Partial, "")
			rows = append(rows, row)
		}
	}
	return rows
}

// slowdowns writes the median and the 99th percentile of slowdowns, or what stands for them.
func slowdowns(s *record.Stats, partial bool, none string) (p50, p99 string) {
	switch q := s.SlowdownBare; {
	case !finished(s, partial):
		return study.Unfinished, study.Unfinished
	case q.P50 > 0:
		return ratio(q.P50), ratio(q.P99)
	}
	return none, none
}

// intervals says what the means are over of which the largest is a column.
func intervals(runs []record.Summary) string {
	for i := range runs {
		if b := runs[i].Buffers; b != nil && b.Interval > 0 {
			return b.Interval.String() + " means"
		}
	}
	return "means"
}

// rateScale returns the unit of the table's goodputs.
func rateScale(runs []record.Summary) unit.RateScale {
	largest := 0.0
	for i := range runs {
		if s := &runs[i]; s.Hosts > 0 {
			if s.HasGoodput() {
				largest = max(largest, perHost(s, s.Goodput))
			}
			if s.Completed != nil {
				largest = max(largest, perHost(s, *s.Completed))
			}
		}
	}
	return unit.ScaleOfRates(largest)
}

// perHost is a rate of all hosts together, divided by their number.
func perHost(s *record.Summary, rate unit.Rate) float64 { return float64(rate) / float64(s.Hosts) }

func ratio(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
