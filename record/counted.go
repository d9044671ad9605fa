package record

import (
	"encoding/json"

	"weft/unit"
)

// Counted returns how long counters of ports counted: the measured window if the
// scenario has one that ends, and else the time in which messages were on their way.
func (r *Result) Counted() unit.Time {
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
			return to - from
		}
	}
	if n := len(r.Snapshots); r.Summary.Runtime == 0 && n > 0 {
		return r.Snapshots[n-1].Time + r.Manifest.SnapshotInterval
	}
	return r.Summary.Runtime
}
