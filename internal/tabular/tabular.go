// Package tabular prints tables as text.
package tabular

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table is rows of text in columns.
type Table struct {
	Rows [][]string
	// Heading is how many of the first rows are it.
	Heading int
	// Left is how many of the first columns name the rows.
	Left   int
	Groups []Group
}

// Group is a range of columns with a heading in common.
type Group struct {
	From, Columns int
	// Spans is how many of the first rows of the heading have one text over the whole
	// group, in the cell of its first column.
	Spans int
}

// Write writes rows of text as aligned columns, the first of them to the left and
// the others to the right. The first row is the heading. Columns that do not fit into width
// characters stand below, in tables of their own that have the first columns, too. A width
// of 0 is that of a pipe: all fits.
func Write(w io.Writer, rows [][]string, left, width int) error {
	var b strings.Builder
	for k, part := range (Table{Rows: rows, Heading: 1, Left: left}).Stack(width) {
		if k > 0 {
			b.WriteByte('\n')
		}
		for _, line := range part.Lines() {
			b.WriteString(line + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Stack divides a table into ones no wider than width characters, that stand below each
// other: nothing is lost, and each has the columns that name the rows. Rows that have
// nothing in the columns of one are not in it. Columns that together are a group stay in
// one. A width of 0 is that of a pipe: all fits.
func (t Table) Stack(width int) []Table {
	if width <= 0 || len(t.Rows) == 0 || t.width() <= width {
		return []Table{t}
	}
	var parts []Table
	var names []int
	for c := range t.Left {
		names = append(names, c)
	}
	columns := names
	for c := t.Left; c < len(t.Rows[0]); {
		next := []int{c}
		if i := slices.IndexFunc(t.Groups, func(g Group) bool { return g.From == c }); i >= 0 {
			for len(next) < t.Groups[i].Columns {
				next = append(next, c+len(next))
			}
		}
		c += len(next)
		if more := slices.Concat(columns, next); len(columns) == t.Left || t.of(more).width() <= width {
			columns = more
			continue
		}
		parts, columns = append(parts, t.of(columns)), slices.Concat(names, next)
	}
	return append(parts, t.of(columns))
}

// of returns the table with some columns and the rows that have something in them.
func (t Table) of(columns []int) Table {
	out := Table{Left: t.Left}
	for _, g := range t.Groups {
		if i := slices.Index(columns, g.From); i >= 0 {
			out.Groups = append(out.Groups, Group{i, g.Columns, g.Spans})
		}
	}
	for i, row := range t.Rows {
		cells := make([]string, len(columns))
		for k, c := range columns {
			cells[k] = row[c]
		}
		if !slices.ContainsFunc(cells[t.Left:], func(text string) bool { return text != "" }) {
			continue
		}
		out.Rows = append(out.Rows, cells)
		if i < t.Heading {
			out.Heading++
		}
	}
	return out
}

// width is how wide the table is, with two spaces between columns.
func (t Table) width() int { return together(t.widths()) }

func together(widths []int) int {
	sum := 2 * (len(widths) - 1)
	for _, n := range widths {
		sum += n
	}
	return sum
}

// widths are how wide the columns are. Those of a group share what its heading needs more.
func (t Table) widths() []int {
	widths := make([]int, len(t.Rows[0]))
	for i, row := range t.Rows {
		for c, cell := range row {
			if _, spans := t.span(i, c); !spans {
				widths[c] = max(widths[c], utf8.RuneCountInString(cell))
			}
		}
	}
	for _, g := range t.Groups {
		for i := range g.Spans {
			of := widths[g.From : g.From+g.Columns]
			for c := 0; together(of) < utf8.RuneCountInString(t.Rows[i][g.From]); c++ {
				of[c%g.Columns]++
			}
		}
	}
	return widths
}

// span tells which group the text in a cell spans, if any.
func (t Table) span(row, column int) (Group, bool) {
	i := slices.IndexFunc(t.Groups, func(g Group) bool { return row < g.Spans && g.From == column })
	if i < 0 {
		return Group{}, false
	}
	return t.Groups[i], true
}

// Lines pads the cells of rows to columns, those that name the rows to the left, as is
// what spans several, and numbers to the right, with two spaces between.
func (t Table) Lines() []string {
	if len(t.Rows) == 0 {
		return nil
	}
	widths := t.widths()
	lines := make([]string, len(t.Rows))
	for i, row := range t.Rows {
		var b strings.Builder
		for c := 0; c < len(row); c++ {
			if c > 0 {
				b.WriteString("  ")
			}
			cell, wide, toLeft := row[c], widths[c], c < t.Left
			if g, spans := t.span(i, c); spans {
				wide, toLeft = together(widths[c:c+g.Columns]), true
				c += g.Columns - 1
			}
			pad := strings.Repeat(" ", wide-utf8.RuneCountInString(cell))
			if toLeft {
				b.WriteString(cell + pad)
			} else {
				b.WriteString(pad + cell)
			}
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// Tabbed lays out lines of cells that are parted by tabs, all columns to the left.
func Tabbed(text string) string {
	t := Table{}
	for line := range strings.Lines(text) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		t.Rows, t.Left = append(t.Rows, row), max(t.Left, len(row))
	}
	for i, row := range t.Rows {
		t.Rows[i] = append(row, make([]string, t.Left-len(row))...)
	}
	return strings.Join(append(t.Lines(), ""), "\n")
}
