package report

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
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
	// hollow tells which points are rings; none are if it is empty.
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
		at := vg.Point{X: x(q.X), Y: y(q.Y)}
		c.DrawGlyph(draw.GlyphStyle{Color: l.Color, Radius: glyphSize, Shape: l.glyph}, at)
		if len(l.hollow) > 0 && l.hollow[i] {
			c.DrawGlyph(draw.GlyphStyle{Color: color.White, Radius: hollowSize, Shape: draw.CircleGlyph{}}, at)
		}
	}
}

// hollow tells which of the points that axes can show are rings.
func (p ChartPanel) hollow(l ChartLine) []bool {
	var list []bool
	for i, h := range l.Hollow {
		if len(p.points(l.X[i:i+1], l.Y[i:i+1])) > 0 {
			list = append(list, h)
		}
	}
	return list
}

// ringKey shows what rings are, of whichever line.
func ringKey(name string) key {
	return key{name: name, wide: keyHeight, draw: func(c draw.Canvas) {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: ink(), Radius: glyphSize, Shape: draw.CircleGlyph{}}, c.Center())
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: hollowSize, Shape: draw.CircleGlyph{}}, c.Center())
	}}
}

// pointLabel is a text at a point.
type pointLabel struct {
	at   plotter.XY
	text string
}

// pointLabels are those of all lines. Each goes above its point in the left half of the plot,
// where curves mostly leave to the right, and beside it in the right one; below it, or on the other
// side, if another one is there.
type pointLabels []pointLabel

func (list pointLabels) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var taken []vg.Rectangle
	for _, l := range list {
		at := vg.Point{X: x(l.at.X), Y: y(l.at.Y)}
		above := spot{write(labelSize, ink(), text.XLeft, text.YBottom), at.Add(vg.Point{Y: 2 * glyphSize})}
		before := spot{write(labelSize, ink(), text.XRight, text.YBottom), at.Add(vg.Point{X: -2 * glyphSize})}
		below := spot{write(labelSize, ink(), text.XLeft, text.YTop), at.Add(vg.Point{X: glyphSize, Y: -glyphSize})}
		places := []spot{above, below, before}
		if at.X > (c.Min.X+c.Max.X)/2 {
			places = []spot{before, below, above}
		}
		free := slices.IndexFunc(places, func(q spot) bool { return !q.meets(taken, l.text) })
		q := places[max(0, free)]
		taken = append(taken, q.bounds(l.text))
		c.FillText(q.style, q.at, l.text)
	}
}

// spot is where and how a text may be written.
type spot struct {
	style text.Style
	at    vg.Point
}

func (q spot) bounds(words string) vg.Rectangle {
	r := q.style.Rectangle(words)
	return vg.Rectangle{Min: r.Min.Add(q.at), Max: r.Max.Add(q.at)}
}

func (q spot) meets(taken []vg.Rectangle, words string) bool {
	r := q.bounds(words)
	return slices.ContainsFunc(taken, func(t vg.Rectangle) bool {
		return r.Min.X < t.Max.X && t.Min.X < r.Max.X && r.Min.Y < t.Max.Y && t.Min.Y < r.Max.Y
	})
}
