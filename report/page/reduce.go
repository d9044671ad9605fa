package page

import (
	"slices"

	"weft/record"
	"weft/record/distance"
	"weft/report/internal/bysize"
	"weft/report/internal/jobview"
)

// Reduced holds the data of one run that a page shows.
type Reduced struct {
	manifest record.Manifest
	summary  record.Summary
	groups   []*bysize.Group
	times    *distance.Run
	marks    []record.Mark
	lines    []line
	// left counts the recorded ports or connections that were left out, by kind.
	left map[string]int
	// network is nil if the run has no ports, or was reduced without it.
	network *network
	// pauses are the classes of links that were paused longest.
	pauses []record.Pause
	// jobs are the traces that hosts replayed; nil if there are none.
	jobs *jobview.Kept
}

// Options choose what is kept.
type Options struct {
	// NumbersOnly leaves out timelines and the map. It suits the runs of a variant
	// after the first, whose timelines no page shows.
	NumbersOnly bool
}

// Reduce boils a result down to what a page shows. It keeps no part of the result.
func Reduce(r *record.Result, o Options) *Reduced {
	out := &Reduced{manifest: r.Manifest, summary: r.Summary, marks: slices.Clone(r.Marks)}
	out.manifest.Scenario = slices.Clone(r.Manifest.Scenario)
	out.groups, out.times = bysize.Count(r), distance.Sum(r.Flows)
	for _, p := range record.MostPaused(r.Pauses, mostPaused) {
		out.pauses = append(out.pauses, *p)
	}
	out.jobs = jobview.Keep(r, !o.NumbersOnly)
	if !o.NumbersOnly {
		out.lines, out.left = reduceSeries(r)
		out.network = reduceNetwork(r)
	}
	return out
}

// partial tells whether the run was cut short.
func (r *Reduced) partial() bool { return r.summary.Partial || r.manifest.Partial }
