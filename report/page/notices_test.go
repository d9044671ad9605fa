package page

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"weft/record"
	"weft/study"
)

// No variant that a notice bars ever wins a headline, and no notice is left out beside a number: on the page as it
// is read without scripts, and in the data that charts and their CSV are made from.
func TestNoticesStandBesideNumbers(t *testing.T) {
	for _, kind := range record.NoticeKinds() {
		if kind.Replaces() {
			continue
		}
		for _, loads := range [][]string{{"20%"}, {"20%", "60%"}} {
			values := [2][]float64{{10, 10}, {20, 20}}
			r := duel{loads, values[0][:len(loads)], values[1][:len(loads)], nil, 5}.report()
			for i := range r.Table.Cells {
				if r.Table.Cells[i].Levels[0] == 0 {
					r.Table.Cells[i].Notices = map[record.NoticeKind]int{kind: 5}
				}
			}
			tab := newTable(r)
			result := tab.result()
			said := strings.Join(result.Said, " ")
			if wins := strings.HasPrefix(said, "a has the lowest"); wins == kind.Bars() {
				t.Errorf("%s, %d loads: the result is %q", kind, len(loads), said)
			}
			if kind.Bars() && !strings.Contains(said, "a is "+kind.Word()) {
				t.Errorf("%s, %d loads: no reason in %q", kind, len(loads), said)
			}
			if !kind.Bars() && len(loads) == 1 && !strings.Contains(said, "10 ("+kind.Word()+")") {
				t.Errorf("%s: no mark in %q", kind, said)
			}
			if cell := result.Metrics[0].Rows[0].Cells[0]; cell.Marks != kind.Word() || cell.Rank == best == kind.Bars() {
				t.Errorf("%s: the cell is %+v", kind, cell)
			}
			if row := tab.summary("").Rows[0]; row.Marks != kind.Word() || row.Cells[0].Rank == best == kind.Bars() {
				t.Errorf("%s: the row is %+v", kind, row)
			}
			data, err := json.Marshal(newPayload(r, tab, fullBudget()).Rows[0])
			if err != nil || !strings.Contains(string(data), `"marks":"`+kind.Word()+`"`) || strings.Contains(string(data), `"barred":true`) != kind.Bars() {
				t.Errorf("%s: charts have %s, %v", kind, data, err)
			}
			var b bytes.Buffer
			if err := Write(&b, r); err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{`<span class="mark">` + kind.Word() + `</span>`, kind.Word() + ": " + kind.Meaning()} {
				if !strings.Contains(b.String(), want) {
					t.Errorf("%s: the page lacks %q", kind, want)
				}
			}
		}
	}
}

// Where notices bar all, nobody is best.
func TestNobodyIsRanked(t *testing.T) {
	r := duel{[]string{"20%"}, []float64{10}, []float64{20}, nil, 5}.report()
	for i := range r.Table.Cells {
		r.Table.Cells[i].Notices = map[record.NoticeKind]int{record.NoticeUnstable: 1}
	}
	result := newTable(r).result()
	if got, want := strings.Join(result.Said, " "), "No variant is ranked. All variants are unstable."; got != want {
		t.Errorf("the result is %q, want %q", got, want)
	}
	if got, want := result.Metrics[0].Rows[0].Verdict, "none is ranked: a and b are unstable"; got != want {
		t.Errorf("the verdict is %q, want %q", got, want)
	}
	if got, want := result.Metrics[0].Rows[0].Cells[0].Marks, "unstable (1 of 5)"; got != want {
		t.Errorf("the mark is %q, want %q", got, want)
	}
}

// A headline tells of each group of traffic by itself: the one that is quick for small messages may be slow for large.
func TestHeadlineMixesNoGroups(t *testing.T) {
	table := &study.Table{Axes: []study.Axis{{Name: "variant", Levels: []string{"a", "b"}}}}
	for _, m := range record.KnownMetrics("bulk", "rpc") {
		if _, name := record.SplitMetric(m.Name); name == "messages" || name == "slowdown_bare_p99" {
			m.Title = m.Group + ": " + name + " (of what)"
			table.Metrics = append(table.Metrics, study.NewColumn(&m))
		}
	}
	table.Metrics[0].Title = "slowdown_bare_p99"
	for v, values := range [][]float64{{3, 100, 9, 50, 2, 50}, {4, 100, 3, 50, 4, 50}} {
		c := study.Cell{Name: table.Axes[0].Levels[v], Levels: []int{v}, Runs: 1, Done: 1}
		for _, value := range values {
			c.Estimates = append(c.Estimates, study.NewEstimate([]float64{value}))
		}
		table.Cells = append(table.Cells, c)
	}
	result := newTable(&Report{Title: "groups", Table: table}).result()
	want := []string{
		"bulk: b has the lowest slowdown_bare_p99: 3, 67 % below a (9).",
		"rpc: a has the lowest slowdown_bare_p99: 2, 50 % below b (4).",
		saidOneSeed,
	}
	if strings.Join(result.Said, "|") != strings.Join(want, "|") {
		t.Errorf("said %q, want %q", result.Said, want)
	}
	for _, m := range result.Metrics {
		if !strings.HasPrefix(m.Title, "bulk: ") && !strings.HasPrefix(m.Title, "rpc: ") {
			t.Errorf("a table is of %q", m.Title)
		}
	}
}
