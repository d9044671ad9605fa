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
	// Heading is the number of heading rows, at the top.
	Heading int
	// Left is the number of columns that name the rows, at the left.
	Left   int
	Groups []Group
}

// Group is a range of columns with a common heading.
type Group struct {
	From, Columns int
	// Spans is the number of heading rows, from the top, whose text spans the whole group. The
	// text is in the cell of the group's first column.
	Spans int
}

// Write writes rows of text as aligned columns: the first left columns flush left, the others
// flush right. The first row is the heading. Columns that do not fit into width characters go
// into further tables below, which repeat the left columns. A width of 0 means no limit, as for a
// pipe.
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

// Stack divides a table into tables of at most width characters, to be printed below each other.
// Each repeats the columns that name the rows, and omits rows that are empty in its own columns.
// The columns of a group stay together. A width of 0 means no limit.
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

// of returns the table reduced to the given columns, without rows that are empty in them.
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

// width returns the table's width in characters, with two spaces between columns.
func (t Table) width() int { return together(t.widths()) }

func together(widths []int) int {
	sum := 2 * (len(widths) - 1)
	for _, n := range widths {
		sum += n
	}
	return sum
}

// widths returns the columns' widths in characters. If a group's heading is wider than its
// columns, the columns share the excess.
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

// span returns the group that the text in a cell spans, if any.
func (t Table) span(row, column int) (Group, bool) {
	i := slices.IndexFunc(t.Groups, func(g Group) bool { return row < g.Spans && g.From == column })
	if i < 0 {
		return Group{}, false
	}
	return t.Groups[i], true
}

// Lines formats the rows as lines of padded cells with two spaces between them. Columns that name
// rows and headings of groups are flush left, other cells flush right.
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

// Tabbed aligns tab-separated lines in columns, all flush left.
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
