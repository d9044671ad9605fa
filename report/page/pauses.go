package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"weft/record"
	"weft/record/section/pauses"
	"weft/unit"
)

// mostPaused is how many classes of links a page names of a run.
const mostPaused = 10

// pauseTable is what one run has to say about pauses.
type pauseTable struct {
	Variant string
	// Said sums it up.
	Said string
	Rows []pauseRow
}

// pauseRow is a class of a link that was paused.
type pauseRow struct {
	Port  string
	Cells []summaryCell
}

// newPauseTables returns a table of each variant with lossless classes, of the first of its runs with any.
func newPauseTables(variants []Variant) (tables []pauseTable) {
	for _, v := range variants {
		at := slices.IndexFunc(v.Runs, func(r *Reduced) bool { return pauses.Of(r.summary.Sections) != nil })
		if at >= 0 {
			tables = append(tables, newPauseTable(v.Name, v.Runs[at]))
		}
	}
	return tables
}

func newPauseTable(variant string, run *Reduced) pauseTable {
	s := pauses.Of(run.summary.Sections)
	t := pauseTable{Variant: variant}
	switch {
	case s.Frames == 0 && s.Port == "":
		t.Said = "Nothing was paused."
	default:
		t.Said = fmt.Sprintf("Switches sent %d pause frames. All links together were paused for %s.", s.Frames, microsText(s.Time))
	}
	if s.HeldPort != "" {
		t.Said += fmt.Sprintf(" A switch held up to %s kB of what came over one link in one class (%s).", number(float64(s.HeldMax)/1000), s.HeldPort)
	}
	if n := run.summary.Drops.HeadroomFull; n > 0 {
		t.Said += fmt.Sprintf(" %d frames of lossless classes were dropped, since the headroom was full.", n)
	}
	// All rows have the same window as the one with the largest share.
	window := 0.0
	if len(run.pauses) > 0 && s.Share > 0 {
		window = micros(run.pauses[0].Time) / s.Share
	}
	for _, p := range run.pauses {
		t.Rows = append(t.Rows, newPauseRow(p, window))
	}
	return t
}

// newPauseRow has the class, the pauses, the paused time in µs and as a share, and what was held in kB.
func newPauseRow(p record.Pause, window float64) pauseRow {
	row := pauseRow{Port: p.Port}
	share := math.NaN()
	if window > 0 {
		share = 100 * micros(p.Time) / window
	}
	for _, v := range []float64{float64(p.Class), float64(p.Pauses), micros(p.Time), share, float64(p.HeldMax) / 1000} {
		cell := summaryCell{}
		if !math.IsNaN(v) {
			cell = summaryCell{Text: number(v), Sort: strconv.FormatFloat(v, 'g', -1, 64)}
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

func microsText(t unit.Time) string { return number(micros(t)) + " µs" }
