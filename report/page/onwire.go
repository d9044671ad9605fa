package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"weft/internal/readable"
	"weft/record/distance"
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

// liveRun is what a run says for the comparison.
type liveRun struct {
	name, scenario string
	seed           uint64
	// live tells that it followed the clock, and shows that it did so in time, and to its end.
	live, shows bool
	notices     []string
	times       *distance.Run
}

// newOnWire finds the runs that followed the clock, and the simulation of each: the first run with the same scenario and
// seed that followed none. It returns nil if there is no such pair.
func newOnWire(runs []liveRun) *onWire {
	out := new(onWire)
	for i := range runs {
		if simulated := runs[i].simulation(runs); simulated != nil {
			out.add(simulated, &runs[i])
		}
	}
	if len(out.Rows) == 0 {
		return nil
	}
	t := distance.Wire()
	out.Tolerance = fmt.Sprintf("%.0f %% at the median, %.0f %% at the 99th percentile", 100*t.Median, 100*t.P99)
	return out
}

// simulation returns the simulation of a run that followed the clock, nil if there is none.
func (r *liveRun) simulation(among []liveRun) *liveRun {
	if !r.live || r.scenario == "" {
		return nil
	}
	for i := range among {
		if o := &among[i]; !o.live && o.scenario == r.scenario && o.seed == r.seed {
			return o
		}
	}
	return nil
}

// add compares the groups of two runs, and takes over what the notices of the run on wire say beside those of the simulation.
func (w *onWire) add(simulated, run *liveRun) {
	void := !simulated.shows || !run.shows
	for _, g := range simulated.times.Beside(run.times) {
		verdict := g.Verdict(distance.Wire(), void)
		row := distanceRow{Run: run.name, Group: g.Name, Verdict: string(verdict)}
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
	for _, n := range run.notices {
		if !slices.Contains(simulated.notices, n) && !slices.Contains(w.Unlike, n) {
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
