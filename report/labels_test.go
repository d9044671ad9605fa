package report

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
)

func rectangle(x, y, width, height vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + width, Y: y + height}}
}

// TestLabelsAreApart has points at and beside each other, and in the corners of a plot: no
// label is on another one, on a glyph, or outside.
func TestLabelsAreApart(t *testing.T) {
	room := labelRoom{within: rectangle(0, 0, 200, 100), points: []vg.Point{
		{X: 100, Y: 50}, {X: 100, Y: 50}, {X: 103, Y: 48}, {X: 0, Y: 100}, {X: 200, Y: 100}, {X: 200, Y: 0}, {X: 97, Y: 53},
	}}
	var targets []labelTarget
	for _, p := range room.points {
		targets = append(targets, labelTarget{p, vg.Point{X: 16, Y: 6}})
	}
	places, _ := room.place(targets)
	for i, a := range places {
		for j, b := range places[:i] {
			if overlap(a, b) > 0 {
				t.Errorf("labels %d and %d share %v", i, j, overlap(a, b))
			}
		}
		if in := overlap(a, room.within); math.Abs(in-areaOf(a)) > 1e-6 {
			t.Errorf("label %d is outside: %+v", i, a)
		}
		for _, p := range room.points {
			if overlap(a, rectangle(p.X-glyphSize, p.Y-glyphSize, 2*glyphSize, 2*glyphSize)) > 0 {
				t.Errorf("label %d, %+v, is on the glyph at %+v", i, a, p)
			}
		}
		x := max(a.Min.X-targets[i].at.X, targets[i].at.X-a.Max.X, a.Min.Y-targets[i].at.Y, targets[i].at.Y-a.Max.Y)
		if x > 13 {
			t.Errorf("label %d is %v away from its point", i, x)
		}
	}
}

// TestLabelsBesideLines has a line through a point: its label stands beside it.
func TestLabelsBesideLines(t *testing.T) {
	for _, to := range []vg.Point{{X: 200, Y: 50}, {X: 0, Y: 50}, {X: 100, Y: 100}, {X: 200, Y: 100}, {X: 0, Y: 0}} {
		at := vg.Point{X: 100, Y: 50}
		room := labelRoom{within: rectangle(0, 0, 200, 100), points: []vg.Point{at}, segments: [][2]vg.Point{{at, to}}}
		places, costs := room.place([]labelTarget{{at, vg.Point{X: 16, Y: 6}}})
		if l := lengthWithin(room.segments[0], places[0]); l > 0 || costs[0] > crowded {
			t.Errorf("of the line to %+v %v is below its label at %+v, which costs %v", to, l, places[0], costs[0])
		}
	}
}

func TestLengthWithin(t *testing.T) {
	box := rectangle(0, 0, 10, 10)
	for _, c := range []struct {
		from, to vg.Point
		want     vg.Length
	}{
		{vg.Point{X: -5, Y: 5}, vg.Point{X: 15, Y: 5}, 10},
		{vg.Point{X: 5, Y: 5}, vg.Point{X: 5, Y: 20}, 5},
		{vg.Point{X: -5, Y: 11}, vg.Point{X: 15, Y: 11}, 0},
		{vg.Point{X: 2, Y: 2}, vg.Point{X: 5, Y: 6}, 5},
		{vg.Point{X: 20, Y: 20}, vg.Point{X: 30, Y: 30}, 0},
		{vg.Point{X: 5, Y: 5}, vg.Point{X: 5, Y: 5}, 0},
	} {
		if got := lengthWithin([2]vg.Point{c.from, c.to}, box); math.Abs(float64(got-c.want)) > 1e-9 {
			t.Errorf("from %+v to %+v: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
