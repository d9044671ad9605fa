package page

import (
	"testing"

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
		}}
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
		r.see(of(c.metric, c.shares...), c.class)
		if got := r.text("quick", ""); got != c.want {
			t.Errorf("%s: %q, want %q", c.metric, got, c.want)
		}
	}
	d := of("fct_p99_us", 0.02)
	d.Over = []papers.DerivedOver{{Levels: []string{"OPS", "50%"}, Unfinished: 0.3}, {Levels: []string{"OPS", "95%"}, Unfinished: 0.01}}
	var over remarks
	over.see(d, "")
	if got, want := over.text("quick", ""), "Left out are unfinished messages: 30 % of OPS, 50%; 2 % of ECMP."; got != want {
		t.Errorf("of what others are divided by it says %q, want %q", got, want)
	}
	var many remarks
	for range mostNamed + 2 {
		many.unfinished = append(many.unfinished, unfinished{"x", 0.5})
	}
	if got, want := many.text("quick", ""), "; and above 1 % of 2 more."; len(got) < len(want) || got[len(got)-len(want):] != want {
		t.Errorf("of many it says %q", got)
	}
}

// TestScaleOfFigures says of which scale a figure is by what is drawn in it.
func TestScaleOfFigures(t *testing.T) {
	full, quick, same := papers.DerivedFrom{Preferred: true}, papers.DerivedFrom{Other: true}, papers.DerivedFrom{}
	for _, c := range []struct {
		of      []papers.DerivedFrom
		glyphs  bool
		columns []string
		prefer  string
		want    string
	}{
		{nil, false, nil, "full", ""}, // a model
		{[]papers.DerivedFrom{quick}, false, nil, "", ""},
		{[]papers.DerivedFrom{quick, same}, true, nil, "full", "Scale quick."},
		{[]papers.DerivedFrom{same, full}, true, nil, "full", "Scale full."},
		{[]papers.DerivedFrom{same, same}, false, nil, "full", "The same at both scales."},
		{[]papers.DerivedFrom{quick, full}, true, nil, "full", "Filled points are of scale full, hollow ones of scale quick."},
		{[]papers.DerivedFrom{quick, full}, false, []string{"a", "b"}, "full", "Scale full in a, b, quick elsewhere."},
	} {
		r := remarks{glyphs: c.glyphs, columns: c.columns}
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
	r.see(d, "")
	if got := r.text("quick", "full"); got != "Scale full." {
		t.Errorf("with a cell of which there is no number: %q", got)
	}
}
