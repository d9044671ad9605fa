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
