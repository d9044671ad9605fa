package report

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/record"
)

const (
	markHeight = vg.Length(8.5)
	markGap    = vg.Length(1.5)
	mostRows   = 4
)

// markLabels are the texts of marks, placed above a plot in rows so that none
// overlaps another.
type markLabels struct {
	rows   int
	labels []markLabel
}

type markLabel struct {
	text string
	// at is the mark's time in µs, left the left end of the text from the left
	// end of the plot; row 0 is nearest to the plot.
	at          float64
	left, width vg.Length
	row         int
}

func markText() text.Style { return write(textSize-1, ink(), text.XLeft, text.YBottom) }

// placeMarks finds places above a plot of the given width that shows 0 to end
// µs. Marks that are too near each other to have a label each share one.
func placeMarks(marks []record.Mark, end float64, width vg.Length) markLabels {
	for near := 0.0; ; near = max(2*near, end/64) {
		l := place(cluster(marks, near, end), end, width)
		if l.rows <= mostRows || near > end {
			return l
		}
	}
}

// place gives every cluster of marks a label. It begins at its first mark and
// stands higher than those of the later ones below it, so that their lines do
// not cross it.
func place(clusters [][]record.Mark, end float64, width vg.Length) markLabels {
	var out markLabels
	for _, marks := range slices.Backward(clusters) {
		at := inMicros(marks[0].At)
		more := ""
		if len(marks) > 1 {
			more = fmt.Sprintf(" and %d more", len(marks)-1)
		}
		what := shorten(marks[0].What, markText(), width*0.6-markText().Width(more)) + more
		l := markLabel{text: what, at: at, width: markText().Width(what)}
		l.left = min(vg.Length(at/end)*width+markGap, width-l.width)
		for _, later := range out.labels {
			left := min(later.left, vg.Length(later.at/end)*width)
			if left < l.left+l.width+gap && later.left+later.width > l.left {
				l.row = max(l.row, later.row+1)
			}
		}
		out.rows = max(out.rows, l.row+1)
		out.labels = append(out.labels, l)
	}
	return out
}

// cluster gathers the marks between 0 and end µs, in order of time, such that
// those of a cluster follow each other within near µs.
func cluster(marks []record.Mark, near, end float64) [][]record.Mark {
	marks = slices.Clone(marks)
	slices.SortStableFunc(marks, func(a, b record.Mark) int { return cmp.Compare(a.At, b.At) })
	var out [][]record.Mark
	last := 0.0
	for _, m := range marks {
		at := inMicros(m.At)
		if at < 0 || at > end {
			continue
		}
		if len(out) == 0 || at-last > near {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], m)
		last = at
	}
	return out
}

// draw writes the labels just above a plot; c is as wide as the plot and stands on it.
func (m markLabels) draw(c draw.Canvas, end float64) {
	for _, l := range m.labels {
		x := c.Min.X + vg.Length(l.at/end)*(c.Max.X-c.Min.X)
		y := c.Min.Y + vg.Length(l.row)*markHeight
		c.StrokeLine2(instantStyle(), x, c.Min.Y, x, y+markHeight-1)
	}
	// A label that had to be moved away from the right end may lie on lines.
	for _, l := range m.labels {
		x, y := c.Min.X+l.left, c.Min.Y+vg.Length(l.row)*markHeight
		box := vg.Rectangle{Min: vg.Point{X: x, Y: y + 0.5}, Max: vg.Point{X: x + l.width, Y: y + markHeight - 0.5}}
		c.SetColor(color.White)
		c.Fill(box.Path())
		c.FillText(markText(), vg.Point{X: x, Y: y + 2}, l.text)
	}
}
