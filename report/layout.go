package report

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// key is one entry of a legend: a small drawing and its name.
type key struct {
	name string
	draw func(draw.Canvas)
	// wide is the width of the drawing; 0 means the usual.
	wide vg.Length
}

// boxKey is an entry whose drawing is a box of a colour.
func boxKey(name string, fill color.Color) key {
	return key{name: name, wide: keyHeight, draw: func(c draw.Canvas) {
		c.SetColor(fill)
		c.Fill(draw.Crop(c, 1, -1, 1, -1).Rectangle.Path())
	}}
}

const (
	keyWidth   = vg.Length(18)
	keyHeight  = vg.Length(9.5)
	keyGap     = vg.Length(3)
	keyPadding = vg.Length(9)
)

func (k key) drawing() vg.Length {
	if k.wide > 0 {
		return k.wide
	}
	return keyWidth
}

// lineKey shows a line with its glyph.
func lineKey(name string, line draw.LineStyle, glyph draw.GlyphDrawer) key {
	return key{name: name, draw: func(c draw.Canvas) {
		y := c.Center().Y
		c.StrokeLine2(line, c.Min.X, y, c.Max.X, y)
		if glyph != nil {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: line.Color, Radius: glyphSize, Shape: glyph}, c.Center())
		}
	}}
}

// legend is a block of keys in rows and columns, with as many columns as fit.
type legend struct {
	keys []key
	// columns are their widths.
	columns []vg.Length
}

// Names that are too long even for a row of their own are cut.
func newLegend(width vg.Length, keys []key) legend {
	for i := range keys {
		keys[i].name = shorten(keys[i].name, keyText(), width-keys[i].drawing()-keyGap)
	}
	l := legend{keys: keys}
	for n := len(keys); n > 0; n-- {
		if l.columns = keyColumns(keys, n); l.extent() <= width {
			// Rows of like length look better than a full one and a rest.
			rows := (len(keys) + n - 1) / n
			if even := keyColumns(keys, (len(keys)+rows-1)/rows); (legend{keys, even}).extent() <= width {
				l.columns = even
			}
			break
		}
	}
	return l
}

// keyColumns are the widths of n columns of keys.
func keyColumns(keys []key, n int) []vg.Length {
	columns := make([]vg.Length, n)
	for i, k := range keys {
		columns[i%n] = max(columns[i%n], keyExtent(k))
	}
	return columns
}

// extent is the width of all columns.
func (l legend) extent() vg.Length {
	total := -keyPadding
	for _, w := range l.columns {
		total += w
	}
	return total
}

func keyText() text.Style { return write(textSize, ink(), text.XLeft, middle) }

func keyExtent(k key) vg.Length { return k.drawing() + keyGap + keyText().Width(k.name) + keyPadding }

func (l legend) height() vg.Length {
	if len(l.keys) == 0 {
		return 0
	}
	rows := (len(l.keys) + len(l.columns) - 1) / len(l.columns)
	return vg.Length(rows) * keyHeight
}

// draw draws the legend at the top left of c.
func (l legend) draw(c draw.Canvas) {
	x, y := c.Min.X, c.Max.Y
	for i, k := range l.keys {
		box := c
		box.Min = vg.Point{X: x, Y: y - keyHeight}
		box.Max = vg.Point{X: x + k.drawing(), Y: y}
		k.draw(box)
		c.FillText(keyText(), vg.Point{X: box.Max.X + keyGap, Y: box.Center().Y}, k.name)
		x += l.columns[i%len(l.columns)]
		if (i+1)%len(l.columns) == 0 {
			x, y = c.Min.X, y-keyHeight
		}
	}
}

// alignColumn narrows the canvases of plots that are drawn below each other so
// that their data begin and end at the same places from left to right.
func alignColumn(plots []*plot.Plot, canvases []draw.Canvas) {
	var left, right vg.Length
	for i, p := range plots {
		data := p.DataCanvas(canvases[i])
		left = max(left, data.Min.X-canvases[i].Min.X)
		right = max(right, canvases[i].Max.X-data.Max.X)
	}
	for i, p := range plots {
		data := p.DataCanvas(canvases[i])
		canvases[i] = draw.Crop(canvases[i],
			left-(data.Min.X-canvases[i].Min.X),
			(canvases[i].Max.X-data.Max.X)-right, 0, 0)
	}
}

// cutTop splits a canvas into its upper part of the given height and the rest.
func cutTop(c draw.Canvas, height vg.Length) (top, rest draw.Canvas) {
	top, rest = c, c
	top.Min.Y = c.Max.Y - height
	rest.Max.Y = top.Min.Y
	return top, rest
}

// shorten cuts a text so that it is not wider than width.
func shorten(s string, style text.Style, width vg.Length) string {
	if style.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 1 && style.Width(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}
