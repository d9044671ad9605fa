package report

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// table is rows of text in columns.
type table struct {
	rows [][]string
	// heading is how many of the first rows are it.
	heading int
	// left is how many of the first columns name the rows.
	left   int
	groups []columnGroup
}

// columnGroup is a range of columns with a heading in common.
type columnGroup struct {
	from, columns int
	// spans is how many of the first rows of the heading have one text over the whole
	// group, in the cell of its first column.
	spans int
}

// Columns writes rows of text as aligned columns, the first of them to the left and
// the others to the right. The first row is the heading. Columns that do not fit into width
// characters stand below, in tables of their own that have the first columns, too. A width
// of 0 is that of a pipe: all fits.
func Columns(w io.Writer, rows [][]string, left, width int) error {
	var b strings.Builder
	for k, part := range (table{rows: rows, heading: 1, left: left}).stack(width) {
		if k > 0 {
			b.WriteByte('\n')
		}
		for _, line := range part.layOut() {
			b.WriteString(line + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// stack divides a table into ones no wider than width characters, that stand below each
// other: nothing is lost, and each has the columns that name the rows. Rows that have
// nothing in the columns of one are not in it. Columns that together are a group stay in
// one. A width of 0 is that of a pipe: all fits.
func (t table) stack(width int) []table {
	if width <= 0 || len(t.rows) == 0 || t.width() <= width {
		return []table{t}
	}
	var parts []table
	var names []int
	for c := range t.left {
		names = append(names, c)
	}
	columns := names
	for c := t.left; c < len(t.rows[0]); {
		next := []int{c}
		if i := slices.IndexFunc(t.groups, func(g columnGroup) bool { return g.from == c }); i >= 0 {
			for len(next) < t.groups[i].columns {
				next = append(next, c+len(next))
			}
		}
		c += len(next)
		if more := slices.Concat(columns, next); len(columns) == t.left || t.of(more).width() <= width {
			columns = more
			continue
		}
		parts, columns = append(parts, t.of(columns)), slices.Concat(names, next)
	}
	return append(parts, t.of(columns))
}

// of returns the table with some columns and the rows that have something in them.
func (t table) of(columns []int) table {
	out := table{left: t.left}
	for _, g := range t.groups {
		if i := slices.Index(columns, g.from); i >= 0 {
			out.groups = append(out.groups, columnGroup{i, g.columns, g.spans})
		}
	}
	for i, row := range t.rows {
		cells := make([]string, len(columns))
		for k, c := range columns {
			cells[k] = row[c]
		}
		if !slices.ContainsFunc(cells[t.left:], func(text string) bool { return text != "" }) {
			continue
		}
		out.rows = append(out.rows, cells)
		if i < t.heading {
			out.heading++
		}
	}
	return out
}

// width is how wide the table is, with two spaces between columns.
func (t table) width() int { return together(t.widths()) }

func together(widths []int) int {
	sum := 2 * (len(widths) - 1)
	for _, n := range widths {
		sum += n
	}
	return sum
}

// widths are how wide the columns are. Those of a group share what its heading needs more.
func (t table) widths() []int {
	widths := make([]int, len(t.rows[0]))
	for i, row := range t.rows {
		for c, cell := range row {
			if _, spans := t.span(i, c); !spans {
				widths[c] = max(widths[c], utf8.RuneCountInString(cell))
			}
		}
	}
	for _, g := range t.groups {
		for i := range g.spans {
			of := widths[g.from : g.from+g.columns]
			for c := 0; together(of) < utf8.RuneCountInString(t.rows[i][g.from]); c++ {
				of[c%g.columns]++
			}
		}
	}
	return widths
}

// span tells which group the text in a cell spans, if any.
func (t table) span(row, column int) (columnGroup, bool) {
	i := slices.IndexFunc(t.groups, func(g columnGroup) bool { return row < g.spans && g.from == column })
	if i < 0 {
		return columnGroup{}, false
	}
	return t.groups[i], true
}

// layOut pads the cells of rows to columns, those that name the rows to the left, as is
// what spans several, and numbers to the right, with two spaces between.
func (t table) layOut() []string {
	widths := t.widths()
	lines := make([]string, len(t.rows))
	for i, row := range t.rows {
		var b strings.Builder
		for c := 0; c < len(row); c++ {
			if c > 0 {
				b.WriteString("  ")
			}
			cell, wide, toLeft := row[c], widths[c], c < t.left
			if g, spans := t.span(i, c); spans {
				wide, toLeft = together(widths[c:c+g.columns]), true
				c += g.columns - 1
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

// Wrap breaks a text into lines of at most width characters, where it has spaces. The
// first line has room for first characters less. A width of 0 leaves it whole.
func Wrap(text string, width, first int) []string {
	if width <= 0 {
		return []string{text}
	}
	var lines []string
	line, room := "", width-first
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if line != "" && utf8.RuneCountInString(line)+1+n > room {
			lines = append(lines, line)
			line, room = "", width
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
