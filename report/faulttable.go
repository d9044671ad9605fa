package report

import (
	"slices"
	"strconv"

	"weft/record"
	"weft/unit"
)

// faultTable returns a table of what faults did to each run, with its heading; nil
// if no run had any.
func faultTable(runs []record.Summary) [][]string {
	if !slices.ContainsFunc(runs, func(s record.Summary) bool { return s.Faults != nil }) {
		return nil
	}
	rows := [][]string{
		{"", "lost to", "", "sent to", "last", "avoided", "regained", "RTT p99"},
		{"faults", "faults", "MB", "dead ports", "µs", "µs", "µs", "µs"},
	}
	for i := range runs {
		s := &runs[i]
		row := []string{
			s.Name, strconv.FormatInt(s.LostToFaults.Frames, 10), megabytes(s.LostToFaults.Bytes),
			"-", "-", "-", "-", tableTime(s.RTT.P99),
		}
		if f := s.Faults; f != nil {
			row[3] = strconv.FormatInt(f.Offered, 10)
			row[4] = tableSpan(f.LastOffered, false)
			row[5] = tableSpan(f.Avoided, f.Offered > 0)
			row[6] = tableSpan(f.Regained, f.Unregained > 0)
		}
		rows = append(rows, row)
	}
	return rows
}

func megabytes(n int64) string {
	if n == 0 {
		return "0"
	}
	return significant(float64(n) / 1e6)
}

// tableSpan writes a span of time, one that did not end as such.
func tableSpan(t unit.Time, endless bool) string {
	switch {
	case t == record.None && endless:
		return "never"
	case t == record.None:
		return "-"
	case t == 0:
		return "0"
	}
	return significant(inMicros(t))
}
