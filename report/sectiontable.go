package report

import (
	"fmt"
	"slices"

	"weft/record"
	"weft/record/section"
	"weft/unit"
)

// sectionTable returns the table of a section that has one of its own, with its heading, of the runs that have
// the section, how many columns are aligned to the left, and whether it stands above the table of runs; nil if no run has it.
func sectionTable(runs []record.Summary, name string) (rows [][]string, left int, first bool) {
	tables := make([]section.Tabled, len(runs))
	largest := unit.Rate(0)
	for i := range runs {
		if own, ok := runs[i].Sections.Get(name).(section.Tabled); ok {
			tables[i], largest = own, max(largest, own.LargestRate())
		}
	}
	rates := unit.ScaleOfRates(float64(largest))
	for i, own := range tables {
		if own == nil {
			continue
		}
		t := own.Table(rates)
		if rows == nil {
			rows, left, first = slices.Clone(t.Heading[:]), t.Left, t.First
		}
		for k, row := range t.Rows {
			run := ""
			if k == 0 {
				run = runs[i].Name
			}
			rows = append(rows, slices.Concat([]string{run}, row))
		}
	}
	if n := mostOfSection; len(rows) > n {
		more := make([]string, len(rows[0]))
		more[0] = fmt.Sprintf("and %d more in summary.json", len(rows)-n)
		rows = append(rows[:n], more)
	}
	return rows, left, first
}

// mostOfSection bounds the lines of the table.
const mostOfSection = 60
