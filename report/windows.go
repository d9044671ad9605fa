package report

import (
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/internal/histogram"
)

const windowHeight = 0.95 * vg.Inch

// windowFigures draws congestion windows, paces and payload in flight of the recorded
// connections over time.
func windowFigures(runs []run, on paper) ([]*figure, []string) {
	names := names(runs, func(r run) map[string]*connection { return r.windows })
	if len(names) == 0 {
		return nil, nil
	}
	t := newTimelines("windows", "connections", names, []strip{
		{label: "Window (kB)", height: windowHeight, ticks: 4, room: 1.08, least: 1e-3},
		{label: "Pace", height: windowHeight, ticks: 4, room: 1.08, least: 1e-3, gigabits: true},
		{label: "In flight (kB)", height: windowHeight, ticks: 4, room: 1.08, least: 1e-3},
	})
	for _, r := range runs {
		if len(names) > mostLines {
			r.windows = windowEnvelope(r.windows)
		}
		t.addWindows(r)
	}
	return t.figures(names, nil, on)
}

// The strips of the figure of windows.
const (
	window = iota
	pace
	inFlight
)

func (t *timelines) addWindows(r run) {
	p := t.add(r)
	bucket := inMicros(r.interval)
	for i, l := range t.lines {
		c := r.windows[l.name]
		if c == nil {
			continue
		}
		line := draw.LineStyle{Color: l.color, Width: t.lineWidth(l)}
		for k, values := range [][]int64{window: c.window, pace: c.pace, inFlight: c.inFlight} {
			t.filled[k] = t.filled[k] || len(values) > 0
			t.end = max(t.end, float64(len(values))*bucket)
			for _, xy := range stretches(values, bucket, perUnit[k]) {
				p.plots[k].Add(curve(xy, line, l.glyph, i))
			}
		}
	}
}

// perUnit is how much of what is recorded a unit of each strip is.
var perUnit = [...]float64{window: 1000, pace: 1e9, inFlight: 1000}

// stretches returns values in a unit at the start of each bucket, apart where there are
// no values between.
func stretches(values []int64, bucket, unit float64) (all []plotter.XYs) {
	within := false
	for b, v := range values {
		if v == absent {
			within = false
			continue
		}
		if !within {
			all = append(all, nil)
		}
		within = true
		last := &all[len(all)-1]
		*last = append(*last, plotter.XY{X: float64(b) * bucket, Y: float64(v) / unit})
	}
	return all
}

// windowEnvelope sums up many connections by the extremes and the median of those
// that there are in each bucket.
func windowEnvelope(all map[string]*connection) map[string]*connection {
	largest, median, smallest := new(connection), new(connection), new(connection)
	for _, of := range []func(*connection) *[]int64{
		func(c *connection) *[]int64 { return &c.window },
		func(c *connection) *[]int64 { return &c.pace },
		func(c *connection) *[]int64 { return &c.inFlight },
	} {
		buckets := 0
		for _, c := range all {
			buckets = max(buckets, len(*of(c)))
		}
		for b := range buckets {
			var values []int64
			for _, c := range all {
				if v := *of(c); b < len(v) && v[b] != absent {
					values = append(values, v[b])
				}
			}
			low, middle, high := int64(absent), int64(absent), int64(absent)
			if len(values) > 0 {
				slices.Sort(values)
				low, middle, high = values[0], histogram.Percentile(values, 50), values[len(values)-1]
			}
			*of(largest) = append(*of(largest), high)
			*of(median) = append(*of(median), middle)
			*of(smallest) = append(*of(smallest), low)
		}
	}
	return map[string]*connection{"largest": largest, "median": median, "smallest": smallest}
}
