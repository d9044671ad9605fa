package report

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/record"
	"weft/unit"
)

const (
	// mostLines is how many ports are drawn as a line each; of more, only the
	// extremes and the median.
	mostLines = 64
	// leastPanel is how wide a panel is at least, and mostColumns in how many columns they
	// stand at most.
	leastPanel  = 2.1 * vg.Inch
	mostColumns = 3

	rateHeight   = 1.15 * vg.Inch
	queueHeight  = 0.75 * vg.Inch
	dropsHeight  = 0.45 * vg.Inch
	pausedHeight = 0.62 * vg.Inch
	titleHeight  = vg.Length(13)
	// axisHeight is that of an axis with its ticks, labelledAxisHeight that of
	// one with a label below them.
	axisHeight         = vg.Length(13)
	labelledAxisHeight = vg.Length(24)
)

// portFigures draws the rates and queues of the recorded ports over time.
func portFigures(runs []run, on paper) ([]*figure, []string) {
	names := names(runs, func(r run) map[string]*port { return r.ports })
	if len(names) == 0 {
		return nil, []string{"ports: not drawn, because no port was recorded; name ports under record: in the scenario"}
	}
	t := newTimelines("ports", "ports", names, []strip{
		{label: "Rate", height: rateHeight, ticks: 5, room: 1.05, least: 1e-9, gigabits: true},
		{label: "Queue (kB)", height: queueHeight, ticks: 4, room: 1.08, least: 1e-3},
		{label: "Drops", height: dropsHeight, ticks: 2, room: 1.08, least: 1},
		{label: "Paused (%)", height: pausedHeight, ticks: 2, room: 1.05, least: 105},
	})
	t.filled[rates] = true
	t.filled[paused] = slices.ContainsFunc(runs, func(r run) bool {
		for _, p := range r.ports {
			if len(p.paused) > 0 {
				return true
			}
		}
		return false
	})
	if len(names) <= mostLines {
		t.highlight(oddPorts(runs, names))
	}
	for _, r := range runs {
		if len(names) > mostLines {
			r.ports = envelope(r.ports)
		}
		t.addPorts(r)
	}
	return t.figures(names, t.kindKeys(), on)
}

// The strips of the figure of ports.
const (
	rates = iota
	queued
	drops
	paused
)

// newTimelines begins a figure of the named things, "ports" for instance.
func newTimelines(figure, of string, names []string, strips []strip) *timelines {
	t := &timelines{name: figure, of: of, strips: strips, filled: make([]bool, len(strips)), lines: portLines(names)}
	if len(names) > mostLines {
		t.lines = envelopeLines()
	}
	return t
}

// figures finishes the figure, with a second legend if there is one. Panels that one has no
// room for stand on others.
func (t *timelines) figures(names []string, more []key, on paper) ([]*figure, []string) {
	t.drop()
	t.keys = [][]key{t.nameKeys(names), more}
	l := on.fit(len(t.panels), leastPanel, mostColumns, func(l layout, from, to int) vg.Length {
		return t.part(l, from, to).height(l.columns)
	})
	var list []*figure
	for from := 0; from < len(t.panels); from += l.each {
		to := min(from+l.each, len(t.panels))
		list = append(list, &figure{
			name: t.name, width: l.width, height: t.part(l, from, to).height(l.columns),
			// Parts share their plots, which are arranged for each.
			draw: func(c draw.Canvas) { t.part(l, from, to).draw(c, l) },
		})
	}
	var notices []string
	if len(names) > mostLines {
		notices = append(notices, fmt.Sprintf("%s: %d %s were recorded, and at most %d can be drawn; the figure shows the largest, median and smallest value of all in each bucket", t.name, len(names), t.of, mostLines))
	}
	return numbered(list), notices
}

// portLine is how a port, or a connection, is drawn.
type portLine struct {
	name string
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

// timelines is a figure of several plots a run, below each other.
type timelines struct {
	name string
	// of is what the lines are of, in the plural.
	of     string
	lines  []portLine
	strips []strip
	// filled tells which strips have something to show.
	filled []bool
	panels []panel
	// keys are those of the legends, which a layout makes.
	keys    [][]key
	legends []legend
	// largest is the largest value of all panels on each strip, and shared whether all
	// have the same marks.
	largest []float64
	shared  bool
	// odd are the keys of lines that differ from so many others; those are grey.
	odd    []key
	others int
	// end is the largest time in µs.
	end          float64
	sent, limits bool
}

// panel is the part of the figure about one run.
type panel struct {
	title, note string
	plots       []*plot.Plot // one a strip
	marks       []record.Mark
	labels      markLabels
}

// add appends the panel of a run, with its faults.
func (t *timelines) add(r run) *panel {
	p := panel{title: r.name, note: r.note(), marks: r.marks}
	if p.note == "" && r.Whole(r.Partial) {
		p.note = "runtime " + timeScaleOf(inMicros(r.Runtime)).text(inMicros(r.Runtime))
	}
	for _, s := range t.strips {
		q := newPlot("", s.label)
		q.Y.Min, q.Y.Max = 0, 0 // axes begin at 0 whatever the data
		for _, m := range r.marks {
			q.Add(instant(inMicros(m.At)))
		}
		p.plots = append(p.plots, q)
	}
	t.panels = append(t.panels, p)
	return &t.panels[len(t.panels)-1]
}

func (t *timelines) addPorts(r run) {
	p := t.add(r)
	for _, rate := range linkRates(r.ports) {
		p.plots[rates].Add(level{at: float64(rate) / float64(unit.Gbps)})
		t.limits = true
	}
	bucket := inMicros(r.interval)
	buckets := r.buckets()
	t.end = max(t.end, float64(buckets)*bucket)

	// Transmitted bytes lie below, thin, so that they show where they differ.
	for i, l := range t.lines {
		if s := r.ports[l.name]; s != nil && len(s.transmitted) > 0 {
			t.sent = true
			p.plots[rates].Add(curve(throughput(s.transmitted, buckets, bucket), transmittedStyle(l.color), nil, i))
		}
	}
	for i, l := range t.lines {
		s := r.ports[l.name]
		if s == nil {
			continue
		}
		line := draw.LineStyle{Color: l.color, Width: t.lineWidth(l)}
		if len(s.accepted) > 0 {
			p.plots[rates].Add(curve(throughput(s.accepted, buckets, bucket), line, l.glyph, i))
		}
		if len(s.queue) > 0 {
			t.filled[queued] = true
			p.plots[queued].Add(curve(queues(s.queue, buckets, bucket), line, l.glyph, i))
		}
		if len(s.dropped) > 0 {
			t.filled[drops] = true
			p.plots[drops].Add(curve(counts(s.dropped, buckets, bucket), line, l.glyph, i))
		}
		if t.filled[paused] { // a run whose ports were never paused says so, beside others
			p.plots[paused].Add(curve(shares(s.paused, buckets, bucket), line, l.glyph, i))
		}
	}
}

func (t *timelines) lineWidth(l portLine) vg.Length {
	if len(t.lines) > styleCount && (len(t.odd) == 0 || l.glyph == nil) {
		return thinLine
	}
	return plainLine
}

func transmittedStyle(c color.Color) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: thinLine, Dashes: []vg.Length{2, 1.5}}
}

// linkRates returns the distinct nominal rates of ports.
func linkRates(ports map[string]*port) []unit.Rate {
	var rates []unit.Rate
	for _, p := range ports {
		if p.rate > 0 {
			rates = append(rates, p.rate)
		}
	}
	slices.Sort(rates)
	return slices.Compact(rates)
}

// buckets is how many buckets of ports are drawn. Of a run that drained these are the ones until nothing happens any more, and one
// more, so that lines end at 0: it may have gone on for timers alone. One that ended at a stated time is drawn until then.
func (r *run) buckets() int {
	busy, all := 0, 0
	for _, p := range r.ports {
		for _, values := range [][]int64{p.accepted, p.transmitted, p.queue, p.dropped} {
			all = max(all, len(values))
			for b := len(values); b > busy; b-- {
				if values[b-1] != 0 {
					busy = b
				}
			}
		}
	}
	if r.Ended == record.Until || r.Ended == record.Interrupted { // at whose instant a queue may be noted, and nothing else
		return max(min(all, int((r.Simulated+r.interval-1)/r.interval)), 1)
	}
	return max(min(busy+1, all), 1)
}

// nameKeys tell the lines apart.
func (t *timelines) nameKeys(names []string) []key {
	var keys []key
	switch {
	case len(t.odd) > 0:
		grey := draw.LineStyle{Color: otherGrey(), Width: plainLine}
		keys = append(slices.Clone(t.odd), lineKey(fmt.Sprintf("the %d other %s", t.others, t.of), grey, nil))
	case len(names) <= styleCount:
		for _, l := range t.lines {
			keys = append(keys, lineKey(l.name, draw.LineStyle{Color: l.color, Width: plainLine}, l.glyph))
		}
	case len(names) <= mostLines:
		keys = append(keys, scaleKey(fmt.Sprintf("%s to %s (%d %s)", names[0], names[len(names)-1], len(names), t.of), t.lines))
	default:
		for _, l := range t.lines {
			keys = append(keys, lineKey(fmt.Sprintf("%s of %d %s", l.name, len(names), t.of), draw.LineStyle{Color: l.color, Width: plainLine}, l.glyph))
		}
	}
	return keys
}

// kindKeys tell the kinds of line apart.
func (t *timelines) kindKeys() []key {
	keys := []key{lineKey("accepted", draw.LineStyle{Color: ink(), Width: plainLine}, nil)}
	if t.sent {
		keys = append(keys, lineKey("transmitted", transmittedStyle(ink()), nil))
	}
	if t.limits {
		keys = append(keys, lineKey("link rate", levelStyle(0), nil))
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
