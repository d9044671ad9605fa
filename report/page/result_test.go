package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/record"
	"weft/study"
)

// duel is a study of two variants, a and b, whose slowdowns at each load are given, with
// intervals of a tenth to both sides.
type duel struct {
	loads []string
	a, b  []float64
	// never are the loads at which a did not finish.
	never []int
	seeds int
}

func (d duel) report() *Report {
	t := &study.Table{Metrics: []study.Column{
		{Name: "slowdown_bare_p99", Title: "p99 slowdown (ideal without headers)", LowerIsBetter: true, Basis: record.Basis{OfFinished: true, Ideal: record.IdealWithoutHeaders}},
		{Name: "drops", Title: "drops", LowerIsBetter: true},
	}}
	t.Axes = []study.Axis{{Name: "variant", Levels: []string{"a", "b"}}, {Name: "load", Path: "traffic.x.arrival.load", Levels: d.loads}}
	for v, values := range [][]float64{d.a, d.b} {
		for l, mean := range values {
			c := study.Cell{Name: fmt.Sprintf("%s, load %s", t.Axes[0].Levels[v], d.loads[l]), Levels: []int{v, l}, Runs: d.seeds, Done: d.seeds}
			if v == 0 && slices.Contains(d.never, l) {
				c.Unfinished = map[string]float64{"": 0.4}
			}
			of := make([]float64, d.seeds)
			for i := range of {
				of[i] = mean
				if d.seeds > 1 {
					of[i] *= 0.9 + 0.2*float64(i)/float64(d.seeds-1)
				}
			}
			c.Estimates = []study.Estimate{study.NewEstimate(of), study.NewEstimate(slices.Repeat([]float64{7}, d.seeds))}
			t.Cells = append(t.Cells, c)
		}
	}
	return &Report{Title: "duel", Table: t}
}

func TestResultIsSaidFirst(t *testing.T) {
	for name, tt := range map[string]struct {
		d    duel
		want string
	}{
		"one wins everywhere": {duel{[]string{"20%", "60%"}, []float64{10, 100}, []float64{20, 125}, nil, 5},
			"a has the lowest p99 slowdown in all 2 levels of load, 20 to 50 % below the next."},
		"each wins somewhere": {duel{[]string{"20%", "60%", "80%"}, []float64{10, 200, 1}, []float64{20, 100, 4}, nil, 5},
			"a has the lowest p99 slowdown in 2 of 3 levels of load, 50 to 75 % below the next. b has it in 1, 50 % below the next."},
		"not separated": {duel{[]string{"20%"}, []float64{10}, []float64{10.2}, nil, 5},
			"The lowest p99 slowdown is not separated: the 95 % intervals of a (10) and b (10.20) overlap."},
		"one seed": {duel{[]string{"20%"}, []float64{10}, []float64{20}, nil, 1},
			"a has the lowest p99 slowdown: 10, 50 % below b (20). One seed: the ranking has no confidence interval."},
		"the best did not finish": {duel{[]string{"20%", "60%"}, []float64{20, 1}, []float64{10, 200}, []int{1}, 5},
			"b has the lowest p99 slowdown in all 2 levels of load, 50 % below the next, the only one to finish in 1. a did not finish in 1 of 2."},
		"alike": {duel{[]string{"20%"}, []float64{10}, []float64{10}, nil, 5}, "All variants have the same p99 slowdown: 10."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(newTable(tt.d.report()).result().Said, " "); got != tt.want {
				t.Errorf("the result is\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

// TestRanksAreOfOneCombination holds marks to comparing nothing across loads, and to never
// marking what did not finish.
func TestRanksAreOfOneCombination(t *testing.T) {
	d := duel{[]string{"20%", "60%", "80%"}, []float64{10, 100, 1}, []float64{20, 101, 400}, []int{2}, 5}
	tab := newTable(d.report())
	want := map[string]rank{
		"a, load 20%": best, "b, load 20%": "",
		"a, load 60%": near, "b, load 60%": near,
		"a, load 80%": amiss, "b, load 80%": "",
	}
	summary := tab.summary("")
	for i, r := range tab.ranks(0) {
		if r != want[tab.rows[i].Name] {
			t.Errorf("%s is ranked %q, want %q", tab.rows[i].Name, r, want[tab.rows[i].Name])
		}
		if c := summary.Rows[i].Cells[0]; (c.Text == study.Unfinished) != (r == amiss) {
			t.Errorf("%s reads %q", tab.rows[i].Name, c.Text)
		}
	}
	if i := slices.IndexFunc(tab.rows, func(r row) bool { return r.Name == "b, load 20%" }); i != 1 || !summary.Rows[2].First || summary.Rows[1].First {
		t.Error("what can be compared does not stand together")
	}
}

// TestChartsHaveNoValueOfWhatDidNotFinish looks at the data that charts are drawn from.
func TestChartsHaveNoValueOfWhatDidNotFinish(t *testing.T) {
	r := duel{[]string{"20%", "60%"}, []float64{1, 10}, []float64{2, 20}, []int{0}, 5}.report()
	data, err := json.Marshal(newPayload(r, newTable(r), fullBudget()))
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		Axis             int
		Variants, Panels []string
		Rows             []struct {
			Name           string
			Variant, Panel int
			Instead        map[string]string
			Estimates      [][]*float64
		}
	}
	if err := json.Unmarshal(data, &page); err != nil {
		t.Fatal(err)
	}
	if page.Axis != 0 || !slices.Equal(page.Variants, []string{"a", "b"}) || !slices.Equal(page.Panels, []string{"load 20%", "load 60%"}) {
		t.Errorf("axis %d, variants %v, panels %v", page.Axis, page.Variants, page.Panels)
	}
	for _, row := range page.Rows {
		never := row.Name == "a, load 20%"
		if (row.Estimates[0][1] == nil) != never || (row.Instead[""] == study.Unfinished) != never {
			t.Errorf("%s has %v, instead %v", row.Name, row.Estimates, row.Instead)
		}
		if want := page.Variants[row.Variant] + ", " + page.Panels[row.Panel]; row.Name != want {
			t.Errorf("%s is drawn as %s", row.Name, want)
		}
	}
}

// TestResultComesBeforeParameters holds the first screen to the answer.
func TestResultComesBeforeParameters(t *testing.T) {
	r := duel{[]string{"20%"}, []float64{1}, []float64{2}, nil, 5}.report()
	r.Notices = []string{"one thing", "another thing"}
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	html := b.String()
	at := -1
	for _, part := range []string{`id="result"`, `id="summary"`, `id="study"`, `id="notes"`, "<li>one thing</li><li>another thing</li>", `id="parameters"`, `id="run"`} {
		i := strings.Index(html, part)
		if i < at || i < 0 {
			t.Errorf("%s is at %d, before what comes before it", part, i)
		}
		at = i
	}
}

func TestStudyOfLoadsHasNoBest(t *testing.T) {
	r := duel{[]string{"20%", "60%"}, []float64{1, 5}, nil, nil, 5}.report()
	r.Table.Axes[0].Levels = []string{"a"}
	got := newTable(r)
	if said := strings.Join(got.result().Said, " "); got.axis != study.NoAxis || !strings.Contains(said, "differ only in load, so there is nothing to rank") {
		t.Errorf("axis %d: %s", got.axis, said)
	}
	for _, r := range got.ranks(0) {
		if r != "" {
			t.Errorf("a load is ranked %q", r)
		}
	}
}
