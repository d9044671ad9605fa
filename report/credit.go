package report

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/record/section/credits"
	"weft/unit"
)

const (
	ungrantedHeight = 0.75 * vg.Inch
	grantedHeight   = 0.95 * vg.Inch
)

// The strips of the figure of credit. What receivers have yet to grant is many times what is
// granted where they may grant a lot, as Homa's may; on one axis the rest, which is what
// transports are compared by, would lie on the zero line.
const (
	ungranted = iota
	granted
)

// stripOfCredit returns the strip that a place is drawn on.
func stripOfCredit(place string) int {
	if place == atReceivers() {
		return ungranted
	}
	return granted
}

// atReceivers is the place of credit that is not granted yet.
func atReceivers() string {
	place, _ := credits.Place(credits.AtReceivers)
	return place
}

// creditFigures draws over time where the credit of receiver-driven transports is, of all
// hosts together: what receivers have not granted above what they have.
func creditFigures(runs []run, on paper) ([]*figure, []string) {
	places := names(runs, func(r run) map[string][]int64 { return r.credit })
	if len(places) == 0 {
		if slices.ContainsFunc(runs, func(r run) bool { return r.asked }) {
			return nil, []string{"credit: not drawn, because no transport here keeps credit at both ends, as sird and homa do"}
		}
		return nil, nil
	}
	t := newTimelines("credit", "places", places, make([]strip, granted+1))
	divisors := make([]float64, len(t.strips))
	for k, s := range []strip{ungranted: {label: "Not granted", height: ungrantedHeight}, granted: {label: "Granted", height: grantedHeight}} {
		var name string
		name, divisors[k] = unit.ScaleOfBytes(float64(largestCredit(runs, k)))
		t.strips[k] = strip{label: s.label + ",\nall hosts (" + name + ")", height: s.height, ticks: 4, room: 1.08, least: 1}
	}
	var without []string
	for _, r := range runs {
		if len(r.credit) == 0 {
			without = append(without, r.name)
			continue
		}
		t.addCredit(r, divisors)
	}
	for i := range t.lines {
		if t.lines[i].name == atReceivers() {
			t.lines[i].name = "not granted, " + atReceivers()
		} else {
			t.lines[i].name = "granted, " + t.lines[i].name
		}
	}
	list, notices := t.figures(places, nil, on)
	if len(without) > 0 {
		notices = append(notices, fmt.Sprintf("credit: no panel for %s, whose transports keep no credit that could be recorded", strings.Join(without, ", ")))
	}
	return list, notices
}

// largestCredit returns the largest value of all runs on a strip.
func largestCredit(runs []run, strip int) (largest int64) {
	for _, r := range runs {
		for place, values := range r.credit {
			if stripOfCredit(place) == strip {
				largest = max(largest, slices.Max(values))
			}
		}
	}
	return largest
}

// addCredit appends the panel of a run, with values divided by its strip's divisor.
func (t *timelines) addCredit(r run, divisors []float64) {
	p := t.add(r)
	bucket := inMicros(r.interval)
	for i, l := range t.lines {
		values := r.credit[l.name]
		if len(values) == 0 {
			continue
		}
		k := stripOfCredit(l.name)
		t.filled[k] = true
		t.end = max(t.end, float64(len(values))*bucket)
		points := make(plotter.XYs, len(values))
		for b, v := range values {
			points[b] = plotter.XY{X: float64(b) * bucket, Y: float64(v) / divisors[k]}
		}
		p.plots[k].Add(curve(points, draw.LineStyle{Color: l.color, Width: t.lineWidth(l)}, l.glyph, i))
	}
}
