package report

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// arrange gives all panels the same axes and finds places for the marks' labels.
func (t *timelines) arrange(width vg.Length, columns int) {
	var rate, queue float64
	for _, p := range t.panels {
		rate, queue = max(rate, p.rate.Y.Max), max(queue, p.queue.Y.Max)
	}
	for i := range t.panels {
		p := &t.panels[i]
		for _, q := range []*plot.Plot{p.rate, p.queue} {
			q.X.Min, q.X.Max = 0, t.end
			q.X.Tick.Marker = ticks(6)
			q.Y.Min = 0
			q.Y.Tick.Marker = ticks(5)
		}
		p.rate.Y.Max = max(rate*1.05, 1e-9)
		p.queue.Y.Max = max(queue*1.08, 1e-3)
		p.queue.Y.Tick.Marker = ticks(4)
		if t.queued {
			p.rate.X.Tick.Marker = unlabelled{p.rate.X.Tick.Marker}
		}
		if i >= len(t.panels)-columns {
			t.lowest(p).X.Label.Text = "Time (µs)"
		}
	}
	for i := range t.panels {
		p := &t.panels[i]
		c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: t.panelWidth(width, columns), Y: rateHeight}}}
		data := p.rate.DataCanvas(t.aligned(p, c, c)[0])
		// Marks that all runs share are named once, at the top.
		if i < columns || !t.sharedMarks() {
			p.labels = placeMarks(p.marks, t.end, data.Max.X-data.Min.X)
		}
	}
}

func (t *timelines) sharedMarks() bool {
	for _, p := range t.panels {
		if !slices.Equal(p.marks, t.panels[0].marks) {
			return false
		}
	}
	return true
}

// lowest is the plot of a panel that carries the time axis.
func (t *timelines) lowest(p *panel) *plot.Plot {
	if t.queued {
		return p.queue
	}
	return p.rate
}

func (t *timelines) aligned(p *panel, rate, queue draw.Canvas) []draw.Canvas {
	canvases := []draw.Canvas{rate, queue}
	alignColumn([]*plot.Plot{p.rate, p.queue}, canvases)
	return canvases
}

func (t *timelines) panelWidth(width vg.Length, columns int) vg.Length {
	return (width - 2*gap - vg.Length(columns-1)*2*gap) / vg.Length(columns)
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
	h := rateHeight + gap
	if t.queued {
		h += queueHeight
	}
	if t.lowest(p).X.Label.Text != "" {
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

func (t *timelines) draw(c draw.Canvas, columns int) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	width := t.panelWidth(c.Max.X-c.Min.X, columns)
	c = draw.Crop(c, gap, -gap, gap, -gap)
	for _, l := range t.legends {
		var strip draw.Canvas
		strip, c = cutTop(c, l.height())
		l.draw(strip)
	}
	_, c = cutTop(c, gap)
	for row := range slices.Chunk(t.panels, columns) {
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
	head, plots := cutTop(c, c.Max.Y-c.Min.Y-t.plotsHeight(p))
	rate, queue := plots, plots
	if t.queued {
		rate, queue = cutTop(plots, rateHeight+gap/2)
		queue.Max.Y -= gap / 2
	}
	both := t.aligned(p, rate, queue)
	p.rate.Draw(both[0])
	if t.queued {
		p.queue.Draw(both[1])
	}
	data := p.rate.DataCanvas(both[0])
	head.Min.X, head.Max.X = data.Min.X, data.Max.X
	title := write(labelSize, ink(), text.XLeft, text.YTop)
	right := write(textSize, paleInk(), text.XRight, text.YTop)
	room := head.Max.X - head.Min.X - right.Width(p.note) - gap
	head.FillText(title, vg.Point{X: head.Min.X, Y: head.Max.Y - 2}, shorten(p.title, title, room))
	head.FillText(right, vg.Point{X: head.Max.X, Y: head.Max.Y - 3}, p.note)
	p.labels.draw(head, t.end)
}
