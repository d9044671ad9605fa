package report

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/unit"
)

// strip is one of the plots of a panel, which all panels have below each other.
type strip struct {
	label  string
	height vg.Length
	ticks  int
	// room is how far the axis goes beyond the largest value, and least how far at
	// the least.
	room, least float64
	// gigabits tells that values are rates in Gb/s. If all are below one, the axis has Mb/s.
	gigabits bool
	// unit is the axis's, in that of values; 0 is the same.
	unit float64
}

// inRates names the unit of the axes of a strip of rates.
func (t *timelines) inRates(k int) {
	rates := unit.ScaleOfRates(t.largest[k] * float64(unit.Gbps))
	t.strips[k].unit = rates.Divisor / float64(unit.Gbps)
	for _, p := range t.panels {
		p.plots[k].Y.Label.Text = t.strips[k].label + " (" + rates.Name + ")"
	}
}

// drop leaves out strips without data, and notes what axes must show.
func (t *timelines) drop() {
	for k := len(t.strips) - 1; k >= 0; k-- {
		if !t.filled[k] {
			t.strips, t.filled = slices.Delete(t.strips, k, k+1), slices.Delete(t.filled, k, k+1)
			for i := range t.panels {
				t.panels[i].plots = slices.Delete(t.panels[i].plots, k, k+1)
			}
		}
	}
	t.largest = make([]float64, len(t.strips))
	for k := range t.strips {
		for _, p := range t.panels {
			t.largest[k] = max(t.largest[k], p.plots[k].Y.Max)
		}
		if t.strips[k].gigabits {
			t.inRates(k)
		}
	}
	t.shared = t.sharedMarks()
}

// arrange gives all panels the same axes and finds places for the marks' labels. It can be
// done again for another layout.
func (t *timelines) arrange(l layout) {
	// Labels of an axis have room for four digits.
	scale := timeScaleOf(10 * t.end)
	width := t.panelWidth(l)
	for k, s := range t.strips {
		for i, p := range t.panels {
			q := p.plots[k]
			q.X.Min, q.X.Max = 0, t.end
			q.X.Tick.Marker = inUnits{ticks(6), scale.divisor}
			q.Y.Min, q.Y.Max = 0, max(t.largest[k]*s.room, s.least)
			q.Y.Tick.Marker = ticks(s.ticks)
			if s.unit != 0 {
				q.Y.Tick.Marker = inUnits{ticks(s.ticks), s.unit}
			}
			q.X.Label.Text = ""
			if k < len(t.strips)-1 {
				q.X.Tick.Marker = unlabelled{q.X.Tick.Marker}
			} else if i >= len(t.panels)-l.columns {
				q.X.Label.Text = "Time (" + scale.name + ")"
			}
		}
	}
	for i := range t.panels {
		p := &t.panels[i]
		c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: width, Y: rateHeight}}}
		canvases := slices.Repeat([]draw.Canvas{c}, len(p.plots))
		alignColumn(p.plots, canvases)
		data := p.plots[0].DataCanvas(canvases[0])
		p.labels = markLabels{}
		// Marks that all runs share are named once, at the top.
		if i < l.columns || !t.shared {
			p.labels = placeMarks(p.marks, t.end, data.Max.X-data.Min.X)
		}
	}
}

// part is the figure of the panels from one to before another, arranged.
func (t *timelines) part(l layout, from, to int) *timelines {
	part := *t
	part.panels = slices.Clone(t.panels[from:to])
	part.legends = nil
	for _, keys := range t.keys {
		part.legends = append(part.legends, newLegend(l.width-2*gap, slices.Clone(keys)))
	}
	part.arrange(l)
	return &part
}

func (t *timelines) sharedMarks() bool {
	for _, p := range t.panels {
		if !slices.Equal(p.marks, t.panels[0].marks) {
			return false
		}
	}
	return true
}

func (t *timelines) panelWidth(l layout) vg.Length {
	return (l.width - 2*gap - vg.Length(l.columns-1)*2*gap) / vg.Length(l.columns)
}

// rowHeight is the height of a row of panels.
func (t *timelines) rowHeight(row []panel) vg.Length {
	var labels int
	var plots vg.Length
	for i := range row {
		labels = max(labels, row[i].labels.rows)
		plots = max(plots, t.plotsHeight(&row[i]))
	}
	return titleHeight + vg.Length(labels)*markHeight + plots
}

// plotsHeight is the height of a panel's plots without what stands above them.
func (t *timelines) plotsHeight(p *panel) vg.Length {
	h := gap
	for _, s := range t.strips {
		h += s.height
	}
	if lowest := p.plots[len(p.plots)-1]; lowest.X.Label.Text != "" {
		return h + labelledAxisHeight
	}
	return h + axisHeight
}

func (t *timelines) legendHeight() vg.Length {
	var h vg.Length
	for _, l := range t.legends {
		h += l.height()
	}
	return h
}

func (t *timelines) height(columns int) vg.Length {
	h := 3*gap + t.legendHeight()
	for row := range slices.Chunk(t.panels, columns) {
		h += t.rowHeight(row)
	}
	return h
}

func (t *timelines) draw(c draw.Canvas, l layout) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	width := t.panelWidth(l)
	c = draw.Crop(c, gap, -gap, gap, -gap)
	for _, keys := range t.legends {
		var strip draw.Canvas
		strip, c = cutTop(c, keys.height())
		keys.draw(strip)
	}
	_, c = cutTop(c, gap)
	for row := range slices.Chunk(t.panels, l.columns) {
		var line draw.Canvas
		line, c = cutTop(c, t.rowHeight(row))
		var labelled vg.Length
		for i := range row {
			labelled = max(labelled, t.plotsHeight(&row[i]))
		}
		for i := range row {
			// Panels beside one that has a label below its axis end higher.
			cell := line
			cell.Min.Y += labelled - t.plotsHeight(&row[i])
			cell.Min.X += vg.Length(i) * (width + 2*gap)
			cell.Max.X = cell.Min.X + width
			t.drawPanel(&row[i], cell)
		}
	}
}

func (t *timelines) drawPanel(p *panel, c draw.Canvas) {
	head, rest := cutTop(c, c.Max.Y-c.Min.Y-t.plotsHeight(p))
	canvases := make([]draw.Canvas, len(t.strips))
	for k, s := range t.strips {
		canvases[k] = rest
		if k < len(t.strips)-1 {
			canvases[k], rest = cutTop(rest, s.height+gap/2)
			rest.Max.Y -= gap / 2
		}
	}
	alignColumn(p.plots, canvases)
	for k, q := range p.plots {
		q.Draw(canvases[k])
	}
	data := p.plots[0].DataCanvas(canvases[0])
	head.Min.X, head.Max.X = data.Min.X, data.Max.X
	title := write(labelSize, ink(), text.XLeft, text.YTop)
	right := write(textSize, paleInk(), text.XRight, text.YTop)
	room := head.Max.X - head.Min.X - right.Width(p.note) - gap
	head.FillText(title, vg.Point{X: head.Min.X, Y: head.Max.Y - 2}, shorten(p.title, title, room))
	head.FillText(right, vg.Point{X: head.Max.X, Y: head.Max.Y - 3}, p.note)
	p.labels.draw(head, t.end)
}
