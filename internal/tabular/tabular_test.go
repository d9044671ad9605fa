package tabular

import (
	"slices"
	"strings"
	"testing"
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
		groups []Group
		want   []string
	}{
		{0, nil, []string{"variant µs drops mits s; longer; part"}},
		{49, nil, []string{"variant µs drops mits s; longer; part"}}, // 23+2+5+2+5+2+4+2+4
		{48, nil, []string{"variant µs drops mits; longer; part", "variant s; longer"}},
		{48, []Group{{From: 3, Columns: 2}}, []string{"variant µs drops; longer; part", "variant mits s; longer"}},
		{30, nil, []string{"variant µs; longer; part", "variant drops mits s; longer"}}, // 7+2+5+2+4+2+4 without the row that says nothing
		{1, []Group{{From: 1, Columns: 2}}, []string{"variant µs drops; longer; part", "variant mits; longer", "variant s; longer"}},
	} {
		var got []string
		for _, part := range (Table{rows, 1, 1, c.groups}).Stack(c.width) {
			text := strings.Join(part.Rows[0], " ")
			for _, row := range part.Rows[part.Heading:] {
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
	whole := Table{[][]string{
		{"", "", "slowdown, ideal", "", "MB", ""},
		{"variant", "drops", "p50", "p99", "mean", "max"},
		{"a", "0", "1.09", "4.62", "0.01", "10"},
	}, 2, 1, []Group{{2, 2, 1}, {4, 2, 1}}}
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
		for _, part := range whole.Stack(c.width) {
			got += strings.Join(part.Lines(), "\n") + "\n"
		}
		if got != c.want {
			t.Errorf("into %d characters:%s\nwant:%s", c.width, got, c.want)
		}
	}
}

func TestTabbed(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"a\tlonger\tc\nbb\t\tµ\nccc\n": "a    longer  c\nbb           µ\nccc\n",
	} {
		if got := Tabbed(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
