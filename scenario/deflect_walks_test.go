package scenario_test

import (
	"testing"

	"weft/record/section/deflection"
	"weft/record/section/detours"
	"weft/scenario"
)

// TestDeflectionOnOtherRoutes deflects messages whose routes are not minimal, cut in different ways: all is delivered in order, and to the
// same bytes of result.
func TestDeflectionOnOtherRoutes(t *testing.T) {
	for _, policy := range []string{
		"hierarchical", "valiant", "{kind: valiant, intermediate: group}",
		"{kind: layers, scheme: sample, layers: 3}", "{kind: layers, scheme: past}", "ksp",
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			sets := []string{
				"faults=[]", "routing.policy=" + policy, "transport={congestion: dcqcn, balancer: ecmp}",
				"fabric.deflect={threshold: 2KB, tokens: 9, table: 64}",
				"traffic=[{name: main, pattern: {kind: group-shift, by: 2}, size: 8KB, arrival: {kind: closed, outstanding: 4, count: 40}}]",
			}
			ordered, order, err := scenario.RunOrdered(t.Context(), load(t, flappingDragonfly, sets...))
			if err != nil {
				t.Fatal(err)
			}
			if len(order.Wrong) > 0 {
				t.Errorf("%d times out of order: %s", len(order.Wrong), order.Wrong[0])
			}
			want := &ordered.Summary
			if d := deflection.Of(want.Sections); d.Hops == 0 || d.Rows == 0 || d.Left > 0 || d.Extra <= 0 || d.Extra >= d.Links {
				t.Errorf("deflections %+v", d)
			}
			if d := detours.Of(want.Sections); d != nil && d.Detours == 0 {
				t.Errorf("detours %+v", d)
			}
			for _, o := range []scenario.RunOptions{{Domains: 1, Threads: 1, Check: true}, {Domains: 5, Threads: 1}, {Domains: 9, Threads: 2, Check: true}} {
				r, err := scenario.Run(t.Context(), load(t, flappingDragonfly, sets...), o)
				if err != nil {
					t.Fatal(err)
				}
				if s := &r.Summary; s.Messages != 800 || s.Unfinished != 0 || s.ResultHash != want.ResultHash || *deflection.Of(s.Sections) != *deflection.Of(want.Sections) {
					t.Errorf("%d domains, %d threads: %d of %d messages are unfinished, result hash %s and %+v, want %s and %+v",
						o.Domains, o.Threads, s.Unfinished, s.Messages, s.ResultHash, *deflection.Of(s.Sections), want.ResultHash, *deflection.Of(want.Sections))
				}
			}
		})
	}
}
