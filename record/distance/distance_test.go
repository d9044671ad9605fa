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
	if d := a.Median(); math.Abs(d-0.09) > 1e-9 || !a.Within(Wire()) || a.Within(Tolerance{0.08, 1}) || a.Within(Tolerance{1, 0.08}) {
		t.Errorf("%+v: %v", a, d)
	}
	late := append(flows("a", 100, 1000), record.Flow{Group: "a", Measured: true, End: record.Unfinished})
	if g := Of(first[:100], late)[0]; !g.Within(Wire()) || g.Second.Unfinished != 1 {
		t.Errorf("one in a hundred did not finish: %+v", g)
	}
	for range 9 {
		late = append(late, record.Flow{Group: "a", Measured: true, End: record.Unfinished})
	}
	if g := Of(first[:100], late)[0]; g.Within(Wire()) {
		t.Errorf("what did not finish is not missed: %+v", g)
	}
	if !math.IsNaN(b.Median()) || b.Within(Tolerance{9, 9}) || b.Second.Messages != 0 {
		t.Errorf("what did not finish is as what did: %+v", b)
	}
}
