package report

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	// leastBars is how wide a column of bars is at least.
	leastBars = 2.3 * vg.Inch
	// barsAround is what stands around the bars of a column: its axis, and some room.
	barsAround = labelledAxisHeight + 2*barGap
)

// barChart is horizontal bars, so that names of any length stay readable.
type barChart struct {
	name, axis string
	runs       []run
	groups     []string
	bars       []bar
	// keys stand above the bars, if there are any.
	keys []key
}

func barText() text.Style { return write(textSize, ink(), text.XLeft, middle) }

// figures lays the bars out: below each other, or in columns if that is too tall, and on
// several figures if there are more than a page has room for.
func (b barChart) figures(on paper) []*figure {
	around := func(width vg.Length) vg.Length {
		if len(b.keys) == 0 {
			return 2*gap + barsAround
		}
		return 3*gap + barsAround + newLegend(width-2*gap, slices.Clone(b.keys)).height()
	}
	var columns [][]bar
	var l layout
	for _, l = range on.candidates(len(b.bars), leastBars, mostColumns) {
		most := on.tallest(l.width)
		least := (around(l.width) + heightOfBars(b.bars)) / vg.Length(l.columns)
		for tall := min(least, most); ; tall = min(tall+barHeight, most) {
			columns = splitBars(b.bars, tall-around(l.width))
			if len(columns) <= l.columns || tall >= most {
				break
			}
		}
		if len(columns) <= l.columns {
			break
		}
	}
	var list []*figure
	for from := 0; from < len(columns); from += l.columns {
		part := columns[from:min(from+l.columns, len(columns))]
		tall := vg.Length(0)
		for _, bars := range part {
			tall = max(tall, around(l.width)+heightOfBars(bars))
		}
		list = append(list, &figure{name: b.name, width: l.width, height: tall, draw: func(c draw.Canvas) { b.draw(c, l, part) }})
	}
	return numbered(list)
}

// heightOfBars is the height of bars below each other, with the headings of their groups.
func heightOfBars(bars []bar) (height vg.Length) {
	group := ""
	for i, x := range bars {
		if x.group != group {
			group = x.group
			if height += barHeight; i > 0 {
				height += groupGap
			}
		}
		height += barHeight + barGap
	}
	return height
}

// splitBars divides bars into columns of at most a height. A group that fits into a column
// is not divided.
func splitBars(bars []bar, most vg.Length) (columns [][]bar) {
	for len(bars) > 0 {
		n, whole := 1, 0
		for ; n < len(bars) && heightOfBars(bars[:n+1]) <= most; n++ {
			if bars[n].group != bars[n-1].group {
				whole = n
			}
		}
		if n < len(bars) && bars[n].group == bars[n-1].group && whole > 0 {
			n = whole
		}
		columns = append(columns, bars[:n])
		bars = bars[n:]
	}
	return columns
}

func (b barChart) draw(c draw.Canvas, l layout, columns [][]bar) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, gap, -gap, gap, -gap)
	if len(b.keys) > 0 {
		keys := newLegend(c.Max.X-c.Min.X, slices.Clone(b.keys))
		var top draw.Canvas
		top, c = cutTop(c, keys.height()+gap)
		keys.draw(top)
	}
	width := (c.Max.X - c.Min.X - vg.Length(l.columns-1)*3*gap) / vg.Length(l.columns)
	for i, bars := range columns {
		cell := c
		cell.Min.X += vg.Length(i) * (width + 3*gap)
		cell.Max.X = cell.Min.X + width
		cell, _ = cutTop(cell, barsAround+heightOfBars(bars))
		b.drawColumn(cell, bars)
	}
}

// drawColumn draws some of the bars; all columns have the same axis.
func (b barChart) drawColumn(c draw.Canvas, bars []bar) {
	// Names stand to the left of the axis, values at the bars' ends.
	var names, values vg.Length
	largest := 0.0
	for _, x := range b.bars {
		largest = max(largest, x.value)
		names = max(names, barText().Width(b.nameOf(x)))
		values = max(values, barText().Width(x.text)+gap)
	}
	all := c.Max.X - c.Min.X
	names = min(names, all*0.4, max(all*0.8-values, 0))
	p := newPlot(b.axis, "")
	p.HideY()
	p.X.Min, p.Y.Min, p.Y.Max = 0, 0, 1
	p.X.Max = largest
	plotted := draw.Crop(c, names+gap, 0, 0, 0)
	length := b.lengthOfAxis(plotted.Max.X-plotted.Min.X, largest)
	plotted.Max.X = plotted.Min.X + length
	p.X.Tick.Marker = ticks(min(max(length/tickLabel, 2), 5))
	p.Add(barsPlotter{b, bars, names})
	p.Draw(plotted)
}

// lengthOfAxis returns how long the axis may be up to the longest bar, so that the text of
// every bar ends within a width.
func (b barChart) lengthOfAxis(width vg.Length, largest float64) vg.Length {
	length := width
	for _, x := range b.bars {
		if x.value > 0 {
			left := width - barText().Width(x.text) - gap
			length = min(length, left*vg.Length(largest/x.value))
		}
	}
	return max(length, width/20)
}

func (b barChart) nameOf(x bar) string { return b.runs[x.run].name }

// barsPlotter draws the bars of a column with their names and values.
type barsPlotter struct {
	barChart
	column []bar
	names  vg.Length
}

func (b barsPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	y := c.Max.Y - barGap
	group := ""
	for i, bar := range b.column {
		if bar.group != group {
			group = bar.group
			if i > 0 {
				y -= groupGap
			}
			left := c.Min.X - b.names - gap
			style := write(labelSize, ink(), text.XLeft, text.YTop)
			c.FillText(style, vg.Point{X: left, Y: y + 2}, shorten(group, style, c.Max.X-left))
			y -= barHeight
		}
		right := x(bar.value)
		s := styleOf(bar.run)
		box := []vg.Point{{X: c.Min.X, Y: y}, {X: right, Y: y}, {X: right, Y: y - barHeight}, {X: c.Min.X, Y: y - barHeight}}
		if len(bar.parts) > 0 {
			fillParts(c, bar.parts, x, y)
		} else {
			c.FillPolygon(s.color, box)
		}
		middle := y - barHeight/2
		name := shorten(b.nameOf(bar), barText(), b.names)
		left := barText()
		left.XAlign = text.XRight
		c.FillText(left, vg.Point{X: c.Min.X - gap, Y: middle}, name)
		c.FillText(barText(), vg.Point{X: right + gap/2, Y: middle}, bar.text)
		y -= barHeight + barGap
	}
}
