package record

import (
	"encoding/json"

	"weft/unit"
)

// Counted returns the time span in which ports' counters counted: the measured window if the
// scenario has one that ends, and otherwise from the first start of a message to the last end.
func (r *Result) Counted() (from, to unit.Time) {
	var scenario struct {
		Measure struct {
			From, To string
		}
	}
	if json.Unmarshal(r.Manifest.Scenario, &scenario) == nil && scenario.Measure.To != "" {
		from, errFrom := unit.ParseTime(scenario.Measure.From)
		to, errTo := unit.ParseTime(scenario.Measure.To)
		if r.Summary.Simulated > 0 {
			to = min(to, r.Summary.Simulated)
		}
		if errFrom == nil && errTo == nil && to > from {
			return from, to
		}
	}
	if n := len(r.Snapshots); r.Summary.Runtime == 0 && n > 0 {
		return 0, r.Snapshots[n-1].Time + r.Manifest.SnapshotInterval
	}
	first := unit.Forever
	for i := range r.Flows {
		if r.Flows[i].Measured {
			first = min(first, r.Flows[i].Start)
		}
	}
	if first == unit.Forever { // the run keeps no rows
		first = 0
	}
	return first, first + r.Summary.Runtime
}
