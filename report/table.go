package report

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/internal/printable"
	"weft/internal/readable"
	"weft/internal/tabular"
	"weft/record"
	"weft/study"
	"weft/unit"
)

// TableOptions choose how a table looks. The zero value suits a pipe.
type TableOptions struct {
	// Color uses the escape sequences of ANSI terminals to set off the heading
	// and what is wrong with a run.
	Color bool
	// Width is how many characters fit into a line of the terminal: columns that do not
	// fit stand below, in a table of their own. 0 is all.
	Width int
}

// tableColumns is the number of columns.
const tableColumns = 15

type tableRow [tableColumns]string

// Table writes a table with a row a run, and below it a row for each of its
// groups of traffic if there are several. Times are in microseconds, slowdowns over the ideal
// without headers, which is the same for all protocols, and × is
// the runtime over that of the fastest run in which every message finished.
// Runs that are partial or left messages unfinished are marked in their row and
// named below the table; of these, the runtime is a lower bound, and of those that
// offer load until their end it is none. The times of the few that finished are not shown. Where something failed, a second table says
// what that did.
func Table(w io.Writer, runs []record.Summary, o TableOptions) error {
	rows := [][]string{
		{"", "runtime", "", "FCT mean", "p50", "p99", "max", "slowdown", "", "", "", "retrans-", "ECN", "un-", "wall"},
		{"variant", "µs", "×", "µs", "µs", "µs", "µs", "p50", "p99", "drops", "trims", "mits", "marks", "finished", "s"},
	}
	const heading = 2
	best := bestRuntimes(runs)
	for i := range runs {
		s := &runs[i]
		row := statsRow(s.Name, s.Stats, s.Partial, best[""], len(runs) > 1, loaded(s))
		if marks := record.Marks(s.Kinds()); marks != "" {
			row[0] += " (" + marks + ")"
		}
		row[9] = strconv.FormatInt(s.Drops.Total(), 10)
		row[10] = strconv.FormatInt(s.Trims, 10)
		row[12] = strconv.FormatInt(s.ECNMarks, 10)
		row[14] = strconv.FormatFloat(s.Wall.Seconds(), 'f', 2, 64)
		rows = append(rows, row[:])
		for _, g := range s.Groups {
			row := statsRow("  "+g.Name, g.Stats, s.Partial, best[g.Name], len(runs) > 1, loaded(s))
			rows = append(rows, row[:])
		}
	}

	addSpurious(rows, runs) // from the right, as each names its index
	addSections(rows, runs)
	groups := []tabular.Group{{From: 1, Columns: 2}, {From: 3, Columns: 4}, {From: 7, Columns: 2}} // runtimes, completion times and slowdowns
	first := 3                                                                                     // after runtimes
	switch {
	case timeless(rows[heading:]):
		first = 1
		groups = []tabular.Group{{From: 1, Columns: 4}, {From: 5, Columns: 2}}
	case !slices.ContainsFunc(rows[heading:], func(row []string) bool { return row[2] != "" }):
		first = 2 // no runtime is over another
		groups = []tabular.Group{{From: 2, Columns: 4}, {From: 6, Columns: 2}}
	}
	for i := range rows {
		rows[i] = slices.Delete(slices.Clone(rows[i]), first, 3)
	}

	var b strings.Builder
	write := func(t tabular.Table) {
		for k, part := range t.Stack(o.Width) {
			if k > 0 {
				b.WriteByte('\n')
			}
			for i, line := range part.Lines() {
				if o.Color && i < part.Heading {
					line = printable.Bold + line + printable.Plain
				}
				b.WriteString(line + "\n")
			}
		}
	}
	var below []tabular.Table
	for _, name := range record.SectionNames() {
		rows, left, first := sectionTable(runs, name)
		switch table := (tabular.Table{Rows: rows, Heading: heading, Left: left}); {
		case rows == nil:
		case first:
			write(table)
			b.WriteByte('\n')
		default:
			below = append(below, table)
		}
	}
	write(tabular.Table{Rows: rows, Heading: heading, Left: 1, Groups: groups})
	if slices.ContainsFunc(runs, func(s record.Summary) bool { return s.SlowdownBare.P50 > 0 }) {
		b.WriteString("slowdown: completion time over the " + record.IdealWithoutHeaders + "\n")
	}
	for _, table := range below {
		b.WriteByte('\n')
		write(table)
	}
	if faults := faultTable(runs); faults != nil {
		b.WriteByte('\n')
		write(tabular.Table{Rows: faults, Heading: heading, Left: 1, Groups: []tabular.Group{{From: 1, Columns: 2}}})
	}
	if loads := loadTable(runs); loads != nil {
		b.WriteByte('\n')
		write(tabular.Table{Rows: loads, Heading: loadHeading, Left: 1, Groups: loadGroups})
		if why := record.FewOfSize(runs); why != "" {
			b.WriteString(why + "\n")
		}
	}
	for i := range runs {
		for _, n := range runs[i].Notices() {
			note := n.Of(runs[i].Name)
			if o.Color {
				note = printable.Red + note + printable.Plain
			}
			b.WriteString(note + "\n")
		}
	}
	if few := mostMissing(runs); few != "" {
		b.WriteString(strings.Join(Wrap(few, o.Width, 0), "\n") + "\n")
	}
	if least := leastHosts(runs); least != "" {
		b.WriteString(strings.Join(Wrap(least, o.Width, 0), "\n") + "\n")
	}
	if presets := presetsOf(runs); presets != "" {
		b.WriteString("presets: " + presets + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// loaded tells whether a run offered load through a measured window until its end: some
// messages are under way whenever that is, and the time until then says nothing of them.
func loaded(s *record.Summary) bool { return s.Ended == record.Until && s.Stability != nil }

// timeless tells whether no row has a runtime because all are of runs with load.
func timeless(rows [][]string) bool {
	return !slices.ContainsFunc(rows, func(row []string) bool { return row[1] != noRuntime })
}

// noRuntime stands for what is no bound either.
const noRuntime = "–"

func statsRow(name string, s record.Stats, partial bool, best unit.Time, relative, loaded bool) tableRow {
	row := tableRow{
		0:  name,
		1:  tableTime(s.Runtime),
		3:  tableTime(s.FCT.Mean),
		4:  tableTime(s.FCT.P50),
		5:  tableTime(s.FCT.P99),
		6:  tableTime(s.FCT.Max),
		11: record.CountText(s.Retransmits),
		13: strconv.FormatInt(s.Missing(), 10),
	}
	row[7], row[8] = slowdowns(&s, partial, "-")
	if !finished(&s, partial) {
		for k := 3; k <= 6; k++ {
			row[k] = study.Unfinished
		}
	}
	switch {
	case s.Runtime == 0:
	case loaded && s.Missing() > 0:
		row[1] = noRuntime
	case !s.Whole(partial):
		row[1] = ">" + row[1]
	case relative && best > 0:
		row[2] = strconv.FormatFloat(float64(s.Runtime)/float64(best), 'f', 2, 64)
	}
	return row
}

// presetsOf lists the presets of runs, which are no columns since few have any.
func presetsOf(runs []record.Summary) string {
	var names, presets []string
	for i := range runs {
		names, presets = append(names, runs[i].Name), append(presets, record.PresetText(runs[i].Presets))
	}
	return record.Presets(names, presets)
}

// addSpurious adds a column of retransmissions of packets that had arrived after that of
// retransmissions, if there are any. They are counted over the whole run, and
// retransmissions over measured messages.
func addSpurious(rows [][]string, runs []record.Summary) {
	const after = 12
	spurious := func(s record.Summary) bool { return s.SpuriousRetransmits > 0 }
	if !slices.ContainsFunc(runs, spurious) {
		return
	}
	below := "retr."
	if slices.ContainsFunc(runs, func(s record.Summary) bool { return loaded(&s) }) {
		below = "whole run"
	}
	addColumn(rows, after, runs, "spurious", below, func(s *record.Summary) string {
		return strconv.FormatInt(s.SpuriousRetransmits, 10)
	})
}

// addSections adds what sections show, each after the drops, so that the last stands first.
func addSections(rows [][]string, runs []record.Summary) {
	const after = 10
	for _, name := range record.SectionNames() {
		first := slices.IndexFunc(runs, func(s record.Summary) bool { return s.Sections.Get(name) != nil })
		if first < 0 {
			continue
		}
		for k, c := range slices.Backward(runs[first].Sections.Get(name).Columns(runs[first].Drops)) {
			addColumn(rows, after, runs, c.Above, c.Below, func(s *record.Summary) string {
				if own := s.Sections.Get(name); own != nil {
					return own.Columns(s.Drops)[k].Text
				}
				return "-"
			})
		}
	}
}

// addColumn adds a column with two lines of heading at an index. Rows of groups are empty.
func addColumn(rows [][]string, at int, runs []record.Summary, above, below string, text func(*record.Summary) string) {
	column := []string{above, below}
	for i := range runs {
		column = append(column, text(&runs[i]))
		for range runs[i].Groups {
			column = append(column, "")
		}
	}
	for i := range rows {
		rows[i] = slices.Insert(slices.Clone(rows[i]), at, column[i])
	}
}

// bestRuntimes returns the least runtime of whole runs that may be ranked, for all messages ("")
// and for each group of traffic.
func bestRuntimes(runs []record.Summary) map[string]unit.Time {
	best := map[string]unit.Time{}
	see := func(group string, s record.Stats, partial bool) {
		if b, seen := best[group]; s.Whole(partial) && (!seen || s.Runtime < b) {
			best[group] = s.Runtime
		}
	}
	for i := range runs {
		if record.Barred(runs[i].Kinds()) {
			continue
		}
		see("", runs[i].Stats, runs[i].Partial)
		for _, g := range runs[i].Groups {
			see(g.Name, g.Stats, runs[i].Partial)
		}
	}
	return best
}

// finished tells whether the times of a run are those of its messages: of one that was cut
// short, or in which more than a few did not finish, they are of those that were quick.
func finished(s *record.Stats, partial bool) bool {
	return s.Whole(partial) || !partial && s.FewMissing()
}

// mostMissing says what notes do not: how many messages did not finish where these are few;
// "" if there are none.
func mostMissing(runs []record.Summary) string {
	most, of := 0.0, 0
	for i := range runs {
		if s := &runs[i]; !s.Partial && s.Missing() > 0 && s.FewMissing() {
			most = max(most, float64(s.Missing())/float64(s.All()))
			of++
		}
	}
	if of == 0 {
		return ""
	}
	text := readable.Percent(most) + " of messages did not finish by the end of the run; times are those of the others"
	if of > 1 {
		text = "up to " + text
	}
	return text
}

func tableTime(t unit.Time) string {
	if t == 0 {
		return "-"
	}
	return readable.Significant(inMicros(t), 4)
}
