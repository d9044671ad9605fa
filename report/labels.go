package report

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pointLabel is a text at a point.
type pointLabel struct {
	at    plotter.XY
	text  string
	color color.Color
}

// pointLabels are those of all lines of a plot, and what they should not lie on.
type pointLabels struct {
	list []pointLabel
	size vg.Length // of the texts
	// lines are what leads from point to point, points what has a glyph, and levels where
	// lines of reference are.
	lines  []plotter.XYs
	points plotter.XYs
	levels []float64
}

// add notes points of a line, which joins them or not, with glyphs or without.
func (p *pointLabels) add(xy plotter.XYs, joined, glyphs bool) {
	if joined {
		p.lines = append(p.lines, xy)
	}
	if glyphs {
		p.points = append(p.points, xy...)
	}
}

// crowded is from which cost on a label is not where one would look for it.
const crowded = 2

// makeRoom lets the horizontal axis of a plot go on to where labels have room on the right, if
// some have no good place else, and better ones then. The plot is so tall with its axis.
func (p *pointLabels) makeRoom(on *plot.Plot, tall vg.Length) {
	c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: columnWidth - 2*gap - chartMargin, Y: tall - labelledAxisHeight}}}
	cost := func() float64 {
		_, costs := p.places(c, on)
		return slices.Max(append(costs, 0))
	}
	before := cost()
	if before < crowded {
		return
	}
	narrow := on.X.Max
	style := write(p.size, nil, text.XLeft, text.YBottom)
	for _, l := range p.list {
		share := float64((inkOf(style, l.text).Size().X + 2*nearestLabel) / c.Max.X)
		on.X.Max = max(on.X.Max, on.X.Min+(l.at.X-on.X.Min)/(1-min(share, 0.5)))
	}
	if cost() > before/2 {
		on.X.Max = narrow
	}
}

// Plot implements plot.Plotter.
func (p *pointLabels) Plot(c draw.Canvas, on *plot.Plot) {
	places, _ := p.places(c, on)
	style := write(p.size, nil, text.XLeft, text.YBottom)
	for i, box := range places {
		words := p.list[i].text
		style.Color = darker(p.list[i].color)
		c.FillText(style, box.Min.Sub(inkOf(style, words).Min), words)
	}
}

// places are where the labels stand in a plot, and what that costs.
func (p *pointLabels) places(c draw.Canvas, on *plot.Plot) ([]vg.Rectangle, []float64) {
	x, y := on.Transforms(&c)
	at := func(q plotter.XY) vg.Point { return vg.Point{X: x(q.X), Y: y(q.Y)} }
	room := labelRoom{within: c.Rectangle}
	for _, q := range p.points {
		room.points = append(room.points, at(q))
	}
	for _, xy := range p.lines {
		for i := 1; i < len(xy); i++ {
			room.segments = append(room.segments, [2]vg.Point{at(xy[i-1]), at(xy[i])})
		}
	}
	for _, level := range p.levels {
		room.segments = append(room.segments, [2]vg.Point{{X: c.Min.X, Y: y(level)}, {X: c.Max.X, Y: y(level)}})
	}
	style := write(p.size, nil, text.XLeft, text.YBottom)
	var targets []labelTarget
	for _, l := range p.list {
		targets = append(targets, labelTarget{at(l.at), inkOf(style, l.text).Size()})
	}
	return room.place(targets)
}

// darker is the colour of texts of a line: colours of lines are too light for them.
func darker(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	dark := func(v uint32) uint8 { return uint8(0.62 * float64(v>>8)) }
	return color.RGBA{dark(r), dark(g), dark(b), 0xff}
}

// inkOf is what a text covers that is written at 0, 0: the room for descents is mostly
// empty, and capitals and digits do not reach the top.
func inkOf(style text.Style, words string) vg.Rectangle {
	r := style.Rectangle(words)
	height := r.Max.Y - r.Min.Y
	r.Min.Y += 0.18 * height
	r.Max.Y -= 0.14 * height
	return r
}

// labelTarget is a point and the size of its label.
type labelTarget struct{ at, size vg.Point }

// labelRoom is where labels may stand, and what is there already.
type labelRoom struct {
	within   vg.Rectangle
	points   []vg.Point
	segments [][2]vg.Point
}

// What a place costs. Labels that cannot be read are worst; a line through one is less so.
const (
	costOfText    = 60.0 // a label that is wholly on another one, or outside
	costOfGlyph   = 8.0
	costOfLine    = 4.0 // a line through all of it
	costOfOther   = 2.5 // nearer to another point
	costOfStep    = 0.6 // further away
	costOfTurn    = 0.04
	labelRounds   = 4
	glyphMargin   = glyphSize + 0.7
	lineMargin    = 0.6
	labelMargin   = 1.0
	nearestLabel  = glyphSize + 1.4
	furtherLabels = 3.0
)

// place finds a place for each label around its point: of several directions and distances
// the one that costs least beside the others, which then move in turn.
func (r labelRoom) place(targets []labelTarget) (places []vg.Rectangle, costs []float64) {
	candidates := make([][]vg.Rectangle, len(targets))
	base := make([][]float64, len(targets))
	for i, t := range targets {
		candidates[i] = t.candidates()
		for k, box := range candidates[i] {
			base[i] = append(base[i], r.cost(box, t.at)+costOfStep*float64(k/labelTurns)+costOfTurn*float64(k%labelTurns))
		}
	}
	chosen := make([]int, len(targets))
	costs = make([]float64, len(targets))
	for i := range chosen {
		chosen[i] = -1
	}
	for range labelRounds {
		moved := false
		for i := range targets {
			best, least := 0, math.Inf(1)
			for k, box := range candidates[i] {
				cost := base[i][k]
				for j, at := range chosen {
					if j != i && at >= 0 {
						cost += costOfText * overlap(grown(box, labelMargin), candidates[j][at]) / areaOf(box)
					}
				}
				if cost < least {
					best, least = k, cost
				}
			}
			moved = moved || chosen[i] != best
			chosen[i], costs[i] = best, least
		}
		if !moved {
			break
		}
	}
	for i, k := range chosen {
		places = append(places, candidates[i][k])
	}
	return places, costs
}

// labelTurns is in how many directions a label may stand from its point.
const labelTurns = 8

// candidates are the places for a label, the nearest first, and of these those that one
// reads most easily.
func (t labelTarget) candidates() []vg.Rectangle {
	var list []vg.Rectangle
	for step := range 4 {
		d := nearestLabel + furtherLabels*vg.Length(step)
		diagonal := d * 0.75
		w, h := t.size.X, t.size.Y
		for _, corner := range [labelTurns]vg.Point{
			{X: diagonal, Y: diagonal}, {X: -w - diagonal, Y: diagonal}, {X: -w / 2, Y: d}, {X: d, Y: -h / 2},
			{X: -w - d, Y: -h / 2}, {X: diagonal, Y: -h - diagonal}, {X: -w - diagonal, Y: -h - diagonal}, {X: -w / 2, Y: -h - d},
		} {
			low := t.at.Add(corner)
			list = append(list, vg.Rectangle{Min: low, Max: low.Add(t.size)})
		}
	}
	return list
}

// cost is what a place for the label of a point costs beside what is not labels.
func (r labelRoom) cost(box vg.Rectangle, of vg.Point) float64 {
	area := areaOf(box)
	cost := costOfText * (area - overlap(box, r.within)) / area
	own := distance(box, of)
	for _, p := range r.points {
		switch d := distance(box, p); {
		case d < glyphMargin:
			cost += costOfGlyph
		case d < own-0.1:
			cost += costOfOther
		}
	}
	around := grown(box, lineMargin)
	for _, s := range r.segments {
		cost += costOfLine * float64(lengthWithin(s, around)/(box.Max.X-box.Min.X))
	}
	return cost
}

func grown(r vg.Rectangle, by vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: r.Min.X - by, Y: r.Min.Y - by}, Max: vg.Point{X: r.Max.X + by, Y: r.Max.Y + by}}
}

func areaOf(r vg.Rectangle) float64 { return float64(r.Max.X-r.Min.X) * float64(r.Max.Y-r.Min.Y) }

// distance is how far a point is from a rectangle.
func distance(r vg.Rectangle, p vg.Point) vg.Length {
	x := max(r.Min.X-p.X, p.X-r.Max.X, 0)
	y := max(r.Min.Y-p.Y, p.Y-r.Max.Y, 0)
	return vg.Length(math.Hypot(float64(x), float64(y)))
}

// overlap is the area that two rectangles share.
func overlap(a, b vg.Rectangle) float64 {
	w := min(a.Max.X, b.Max.X) - max(a.Min.X, b.Min.X)
	h := min(a.Max.Y, b.Max.Y) - max(a.Min.Y, b.Min.Y)
	return float64(max(w, 0)) * float64(max(h, 0))
}

// lengthWithin is how much of a segment lies in a rectangle.
func lengthWithin(s [2]vg.Point, r vg.Rectangle) vg.Length {
	along := s[1].Sub(s[0])
	from, to := 0.0, 1.0
	for _, side := range [4][2]vg.Length{
		{-along.X, s[0].X - r.Min.X}, {along.X, r.Max.X - s[0].X}, {-along.Y, s[0].Y - r.Min.Y}, {along.Y, r.Max.Y - s[0].Y},
	} {
		speed, room := float64(side[0]), float64(side[1])
		switch {
		case speed == 0 && room < 0:
			return 0
		case speed < 0:
			from = max(from, room/speed)
		case speed > 0:
			to = min(to, room/speed)
		}
	}
	if to <= from {
		return 0
	}
	return vg.Length(math.Hypot(float64(along.X), float64(along.Y)) * (to - from))
}
