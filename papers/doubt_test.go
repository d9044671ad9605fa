package papers

import (
	"math"
	"testing"
)

// TestDecide: points in doubt decide nothing, and make a difference only where others do not suffice.
func TestDecide(t *testing.T) {
	yes, no := PointResult{Met: true}, PointResult{}
	zero, seed := PointResult{Doubt: &Doubt{Kind: doubtZero}}, PointResult{Met: true, Doubt: &Doubt{Kind: doubtSeed}}
	window := PointResult{Met: true, Doubt: &Doubt{Kind: DoubtWindow}}
	all, some, two := Quantity{word: "all"}, Quantity{word: "any"}, Quantity{least: 2}
	for _, tt := range []struct {
		name   string
		hold   Quantity
		points []PointResult
		holds  bool
		doubt  string
	}{
		{"all hold", all, []PointResult{yes, yes}, true, ""},
		{"one fails", all, []PointResult{yes, no}, false, ""},
		{"zeros are left out", all, []PointResult{yes, zero, zero}, true, ""},
		{"zeros alone", all, []PointResult{zero, zero}, false, doubtZero},
		{"a zero beside a miss", all, []PointResult{no, zero}, false, ""},
		{"a window is open", all, []PointResult{yes, window}, false, DoubtWindow},
		{"a miss decides all the same", all, []PointResult{no, window}, false, ""},
		{"one suffices", some, []PointResult{yes, seed}, true, ""},
		{"one may suffice", some, []PointResult{no, seed}, false, doubtSeed},
		{"two suffice", two, []PointResult{yes, yes, window}, true, ""},
		{"two may", two, []PointResult{yes, no, window}, false, DoubtWindow},
		{"two never do", two, []PointResult{no, no, window}, false, ""},
		{"nothing", all, nil, false, ""},
	} {
		r := CheckResult{Points: tt.points}
		r.decide(tt.hold)
		kind := ""
		if r.Undecided != nil {
			kind = r.Undecided.Kind
		}
		if r.Holds != tt.holds || kind != tt.doubt {
			t.Errorf("%s: holds %v, undecided %q; want %v, %q", tt.name, r.Holds, kind, tt.holds, tt.doubt)
		}
	}
}

// TestInWindow: a window is too short if nothing is judged and the backlog grows.
func TestInWindow(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		growth, unstable float64
		capacity, doubt  bool
	}{
		{nan, nan, false, false}, {3, nan, false, false}, {24, nan, false, true}, {24, nan, true, true},
		{24, 0, false, false}, {24, 1, false, true}, {24, 1, true, false},
	} {
		if got := inWindow(tt.growth, tt.unstable, tt.capacity); (got != "") != tt.doubt {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// TestNumbersInDoubt compares zeros, and numbers of one seed.
func TestNumbersInDoubt(t *testing.T) {
	of := func(values ...float64) number {
		s := &Sample{Values: values}
		for i := range values {
			s.Seeds = append(s.Seeds, uint64(i+1))
		}
		return numberOf(s)
	}
	for _, tt := range []struct {
		name string
		n    number
		kind string
	}{
		{"zeros", of(0, 0).over(of(0, 0)), doubtZero},
		{"a zero and more", of(0, 0).over(of(0, 3)), ""},
		{"one seed", of(2).over(of(4)), doubtSeed},
		{"two seeds", of(2, 3).over(of(4, 5)), ""},
		{"the mean of zeros and more", meanOf([]number{of(0, 0).over(of(0, 0)), of(1, 1).over(of(2, 2))}), ""},
		{"a model", number{model: true}, ""},
	} {
		kind := ""
		if d := tt.n.doubt(); d != nil {
			kind = d.Kind
		}
		if kind != tt.kind {
			t.Errorf("%s: %q, want %q", tt.name, kind, tt.kind)
		}
	}
	if d := doubtOf([]number{of(0, 0), of(0, 0)}); d == nil || d.Kind != doubtZero {
		t.Errorf("levels of zero: %v", d)
	}
	most := 1.0
	if !(&Bound{AtMost: &most}).none() || (&Bound{AtLeast: &most}).none() {
		t.Error("no more than once as much is kept by nothing, and at least as much is not")
	}
}
