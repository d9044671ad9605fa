package report

import (
	"fmt"
	"slices"
	"strconv"

	"weft/record"
)

// reactionTable returns a table of how the recorded connections of each run reacted to what happened at a moment, with its
// heading; nil if no scenario asks.
func reactionTable(runs []record.Summary) [][]string {
	asked := func(s record.Summary) bool { return s.Reactions != nil }
	first := slices.IndexFunc(runs, asked)
	if first < 0 {
		return nil
	}
	rows := [][]string{
		{"rates after", "", "before", "first cut", "least", "queue"},
		{tableTime(runs[first].Reactions.Since) + " µs", "connection", "Gb/s", "µs later", "Gb/s", "max, kB"},
	}
	for i := range runs {
		s := &runs[i]
		if !asked(*s) {
			continue
		}
		queue := strconv.FormatFloat(float64(s.Reactions.QueueMax)/1e3, 'f', 1, 64)
		if len(s.Reactions.Connections) == 0 {
			rows = append(rows, []string{s.Name, "none is paced", "-", "-", "-", queue})
		}
		for k, c := range s.Reactions.Connections {
			row := []string{s.Name, c.Connection, gigabits(float64(c.Before)), tableSpan(c.Cut, true), gigabits(float64(c.Least)), queue}
			if k > 0 {
				row[0], row[5] = "", ""
			}
			rows = append(rows, row)
		}
	}
	if n := mostReactions; len(rows) > n {
		rows = append(rows[:n], []string{fmt.Sprintf("and %d more in summary.json", len(rows)-n), "", "", "", "", ""})
	}
	return rows
}

// mostReactions bounds the lines of the table.
const mostReactions = 60
