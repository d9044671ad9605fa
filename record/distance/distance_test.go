package distance

import (
	"math"
	"testing"

	"weft/record"
	"weft/unit"
)

// flows returns messages of a group that take 1, 2, … times so long.
func flows(group string, n int, each unit.Time) (list []record.Flow) {
	for i := range n {
		list = append(list, record.Flow{Group: group, Measured: true, Start: 7, End: 7 + unit.Time(i+1)*each})
	}
	return list
}

func TestOf(t *testing.T) {
	first := append(flows("a", 100, 1000), flows("b", 1, 500)...)
	second := append(flows("a", 100, 1090), record.Flow{Group: "b", Measured: true, Start: 1, End: record.Unfinished}, record.Flow{Group: "c", Start: 1, End: 2})
	groups := Of(first, second)
	if len(groups) != 2 {
		t.Fatalf("%+v", groups)
	}
	a, b := &groups[0], &groups[1]
	if a.First != (Times{100, 0, 50_000, 99_000}) || a.Second != (Times{100, 0, 54_500, 107_910}) {
		t.Errorf("%+v", a)
	}
	if d := a.Median(); math.Abs(d-0.09) > 1e-9 || a.Verdict(Wire(), false) != Within || a.Verdict(Tolerance{0.08, 1}, false) != Outside || a.Verdict(Tolerance{1, 0.08}, false) != Outside {
		t.Errorf("%+v: %v", a, d)
	}
	late := append(flows("a", 100, 1000), record.Flow{Group: "a", Measured: true, End: record.Unfinished})
	if g := Of(first[:100], late)[0]; g.Verdict(Wire(), false) != Within || g.Second.Unfinished != 1 {
		t.Errorf("one in a hundred did not finish: %+v", g)
	}
	for range 9 {
		late = append(late, record.Flow{Group: "a", Measured: true, End: record.Unfinished})
	}
	if g := Of(first[:100], late)[0]; g.Verdict(Wire(), false) != Outside {
		t.Errorf("what did not finish is not missed: %+v", g)
	}
	if !math.IsNaN(b.Median()) || b.Verdict(Tolerance{9, 9}, false) != Outside || b.Second.Messages != 0 {
		t.Errorf("what did not finish is as what did: %+v", b)
	}
}

// TestGroupsOfOneRun: what one run alone has is told, whatever the tolerance, and also of a run that shows nothing.
func TestGroupsOfOneRun(t *testing.T) {
	first := append(flows("both", 3, 1000), flows("gone", 2, 500)...)
	second := append(flows("new", 1, 7), flows("both", 3, 1000)...)
	second = append(second, record.Flow{Group: "late", Measured: true, End: record.Unfinished}, record.Flow{Group: "outside of the window", Start: 1, End: 2})
	for _, void := range []bool{false, true} {
		both := Within
		if void {
			both = Void
		}
		want := []struct {
			name    string
			verdict Verdict
		}{{"both", both}, {"gone", OnlyFirst}, {"new", OnlySecond}, {"late", OnlySecond}}
		groups := Of(first, second)
		if len(groups) != len(want) {
			t.Fatalf("%+v", groups)
		}
		for i, w := range want {
			if g := &groups[i]; g.Name != w.name || g.Verdict(Tolerance{9, 9}, void) != w.verdict {
				t.Errorf("void %v: %+v is %s, want %+v", void, g, g.Verdict(Tolerance{9, 9}, void), w)
			}
		}
	}
}
