package report

import (
	"fmt"
	"slices"
	"strconv"

	"weft/internal/readable"
	"weft/record"
	"weft/unit"
)

// faultTable returns a table of what faults did to each run, with its heading; nil
// if no run had any, or none that lost frames, took a link away or was recovered
// from.
func faultTable(runs []record.Summary) [][]string {
	if !slices.ContainsFunc(runs, func(s record.Summary) bool { return s.Faults != nil }) {
		return nil
	}
	rows := [][]string{
		{"", "lost to", "", "sent to", "last", "avoided", "regained", "RTT p99"},
		{"faults", "faults", "MB", "dead ports", "µs", "µs", "µs", "µs"},
	}
	told := false
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
			row[6] = regained(f)
			told = told || f.Down > 0
		}
		told = told || slices.ContainsFunc(row[1:7], func(text string) bool { return text != "0" && text != "-" })
		rows = append(rows, row)
	}
	if !told {
		return nil
	}
	return rows
}

// regained writes when the full rate was, or of how many failures it never was.
func regained(f *record.Faults) string {
	if f.Unregained > 0 && f.Unregained < f.Incidents {
		return fmt.Sprintf("%d of %d never", f.Unregained, f.Incidents)
	}
	return tableSpan(f.Regained, f.Unregained > 0)
}

func megabytes(n int64) string {
	if n == 0 {
		return "0"
	}
	return readable.Significant(float64(n)/1e6, 4)
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
	return readable.Significant(inMicros(t), 4)
}
