package report

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/study"
)

const (
	capSize  = vg.Length(1.6)
	ringSize = vg.Length(4)
	// mostDodge is how far apart the intervals of two colours at one place are
	// drawn at most, from their middles.
	mostDodge, mostJoinedDodge = vg.Length(7), vg.Length(4)
	// dodgeShare is the share of the distance of two places that those of all
	// colours take up: little where lines lead from one place to the next.
	dodgeShare, joinedDodgeShare = 0.7, 0.25
)

// meanPoint is a cell in a plot.
type meanPoint struct {
	// x and the values are as the plot's axes have them.
	x, mean, low, high float64
	// exists tells whether there is a mean that counts, flawed whether some runs are not in
	// it because they failed or were cut short, or it is not ranked, and missing whether something stands in its
	// place (study.Cell.Instead) or all runs failed.
	exists, flawed, missing bool
}

// meansPlotter draws the points of each colour with their intervals.
type meansPlotter struct {
	colors [][]meanPoint
	joined bool
	// lower tells that less is better, named that each colour has a place of its own.
	lower, named bool
	// spacing is the least distance of two places, in units of the axis.
	spacing float64
}

// meansOf returns the cells of a panel as points.
func (v *studyView) meansOf(panel []int, column int, x levelAxis, y func(float64) float64) meansPlotter {
	m := meansPlotter{joined: x.joined, lower: v.table.Metrics[column].LowerIsBetter, spacing: math.Inf(1)}
	for i, a := range x.at {
		for _, b := range x.at[:i] {
			m.spacing = min(m.spacing, math.Abs(a-b))
		}
	}
	for color := range v.colors() {
		var points []meanPoint
		for i, at := range x.at {
			c := v.cell(panel, color, i)
			if c == nil {
				c = new(study.Cell)
			}
			e, instead := v.table.Value(c, column)
			p := meanPoint{x: at, flawed: flawed(c) || c.NotRanked()}
			p.missing = instead != "" || flawed(c) && e.N == 0
			if e.N > 0 && instead == "" {
				p.exists, p.mean, p.low, p.high = true, y(e.Mean), y(e.Low), y(e.High)
			}
			points = append(points, p)
		}
		// The file may list levels in any order; lines lead from left to right.
		slices.SortStableFunc(points, func(a, b meanPoint) int { return cmp.Compare(a.x, b.x) })
		m.colors = append(m.colors, points)
	}
	if v.color == none && v.x == v.table.VariantAxis() && !m.joined {
		// Variants have their colours also where their names stand below.
		m.named = true
		points := m.colors[0]
		m.colors = nil
		for i := range points {
			m.colors = append(m.colors, points[i:i+1])
		}
	}
	return m
}

// flawed tells whether runs of a cell failed or were cut short.
func flawed(c *study.Cell) bool { return c.Partial+c.Failed > 0 }

// Plot implements plot.Plotter.
func (m meansPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	share, most := dodgeShare, mostDodge
	if m.joined {
		share, most = joinedDodgeShare, mostJoinedDodge
	}
	dodge := vg.Length(0)
	if n := len(m.colors); n > 1 && !m.named && m.dodges() {
		// Of a single place, the width of the plot is the distance.
		room := min(m.spacing, p.X.Max-p.X.Min)
		dodge = min(most, (x(p.X.Min+room)-x(p.X.Min))*vg.Length(share)/vg.Length(n))
	}
	at := func(color int, q meanPoint) vg.Point {
		shift := vg.Length(color) - vg.Length(len(m.colors)-1)/2
		return vg.Point{X: x(q.x) + shift*dodge, Y: y(q.mean)}
	}
	if m.joined {
		for i, points := range m.colors {
			drawRuns(c, styleOf(i).line(), points, func(q meanPoint) vg.Point { return at(i, q) })
		}
	}
	for i, points := range m.colors {
		s := styleOf(i)
		for _, q := range points {
			if q.exists && q.high > q.low {
				drawInterval(c, s.color, at(i, q).X, y(math.Max(q.low, p.Y.Min)), y(q.high))
			}
		}
	}
	crosses := map[float64]vg.Length{}
	for i, points := range m.colors {
		s := styleOf(i)
		for _, q := range points {
			place := at(i, q)
			switch {
			case q.exists:
				c.DrawGlyphNoClip(draw.GlyphStyle{Color: s.color, Radius: glyphSize, Shape: s.glyph}, place)
			case q.missing:
				// At the end of the axis that is worse; one below the other where they
				// are not beside each other.
				place.Y = c.Max.Y - ringSize - crosses[q.x]
				if !m.lower {
					place.Y = c.Min.Y + ringSize + crosses[q.x]
				}
				if dodge == 0 {
					crosses[q.x] += 1.6 * ringSize
				}
				drawCross(c, s.color, place)
			}
			if q.exists && q.flawed {
				drawRing(c, place)
			}
		}
	}
}

// dodges tells whether points at one place have to be drawn beside each other: where lines
// lead, only intervals would hide each other.
func (m meansPlotter) dodges() bool {
	return !m.joined || slices.ContainsFunc(slices.Concat(m.colors...), func(q meanPoint) bool { return q.exists && q.high > q.low })
}

// drawRuns joins the points that exist, and leaves gaps where one does not.
func drawRuns(c draw.Canvas, line draw.LineStyle, points []meanPoint, at func(meanPoint) vg.Point) {
	var run []vg.Point
	for _, q := range points {
		if q.exists {
			run = append(run, at(q))
			continue
		}
		c.StrokeLines(line, run)
		run = nil
	}
	c.StrokeLines(line, run)
}

func drawInterval(c draw.Canvas, ink color.Color, x, low, high vg.Length) {
	line := draw.LineStyle{Color: ink, Width: 0.7}
	c.StrokeLine2(line, x, low, x, high)
	c.StrokeLine2(line, x-capSize, low, x+capSize, low)
	c.StrokeLine2(line, x-capSize, high, x+capSize, high)
}

func drawRing(c draw.Canvas, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: ink(), Width: 0.6})
	var ring vg.Path
	ring.Move(vg.Point{X: at.X + ringSize, Y: at.Y})
	ring.Arc(at, ringSize, 0, 2*math.Pi)
	ring.Close()
	c.Stroke(ring)
}

// setValues fits the vertical axis to what is drawn in all panels.
func setValues(a *plot.Axis, from, to float64, logarithmic bool) {
	switch {
	case logarithmic:
		setRange(a, from, to, true)
	case from < to/2:
		// Most of the way to zero is shown, so that zero had better be there.
		a.Min, a.Max = 0, max(to*1.06, 1e-9)
	default:
		room := max((to-from)*0.1, to*1e-3)
		a.Min, a.Max = from-room, to+room
	}
}
