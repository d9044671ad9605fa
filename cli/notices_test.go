package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/record"
)

// TestGathered shows each notice once, with those that it is about.
func TestGathered(t *testing.T) {
	const low, off = "b is below 1 BDP", "no port marks"
	cells := func(notices ...[]string) []built {
		names := []string{"SIRD, load 30%", "SIRD, load 50%", "DCTCP, load 30%", "DCTCP, load 50%"}
		var list []built
		for i, n := range notices {
			list = append(list, built{name: names[i], notices: n})
		}
		return list
	}
	for name, test := range map[string]struct {
		list  []built
		about func([]string) string
		want  []string
	}{
		"nothing":            {cells(nil, nil, nil, nil), ofCells(4, 4), nil},
		"no cell":            {nil, ofCells(0, 4), nil},
		"one cell":           {cells(nil, []string{low}, nil, nil), ofCells(4, 4), []string{`cell "SIRD, load 50%": ` + low}},
		"some cells":         {cells(nil, []string{low}, []string{low}, nil), ofCells(4, 4), []string{`2 of 4 cells, first "SIRD, load 50%": ` + low}},
		"all cells":          {cells([]string{low}, []string{low}, []string{low}, []string{low}), ofCells(4, 4), []string{low}},
		"two causes":         {cells([]string{low, off}, []string{off}, nil, nil), ofCells(4, 4), []string{`cell "SIRD, load 30%": ` + low, `2 of 4 cells, first "SIRD, load 30%": ` + off}},
		"all that were seen": {cells([]string{low}, []string{low}), ofCells(2, 4), []string{`2 of 2 cells checked, first "SIRD, load 30%": ` + low}},
		"variants":           {cells([]string{low}, nil, []string{low}), ofVariants(3), []string{"SIRD, load 30%, DCTCP, load 30%: " + low}},
		"all variants":       {cells([]string{low}, []string{low}), ofVariants(2), []string{low}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, gathered(test.list, test.about)); diff != "" {
				t.Errorf("want less, got more:\n%s", diff)
			}
		})
	}
}

// TestNoticesOfCells cuts what a command shows beside other things, and says by which one
// all is shown.
func TestNoticesOfCells(t *testing.T) {
	var list []built
	for i := range mostNotices + 2 {
		list = append(list, built{name: "cell", notices: []string{"load " + strings.Repeat("i", i+1)}})
	}
	for _, test := range []struct {
		list  []built
		all   bool
		lines int
		last  string
	}{
		{list, false, mostNotices + 1, "note: and 2 more of these; weft validate shows all"},
		{list, true, mostNotices + 2, `note: cell "cell": load ` + strings.Repeat("i", mostNotices+2)},
		{list[:mostNotices], false, mostNotices, `note: cell "cell": load ` + strings.Repeat("i", mostNotices)},
	} {
		var said strings.Builder
		p := &program{stderr: &said, allProblems: test.all}
		p.noticesOfCells(test.list, len(list), "weft validate")
		lines := strings.Split(strings.TrimSuffix(said.String(), "\n"), "\n")
		if len(lines) != test.lines || lines[len(lines)-1] != test.last {
			t.Errorf("all %v: %d lines, want %d; the last is %q, want %q", test.all, len(lines), test.lines, lines[len(lines)-1], test.last)
		}
	}
}

// TestNeverActed gives few options a line each, and names the others in one line.
func TestNeverActed(t *testing.T) {
	run := func(name string, options ...string) record.Summary {
		s := record.Summary{Name: name}
		for _, o := range options {
			s.NeverActed = append(s.NeverActed, record.Idle{Option: o, Entry: "kind", Text: "nothing of " + name})
		}
		return s
	}
	line := func(option, more string) string { return option + " (kind) never acted" + more }
	for name, test := range map[string]struct {
		done []record.Summary
		want []string
	}{
		"nothing":      {[]record.Summary{run("a"), run("b")}, nil},
		"one run":      {[]record.Summary{run("a", "1", "2")}, []string{line("1", ": nothing of a"), line("2", ": nothing of a")}},
		"some of them": {[]record.Summary{run("a"), run("b", "1")}, []string{line("1", " in b: nothing of b")}},
		"all of them":  {[]record.Summary{run("a", "1"), run("b", "1")}, []string{line("1", ": nothing of a (a)")}},
		"many runs": {[]record.Summary{run("a", "1"), run("b", "1"), run("c", "1"), run("d", "1"), run("e", "1"), run("f")},
			[]string{line("1", " in a, b, c, d, 1 more: nothing of a (a)")}},
		"five": {[]record.Summary{run("a", "1", "2", "3", "4", "5")},
			[]string{line("1", ": nothing of a"), line("2", ": nothing of a"), line("3", ": nothing of a"), line("4", ": nothing of a"), line("5", ": nothing of a")}},
		"many": {[]record.Summary{run("a", "1", "2", "3", "4", "5", "6")},
			[]string{line("1", ": nothing of a"), line("2", ": nothing of a"), line("3", ": nothing of a"), line("4", ": nothing of a"),
				"2 more options never acted: 5 (kind), 6 (kind); the report says of each what shows it"}},
	} {
		if diff := cmp.Diff(test.want, neverActed(test.done)); diff != "" {
			t.Errorf("%s: want less, got more:\n%s", name, diff)
		}
	}
}
