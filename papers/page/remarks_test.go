package page

import (
	"testing"

	"weft/config"
	"weft/papers"
	"weft/study"
)

// TestRemarks has bars of which more messages than a few did not finish, of a time and of a
// number that does not leave them out.
func TestRemarks(t *testing.T) {
	of := func(metric string, shares ...float64) *papers.Derived {
		d := &papers.Derived{Table: &study.Table{
			Axes:    []study.Axis{{Name: "variant", Levels: []string{"ECMP", "OPS", "ARCANE"}}, {Name: "load", Levels: []string{"50%"}}},
			Metrics: []study.Column{{Name: metric}},
		}, Metric: papers.MetricNamed(metric)}
		for i, share := range shares {
			d.Cells = append(d.Cells, study.Cell{Levels: []int{i, 0}, Estimates: []study.Estimate{{N: 1}}})
			d.Of = append(d.Of, papers.DerivedFrom{Unfinished: share})
		}
		return d
	}
	for _, c := range []struct {
		metric, class string
		shares        []float64
		want          string
	}{
		{"fct_p99_us", "", []float64{0.01, 0.002, 0}, ""},
		{"fct_p99_us", "", []float64{0.012, 0.17, 0}, "Left out are unfinished messages: 17 % of OPS; 1.2 % of ECMP."},
		{"size:D.slowdown_bare_p99", "D", []float64{0.17, 0, 0}, "Left out are unfinished messages: 17 % of D, ECMP."},
		{"goodput_gbps", "", []float64{0.5, 0.5, 0.5}, ""},
	} {
		var r remarks
		r.see(of(c.metric, c.shares...), c.class, nil)
		if got := r.text("quick", ""); got != c.want {
			t.Errorf("%s: %q, want %q", c.metric, got, c.want)
		}
	}
	d := of("fct_p99_us", 0.02)
	d.Over = []papers.DerivedOver{{Levels: []string{"OPS", "50%"}, Unfinished: 0.3}, {Levels: []string{"OPS", "95%"}, Unfinished: 0.01}}
	var over remarks
	over.see(d, "", nil)
	if got, want := over.text("quick", ""), "Left out are unfinished messages: 30 % of OPS, 50%; 2 % of ECMP."; got != want {
		t.Errorf("of what others are divided by it says %q, want %q", got, want)
	}
	var off remarks
	off.see(of("fct_p99_us", 0.3, 0.02), "", []bool{true, false, false})
	if got, want := off.text("quick", ""), "Left out are unfinished messages: 2 % of OPS."; got != want {
		t.Errorf("beside what is unstable it says %q, want %q", got, want)
	}
	var many remarks
	for range mostNamed + 2 {
		many.unfinished = append(many.unfinished, unfinished{"x", 0.5})
	}
	if got, want := many.text("quick", ""), "; and above 1 % of 2 more."; len(got) < len(want) || got[len(got)-len(want):] != want {
		t.Errorf("of many it says %q", got)
	}
}

// TestRemarksSayWhatAxesLeaveOut says below a figure what slowdowns are over, where lines
// lead to, and what has no value.
func TestRemarksSayWhatAxesLeaveOut(t *testing.T) {
	var r remarks
	for _, metric := range []string{"slowdown_bare_p99", "goodput_gbps"} { // which says nothing of it
		m := papers.MetricNamed(metric)
		r.over(&m)
	}
	m := papers.MetricNamed("slowdown_bare_p99")
	if got := quantity(&papers.Table{Best: true}, &m); got != "p99 slowdown, over the best" {
		t.Errorf("the axis says %q", got)
	}
	r.along, r.from, r.to = "load", "50%", "95%"
	r.table, r.unstable, r.theirs = "Table 4", []string{"Swift", "dcPIM"}, []string{"DCTCP"}
	want := "Ideal without headers. Lines lead from load 50% to 95%, the ringed end. " +
		"Unstable in Table 4, and an arrow instead of a value: Swift, dcPIM. Unstable in the paper's Table 4 only: DCTCP."
	if got := r.text("quick", ""); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// TestScaleOfFigures says of which scale a figure is by what is drawn in it.
func TestScaleOfFigures(t *testing.T) {
	full, quick, same := papers.DerivedFrom{Preferred: true}, papers.DerivedFrom{Other: true}, papers.DerivedFrom{}
	for _, c := range []struct {
		of      []papers.DerivedFrom
		columns []string
		prefer  string
		want    string
	}{
		{nil, nil, "full", ""}, // a model
		{[]papers.DerivedFrom{quick}, nil, "", ""},
		{[]papers.DerivedFrom{quick, same}, nil, "full", "Scale quick."},
		{[]papers.DerivedFrom{same, full}, nil, "full", "Scale full."},
		{[]papers.DerivedFrom{same, same}, nil, "full", "The same at both scales."},
		{[]papers.DerivedFrom{quick, full}, []string{"a", "b"}, "full", "Scale full in a, b, quick elsewhere."},
	} {
		r := remarks{columns: c.columns}
		for _, of := range c.of {
			r.noteScale(of)
		}
		if got := r.text("quick", c.prefer); got != c.want {
			t.Errorf("of %+v: %q, want %q", c.of, got, c.want)
		}
	}

	// What is not drawn does not count.
	var r remarks
	d := &papers.Derived{Table: &study.Table{Metrics: []study.Column{{Name: "goodput_gbps"}}}, Of: []papers.DerivedFrom{full, quick}}
	d.Cells = []study.Cell{{Estimates: []study.Estimate{{N: 1}}}, {Estimates: []study.Estimate{{}}}}
	r.see(d, "", nil)
	if got := r.text("quick", "full"); got != "Scale full." {
		t.Errorf("with a cell of which there is no number: %q", got)
	}
}

// TestTableOf finds the table that says what is unstable in a figure of the same quantity.
func TestTableOf(t *testing.T) {
	of := func(ids ...string) *config.Node {
		n := new(config.Node)
		for _, id := range ids {
			n.Fields = append(n.Fields, config.Field{Key: id, Value: &config.Node{Text: id}})
		}
		return n
	}
	p := &page{Evaluator: &papers.Evaluator{Ledger: &papers.Ledger{Paper: papers.Paper{Tables: []papers.Table{
		{ID: "stable", Metric: "slowdown_bare_p99", Of: of("a", "b")},
		{ID: "over loads", Metric: "slowdown_bare_p99", Along: "load", Unstable: new(papers.Instability), Of: of("a", "b")},
		{ID: "slowdown", Metric: "slowdown_bare_p99", Unstable: new(papers.Instability), Of: of("a", "b")},
	}}}}}
	for _, c := range []struct {
		study, metric string
		want          int // the column; -1 without a table
	}{
		{"b", "slowdown_bare_p99", 1},
		{"a", "size:A.slowdown_bare_p50", 0},
		{"a", "slowdown_p99", -1},
		{"c", "slowdown_bare_p99", -1},
	} {
		metric := papers.MetricNamed(c.metric)
		found, column := p.tableOf(&papers.Study{ID: c.study}, &metric)
		if (found != nil) != (c.want >= 0) || found != nil && (found.ID != "slowdown" || column != c.want) {
			t.Errorf("%s of study %s is in %+v, column %d", c.metric, c.study, found, column)
		}
	}
}
