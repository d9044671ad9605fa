package report

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"weft/record"
)

const (
	linksHeight = 1.7 * vg.Inch
	// mostLinkSteps is how many steps of loads that fall are drawn beside those of the first percent; more do
	// not show.
	mostLinkSteps = 500
)

// linkLoad is how long a directed link between two switches was sending, in µs: the share of what it could carry in
// the measured window that it transmitted, of the time for which it was up. So links of different rates compare, also
// of rates that faults change, and no run in which a link carries as much ends before that time.
type linkLoad struct {
	from, to string
	busy     float64
}

// linkLoads returns the loads of links between switches, the most loaded first.
func linkLoads(r *record.Result) []linkLoad {
	// A host has one link; a switch with one link connects nothing.
	links := map[string]int{}
	for i := range r.Ports {
		links[r.Ports[i].From]++
	}
	capacity := r.Capacity()
	from, to := r.Counted()
	var list []linkLoad
	for i := range r.Ports {
		p := &r.Ports[i]
		if links[p.From] < 2 || links[p.To] < 2 || p.Rate <= 0 {
			continue
		}
		load := linkLoad{p.From, p.To, 0}
		if room, up := capacity.Bytes(p.Name, from, to); room > 0 {
			load.busy = record.ShareOf(float64(p.SentBytes), room) * inMicros(up)
		}
		list = append(list, load)
	}
	slices.SortStableFunc(list, func(a, b linkLoad) int { return cmp.Compare(b.busy, a.busy) })
	return list
}

// linkFigures draws the loads of links between switches from the most loaded one to the least, all runs in one plot. A
// curve that reaches zero early leaves links idle; a high left end is the links that all wait for.
func linkFigures(runs []run, on paper) ([]*figure, []string) {
	var busiest float64
	most := 0
	for _, r := range runs {
		if len(r.links) > 0 {
			busiest = max(busiest, r.links[0].busy)
		}
		most = max(most, len(r.links))
	}
	switch {
	case most < 2:
		return nil, []string{"links: not drawn, because no two links join switches"}
	case busiest == 0:
		return nil, []string{"links: not drawn, because no link between switches carried anything"}
	}
	scale := timeScaleOf(busiest)
	x := valueAxis{label: "Links between switches, by load (%)", to: 100}
	return gridFigures("links", 1, leastPanel, 1, x, on, func(l layout, _, _ int) *plotGrid {
		p := newPlot("", fmt.Sprintf("Time sending (%s)", scale.name))
		p.Y.Min, p.Y.Max = 0, 1.04*busiest/scale.divisor
		for i, r := range runs {
			if len(r.links) > 0 {
				p.Add(&plotter.Line{XYs: descent(r.links, scale.divisor), StepStyle: plotter.PreStep, LineStyle: styleOf(i).line()})
			}
		}
		return &plotGrid{columns: 1, height: linksHeight, plots: []*plot.Plot{p}, titles: []string{""},
			legends: []legend{newLegend(l.width-2*gap, runKeys(runs, l.width, false))}}
	}), nil
}

// descent returns the steps of loads that fall, each up to the share of links that carry as much or
// more, in per cent. Of many it keeps evenly spaced ranks and all of the first percent.
func descent(links []linkLoad, divisor float64) plotter.XYs {
	xy := plotter.XYs{{X: 0, Y: links[0].busy / divisor}}
	every := max(1, len(links)/mostLinkSteps)
	head := min(len(links)/100, mostLinkSteps)
	for i, l := range links {
		if i%every == 0 || i < head || i == len(links)-1 {
			xy = append(xy, plotter.XY{X: 100 * float64(i+1) / float64(len(links)), Y: l.busy / divisor})
		}
	}
	return xy
}
