package report

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"weft/record"
)

// TestFit checks what is left out of a table of 80 characters and more, and that what is
// left fits.
func TestFit(t *testing.T) {
	rows := [][]string{
		{"", "FCT mean", "", "retrans-", "wall"},
		{"variant", "µs", "drops", "mits", "s"},
		{"a", "1396", "0", "12", "0.10"},
		{"longer", "12345", "-", "0", "0.20"},
	}
	for _, c := range []struct {
		width   int
		columns int
		left    []string
	}{
		{0, 5, nil},
		{80, 5, nil},
		{40, 5, nil}, // 7+2+8+2+5+2+8+2+4
		{39, 4, []string{"drops"}},
		{33, 4, []string{"drops"}},
		{32, 3, []string{"drops", "wall s"}},
		{20, 2, []string{"drops", "retransmits", "wall s"}},
		{1, 2, []string{"drops", "retransmits", "wall s"}},
	} {
		got, left := Fit(rows, 2, 1, c.width)
		if len(got) != len(rows) || len(got[0]) != c.columns || !slices.Equal(left, c.left) {
			t.Errorf("into %d characters: %d columns, without %q; want %d without %q", c.width, len(got[0]), left, c.columns, c.left)
		}
		for _, line := range layOut(got) {
			if n := utf8.RuneCountInString(line); c.width > 1 && n > c.width {
				t.Errorf("a line of %d characters for %d: %q", n, c.width, line)
			}
		}
	}
	if text := LeftOut([]string{"drops", "wall s"}, 24, "--wide shows all"); text != "left out for want of\nwidth: drops, wall s;\n--wide shows all\n" {
		t.Errorf("got %q", text)
	}
}

// TestTableOfATerminal draws the table of runs at 80 columns: no line is longer, and
// what is missing is named.
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
	if strings.Contains(wide.String(), "left out") || !strings.Contains(narrow.String(), "left out for want of width: ") || !strings.Contains(narrow.String(), "wall s") {
		t.Errorf("wide:\n%s\nnarrow:\n%s", wide.String(), narrow.String())
	}
}

// TestCreditsApart has credits that ports dropped in a column of their own.
func TestCreditsApart(t *testing.T) {
	runs := tableRuns()
	runs[0].CreditPackets = &record.CreditPackets{Issued: 100}
	runs[0].Drops.CreditQueueFull = 77
	var b strings.Builder
	if err := Table(&b, runs, TableOptions{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if f := strings.Fields(lines[1]); f[7] != "drops" || f[8] != "dropped" {
		t.Errorf("the heading is %q", lines[1])
	}
	if a, b := strings.Fields(lines[2]), strings.Fields(lines[3]); a[7] != "12" || a[8] != "77" || b[8] != "-" {
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
