package study

import (
	"fmt"
	"slices"
	"strings"

	"weft/record"
)

// Note counts a run that notices of some kinds qualify.
func (c *Cell) Note(kinds []record.NoticeKind) {
	for _, k := range kinds {
		if c.Notices == nil {
			c.Notices = map[record.NoticeKind]int{}
		}
		c.Notices[k]++
	}
}

// Kinds returns the kinds of notices that qualify runs of the cell, in their order. That runs were
// cut short, or left messages unfinished, is known by other means.
func (c *Cell) Kinds() []record.NoticeKind {
	return slices.DeleteFunc(record.NoticeKinds(), func(k record.NoticeKind) bool {
		return k.Replaces() || c.Notices[k] == 0
	})
}

// Bar returns the word for why the cell must not be ranked by a metric; "" if it may be. One run
// with such a notice is enough.
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

// NotRanked tells whether notices keep the cell from being ranked by any metric.
func (c *Cell) NotRanked() bool { return record.Barred(c.Kinds()) }

// Ranks tells whether the cell may be ranked by a metric.
func (c *Cell) Ranks(m *Column) bool { return c.Bar(m) == "" }

// Marks returns the words for what qualifies the numbers of the cell, as they stand beside them:
// of how many runs, if not of all.
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

// NoticesNote explains the marks in a table, as a paragraph below it; it is empty if there are none.
func (t *Table) NoticesNote() string {
	var b strings.Builder
	for _, text := range t.Noticed() {
		b.WriteString("\n" + text + "\n")
	}
	return b.String()
}

// Noticed explains each mark of the table in a sentence.
func (t *Table) Noticed() []string {
	var list []string
	for _, k := range record.NoticeKinds() {
		if slices.ContainsFunc(t.Cells, func(c Cell) bool { return slices.Contains(c.Kinds(), k) }) {
			list = append(list, fmt.Sprintf("%s: %s.", k.Word(), k.Meaning()))
		}
	}
	return list
}

// noticeCounts writes how many runs each kind of notice qualifies, for programs.
func (c *Cell) noticeCounts() string {
	var words []string
	for _, k := range record.NoticeKinds() {
		if n := c.Notices[k]; n > 0 {
			words = append(words, fmt.Sprintf("%s %d", k, n))
		}
	}
	return strings.Join(words, "; ")
}
