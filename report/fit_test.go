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

// TestStack divides a table: nothing is lost, and columns with one heading stay together.
func TestStack(t *testing.T) {
	rows := [][]string{
		{"variant", "µs", "drops", "mits", "s"},
		{"longer", "12345", "-", "0", "0.20"},
		{"  a part, which is long", "12345", "", "", ""},
	}
	for _, c := range []struct {
		width  int
		groups []columnGroup
		want   []string
	}{
		{0, nil, []string{"variant µs drops mits s; longer; part"}},
		{49, nil, []string{"variant µs drops mits s; longer; part"}}, // 23+2+5+2+5+2+4+2+4
		{48, nil, []string{"variant µs drops mits; longer; part", "variant s; longer"}},
		{48, []columnGroup{{3, 2}}, []string{"variant µs drops; longer; part", "variant mits s; longer"}},
		{30, nil, []string{"variant µs; longer; part", "variant drops mits s; longer"}}, // 7+2+5+2+4+2+4 without the row that says nothing
		{1, []columnGroup{{1, 2}}, []string{"variant µs drops; longer; part", "variant mits; longer", "variant s; longer"}},
	} {
		var got []string
		for _, part := range stack(table{rows, 1}, c.groups, c.width) {
			text := strings.Join(part.rows[0], " ")
			for _, row := range part.rows[part.heading:] {
				text += "; " + strings.Fields(strings.ReplaceAll(row[0], "a part, which is long", "part"))[0]
			}
			got = append(got, text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("into %d characters: %q, want %q", c.width, got, c.want)
		}
	}
}

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
