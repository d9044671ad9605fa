package report

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"weft/record"
)

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
		{48, []columnGroup{{from: 3, columns: 2}}, []string{"variant µs drops; longer; part", "variant mits s; longer"}},
		{30, nil, []string{"variant µs; longer; part", "variant drops mits s; longer"}}, // 7+2+5+2+4+2+4 without the row that says nothing
		{1, []columnGroup{{from: 1, columns: 2}}, []string{"variant µs drops; longer; part", "variant mits; longer", "variant s; longer"}},
	} {
		var got []string
		for _, part := range (table{rows, 1, 1, c.groups}).stack(c.width) {
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

// TestHeadingOfAGroup has one text over its columns, which are wider if it is, and stay so
// where they stand below.
func TestHeadingOfAGroup(t *testing.T) {
	whole := table{[][]string{
		{"", "", "slowdown, ideal", "", "MB", ""},
		{"variant", "drops", "p50", "p99", "mean", "max"},
		{"a", "0", "1.09", "4.62", "0.01", "10"},
	}, 2, 1, []columnGroup{{2, 2, 1}, {4, 2, 1}}}
	for _, c := range []struct {
		width int
		want  string
	}{
		{0, `
                slowdown, ideal  MB
variant  drops      p50     p99  mean  max
a            0     1.09    4.62  0.01   10
`},
		{31, `
                slowdown, ideal
variant  drops      p50     p99
a            0     1.09    4.62
         MB
variant  mean  max
a        0.01   10
`},
	} {
		got := "\n"
		for _, part := range whole.stack(c.width) {
			got += strings.Join(part.layOut(), "\n") + "\n"
		}
		if got != c.want {
			t.Errorf("into %d characters:%s\nwant:%s", c.width, got, c.want)
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
