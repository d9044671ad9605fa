package report

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"weft/unit"
)

// creditFigure draws over time where the credit of receiver-driven transports is, of all
// hosts together.
func creditFigure(runs []run) (*figure, []string) {
	places := names(runs, func(r run) map[string][]int64 { return r.credit })
	if len(places) == 0 {
		if slices.ContainsFunc(runs, func(r run) bool { return r.asked }) {
			return nil, []string{"credit: not drawn, because no transport here keeps credit at both ends, as sird and homa do"}
		}
		return nil, nil
	}
	largest := int64(0)
	var without []string
	for _, r := range runs {
		for _, values := range r.credit {
			largest = max(largest, slices.Max(values))
		}
		if len(r.credit) == 0 {
			without = append(without, r.name)
		}
	}
	name, divisor := unit.ScaleOfBytes(float64(largest))
	t := newTimelines("credit", "places", places, []strip{{"Credit (" + name + ")", rateHeight, 5, 1.08, 1e-3}})
	t.filled[0] = true
	for _, r := range runs {
		if len(r.credit) > 0 {
			t.addCredit(r, divisor)
		}
	}
	f, notices := t.figure(places, func() []key { return nil })
	if len(without) > 0 {
		notices = append(notices, fmt.Sprintf("credit: no panel of %s, whose transports have no credit that could be recorded", strings.Join(without, ", ")))
	}
	return f, notices
}

func (t *timelines) addCredit(r run, divisor float64) {
	p := t.add(r)
	bucket := inMicros(r.interval)
	for i, l := range t.lines {
		values := r.credit[l.name]
		t.end = max(t.end, float64(len(values))*bucket)
		points := make(plotter.XYs, len(values))
		for b, v := range values {
			points[b] = plotter.XY{X: float64(b) * bucket, Y: float64(v) / divisor}
		}
		if len(points) > 0 {
			p.plots[0].Add(curve(points, draw.LineStyle{Color: l.color, Width: t.lineWidth()}, l.glyph, i))
		}
	}
}
