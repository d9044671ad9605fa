package report

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"weft/record/section"
	"weft/record/section/credits"
)

// TestTableOfATerminal draws the table of runs at 80 columns: no line is longer, and
// nothing is missing.
func TestTableOfATerminal(t *testing.T) {
	var wide, narrow strings.Builder
	if err := Table(&wide, tableRuns(), TableOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := Table(&narrow, tableRuns(), TableOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(narrow.String()) {
		if n := utf8.RuneCountInString(line) - 1; n > 80 {
			t.Errorf("a line of %d characters: %q", n, line)
		}
	}
	for _, word := range strings.Fields(wide.String()) {
		if !strings.Contains(narrow.String(), word) {
			t.Errorf("%s is missing; wide:\n%s\nnarrow:\n%s", word, wide.String(), narrow.String())
		}
	}
}

// TestCreditsApart has credits that ports dropped in a column of their own.
func TestCreditsApart(t *testing.T) {
	runs := tableRuns()
	runs[0].Sections = section.Set{&credits.Packets{Issued: 100}}
	runs[0].Drops.CreditQueueFull = 77
	var b strings.Builder
	if err := Table(&b, runs, TableOptions{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if f := strings.Fields(lines[1]); f[9] != "drops" || f[10] != "dropped" {
		t.Errorf("the heading is %q", lines[1])
	}
	if a, b := strings.Fields(lines[2]), strings.Fields(lines[3]); a[9] != "12" || a[10] != "77" || b[10] != "-" {
		t.Errorf("the rows are\n%s\n%s", lines[2], lines[3])
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		width, first int
		want         []string
	}{
		{0, 0, []string{"one three four"}},
		{9, 0, []string{"one three", "four"}},
		{9, 4, []string{"one", "three", "four"}}, // 5 fit, and then 9
		{3, 0, []string{"one", "three", "four"}},
	} {
		if got := Wrap("one three four", c.width, c.first); !slices.Equal(got, c.want) {
			t.Errorf("%d, %d: %q, want %q", c.width, c.first, got, c.want)
		}
	}
}
