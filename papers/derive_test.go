package papers

import (
	"testing"

	"weft/config"
	"weft/study"
)

// TestDerivedFrom has runs that leave messages unfinished, more of them at the scale that is
// evaluated. What a figure shows is compared, and of the scale that is preferred only if all of it
// was run there or is the same.
func TestDerivedFrom(t *testing.T) {
	const share, preferredShare = 0.17, 0.02
	quick := DerivedFrom{Other: true, Unfinished: share}
	full := DerivedFrom{Preferred: true, Unfinished: preferredShare}
	ops := table{"OPS 40%": {400, 404, 396}, "OPS 80%": {600, 606, 594}}
	for _, c := range []struct {
		name string
		run  table
		same string // a cell that is the same at both scales
		draw Draw
		want map[string]DerivedFrom // by cell, "" for those that are not named
		over float64                // what is left out of what others are divided by
	}{
		{"a line beside others", ops, "", Draw{Kind: "lines", X: "load"}, map[string]DerivedFrom{"": quick}, 0},
		{"a line", ops, "", Draw{Kind: "lines", X: "load", At: node(t, "variant: OPS")}, map[string]DerivedFrom{"": full}, 0},
		{"half a line", table{"OPS 40%": ops["OPS 40%"]}, "", Draw{Kind: "lines", X: "load"}, map[string]DerivedFrom{"": quick}, 0},
		{"a curve beside others", ops, "", Draw{Kind: "curve", Along: "load"}, map[string]DerivedFrom{"": quick}, 0},
		{"some bars", ops, "", Draw{Kind: "bars"}, map[string]DerivedFrom{"": quick}, 0},
		{"all bars that are drawn", ops, "", Draw{Kind: "bars", At: node(t, "variant: OPS")}, map[string]DerivedFrom{"": full}, 0},
		{"bars and one that is the same", ops, "ARCANE 40%", Draw{Kind: "bars", At: node(t, "variant: [OPS, ARCANE]\nload: 40%")},
			map[string]DerivedFrom{"OPS 40%": full, "ARCANE 40%": {Unfinished: share}}, 0},
		{"one that is the same", table{}, "ARCANE 40%", Draw{Kind: "bars", At: node(t, "variant: ARCANE\nload: 40%")},
			map[string]DerivedFrom{"": {Unfinished: share}}, 0},
		{"divided by what is of another scale", ops, "", Draw{Kind: "lines", X: "load", Over: node(t, "variant: OPS")}, map[string]DerivedFrom{"": quick}, share},
		{"divided by what is the same", ops, "ARCANE 40%", Draw{Kind: "bars", At: node(t, "variant: [OPS, ARCANE]\nload: 40%"), Over: node(t, "variant: ARCANE")},
			map[string]DerivedFrom{"": full}, share},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, other := overlaid(t, c.run, c.same)
			for _, d := range []*Data{e.data["one"], e.plain.data["one"], other.data["one"]} {
				value, lost := d.value, 100*share
				if d == other.data["one"] {
					lost = 100 * preferredShare
				}
				d.value = func(cell int, seed uint64, metric string) (float64, error) {
					switch metric {
					case "a.messages":
						return 100, nil
					case "a.unfinished":
						return lost, nil
					}
					return value(cell, seed, metric)
				}
			}
			s, _ := e.Study("one")
			for metric, unfinished := range map[string]bool{"a.fct_p99_us": true, "runtime_us": false} {
				draw := c.draw
				draw.Metric, draw.Color = metric, "variant"
				got, err := e.Derive(s, &draw)
				if err != nil {
					t.Fatal(err)
				}
				if len(got.Cells) == 0 {
					t.Fatal("nothing is drawn")
				}
				for i, cell := range got.Cells {
					want, ok := c.want[cell.Name]
					if !ok {
						want = c.want[""]
					}
					if !unfinished {
						want.Unfinished = 0
					}
					if got.Of[i] != want {
						t.Errorf("%s of %s: %+v, want %+v", metric, cell.Name, got.Of[i], want)
					}
				}
				for _, o := range got.Over {
					if unfinished && o.Unfinished != c.over {
						t.Errorf("of what all is divided by %v are unfinished, want %v", o.Unfinished, c.over)
					}
				}
			}
		})
	}
}

// overlaid is a lab with what was run of its study one at the scale that is preferred, of
// which a cell may be the same at both.
func overlaid(t *testing.T, run table, same string) (e, other *Evaluator) {
	t.Helper()
	l, full := newLab(t), newLab(t)
	full.values = map[string]table{"one": run, "two": {}}
	e, err := l.evaluator("")
	if err != nil {
		t.Fatal(err)
	}
	if other, err = full.evaluator(""); err != nil {
		t.Fatal(err)
	}
	for i, c := range e.data["one"].Cells {
		e.data["one"].Cells[i].Hash, other.data["one"].Cells[i].Hash = "quick "+c.Name, "full "+c.Name
		if c.Name == same {
			other.data["one"].Cells[i].Hash = "quick " + c.Name
		}
	}
	e.overlay(other)
	e.Opened["one"], e.plain.Opened["one"] = new(study.Study), new(study.Study) // something was run
	return e, other
}

func node(t *testing.T, text string) *config.Node {
	t.Helper()
	n, err := config.Parse("", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
