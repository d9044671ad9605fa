package record

import (
	"encoding/json"
	"testing"

	"weft/unit"
)

func TestCounted(t *testing.T) {
	const window = `{"measure": {"from": "1ms", "to": "3ms"}}`
	for _, test := range []struct {
		scenario           string
		runtime, simulated unit.Time
		want               unit.Time
	}{
		{window, 5 * unit.Millisecond, 6 * unit.Millisecond, 2 * unit.Millisecond},
		{window, 5 * unit.Millisecond, 2 * unit.Millisecond, unit.Millisecond}, // it got stuck
		{`{"measure": null}`, 5 * unit.Millisecond, 6 * unit.Millisecond, 5 * unit.Millisecond},
		{`{"measure": {"from": "1ms"}}`, 5 * unit.Millisecond, 6 * unit.Millisecond, 5 * unit.Millisecond},
	} {
		var r Result
		r.Manifest.Scenario = json.RawMessage(test.scenario)
		r.Summary.Runtime, r.Summary.Simulated = test.runtime, test.simulated
		if from, to := r.Counted(); to-from != test.want {
			t.Errorf("%s, simulated for %v: %v to %v, want a span of %v", test.scenario, test.simulated, from, to, test.want)
		}
	}
}
