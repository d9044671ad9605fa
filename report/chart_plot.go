package report

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// chartBand fills what lies between two lines.
type chartBand struct {
	low, high plotter.XYs
	color     color.Color
}

func (b chartBand) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var outline []vg.Point
	for _, q := range b.low {
		outline = append(outline, vg.Point{X: x(q.X), Y: y(q.Y)})
	}
	for _, q := range slices.Backward(b.high) {
		outline = append(outline, vg.Point{X: x(q.X), Y: y(q.Y)})
	}
	r, g, blue, _ := b.color.RGBA()
	c.FillPolygon(color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(blue >> 8), bandAlpha}, c.ClipPolygonXY(outline))
}

// chartCurve draws points joined by a line, with glyphs at them: at those of a long line that
// are far enough apart.
type chartCurve struct {
	plotter.Line
	glyph draw.GlyphDrawer
	// ring tells whether the last point has one around it.
	ring bool
}

func (l chartCurve) Plot(c draw.Canvas, p *plot.Plot) {
	if l.Width > 0 {
		l.Line.Plot(c, p)
	}
	x, y := p.Transforms(&c)
	at := func(q plotter.XY) vg.Point { return vg.Point{X: x(q.X), Y: y(q.Y)} }
	if l.ring {
		drawRing(c, at(l.XYs[len(l.XYs)-1]))
	}
	if l.glyph == nil {
		return
	}
	apart := vg.Length(0)
	if len(l.XYs) > fewPoints && l.Width > 0 {
		apart = 8 * glyphSize
	}
	last := vg.Point{X: vg.Length(math.Inf(-1))}
	for _, q := range l.XYs {
		if to := at(q); math.Hypot(float64(to.X-last.X), float64(to.Y-last.Y)) >= float64(apart) {
			c.DrawGlyph(draw.GlyphStyle{Color: l.Color, Radius: glyphSize, Shape: l.glyph}, to)
			last = to
		}
	}
}
