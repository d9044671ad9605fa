package report

import (
	"testing"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// TestSpotsMeet has texts that overlap and texts side by side.
func TestSpotsMeet(t *testing.T) {
	at := func(x, y vg.Length) spot {
		return spot{write(labelSize, ink(), text.XLeft, text.YBottom), vg.Point{X: x, Y: y}}
	}
	taken := []vg.Rectangle{at(10, 10).bounds("95%")}
	width, height := taken[0].Max.X-taken[0].Min.X, taken[0].Max.Y-taken[0].Min.Y
	if width <= 0 || height <= 0 {
		t.Fatalf("a text takes %v by %v", width, height)
	}
	for _, c := range []struct {
		x, y vg.Length
		want bool
	}{{10, 10, true}, {10 + width/2, 10, true}, {10, 10 - height/2, true}, {11 + width, 10, false}, {10, 11 + height, false}} {
		if got := at(c.x, c.y).meets(taken, "95%"); got != c.want {
			t.Errorf("a text at %v, %v meets the other: %t", c.x, c.y, got)
		}
	}
}
