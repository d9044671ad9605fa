package page

import (
	"slices"

	"weft/record"
)

// idleLines says which options of variants never acted, a line each. Of a variant with several runs only those count that
// did not act in any.
func idleLines(variants []Variant) []string {
	var names []string
	var idle [][]record.Idle
	for _, v := range variants {
		if len(v.Runs) == 0 {
			continue
		}
		names = append(names, v.Name)
		first := v.Runs[0].summary.NeverActed
		first = first[:min(len(first), record.MostIdle)]
		idle = append(idle, slices.DeleteFunc(slices.Clone(first), func(one record.Idle) bool {
			return slices.ContainsFunc(v.Runs[1:], func(run *Reduced) bool {
				return !slices.ContainsFunc(run.summary.NeverActed, one.Same)
			})
		}))
	}
	var lines []string
	for _, one := range record.GatherIdle(names, func(run int) []record.Idle { return idle[run] }) {
		lines = append(lines, one.LineOf(len(names)))
	}
	return lines
}
