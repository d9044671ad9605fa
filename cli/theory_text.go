package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"weft/analysis"
	"weft/internal/readable"
	"weft/internal/tabular"
)

// pageWidth is how wide a table may be before it is written the other way round.
const pageWidth = 100

// writeResult writes what a model computed as tables: a line a number if there
// are few rows, and a line a row if there are many, or the other way if that is narrower
// and this does not fit on a page.
func writeResult(w io.Writer, r *analysis.Result) error {
	var b strings.Builder
	first := true
	for rows := range groups(r.Rows) {
		if !first {
			b.WriteByte('\n')
		}
		first = false
		if len(rows) == 1 {
			writeNumbers(&b, rows[0])
			continue
		}
		columns := columnsOf(rows)
		table, other := tableOfRows(rows, columns), tableOfColumns(rows, columns)
		if len(rows) < len(columns) {
			table, other = other, table
		}
		if w := widest(table); w > pageWidth && widest(other) < w && !various(columns) {
			table = other
		}
		b.WriteString(table)
		writeAbout(&b, columns)
	}
	notes := r.Notes
	if r.Partial != "" {
		notes = append(slices.Clip(notes), "incomplete: "+r.Partial)
	}
	for _, note := range notes {
		fmt.Fprintf(&b, "\nnote: %s", note)
	}
	if len(notes) > 0 {
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// groups yields stretches of rows of the same kind.
func groups(rows []analysis.Row) func(func([]analysis.Row) bool) {
	return func(yield func([]analysis.Row) bool) {
		for len(rows) > 0 {
			n := slices.IndexFunc(rows, func(r analysis.Row) bool { return r.Of != rows[0].Of })
			if n < 0 {
				n = len(rows)
			}
			if !yield(rows[:n]) {
				return
			}
			rows = rows[n:]
		}
	}
}

func writeNumbers(b *strings.Builder, row analysis.Row) {
	var t strings.Builder
	if row.Name != "" {
		fmt.Fprintf(&t, "%s\t%s\t\n", row.Of, row.Name)
	}
	for _, n := range row.Numbers {
		fmt.Fprintf(&t, "%s\t%s\t%s\n", n.Name, withUnit(n), n.About)
	}
	b.WriteString(tabular.Tabbed(t.String()))
}

// columnsOf lists the numbers that some of the rows have, each once, without what is said
// of it if rows differ in that.
func columnsOf(rows []analysis.Row) []analysis.Number {
	var columns []analysis.Number
	for _, r := range rows {
		for i, n := range r.Numbers {
			j := slices.IndexFunc(columns, func(c analysis.Number) bool { return c.Name == n.Name })
			switch {
			case j < 0:
				columns = slices.Insert(columns, min(i, len(columns)), n)
			case columns[j].About != n.About:
				columns[j].About = ""
			}
		}
	}
	return columns
}

// cell is the number of a row by its name, empty if the row has none.
func cell(r analysis.Row, name string) string {
	if i := slices.IndexFunc(r.Numbers, func(n analysis.Number) bool { return n.Name == name }); i >= 0 {
		return numberText(r.Numbers[i])
	}
	return ""
}

func widest(table string) int {
	w := 0
	for line := range strings.Lines(table) {
		w = max(w, utf8.RuneCountInString(line)-1)
	}
	return w
}

// headed is the head of a number's column or line: its name, and its unit if the name does
// not say it.
func headed(n analysis.Number) string {
	if n.Unit == "" || n.Name == n.Unit || strings.HasSuffix(n.Name, "_"+n.Unit) {
		return n.Name
	}
	return n.Name + " (" + n.Unit + ")"
}

func tableOfRows(rows []analysis.Row, columns []analysis.Number) string {
	// What differs from row to row is told in each row, the rest once below.
	various := various(columns)
	var t strings.Builder
	t.WriteString(rows[0].Of)
	for _, c := range columns {
		fmt.Fprintf(&t, "\t%s", headed(c))
	}
	t.WriteByte('\n')
	for _, r := range rows {
		fmt.Fprint(&t, r.Name)
		for _, c := range columns {
			fmt.Fprintf(&t, "\t%s", cell(r, c.Name))
		}
		if various {
			fmt.Fprintf(&t, "\t%s", strings.Join(differing(r, columns), "; "))
		}
		t.WriteByte('\n')
	}
	return tabular.Tabbed(t.String())
}

// various tells whether rows say different things of a number.
func various(columns []analysis.Number) bool {
	return slices.ContainsFunc(columns, func(c analysis.Number) bool { return c.About == "" })
}

// differing is what is said of those numbers of a row of which rows say different things.
func differing(r analysis.Row, columns []analysis.Number) []string {
	var words []string
	for _, n := range r.Numbers {
		if slices.ContainsFunc(columns, func(c analysis.Number) bool { return c.Name == n.Name && c.About == "" }) {
			words = append(words, n.About)
		}
	}
	return words
}

func tableOfColumns(rows []analysis.Row, columns []analysis.Number) string {
	var t strings.Builder
	t.WriteString(rows[0].Of)
	for _, r := range rows {
		fmt.Fprintf(&t, "\t%s", r.Name)
	}
	t.WriteByte('\n')
	for _, c := range columns {
		fmt.Fprint(&t, headed(c))
		for _, r := range rows {
			fmt.Fprintf(&t, "\t%s", cell(r, c.Name))
		}
		t.WriteByte('\n')
	}
	return tabular.Tabbed(t.String())
}

// writeAbout explains the names of numbers, neighbours that mean the same in one line.
func writeAbout(b *strings.Builder, numbers []analysis.Number) {
	if len(numbers) == 0 {
		return
	}
	b.WriteByte('\n')
	var t strings.Builder
	for len(numbers) > 0 {
		n := slices.IndexFunc(numbers, func(n analysis.Number) bool { return n.About != numbers[0].About })
		if n < 0 {
			n = len(numbers)
		}
		if about := numbers[0].About; about != "" {
			fmt.Fprintf(&t, "%s\t%s\n", stretch(numbers[0].Name, numbers[n-1].Name, n), about)
		}
		numbers = numbers[n:]
	}
	b.WriteString(tabular.Tabbed(t.String()))
}

// stretch names n neighbours by the first and the last.
func stretch(first, last string, n int) string {
	switch n {
	case 1:
		return first
	case 2:
		return first + ", " + last
	}
	return first + " to " + last
}

// numberText writes a number with four significant digits, and its 95 % interval
// if it is an estimate.
func numberText(n analysis.Number) string {
	if n.Exact() || math.IsNaN(n.Value) {
		return digits(n.Value)
	}
	return fmt.Sprintf("%s [%s, %s]", digits(n.Value), digits(n.Low), digits(n.High))
}

func withUnit(n analysis.Number) string {
	text := numberText(n)
	if n.Unit != "" && !math.IsNaN(n.Value) && !math.IsInf(n.Value, 0) {
		text += " " + n.Unit
	}
	return text
}

func digits(v float64) string {
	switch {
	case math.IsNaN(v):
		return "none"
	case math.IsInf(v, 0):
		return "unbounded"
	case v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case math.Abs(v) < 1e-4:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return readable.Significant(v, 4)
}
