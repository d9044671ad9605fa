package report

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of figures and of what is in them.
const (
	columnWidth = 3.5 * vg.Inch
	pageWidth   = 7.16 * vg.Inch

	textSize  = vg.Length(7)
	labelSize = vg.Length(8)
	smallSize = vg.Length(5.5)
	thinLine  = vg.Length(0.4)
	plainLine = vg.Length(0.9)
	glyphSize = vg.Length(1.7)
	gap       = vg.Length(4)
)

// Greys of what is not data.
func ink() color.Color      { return color.Gray{0x22} }
func paleInk() color.Color  { return color.Gray{0x77} }
func gridGrey() color.Color { return color.Gray{0xe4} }

// styleCount is how many colours, dashes and glyphs there are.
const styleCount = 8

// style is how one variant or port is drawn everywhere. Each differs from the
// others in colour, in dashes and in glyph, so that it can be told in print
// without colour and by readers who see colours differently.
type style struct {
	color  color.Color
	dashes []vg.Length
	glyph  draw.GlyphDrawer
}

// styleOf returns the i-th style; from the ninth on, colours come again with
// other dashes and glyphs. The colours are those of Okabe and Ito, Color
// Universal Design (2008), darkest contrasts first, with grey for their yellow,
// which does not show on white paper.
func styleOf(i int) style {
	rgb := func(r, g, b uint8) color.Color { return color.RGBA{r, g, b, 0xff} }
	colors := [styleCount]color.Color{
		rgb(0x00, 0x72, 0xb2), // blue
		rgb(0xd5, 0x5e, 0x00), // vermilion
		rgb(0x00, 0x9e, 0x73), // bluish green
		rgb(0xcc, 0x79, 0xa7), // reddish purple
		rgb(0xe6, 0x9f, 0x00), // orange
		rgb(0x56, 0xb4, 0xe9), // sky blue
		rgb(0x00, 0x00, 0x00), // black
		rgb(0x88, 0x88, 0x88), // grey
	}
	dashes := [styleCount][]vg.Length{
		nil, {4, 1.5}, {1.5, 1}, {5, 1.5, 1, 1.5}, {2.5, 1}, {6, 2}, {1, 1}, {3, 1, 1, 1, 1, 1},
	}
	// All are filled: crosses and rings around points mean something in figures.
	glyphs := [styleCount]polygon{
		{},
		{corners: 4, turn: math.Pi / 4, times: 1.3},
		{corners: 3, times: 1.5},
		{corners: 4, times: 1.45},
		{corners: 3, turn: math.Pi, times: 1.5},
		{corners: 4, turn: math.Pi / 4, times: 1.9, waist: 0.4},
		{corners: 4, times: 1.9, waist: 0.4},
		{corners: 3, turn: -math.Pi / 2, times: 1.5},
	}
	shape := (i + i/styleCount) % styleCount
	return style{colors[i%styleCount], dashes[shape], glyphs[shape]}
}

// polygon is a filled glyph of so many corners, 0 for a disc, turned by an angle from one
// that has a corner on top. Its radius is times that of a disc of like weight. A star has a
// waist between corners, which is a share of the radius.
type polygon struct {
	corners            int
	turn, times, waist float64
}

// DrawGlyph implements draw.GlyphDrawer.
func (g polygon) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	if g.corners == 0 {
		draw.CircleGlyph{}.DrawGlyph(c, style, at)
		return
	}
	var outline vg.Path
	corner := func(turn, radius float64) {
		angle := math.Pi/2 + g.turn + 2*math.Pi*turn/float64(g.corners)
		radius *= float64(style.Radius) * g.times
		p := vg.Point{X: at.X + vg.Length(radius*math.Cos(angle)), Y: at.Y + vg.Length(radius*math.Sin(angle))}
		if len(outline) == 0 {
			outline.Move(p)
		} else {
			outline.Line(p)
		}
	}
	for i := range g.corners {
		corner(float64(i), 1)
		if g.waist > 0 {
			corner(float64(i)+0.5, g.waist)
		}
	}
	outline.Close()
	c.Fill(outline)
}

// sequential returns n colours of rising lightness (Kindlmann's map as given by
// Moreland, Why We Use Bad Color Maps, 2016), without the ends that are black
// and white.
func sequential(n int) []color.Color {
	m := moreland.Kindlmann()
	m.SetMin(0)
	m.SetMax(1)
	colors := make([]color.Color, n)
	for i := range colors {
		at := 0.15 + 0.65*float64(i)/float64(max(n-1, 1))
		c, err := m.At(at)
		if err != nil {
			c = ink()
		}
		colors[i] = c
	}
	return colors
}

// Where the middle of digits and capitals is: the text package centres the
// whole line, and axes move their labels up by the descent.
const (
	middle     text.YAlignment = -0.40
	tickMiddle text.YAlignment = -0.63
)

// write returns the style of a text.
func write(size vg.Length, c color.Color, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign:  x,
		YAlign:  y,
		Handler: plot.DefaultTextHandler,
	}
}

// newPlot returns an empty plot in weft's theme.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle = draw.LineStyle{Color: ink(), Width: 0.5}
		a.Padding = 0
		a.Label.TextStyle.Font = write(labelSize, nil, 0, 0).Font
		a.Label.TextStyle.Color = ink()
		a.Label.Padding = 2
		a.Tick.Label.Font = write(textSize, nil, 0, 0).Font
		a.Tick.Label.Color = ink()
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 3
		a.Tick.Marker = ticks(5)
	}
	p.Y.Tick.Label.YAlign = tickMiddle
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Add(grid{})
	return p
}

// grid draws a faint line at each labelled tick.
type grid struct{}

func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	line := draw.LineStyle{Color: gridGrey(), Width: thinLine}
	x, y := p.Transforms(&c)
	marker := p.X.Tick.Marker
	if u, ok := marker.(unlabelled); ok {
		marker = u.Ticker
	}
	for _, t := range marker.Ticks(p.X.Min, p.X.Max) {
		if at := x(t.Value); !t.IsMinor() && c.ContainsX(at) {
			c.StrokeLine2(line, at, c.Min.Y, at, c.Max.Y)
		}
	}
	marker = p.Y.Tick.Marker
	if u, ok := marker.(unlabelled); ok {
		marker = u.Ticker
	}
	for _, t := range marker.Ticks(p.Y.Min, p.Y.Max) {
		if at := y(t.Value); !t.IsMinor() && c.ContainsY(at) {
			c.StrokeLine2(line, c.Min.X, at, c.Max.X, at)
		}
	}
}

// ticks puts at most so many labelled ticks, and one at the start, at multiples
// of 1, 2, 2.5 or 5 times a power of ten.
type ticks int

// Ticks implements plot.Ticker.
func (n ticks) Ticks(from, to float64) []plot.Tick {
	step, decimals := niceStep((to - from) / float64(n))
	var t []plot.Tick
	for i := math.Ceil(from/step - 1e-9); i*step <= to+1e-9*step; i++ {
		// Adding 0 turns -0 into 0.
		t = append(t, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step+0, 'f', decimals, 64)})
	}
	return t
}

// wholeTicks are ticks of an axis that shows a few whole numbers, at each of them.
type wholeTicks struct{}

// Ticks implements plot.Ticker.
func (wholeTicks) Ticks(from, to float64) []plot.Tick {
	var t []plot.Tick
	for v := math.Ceil(from - 1e-9); v <= to+1e-9; v++ {
		t = append(t, plot.Tick{Value: v, Label: strconv.FormatFloat(v+0, 'f', 0, 64)})
	}
	return t
}

// niceStep returns the least of 1, 2, 2.5 or 5 times a power of ten that is at
// least v, and how many decimals its multiples need.
func niceStep(v float64) (step float64, decimals int) {
	exponent := int(math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		step = m * math.Pow10(exponent)
		if step < v*(1-1e-9) {
			continue
		}
		decimals = -exponent
		switch m {
		case 2.5:
			decimals++
		case 10:
			decimals--
		}
		return step, max(decimals, 0)
	}
	return step, max(decimals, 0)
}

// unlabelled keeps the ticks of an axis that another axis below or beside it
// labels.
type unlabelled struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (u unlabelled) Ticks(from, to float64) []plot.Tick {
	all := slices.Clone(u.Ticker.Ticks(from, to))
	for i := range all {
		all[i].Label = ""
	}
	return all
}

// inUnits are ticks at round multiples of a unit, of an axis with values in another.
type inUnits struct {
	plot.Ticker
	unit float64
}

// Ticks implements plot.Ticker.
func (u inUnits) Ticks(from, to float64) []plot.Tick {
	all := slices.Clone(u.Ticker.Ticks(from/u.unit, to/u.unit))
	for i := range all {
		all[i].Value *= u.unit
	}
	return all
}

// logTicks are ticks of an axis that shows decimal logarithms. It labels the
// powers of ten, and 2 and 5 times them where there are few; an axis that is too short
// to have two of these has the ticks of a linear one.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(from, to float64) []plot.Tick {
	few := to-from < 3
	labelled := 0
	var t []plot.Tick
	for e := math.Floor(from); e <= math.Ceil(to); e++ {
		for m := 1; m < 10; m++ {
			v := float64(m) * math.Pow(10, e)
			at := math.Log10(v)
			if at < from || at > to {
				continue
			}
			label := ""
			if m == 1 || few && (m == 2 || m == 5) {
				label = strconv.FormatFloat(v, 'g', -1, 64)
				labelled++
			}
			t = append(t, plot.Tick{Value: at, Label: label})
		}
	}
	if labelled >= 2 || to <= from {
		return t
	}
	t = t[:0]
	for _, tick := range ticks(4).Ticks(math.Pow(10, from), math.Pow(10, to)) {
		if tick.Value > 0 {
			t = append(t, plot.Tick{Value: math.Log10(tick.Value), Label: tick.Label})
		}
	}
	return t
}
