package report

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/internal/histogram"
	"weft/report/internal/thin"
	"weft/unit"
)

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

// counts returns numbers at the middle of each bucket.
func counts(values []int64, buckets int, bucket float64) plotter.XYs {
	xy := make(plotter.XYs, buckets)
	for b := range xy {
		xy[b] = plotter.XY{X: (float64(b) + 0.5) * bucket, Y: float64(at(values, b))}
	}
	return xy
}

// shares returns percentages of time at the middle of each bucket.
func shares(times []int64, buckets int, bucket float64) plotter.XYs {
	xy := make(plotter.XYs, buckets)
	for b := range xy {
		xy[b] = plotter.XY{X: (float64(b) + 0.5) * bucket, Y: 100 * inMicros(unit.Time(at(times, b))) / bucket}
	}
	return xy
}

func inMicros(t unit.Time) float64 { return float64(t) / float64(unit.Microsecond) }

// at is the value of a bucket; those after the last hold nothing.
func at(values []int64, bucket int) int64 {
	if bucket < len(values) {
		return values[bucket]
	}
	return 0
}

// envelope sums up many ports by the extremes and the median of each bucket.
func envelope(ports map[string]*port) map[string]*port {
	largest, median, smallest := new(port), new(port), new(port)
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
			*of(median) = append(*of(median), histogram.Percentile(values, 50))
			*of(smallest) = append(*of(smallest), values[0])
		}
	}
	series(func(p *port) *[]int64 { return &p.accepted })
	series(func(p *port) *[]int64 { return &p.transmitted })
	series(func(p *port) *[]int64 { return &p.queue })
	series(func(p *port) *[]int64 { return &p.dropped })
	series(func(p *port) *[]int64 { return &p.paused })
	for _, p := range ports {
		largest.rate = max(largest.rate, p.rate)
	}
	return map[string]*port{"largest": largest, "median": median, "smallest": smallest}
}

// level is a horizontal line of reference, which of several its dashes tell.
type level struct {
	at    float64
	which int
}

// levelStyle returns the style of the first, second … line of reference of a figure.
func levelStyle(which int) draw.LineStyle {
	dashes := [][]vg.Length{{1, 1.5}, {5, 1.5}, {5, 1.5, 1, 1.5}, nil}
	return draw.LineStyle{Color: paleInk(), Width: 0.6, Dashes: dashes[which%len(dashes)]}
}

func (l level) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	if at := y(l.at); c.ContainsY(at) {
		c.StrokeLine2(levelStyle(l.which), c.Min.X, at, c.Max.X, at)
	}
}

// DataRange keeps the line within the plot.
func (l level) DataRange() (x0, x1, y0, y1 float64) { return 0, 0, 0, l.at }

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
// apart to be seen, and at other places for each of several curves. Of a long line it
// draws the peaks and dips, since a line of 200 000 points takes minutes.
func curve(xy plotter.XYs, line draw.LineStyle, glyph draw.GlyphDrawer, i int) plot.Plotter {
	return &curvePlotter{Line: plotter.Line{XYs: thinned(xy), LineStyle: line}, glyph: glyph, phase: i}
}

// mostPoints is how many points of a line are drawn: more than a printer can tell apart.
const mostPoints = 2000

// stroke is how many points of a line are drawn at once. The time that a rasterizer takes grows with the square of what
// crosses a row of pixels.
const stroke = 200

func thinned(xy plotter.XYs) plotter.XYs {
	factor := thin.Factor(len(xy), mostPoints)
	if factor == 1 {
		return xy
	}
	var kept plotter.XYs
	for _, i := range thin.Indices(len(xy), factor, func(i int) float64 { return xy[i].Y }) {
		kept = append(kept, xy[i])
	}
	return kept
}

type curvePlotter struct {
	plotter.Line
	glyph draw.GlyphDrawer
	phase int
}

const glyphsPerCurve = 7

func (l *curvePlotter) Plot(c draw.Canvas, p *plot.Plot) {
	part := l.Line
	for from := 0; from == 0 || from < len(l.XYs)-1; from += stroke {
		part.XYs = l.XYs[from:min(len(l.XYs), from+stroke+1)]
		part.Plot(c, p)
	}
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
