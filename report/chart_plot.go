package report

import (
	"image/color"
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

// chartCurve draws points joined by a line, with glyphs if there are few.
type chartCurve struct {
	plotter.Line
	glyph draw.GlyphDrawer
	// hollow tells which points are; none are if it is empty.
	hollow []bool
}

func (l chartCurve) Plot(c draw.Canvas, p *plot.Plot) {
	if l.Width > 0 {
		l.Line.Plot(c, p)
	}
	if l.glyph == nil {
		return
	}
	x, y := p.Transforms(&c)
	for i, q := range l.XYs {
		glyph := l.glyph
		if len(l.hollow) > 0 && l.hollow[i] {
			glyph = hollow{glyph}
		}
		c.DrawGlyph(draw.GlyphStyle{Color: l.Color, Radius: glyphSize, Shape: glyph}, vg.Point{X: x(q.X), Y: y(q.Y)})
	}
}

// hollow tells which of the points that axes can show are hollow.
func (p ChartPanel) hollow(l ChartLine) []bool {
	var list []bool
	for i, h := range l.Hollow {
		if len(p.points(l.X[i:i+1], l.Y[i:i+1])) > 0 {
			list = append(list, h)
		}
	}
	return list
}

// ringKey shows what hollow points are, of whichever line.
func ringKey(name string) key {
	return key{name: name, wide: keyHeight, draw: func(c draw.Canvas) {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: ink(), Radius: glyphSize, Shape: hollow{draw.CircleGlyph{}}}, c.Center())
	}}
}
