package papers

import (
	"fmt"
	"maps"
	"math"

	"weft/record"
)

// Kinds of doubts.
const (
	// doubtZero: zero is compared with zero.
	doubtZero = "zero against zero"
	// doubtSeed: there is one seed, and so no interval.
	doubtSeed = "one seed"
	// DoubtWindow: weft calls a run unstable, or its measurement window too short.
	DoubtWindow = "window"
)

// Doubt is why a number decides nothing about a claim.
type Doubt struct {
	// Kind is "zero against zero", "one seed" or DoubtWindow.
	Kind string `json:"kind"`
	// Text is the reason in a few words.
	Text string `json:"text"`
}

// The metrics by which weft judges whether a run is stable. They are published with every run.
const (
	unstableMetric = "unstable"
	growthMetric   = "backlog_growth_percent"
)

// judged adds these metrics to others.
func judged(metrics map[string]bool) map[string]bool {
	all := map[string]bool{unstableMetric: true, growthMetric: true}
	maps.Copy(all, metrics)
	return all
}

// inWindow reports what these metrics find wrong with the measurement window of a run, empty if nothing. A
// run without a judgement whose backlog grows is too short to tell. Of an unstable run, times depend on its
// length; what it carries is its capacity.
func inWindow(growth, unstable float64, capacity bool) string {
	switch {
	case math.IsNaN(growth):
		return ""
	case math.IsNaN(unstable) && growth > 100*record.UnstableGrowth:
		return fmt.Sprintf("the measurement window is too short to show a steady state: the backlog grows by %.0f %% of the offered load", growth)
	case unstable > 0 && !capacity:
		return fmt.Sprintf("the run is unstable: its backlog grows by %.0f %% of the offered load", growth)
	}
	return ""
}
