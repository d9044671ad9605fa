package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"weft/internal/readable"
	"weft/record/distance"
	"weft/record/section/lateness"
	"weft/unit"
)

// onWire compares simulations with runs of the same scenario on wire.
type onWire struct {
	// Tolerance says how far apart they may be.
	Tolerance string
	Rows      []distanceRow
	// Unlike are what the simulation has otherwise, a line each.
	Unlike []string
	// Void tells whether some row is.
	Void bool
}

// distanceRow is a group of traffic of a run on wire beside its simulation.
type distanceRow struct {
	Run, Group string
	// Cells are messages, and median and 99th percentile, each on wire, simulated, and by how much they differ.
	Cells   []summaryCell
	Verdict string
	Rank    rank
}

// newOnWire finds the runs that followed the clock, and the simulation of each: the first run with the same scenario and
// seed that followed none. It returns nil if there is no such pair.
func newOnWire(variants []Variant) *onWire {
	out := new(onWire)
	for _, v := range variants {
		for _, run := range v.Runs {
			if simulated := simulationOf(run, variants); simulated != nil {
				out.add(v.Name, simulated, run)
			}
		}
	}
	if len(out.Rows) == 0 {
		return nil
	}
	t := distance.Wire()
	out.Tolerance = fmt.Sprintf("%.0f %% at the median, %.0f %% at the 99th percentile", 100*t.Median, 100*t.P99)
	return out
}

func (r *Reduced) live() bool { return lateness.Of(r.summary.Sections) != nil }

func simulationOf(run *Reduced, variants []Variant) *Reduced {
	if !run.live() || run.manifest.Hashes.Scenario == "" {
		return nil
	}
	for _, v := range variants {
		at := slices.IndexFunc(v.Runs, func(o *Reduced) bool {
			return !o.live() && o.manifest.Hashes.Scenario == run.manifest.Hashes.Scenario && o.manifest.Seed == run.manifest.Seed
		})
		if at >= 0 {
			return v.Runs[at]
		}
	}
	return nil
}

// add compares the groups of two runs, and takes over what the notices of the run on wire say beside those of the simulation.
func (w *onWire) add(name string, simulated, run *Reduced) {
	void := simulated.partial() || run.partial() || run.summary.Void() != ""
	for _, g := range simulated.times.Beside(run.times) {
		verdict := g.Verdict(distance.Wire(), void)
		row := distanceRow{Run: name, Group: g.Name, Verdict: string(verdict)}
		switch verdict {
		case distance.Void:
			row.Rank, w.Void = barred, true
		case distance.Outside:
			row.Rank = amiss
		case distance.OnlyFirst:
			row.Verdict, row.Rank = "only simulated", amiss
		case distance.OnlySecond:
			row.Verdict, row.Rank = "only on wire", amiss
		}
		messages := summaryCell{Text: strconv.Itoa(g.Second.Messages), Sort: strconv.Itoa(g.Second.Messages)}
		if g.First.Messages != g.Second.Messages {
			messages.Text = fmt.Sprintf("%d, simulated %d", g.Second.Messages, g.First.Messages)
		}
		row.Cells = []summaryCell{
			messages,
			timeCell(g.Second.Median), timeCell(g.First.Median), shareCell(g.Median()),
			timeCell(g.Second.P99), timeCell(g.First.P99), shareCell(g.P99()),
		}
		w.Rows = append(w.Rows, row)
	}
	for _, n := range run.manifest.Notices {
		if !slices.Contains(simulated.manifest.Notices, n) && !slices.Contains(w.Unlike, n) {
			w.Unlike = append(w.Unlike, n)
		}
	}
}

// timeCell has a time of four figures. Groups without a message that finished have none.
func timeCell(t unit.Time) summaryCell {
	if t <= 0 {
		return summaryCell{}
	}
	return summaryCell{Text: readable.Duration(time.Duration(t/unit.Nanosecond), 4).String(), Sort: strconv.FormatInt(int64(t), 10)}
}

func shareCell(v float64) summaryCell {
	if math.IsNaN(v) {
		return summaryCell{}
	}
	return summaryCell{Text: fmt.Sprintf("%+.1f %%", 100*v), Sort: strconv.FormatFloat(v, 'g', -1, 64)}
}
