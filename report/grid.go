package report

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// plotGrid is plots in rows and columns that have one horizontal axis, with legends and
// notes above them.
type plotGrid struct {
	legends []legend
	notes   []string
	titles  []string
	plots   []*plot.Plot
	columns int
	height  vg.Length
	// own tells that each plot has a vertical axis of its own; otherwise the first of a row
	// has that of all.
	own bool
	// left and bottom are what stands beside and below the outer panels, and inner beside
	// the others.
	left, inner, bottom vg.Length
}

// horizontal is the horizontal axis of all plots of a grid.
type horizontal interface {
	// set fits the axis of a plot whose data are so wide.
	set(a *plot.Axis, width vg.Length)
	name() string
}

// arrange finds out how much room the axes take, and labels the lowest panels.
func (s *plotGrid) arrange(width vg.Length, x horizontal) {
	left := func(p *plot.Plot, data vg.Length) vg.Length {
		c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: data, Y: s.height}}}
		return c.Min.X - fit(p, c, c.Rectangle).Min.X
	}
	guess := (width - 2*gap) / vg.Length(s.columns)
	for i, p := range s.plots {
		x.set(&p.X, guess)
		if room := left(p, guess); s.own && i%s.columns > 0 {
			s.inner = max(s.inner, room)
		} else {
			s.left = max(s.left, room)
		}
	}
	data := s.dataWidth(width)
	for i, p := range s.plots {
		x.set(&p.X, data)
		if i+s.columns < len(s.plots) {
			p.X.Tick.Marker = unlabelled{p.X.Tick.Marker}
			continue
		}
		p.X.Label.Text = shorten(x.name(), write(labelSize, nil, 0, 0), data)
		c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: data, Y: s.height}}}
		s.bottom = max(s.bottom, c.Min.Y-fit(p, c, c.Rectangle).Min.Y)
	}
}

// dataWidth is the width of the data of a panel.
func (s *plotGrid) dataWidth(width vg.Length) vg.Length {
	between := vg.Length(s.columns-1) * (panelGap + s.inner)
	return (width - 2*gap - s.left - between - 2) / vg.Length(s.columns)
}

// fit returns the canvas in which the data of a plot fill a rectangle.
func fit(p *plot.Plot, c draw.Canvas, want vg.Rectangle) draw.Canvas {
	c.Rectangle = want
	// What stands beside the data depends a little on the canvas.
	for range 3 {
		have := p.DataCanvas(c)
		c.Min = c.Min.Add(want.Min.Sub(have.Min))
		c.Max = c.Max.Add(want.Max.Sub(have.Max))
	}
	return c
}

func (s *plotGrid) rows() int { return (len(s.plots) + s.columns - 1) / s.columns }

func (s *plotGrid) titleHeight() vg.Length {
	if !slices.ContainsFunc(s.titles, func(t string) bool { return t != "" }) {
		return 0
	}
	return titleHeight
}

func (s *plotGrid) legendHeight() vg.Length {
	var h vg.Length
	for _, l := range s.legends {
		h += l.height()
	}
	return h
}

func (s *plotGrid) wholeHeight() vg.Length {
	rows := vg.Length(s.rows())
	h := 2*gap + s.legendHeight() + vg.Length(len(s.notes))*keyHeight + gap
	return h + rows*(s.titleHeight()+s.height) + (rows-1)*panelGap + s.bottom
}

func (s *plotGrid) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	width := s.dataWidth(c.Max.X - c.Min.X)
	c = draw.Crop(c, gap, -gap, gap, -gap)
	var strip draw.Canvas
	for _, l := range s.legends {
		strip, c = cutTop(c, l.height())
		l.draw(strip)
	}
	for _, note := range s.notes {
		strip, c = cutTop(c, keyHeight)
		style := write(textSize, paleInk(), text.XLeft, middle)
		c.FillText(style, vg.Point{X: strip.Min.X, Y: strip.Center().Y}, shorten(note, style, strip.Max.X-strip.Min.X))
	}
	_, c = cutTop(c, gap)
	for row := range slices.Chunk(s.indices(), s.columns) {
		var head draw.Canvas
		head, c = cutTop(c, s.titleHeight())
		for column, i := range row {
			data := vg.Rectangle{Max: vg.Point{Y: c.Max.Y}}
			data.Min.X = c.Min.X + s.left + vg.Length(column)*(width+panelGap+s.inner)
			data.Min.Y, data.Max.X = data.Max.Y-s.height, data.Min.X+width
			s.plots[i].Draw(fit(s.plots[i], c, data))
			if s.titleHeight() > 0 {
				style := write(labelSize, ink(), text.XLeft, text.YTop)
				c.FillText(style, vg.Point{X: data.Min.X, Y: head.Max.Y - 2}, shorten(s.titles[i], style, width))
			}
		}
		_, c = cutTop(c, s.height+panelGap)
	}
}

func (s *plotGrid) indices() []int {
	list := make([]int, len(s.plots))
	for i := range list {
		list[i] = i
	}
	return list
}

// gridFigures lays out n panels, each at least so wide, on figures; build makes the grid of
// some of them.
func gridFigures(name string, n int, least vg.Length, most int, x horizontal, on paper, build func(l layout, from, to int) *plotGrid) []*figure {
	made := func(l layout, from, to int) *plotGrid {
		g := build(l, from, to)
		g.arrange(l.width, x)
		return g
	}
	l := on.fit(n, least, most, func(l layout, from, to int) vg.Length { return made(l, from, to).wholeHeight() })
	var list []*figure
	for from := 0; from < n; from += l.each {
		g := made(l, from, min(from+l.each, n))
		list = append(list, &figure{name: name, width: l.width, height: g.wholeHeight(), draw: g.draw})
	}
	return numbered(list)
}
