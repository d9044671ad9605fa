package papers

import (
	"slices"
	"strings"
	"testing"
)

// tabled is a lab with a table of the studies one (40 % and 80 % are 200, 300 for OPS, 100
// for ARCANE, and 205 and 610 for ECMP) and two (ARCANE alone, 104 and 201).
func tabled(t *testing.T) *lab {
	l := newLab(t)
	l.tables = `tables:
  - id: low
    title: Runtimes
    file: numbers.csv
    where: {what: runtime}
    cells: [place, size]
    rows: scheme
    of: {here small: one, there small: two}
    metric: runtime_us
    along: load
    unstable: {metric: unstable, above: 0.5}
  - {id: ours, title: Ours, of: {one: one}, metric: runtime_us, at: {load: 40%}, best: true}
`
	l.numbers = `what,place,size,scheme,value
runtime,here,small,OPS,250
runtime,here,small,ARCANE,125
runtime,here,small,ECMP,unstable
runtime,there,small,ARCANE,201
runtime,here,large,ARCANE,1
runtime,here,small,PLB,150
other,here,small,OPS,9
`
	return l
}

func TestChecksOfTables(t *testing.T) {
	const of = `table: {of: low, `
	for _, c := range []struct {
		name, check string
		want        Verdict
		says        string
	}{
		{"each within", of + `compare: deviation, rows: [OPS, ARCANE], cells: [here small], at_most: 25}`, Reproduced, ""},
		{"one beyond", of + `compare: deviation, rows: [OPS, ARCANE], cells: [here small], at_most: 19.9}`, Not, "20 % is above 19.9 %"},
		{"median", of + `compare: deviation, rows: [ARCANE], take: median, at_most: 10.1}`, Reproduced, "median of 2, most 20 % of ARCANE here small"},
		{"median beyond", of + `compare: deviation, rows: [ARCANE], take: median, at_most: 9}`, Not, ""},
		{"unstable in the paper has no deviation", of + `compare: deviation, rows: [ECMP, OPS], cells: [here small], take: largest, at_most: 21}`, Reproduced, ""},
		{"factor", of + `compare: factor, rows: [ARCANE], take: largest, at_most: 1.26}`, Reproduced, "1.25×"},
		{"pairs in order", of + `compare: order, rows: [OPS, ARCANE, ECMP], cells: [here small], apart: 1.5, at_least: 100}`, Reproduced, "3 of 3 pairs"},
		{"pairs that are close do not count", of + `compare: order, rows: [OPS, ARCANE, ECMP], cells: [here small], apart: 2, at_least: 100}`, Reproduced, "2 of 2 pairs"},
		{"unstable", of + `compare: unstable, cells: [here small], rows: [OPS, ARCANE, ECMP], at_least: 100}`, Reproduced, "1 of 1 cells"},
		{"stable", of + `compare: stable, cells: [here small], rows: [OPS, ARCANE, ECMP], at_least: 100}`, Reproduced, "2 of 2 cells"},
		{"rows beside each other", of + `compare: each, rows: [OPS], over: [ARCANE], cells: [here small], about: 3, within: 1%}`, Reproduced, "OPS / ARCANE"},
		{"unstable is above", of + `compare: each, rows: [ECMP], over: [ARCANE], cells: [here small], at_least: 5}`, Reproduced, "unstable"},
		{"unstable has no factor", of + `compare: each, rows: [ECMP], over: [ARCANE], cells: [here small], about: 5, times: 100}`, Not, "one of them is unstable"},
		{"value", of + `compare: value, rows: [ARCANE], take: largest, about: 201, within: 0%}`, Reproduced, ""},
		{"normalized means", of + `compare: ratio, rows: [OPS, ECMP], over: [ARCANE], about: 3, within: 1%}`, Missing, "OPS is not in study two"},
		{"normalized means of a column", of + `compare: ratio, rows: [OPS, ECMP], over: [ARCANE], cells: [here small], about: 3, within: 1%}`, Reproduced, "over 1 columns"},
		{"what no study runs", of + `compare: deviation, rows: [PLB], cells: [here small], at_most: 25}`, Missing, "PLB is not in study one"},
		{"another study's in a cell", of + `compare: each, rows: [ARCANE], over: [OPS], cells: [here small], instead: [{row: ARCANE, column: here small, study: two}], at_most: 1}`, Reproduced, "0.67"},
		{"a level of the other study", of + `compare: value, rows: [OPS], cells: [there small], instead: [{row: OPS, column: there small, study: one, at: {load: 40%}}], about: 200, within: 0%}`, Reproduced, ""},
		{"divided by the best", `table: {of: ours, compare: value, rows: [OPS], about: 2, within: 1%}`, Reproduced, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := tabled(t).claim("{" + c.check + "}")
			if r.Verdict != c.want || !strings.Contains(r.Measured+r.Reason, c.says) {
				t.Errorf("%s: %s; %s; want %s and %q", r.Verdict, r.Measured, r.Reason, c.want, c.says)
			}
		})
	}
}

// TestUnstableOfSomeSize has ECMP unstable, where a queue must have come to something, too: its
// runtime, which is 205 and 610, at the same level.
func TestUnstableOfSomeSize(t *testing.T) {
	for least, want := range map[string]Verdict{"205": Reproduced, "206": Reproduced, "610": Reproduced, "611": Not} {
		l := tabled(t)
		l.tables = strings.Replace(l.tables, "above: 0.5}", "above: 0.5, size: runtime_us, least: "+least+"}", 1)
		if r := l.claim(`{table: {of: low, compare: unstable, rows: [ECMP], cells: [here small], at_least: 100}}`); r.Verdict != want {
			t.Errorf("at least %s: %s, %s%s", least, r.Verdict, r.Measured, r.Reason)
		}
	}
}

// TestStuckIsUnstable has OPS stuck at the load of its largest number: it has none then.
func TestStuckIsUnstable(t *testing.T) {
	l := tabled(t)
	l.failed["one OPS 80%"] = true
	if r := l.claim(`{table: {of: low, compare: stable, rows: [OPS], cells: [here small], at_least: 100}}`); r.Verdict != Not {
		t.Errorf("%s, %s%s", r.Verdict, r.Measured, r.Reason)
	}
}

// TestPairsOfSeveralTables counts the pairs of two tables, of which the second has one of
// three wrong.
func TestPairsOfSeveralTables(t *testing.T) {
	l := tabled(t)
	l.numbers += `second,here,small,OPS,1
second,here,small,ARCANE,2
second,here,small,ECMP,3
`
	l.tables += "  - {id: second, title: x, file: numbers.csv, where: {what: second}, cells: [place, size], rows: scheme, of: {here small: one}, metric: runtime_us, along: load}\n"
	r := l.claim(`{table: {of: low, compare: order, rows: [OPS, ARCANE, ECMP], cells: [here small], apart: 1.5, and: [{of: second, apart: 1.9}], at_least: 90}}`)
	k := r.Checks[0]
	if r.Verdict != Not || !strings.Contains(r.Measured, "4 of 5 pairs: 80 %") || !slices.Equal(k.Misses, []string{"second, here small: OPS below ARCANE"}) {
		t.Errorf("%s: %s; %s; %q", r.Verdict, r.Measured, r.Reason, k.Misses)
	}
	if k.Name != "low, second order OPS, ARCANE, ECMP" {
		t.Errorf("it is called %q", k.Name)
	}
}

// TestLargestTellsOfOthers has a check of the largest of several cells, of which two miss.
func TestLargestTellsOfOthers(t *testing.T) {
	r := tabled(t).claim(`{table: {of: low, compare: deviation, rows: [OPS, ARCANE], cells: [here small], take: largest, at_most: 19}}`)
	if !strings.Contains(r.Reason, "; OPS here small: ") && !strings.Contains(r.Reason, "; ARCANE here small: ") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

// TestOrderNeedsThePapers has ARCANE above OPS, which the paper has below.
func TestOrderNeedsThePapers(t *testing.T) {
	l := tabled(t)
	l.values["one"]["ARCANE 80%"] = []float64{400, 401, 399}
	r := l.claim(`{table: {of: low, compare: order, rows: [OPS, ARCANE, ECMP], cells: [here small], apart: 1.5, at_least: 90}}`)
	if r.Verdict != Not || !strings.Contains(r.Reason, "here small: ARCANE 400 not below OPS 300") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

func TestMistakesOfTables(t *testing.T) {
	for _, c := range []struct{ name, tables, check, says string }{
		{"table", "", `table: {of: lo, compare: value, rows: [OPS], at_most: 1}`, `no table "lo"; did you mean "low"?`},
		{"column", "", `table: {of: low, compare: value, rows: [OPS], cells: [here smal], at_most: 1}`, `did you mean "here small"?`},
		{"metric", "", `table: {of: low, metric: runtime, compare: value, rows: [OPS], at_most: 1}`, `did you mean "runtime_us"?`},
		{"column of a replacement", "", `table: {of: low, compare: value, rows: [OPS], instead: [{row: OPS, column: heer small, study: two}], at_most: 1}`, `did you mean "here small"?`},
		{"study of a replacement", "", `table: {of: low, compare: value, rows: [OPS], instead: [{row: OPS, column: here small, study: tow}], at_most: 1}`, `no study "tow"; did you mean "two"?`},
		{"row of a replacement", "", `table: {of: low, compare: value, rows: [OPS], instead: [{row: OPS, column: here small, study: two}], at_most: 1}`, `study two has no variant "OPS"`},
		{"level of a replacement", "", `table: {of: low, compare: value, rows: [OPS], instead: [{row: ARCANE, column: here small, study: two, at: {load: 41%}}], at_most: 1}`, `no level "41%"`},
		{"two replacements", "", `table: {of: low, compare: value, rows: [OPS], instead: [{row: ARCANE, column: here small, study: two}, {row: ARCANE, column: here small, study: one}], at_most: 1}`, `replaced twice`},
		{"bound", "", `table: {of: low, compare: value, rows: [OPS]}`, `no bound is given`},
		{"over", "", `table: {of: low, compare: each, rows: [OPS], at_most: 1}`, `rows and over name what each and ratio compare`},
		{"further pairs of what counts none", "", `table: {of: low, compare: value, rows: [OPS], at_most: 1, and: [{of: low}]}`, `only order counts pairs`},
		{"further table", "", `table: {of: low, compare: order, at_least: 1, and: [{of: lo}]}`, `and: there is no table "lo"; did you mean "low"?`},
		{"further table of ours", "", `table: {of: low, compare: order, at_least: 1, and: [{of: ours}]}`, `the paper has no numbers of table ours`},
		{"size of what", "  - {id: x, title: x, of: {a: one}, metric: runtime_us, unstable: {metric: unstable, above: 0.5, least: 3}}\n", "", `write both or none`},
		{"number of the paper", "", `table: {of: ours, compare: order, at_least: 1}`, `which has no numbers of this`},
		{"level", "", `at: {load: 41%}, table: {of: low, compare: value, rows: [OPS], at_most: 1}`, `no level "41%"`},
		{"study", "  - {id: x, title: x, of: {a: uno}, metric: runtime_us}\n", "", `no study "uno"`},
		{"file", "  - {id: x, title: x, file: none.csv, cells: [a], rows: b, of: {a: one}, metric: runtime_us}\n", "", `none.csv`},
		{"column of the file", "  - {id: x, title: x, file: numbers.csv, cells: [plac], rows: scheme, of: {a: one}, metric: runtime_us}\n", "", `did you mean "place"?`},
		{"no rows", "  - {id: x, title: x, file: numbers.csv, of: {a: one}, metric: runtime_us}\n", "", `write both`},
		{"nothing in the file", "  - {id: x, title: x, file: numbers.csv, cells: [place], rows: scheme, of: {a: one}, metric: runtime_us}\n", "", `no number of any column`},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := tabled(t)
			l.tables += c.tables
			check := c.check
			if check == "" {
				check = `table: {of: low, compare: value, rows: [OPS], at_most: 1}`
			}
			_, err := l.evaluator("  - {id: c, where: here, claim: x, claimed: y, study: one, checks: [{" + check + "}]}\n")
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v; want %q", err, c.says)
			}
		})
	}
}

// TestSumsOfRows has rows summed up over the columns in which they are stable, where all of
// them were run, beside the paper's.
func TestSumsOfRows(t *testing.T) {
	l := tabled(t)
	l.tables = strings.Replace(l.tables, "    metric: runtime_us\n", "    metric: runtime_us\n    mean: all mean\n    range: all range\n", 1)
	l.numbers += "runtime,all,mean,ARCANE,163\nruntime,all,range,ARCANE,76\n"
	e, err := l.evaluator("")
	if err != nil {
		t.Fatal(err)
	}
	low, _ := e.TableNamed("low")
	all, err := e.Tabulate(low)
	if err != nil {
		t.Fatal(err)
	}
	// ARCANE takes 100 in one study and 201 in the other; ECMP is unstable in the one and,
	// as OPS, not in the other.
	for _, c := range []struct{ column, text string }{{"all mean", "150"}, {"all range", "101"}} {
		if got := all.cell("ARCANE", c.column); got == nil || got.Text != c.text || got.Paper == nil {
			t.Errorf("%s of ARCANE: %+v, want %s and the paper's", c.column, got, c.text)
		}
		if got := all.cell("OPS", c.column); got == nil || got.Missing == "" {
			t.Errorf("%s of OPS, which is not in a study: %+v", c.column, got)
		}
	}
	for _, c := range []struct {
		row      string
		paper    bool
		numbers  []float64
		unstable int
	}{
		{"ARCANE", false, []float64{100, 201}, 0}, {"ARCANE", true, []float64{125, 201}, 0},
		{"ECMP", false, nil, 1}, {"ECMP", true, nil, 1}, {"OPS", true, []float64{250}, 0},
	} {
		numbers, unstable := all.Stable(slices.Index(all.Rows, c.row), 2, c.paper)
		if !slices.Equal(numbers, c.numbers) || unstable != c.unstable {
			t.Errorf("%s, the paper's %t: %v, %d unstable; want %v, %d", c.row, c.paper, numbers, unstable, c.numbers, c.unstable)
		}
	}
	if r := l.claim(`{table: {of: low, compare: deviation, rows: [ARCANE], cells: [all mean], at_most: 10}}`); r.Verdict != Reproduced || !strings.Contains(r.Measured, "ARCANE all mean") {
		t.Errorf("%s: %s, %s", r.Verdict, r.Measured, r.Reason)
	}
}

// TestSumsOfBothScales tells sums over cells of both scales from those of one, by the cells
// that are in them.
func TestSumsOfBothScales(t *testing.T) {
	of := func(preferred, unstable bool) Tabled {
		return Tabled{Preferred: preferred, Unstable: unstable, number: computedNumber(1, "", false)}
	}
	same := of(true, false)
	same.Both = true
	for _, c := range []struct {
		cells            []Tabled
		preferred, mixed bool
	}{
		{[]Tabled{of(true, false), of(true, false)}, true, false},
		{[]Tabled{of(true, false), of(false, false)}, true, true},
		{[]Tabled{of(true, false), of(false, true)}, true, false},
		{[]Tabled{of(true, true), of(false, false)}, false, false},
		{[]Tabled{same, of(true, false)}, true, false},
		{[]Tabled{same, of(false, false)}, false, false},
	} {
		all := Tabulated{Columns: []string{"a", "b"}, Rows: []string{"r"}, Cells: [][]Tabled{c.cells}}
		all.addSums(&Table{Mean: "mean"}, nil)
		if sum := all.Cells[0][2]; sum.Preferred != c.preferred || sum.Mixed != c.mixed {
			t.Errorf("of %+v: preferred %t, mixed %t", c.cells, sum.Preferred, sum.Mixed)
		}
	}
}
