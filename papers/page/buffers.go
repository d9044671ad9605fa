package page

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"weft/papers"
	"weft/record"
	"weft/report"
)

// buffers draws the distribution of buffer occupancy per switch, over the interval means of all
// switches: one line per run, with the share of time on the horizontal axis.
func (p *page) buffers(ctx context.Context, d *papers.Draw, names []string, results []*record.Result) (report.Chart, error) {
	const mega, points = 1e6, 200
	panel := report.ChartPanel{X: "Share of time (%)", Y: "Buffering of a switch (MB)", LogY: d.Log}
	for i, r := range results {
		var values []float64
		for _, s := range r.Series {
			if s.Kind == record.Buffer {
				values = append(values, float64(s.Value)/mega)
			}
		}
		if len(values) == 0 {
			return report.Chart{}, errors.New("the runs recorded no buffers of switches")
		}
		slices.Sort(values)
		l := report.ChartLine{Name: names[i]}
		for k := range points + 1 {
			l.X = append(l.X, 100*float64(k)/points)
			l.Y = append(l.Y, values[min(len(values)-1, k*len(values)/points)])
		}
		panel.Lines = append(panel.Lines, l)
	}
	for _, m := range d.Marks {
		e, _, _, err := p.Theory.Number(ctx, m.Model, nil, m.Measure, m.Row)
		if err != nil {
			return report.Chart{}, err
		}
		panel.Levels = append(panel.Levels, report.ChartLevel{Name: cmp.Or(m.Row, m.Measure), Y: e.Mean})
	}
	return report.Chart{Panels: []report.ChartPanel{panel}}, nil
}
