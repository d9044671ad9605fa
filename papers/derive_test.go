package papers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/config"
	"weft/study"
)

// TestDerivedFrom has a cell of the scale that is preferred, and runs that leave messages
// unfinished.
func TestDerivedFrom(t *testing.T) {
	l := newLab(t)
	e, err := l.evaluator("")
	if err != nil {
		t.Fatal(err)
	}
	full := newLab(t)
	full.values = map[string]table{"one": {"OPS 40%": {400, 404, 396}}, "two": {}}
	other, err := full.evaluator("")
	if err != nil {
		t.Fatal(err)
	}
	e.overlay(other)
	s, _ := e.Study("one")
	e.Opened["one"] = new(study.Study) // something was run
	for id, d := range map[string]*Data{"plain": e.data["one"], "preferred": other.data["one"]} {
		value := d.value
		d.value = func(cell int, seed uint64, metric string) (float64, error) {
			switch metric {
			case "a.messages":
				return 100, nil
			case "a.unfinished":
				return map[string]float64{"plain": 17, "preferred": 2}[id], nil
			}
			return value(cell, seed, metric)
		}
	}
	for metric, share := range map[string][2]float64{"a.fct_p99_us": {0.02, 0.17}, "runtime_us": {0, 0}} {
		got, err := e.Derive(s, &Draw{Metric: metric, Color: "variant"})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range got.Cells {
			want := DerivedFrom{Unfinished: share[1]}
			if c.Name == "OPS 40%" {
				want = DerivedFrom{Preferred: true, Unfinished: share[0]}
			}
			if got.Of[i] != want {
				t.Errorf("%s of %s: %+v, want %+v", metric, c.Name, got.Of[i], want)
			}
		}
	}

	// A line is of one scale, and that of OPS has one point of the preferred one.
	lines, err := e.Derive(s, &Draw{Kind: "lines", Metric: "runtime_us", Color: "variant", X: "load"})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range lines.Cells {
		if lines.Of[i].Preferred {
			t.Errorf("on a line, %s is of another scale than others", c.Name)
		}
	}

	// What all is divided by is none of the cells, and leaves messages unfinished, too.
	over, err := config.Parse("", []byte("variant: OPS"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Derive(s, &Draw{Metric: "a.fct_p99_us", Color: "variant", Over: over})
	if err != nil {
		t.Fatal(err)
	}
	want := []DerivedOver{{[]string{"OPS", "40%"}, 0.02}, {[]string{"OPS", "80%"}, 0.17}}
	if diff := cmp.Diff(want, got.Over); diff != "" {
		t.Errorf("divided by (-want +got):\n%s", diff)
	}
}
