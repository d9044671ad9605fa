package report

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/internal/natural"
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

const (
	// mapAside is about what stands beside a map, which is as high as it is wide.
	mapAside = 26
	// leastMap is how wide a map is at least.
	leastMap = 1.3 * vg.Inch
	// mostCells is how many rows and columns a map has; groups of switches share one if there are more.
	mostCells = 24
	// mapFrom is from how many links on maps are drawn of runs for which nobody chose figures.
	mapFrom = 100
	// mapShades is how many shades loads have.
	mapShades = 5
)

// linkMap is the loads of links from some switches, the rows, to some, the columns. Switches stand in the natural order of their
// names, which is that of their groups, and equally many of them share a row.
type linkMap struct {
	switches, each int
	// busy is the mean load of the links of a cell in µs, NaN where there are none.
	busy [][]float64
}

func newLinkMap(links []linkLoad) linkMap {
	place := map[string]int{}
	for _, l := range links {
		place[l.from], place[l.to] = 0, 0
	}
	for i, name := range slices.SortedFunc(maps.Keys(place), natural.Compare) {
		place[name] = i
	}
	m := linkMap{switches: len(place), each: rowOf(len(place))}
	n := (m.switches + m.each - 1) / m.each
	count := make([][]float64, n)
	for i := range n {
		m.busy, count[i] = append(m.busy, make([]float64, n)), make([]float64, n)
	}
	for _, l := range links {
		i, j := place[l.from]/m.each, place[l.to]/m.each
		m.busy[i][j] += l.busy
		count[i][j]++
	}
	for i := range n {
		for j := range n {
			m.busy[i][j] /= count[i][j]
		}
	}
	return m
}

// rowOf returns how many switches share a row: the fewest by which their number can be divided, so that
// rows are whole groups where groups are of one size.
func rowOf(switches int) int {
	least := (switches + mostCells - 1) / mostCells
	for each := max(least, 1); each <= 2*least; each++ {
		if switches%each == 0 {
			return each
		}
	}
	return max(least, 1)
}

// linkMapFigures draws a map for each run, all in the same shades.
func linkMapFigures(runs []run, on paper) ([]*figure, []string) {
	var shown []run
	var drawn []linkMap
	busiest := 0.0
	for _, r := range runs {
		if len(r.links) < 2 {
			continue
		}
		m := newLinkMap(r.links)
		shown, drawn = append(shown, r), append(drawn, m)
		for _, row := range m.busy {
			for _, v := range row {
				if v > busiest { // NaN is not
					busiest = v
				}
			}
		}
	}
	if busiest == 0 {
		return nil, []string{"link-map: not drawn, because no link between switches carried anything"}
	}
	scale := timeScaleOf(busiest)
	x := valueAxis{label: "To switch, by name (%)", to: 100}
	return gridFigures("link-map", len(drawn), leastMap, 4, x, on, func(l layout, from, to int) *plotGrid {
		g := &plotGrid{columns: l.columns, notes: []string{"Shade: mean time that links between two groups of switches were sending; white: no links"}, height: (l.width-2*gap)/vg.Length(l.columns) - mapAside, legends: []legend{newLegend(l.width-2*gap, mapKeys(busiest, scale))}}
		for i, m := range drawn[from:to] {
			p := newPlot("", "From switch (%)")
			p.Y.Min, p.Y.Max = 0, 100
			if i%l.columns > 0 {
				p.Y.Label.Text, p.Y.Tick.Marker = "", unlabelled{p.Y.Tick.Marker}
			}
			p.Add(mapPlotter{m, busiest})
			g.plots, g.titles = append(g.plots, p), append(g.titles, shown[from+i].name)
		}
		return g
	}), nil
}

// shadeOf returns the colour of a load: the darker, the nearer to that of the busiest cell, a shade for each
// halving; sand for none. The blues are ColorBrewer's, which show in print and to readers who see
// colours differently.
func shadeOf(busy, busiest float64) color.Color {
	shades := [mapShades]color.Color{
		color.RGBA{0x08, 0x30, 0x6b, 0xff},
		color.RGBA{0x21, 0x71, 0xb5, 0xff},
		color.RGBA{0x6b, 0xae, 0xd6, 0xff},
		color.RGBA{0xae, 0xd0, 0xe8, 0xff},
		color.RGBA{0xde, 0xeb, 0xf7, 0xff},
	}
	if busy == 0 {
		return color.RGBA{0xf3, 0xdf, 0xa8, 0xff}
	}
	k := 0
	for limit := busiest / 2; k < mapShades-1 && busy <= limit; limit /= 2 {
		k++
	}
	return shades[k]
}

// mapKeys is the legend of shades, by the most that each stands for.
func mapKeys(busiest float64, scale timeScale) []key {
	box := func(name string, busy float64) key {
		return key{name: name, wide: keyHeight, draw: func(c draw.Canvas) {
			c.SetColor(shadeOf(busy, busiest))
			c.Fill(draw.Crop(c, 1, -1, 1, -1).Rectangle.Path())
		}}
	}
	keys := []key{box("sends nothing", 0)}
	for k := mapShades - 1; k >= 0; k-- {
		busy := busiest / float64(int(1)<<k)
		keys = append(keys, box("up to "+scale.text(busy), busy))
	}
	return keys
}

// mapPlotter fills the cells of a map.
type mapPlotter struct {
	linkMap
	busiest float64
}

func (m mapPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, row := range m.busy {
		for j, v := range row {
			if math.IsNaN(v) {
				continue
			}
			at := func(cell int) float64 { return 100 * float64(min(cell*m.each, m.switches)) / float64(m.switches) }
			c.SetColor(shadeOf(v, m.busiest))
			c.Fill(vg.Rectangle{Min: vg.Point{X: x(at(j)), Y: y(at(i))}, Max: vg.Point{X: x(at(j + 1)), Y: y(at(i + 1))}}.Path())
		}
	}
}
