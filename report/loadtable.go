package report

import (
	"slices"
	"strconv"

	"weft/internal/tabular"
	"weft/record"
	"weft/study"
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
	rows := [][]string{
		{"", "", "", "slowdown, ideal", "", "switch buffer, MB", "", "", "", "", ""},
		{"", "goodput", "completed", "without headers", "", "", "", "", "max of", "backlog", ""},
		{"variant", "Gb/s·host", "Gb/s·host", "p50", "p99", "mean", "p99", "max", intervals(runs), "growth %", "load is"},
	}
	for i := range runs {
		s := &runs[i]
		row := make([]string, len(rows[0]))
		for k := range row {
			row[k] = "-"
		}
		row[0], row[len(row)-1] = s.Name, ""
		if s.Hosts > 0 && s.HasGoodput() {
			row[1] = gigabits(float64(s.Goodput) / float64(s.Hosts))
		}
		if s.Hosts > 0 && s.Completed != nil {
			row[2] = gigabits(float64(*s.Completed) / float64(s.Hosts))
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

func gigabits(bps float64) string { return strconv.FormatFloat(bps/1e9, 'f', 2, 64) }
func ratio(v float64) string      { return strconv.FormatFloat(v, 'f', 2, 64) }
