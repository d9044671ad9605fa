package report

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Fit leaves out columns of a table until it is no wider than width characters, laid out
// with two spaces between columns, and tells the names of those that it left out. The
// first rows are the heading, and the first columns are kept, at least one beside them.
// Columns in which every row has 0 or nothing to tell go first, then those to the right.
// A width of 0 is that of a pipe: all fits.
func Fit(rows [][]string, heading, keep, width int) (fitted [][]string, left []string) {
	if width <= 0 || len(rows) == 0 {
		return rows, nil
	}
	columns := make([]int, len(rows[0]))
	for i := range columns {
		columns[i] = i
	}
	var dropped []int
	for len(columns) > keep+1 && layoutWidth(rows, columns) > width {
		k := len(columns) - 1
		for i := k; i >= keep; i-- {
			if tellsNothing(rows[heading:], columns[i]) {
				k = i
				break
			}
		}
		dropped = append(dropped, columns[k])
		columns = slices.Delete(columns, k, k+1)
	}
	if len(dropped) == 0 {
		return rows, nil
	}
	slices.Sort(dropped)
	for _, c := range dropped {
		left = append(left, columnName(rows[:heading], c))
	}
	for _, row := range rows {
		out := make([]string, 0, len(columns))
		for _, c := range columns {
			if c < len(row) {
				out = append(out, row[c])
			}
		}
		fitted = append(fitted, out)
	}
	return fitted, left
}

// stack divides a table into ones no wider than width characters, that stand below each
// other: nothing is lost, and each has the first column. Rows that have nothing in the
// columns of one are not in it. Columns that together are a group stay in one. A width of
// 0 is that of a pipe: all fits.
func stack(t table, groups []columnGroup, width int) []table {
	if width <= 0 || len(t.rows) == 0 || t.width() <= width {
		return []table{t}
	}
	var parts []table
	columns := []int{0}
	for c := 1; c < len(t.rows[0]); {
		next := []int{c}
		if i := slices.IndexFunc(groups, func(g columnGroup) bool { return g.from == c }); i >= 0 {
			for len(next) < groups[i].columns {
				next = append(next, c+len(next))
			}
		}
		c += len(next)
		if more := slices.Concat(columns, next); len(columns) == 1 || t.of(more).width() <= width {
			columns = more
			continue
		}
		parts, columns = append(parts, t.of(columns)), slices.Concat([]int{0}, next)
	}
	return append(parts, t.of(columns))
}

// table is rows, the first of which are its heading.
type table struct {
	rows    [][]string
	heading int
}

// of returns the table with some columns and the rows that have something in them.
func (t table) of(columns []int) table {
	var out table
	for i, row := range t.rows {
		cells := make([]string, len(columns))
		for k, c := range columns {
			cells[k] = row[c]
		}
		if !slices.ContainsFunc(cells[1:], func(text string) bool { return text != "" }) {
			continue
		}
		out.rows = append(out.rows, cells)
		if i < t.heading {
			out.heading++
		}
	}
	return out
}

func (t table) width() int {
	columns := make([]int, len(t.rows[0]))
	for i := range columns {
		columns[i] = i
	}
	return layoutWidth(t.rows, columns)
}

// columnGroup is a range of columns with a heading in common.
type columnGroup struct{ from, columns int }

// LeftOut is the line that tells which columns Fit left out and how to see them; empty
// if there are none.
func LeftOut(columns []string, width int, remedy string) string {
	if len(columns) == 0 {
		return ""
	}
	lines := Wrap("left out for want of width: "+strings.Join(columns, ", ")+"; "+remedy, width, 0)
	return strings.Join(lines, "\n") + "\n"
}

// layoutWidth is how wide some columns are together.
func layoutWidth(rows [][]string, columns []int) int {
	sum := 2 * (len(columns) - 1)
	for _, c := range columns {
		widest := 0
		for _, row := range rows {
			if c < len(row) {
				widest = max(widest, utf8.RuneCountInString(row[c]))
			}
		}
		sum += widest
	}
	return sum
}

// tellsNothing tells whether a column has 0 in all rows, or nothing.
func tellsNothing(rows [][]string, c int) bool {
	return !slices.ContainsFunc(rows, func(row []string) bool {
		return c < len(row) && !slices.Contains([]string{"", "0", "-", "–"}, row[c])
	})
}

// columnName joins the lines of a column's heading; a word that is divided is whole.
func columnName(heading [][]string, c int) string {
	var words []string
	for _, row := range heading {
		if c < len(row) && row[c] != "" {
			words = append(words, row[c])
		}
	}
	return strings.ReplaceAll(strings.Join(words, " "), "- ", "")
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
