package study

import (
	"fmt"
	"slices"
	"strings"

	"weft/record"
)

// Note counts a run that notices of these kinds qualify.
func (c *Cell) Note(kinds []record.NoticeKind) {
	for _, k := range kinds {
		if c.Notices == nil {
			c.Notices = map[record.NoticeKind]int{}
		}
		c.Notices[k]++
	}
}

// Kinds returns, in order, the kinds of notices that qualify runs of the cell. It leaves
// out runs cut short and unfinished messages, which have their own counts.
func (c *Cell) Kinds() []record.NoticeKind {
	return slices.DeleteFunc(record.NoticeKinds(), func(k record.NoticeKind) bool {
		return k.Replaces() || c.Notices[k] == 0
	})
}

// Bar returns the word for the reason why the cell must not be ranked by a metric, or "".
// One run with such a notice is enough.
func (c *Cell) Bar(m *Column) string {
	if instead := c.Instead(m); instead != "" {
		return instead
	}
	for _, k := range c.Kinds() {
		if k.Bars() {
			return k.Word()
		}
	}
	return ""
}

// NotRanked reports whether notices keep the cell from being ranked by any metric.
func (c *Cell) NotRanked() bool { return record.Barred(c.Kinds()) }

// Ranks reports whether the cell may be ranked by a metric.
func (c *Cell) Ranks(m *Column) bool { return c.Bar(m) == "" }

// Marks returns the words that qualify the cell's numbers. If only some runs have a notice,
// their number follows the word.
func (c *Cell) Marks() string {
	var words []string
	for _, k := range c.Kinds() {
		word := k.Word()
		if n, all := c.Notices[k], c.Done+c.Partial; n < all {
			word += fmt.Sprintf(" (%d of %d)", n, all)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// NoticesNote explains the marks of a table, as a paragraph below it. It is empty if there
// are none.
func (t *Table) NoticesNote() string {
	var b strings.Builder
	for _, text := range t.Noticed() {
		b.WriteString("\n" + text + "\n")
	}
	return b.String()
}

// Noticed explains each mark of the table in one sentence.
func (t *Table) Noticed() []string {
	var list []string
	for _, k := range record.NoticeKinds() {
		if slices.ContainsFunc(t.Cells, func(c Cell) bool { return slices.Contains(c.Kinds(), k) }) {
			list = append(list, fmt.Sprintf("%s: %s.", k.Word(), k.Meaning()))
		}
	}
	return list
}

// noticeCounts returns the number of runs per kind of notice, for programs.
func (c *Cell) noticeCounts() string {
	var words []string
	for _, k := range record.NoticeKinds() {
		if n := c.Notices[k]; n > 0 {
			words = append(words, fmt.Sprintf("%s %d", k, n))
		}
	}
	return strings.Join(words, "; ")
}
