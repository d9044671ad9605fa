package scenario_test

import (
	"testing"

	"weft/record"
	"weft/unit"
)

// TestSeriesGoOnUntilTheEnd: a run that ends at a stated time has each series until then, with zeros where nothing comes any more. A run
// that drains ends with what happened last.
func TestSeriesGoOnUntilTheEnd(t *testing.T) {
	const text = `
weft: 1
topology: {kind: dumbbell, left: 1, right: 1, rate: 1Gbps, delay: 1us}
traffic: [{name: all, pattern: {kind: pairs, pairs: [host0->host1]}, size: 10KB, arrival: {kind: closed, think: 900us, count: 2}}]
record: {interval: 10us, ports: ["left->right", "right->left"]}
`
	ends := func(sets ...string) map[string][]record.Series {
		series := map[string][]record.Series{}
		for _, s := range simulate(t, text, sets...).Series {
			key := s.Kind + " " + s.Entity
			list := series[key]
			if n := len(list); n > 0 && list[n-1].Time >= s.Time {
				t.Errorf("%s: a bucket at %v after one at %v", key, s.Time, list[n-1].Time)
			}
			series[key] = append(list, s)
		}
		if len(series) < 6 {
			t.Errorf("%d series, of two ports", len(series))
		}
		return series
	}
	drained := ends()
	// The second message begins at some 1 ms, so that both runs have had the first one only.
	for key, list := range ends("until=800us") {
		n := len(list)
		if last := list[n-1]; last.Time != 790*unit.Microsecond || last.Value != 0 {
			t.Errorf("%s ends with %+v, before the run does at 800us", key, last)
		}
		if before := list[n-2]; before.Value != 0 || before.Time > 200*unit.Microsecond {
			t.Errorf("%s does not fall to 0 when nothing comes any more: %+v", key, before)
		}
	}
	// 795 µs are within the last bucket.
	for key, list := range ends("until=795us") {
		if last := list[len(list)-1]; last.Time != 790*unit.Microsecond {
			t.Errorf("%s ends with %+v, before the run does at 795us", key, last)
		}
	}
	for key, list := range drained {
		if last := list[len(list)-1]; last.Time > 0 && last.Value == 0 {
			t.Errorf("%s of a run that drained ends with %+v", key, last)
		}
	}
}
