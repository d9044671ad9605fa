package report

import (
	"fmt"
	"image/color"
	"maps"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/record"
	"weft/unit"
)

const (
	// mostLines is how many ports are drawn as a line each; of more, only the
	// extremes and the median.
	mostLines = 64
	// wideFrom is how many panels stand in two columns.
	wideFrom = 4

	rateHeight  = 1.15 * vg.Inch
	queueHeight = 0.75 * vg.Inch
	titleHeight = vg.Length(13)
	// axisHeight is that of an axis with its ticks, labelledAxisHeight that of
	// one with a label below them.
	axisHeight         = vg.Length(13)
	labelledAxisHeight = vg.Length(24)
)

// portFigure draws the rates and queues of the recorded ports over time.
func portFigure(runs []run) (*figure, []string) {
	names := portNames(runs)
	if len(names) == 0 {
		return nil, []string{"ports: not drawn, because no port was recorded; name ports under record: in the scenario"}
	}
	t := timelines{lines: portLines(names)}
	if len(names) > mostLines {
		t.lines = envelopeLines()
	}
	for _, r := range runs {
		if len(names) > mostLines {
			r.ports = envelope(r.ports)
		}
		t.add(r, names)
	}
	columns := 1
	if len(runs) >= wideFrom {
		columns = 2
	}
	width := columnWidth
	if columns == 2 {
		width = pageWidth
	}
	t.legends = []legend{newLegend(width-2*gap, t.portKeys(names)), newLegend(width-2*gap, t.kindKeys())}
	t.arrange(width, columns)
	var notices []string
	if len(names) > mostLines {
		notices = append(notices, fmt.Sprintf("ports: %d ports were recorded, more than the %d that can be drawn; the figure shows the largest, median and smallest value of all in each bucket", len(names), mostLines))
	}
	return &figure{name: "ports", width: width, height: t.height(columns), draw: func(c draw.Canvas) { t.draw(c, columns) }}, notices
}

// portLine is how a port is drawn.
type portLine struct {
	port string
	style
}

// portLines gives every port its line, the same in all panels.
func portLines(names []string) []portLine {
	lines := make([]portLine, len(names))
	if len(names) <= styleCount {
		for i, name := range names {
			lines[i] = portLine{name, styleOf(i)}
		}
		return lines
	}
	for i, c := range sequential(len(names)) {
		lines[i] = portLine{names[i], style{color: c}}
	}
	return lines
}

func envelopeLines() []portLine { return portLines([]string{"largest", "median", "smallest"}) }

// envelope sums up many ports by the extremes and the median of each bucket.
func envelope(ports map[string]*port) map[string]*port {
	largest, median, smallest := &port{name: "largest"}, &port{name: "median"}, &port{name: "smallest"}
	series := func(of func(*port) *[]int64) {
		buckets := 0
		for _, p := range ports {
			buckets = max(buckets, len(*of(p)))
		}
		values := make([]int64, 0, len(ports))
		for b := range buckets {
			values = values[:0]
			for _, p := range ports {
				values = append(values, at(*of(p), b))
			}
			slices.Sort(values)
			*of(largest) = append(*of(largest), values[len(values)-1])
			*of(median) = append(*of(median), record.Percentile(values, 50))
			*of(smallest) = append(*of(smallest), values[0])
		}
	}
	series(func(p *port) *[]int64 { return &p.accepted })
	series(func(p *port) *[]int64 { return &p.transmitted })
	series(func(p *port) *[]int64 { return &p.queue })
	for _, p := range ports {
		largest.rate = max(largest.rate, p.rate)
	}
	return map[string]*port{"largest": largest, "median": median, "smallest": smallest}
}

// at is the value of a bucket; those after the last hold nothing.
func at(values []int64, bucket int) int64 {
	if bucket < len(values) {
		return values[bucket]
	}
	return 0
}

// timelines is a figure with two plots a run: rates above queues.
type timelines struct {
	lines   []portLine
	panels  []panel
	legends []legend
	// end is the largest time in µs.
	end                  float64
	sent, queued, limits bool
}

// panel is the part of the figure about one run.
type panel struct {
	title, note string
	rate, queue *plot.Plot
	marks       []record.Mark
	labels      markLabels
}

func (t *timelines) add(r run, names []string) {
	p := panel{title: r.name, note: shortcomings(r.Stats, r.Partial), rate: newPlot("", "Rate (Gbps)"), queue: newPlot("", "Queue (KB)"), marks: r.marks}
	if p.note == "" && r.Runtime > 0 {
		p.note = "runtime " + timeScaleOf(inMicros(r.Runtime)).text(inMicros(r.Runtime))
	}
	bucket := inMicros(r.interval)
	buckets := 0
	rates := map[unit.Rate]bool{}
	for _, s := range r.ports {
		buckets = max(buckets, len(s.accepted), len(s.transmitted), len(s.queue))
		if s.rate > 0 {
			rates[s.rate] = true
		}
	}
	t.end = max(t.end, float64(buckets)*bucket)

	for _, rate := range slices.Sorted(maps.Keys(rates)) {
		p.rate.Add(level(float64(rate) / float64(unit.Gbps)))
		t.limits = true
	}
	for _, q := range []*plot.Plot{p.rate, p.queue} {
		for _, m := range r.marks {
			q.Add(instant(inMicros(m.At)))
		}
		// All buckets hold at least 0; without data the axis begins there too.
		q.Y.Min, q.Y.Max = 0, 0
	}

	// Transmitted bytes lie below, thin, so that they show where they differ.
	for i, l := range t.lines {
		s := r.ports[l.port]
		if s == nil {
			continue
		}
		if len(s.transmitted) > 0 {
			t.sent = true
			p.rate.Add(curve(throughput(s.transmitted, buckets, bucket), draw.LineStyle{Color: l.color, Width: thinLine, Dashes: []vg.Length{2, 1.5}}, nil, i))
		}
	}
	width := plainLine
	if len(t.lines) > styleCount {
		width = thinLine
	}
	for i, l := range t.lines {
		s := r.ports[l.port]
		if s == nil {
			continue
		}
		line := draw.LineStyle{Color: l.color, Width: width}
		if len(s.accepted) > 0 {
			p.rate.Add(curve(throughput(s.accepted, buckets, bucket), line, l.glyph, i))
		}
		if len(s.queue) > 0 {
			t.queued = true
			p.queue.Add(curve(queues(s.queue, buckets, bucket), line, l.glyph, i))
		}
	}
	t.panels = append(t.panels, p)
}

// throughput returns Gbps at the middle of each bucket.
func throughput(bytes []int64, buckets int, bucket float64) plotter.XYs {
	xy := make(plotter.XYs, buckets)
	for b := range xy {
		// A bit a microsecond is a thousandth of a Gbps.
		xy[b] = plotter.XY{X: (float64(b) + 0.5) * bucket, Y: float64(at(bytes, b)) * 8 / bucket / 1000}
	}
	return xy
}

// queues returns kilobytes at the start of each bucket.
func queues(bytes []int64, buckets int, bucket float64) plotter.XYs {
	xy := make(plotter.XYs, buckets)
	for b := range xy {
		xy[b] = plotter.XY{X: float64(b) * bucket, Y: float64(at(bytes, b)) / 1000}
	}
	return xy
}

func inMicros(t unit.Time) float64 { return float64(t) / float64(unit.Microsecond) }

// portKeys tell the ports apart.
func (t *timelines) portKeys(names []string) []key {
	var keys []key
	switch {
	case len(names) <= styleCount:
		for _, l := range t.lines {
			keys = append(keys, lineKey(l.port, draw.LineStyle{Color: l.color, Width: plainLine}, l.glyph))
		}
	case len(names) <= mostLines:
		keys = append(keys, scaleKey(fmt.Sprintf("%s to %s (%d ports)", names[0], names[len(names)-1], len(names)), t.lines))
	default:
		for _, l := range t.lines {
			keys = append(keys, lineKey(fmt.Sprintf("%s of %d ports", l.port, len(names)), draw.LineStyle{Color: l.color, Width: plainLine}, l.glyph))
		}
	}
	return keys
}

// kindKeys tell the kinds of line apart.
func (t *timelines) kindKeys() []key {
	keys := []key{lineKey("accepted", draw.LineStyle{Color: ink(), Width: plainLine}, nil)}
	if t.sent {
		keys = append(keys, lineKey("transmitted", draw.LineStyle{Color: ink(), Width: thinLine, Dashes: []vg.Length{2, 1.5}}, nil))
	}
	if t.limits {
		keys = append(keys, lineKey("link rate", levelStyle(), nil))
	}
	return keys
}

// scaleKey shows the colours of many ports as a bar.
func scaleKey(name string, lines []portLine) key {
	return key{name: name, wide: 2 * keyWidth, draw: func(c draw.Canvas) {
		y := c.Center().Y
		step := (c.Max.X - c.Min.X) / vg.Length(len(lines))
		for i, l := range lines {
			x := c.Min.X + vg.Length(i)*step
			c.StrokeLine2(draw.LineStyle{Color: l.color, Width: 4}, x, y, x+step, y)
		}
	}}
}

// level is a reference line at a rate in Gbps.
type level float64

func levelStyle() draw.LineStyle {
	return draw.LineStyle{Color: paleInk(), Width: 0.6, Dashes: []vg.Length{1, 1.5}}
}

func (l level) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	c.StrokeLine2(levelStyle(), c.Min.X, y(float64(l)), c.Max.X, y(float64(l)))
}

// DataRange keeps the line within the plot.
func (l level) DataRange() (x0, x1, y0, y1 float64) { return 0, 0, 0, float64(l) }

// instant is a vertical line at a time in µs.
type instant float64

func (at instant) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	if px := x(float64(at)); c.ContainsX(px) {
		c.StrokeLine2(instantStyle(), px, c.Min.Y, px, c.Max.Y)
	}
}

func instantStyle() draw.LineStyle { return draw.LineStyle{Color: paleInk(), Width: 0.6} }

// curve draws points joined by a line, with glyphs at some of them: far enough
// apart to be seen, and at other places for each of several curves.
func curve(xy plotter.XYs, line draw.LineStyle, glyph draw.GlyphDrawer, i int) plot.Plotter {
	return &curvePlotter{Line: plotter.Line{XYs: xy, LineStyle: line}, glyph: glyph, phase: i}
}

type curvePlotter struct {
	plotter.Line
	glyph draw.GlyphDrawer
	phase int
}

const glyphsPerCurve = 7

func (l *curvePlotter) Plot(c draw.Canvas, p *plot.Plot) {
	l.Line.Plot(c, p)
	if l.glyph == nil {
		return
	}
	x, y := p.Transforms(&c)
	every := max(1, len(l.XYs)/glyphsPerCurve)
	for i := l.phase * every / styleCount; i < len(l.XYs); i += every {
		c.DrawGlyph(draw.GlyphStyle{Color: l.Color, Radius: glyphSize, Shape: l.glyph},
			vg.Point{X: x(l.XYs[i].X), Y: y(l.XYs[i].Y)})
	}
}

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
		p.queue.Y.Tick.Marker = ticks(3)
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
		p.labels = placeMarks(p.marks, t.end, data.Max.X-data.Min.X)
	}
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
	labels := 0
	for _, p := range row {
		labels = max(labels, p.labels.rows)
	}
	return titleHeight + vg.Length(labels)*markHeight + t.plotsHeight(&row[len(row)-1])
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
		for i := range row {
			cell := line
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
