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
		hollow        bool
		want          string
	}{
		{"fct_p99_us", "", []float64{0.01, 0.002, 0}, false, ""},
		{"fct_p99_us", "", []float64{0.012, 0.17, 0}, false, "Left out are unfinished messages: 17 % of OPS; 1.2 % of ECMP."},
		{"size:D.slowdown_bare_p99", "D", []float64{0.17, 0, 0}, false, "Left out are unfinished messages: 17 % of D, ECMP."},
		{"goodput_gbps", "", []float64{0.5, 0.5, 0.5}, false, ""},
		{"goodput_gbps", "", nil, true, "Hollow points are of scale quick."},
	} {
		r := remarks{hollow: c.hollow}
		r.see(of(c.metric, c.shares...), c.class)
		if got := r.text("quick"); got != c.want {
			t.Errorf("%s: %q, want %q", c.metric, got, c.want)
		}
	}
	d := of("fct_p99_us", 0.02)
	d.Over = []papers.DerivedOver{{Levels: []string{"OPS", "50%"}, Unfinished: 0.3}, {Levels: []string{"OPS", "95%"}, Unfinished: 0.01}}
	var over remarks
	over.see(d, "")
	if got, want := over.text(""), "Left out are unfinished messages: 30 % of OPS, 50%; 2 % of ECMP."; got != want {
		t.Errorf("of what others are divided by it says %q, want %q", got, want)
	}
	var many remarks
	for range mostNamed + 2 {
		many.unfinished = append(many.unfinished, unfinished{"x", 0.5})
	}
	if got, want := many.text(""), "; and above 1 % of 2 more."; len(got) < len(want) || got[len(got)-len(want):] != want {
		t.Errorf("of many it says %q", got)
	}
}
