package papers

import (
	"strings"
	"testing"
)

// TestMeasuredSaysAtWhichLevels has checks that differ in at only.
func TestMeasuredSaysAtWhichLevels(t *testing.T) {
	const value = `value: {of: {variant: ARCANE}, at_most: 10}`
	for _, c := range []struct {
		name             string
		checks           []string
		measured, reason string
	}{
		{"apart", []string{`{at: {load: 40%}, ` + value + `}`, `{at: {load: 80%}, ` + value + `}`},
			"load 40%: ARCANE: 100 µs [99, 101], n=3; load 80%: ARCANE: 100 µs [98, 102], n=3", "load 80%: "},
		{"by the path of the axis", []string{`{at: {load: 40%}, ` + value + `}`, `{at: {traffic.flows.arrival.load: 80%}, ` + value + `}`},
			"load 40%: ARCANE: 100 µs [99, 101], n=3; load 80%: ARCANE: 100 µs [98, 102], n=3", "load 40%: "},
		{"together", []string{`{at: {load: 40%}, ` + value + `}`, `{at: {load: 40%}, value: {of: {variant: OPS}, at_least: 1}}`},
			"ARCANE: 100 µs [99, 101], n=3; OPS: 200 µs [198, 202], n=3", ""},
		{"named by the cell", []string{`{at: {load: 80%}, value: {of: {variant: ARCANE, load: 40%}, at_least: 1}}`, `{at: {load: 80%}, ` + value + `}`},
			"ARCANE, load 40%: 100 µs [99, 101], n=3; load 80%: ARCANE: 100 µs [98, 102], n=3", ""},
		{"beside a free axis", []string{`{` + value + `}`, `{at: {load: 80%}, ` + value + `}`},
			"load 40%: ARCANE: 100 µs [99, 101], n=3; load 80%: ARCANE: 100 µs [98, 102], n=3; load 80%: ARCANE: 100 µs [98, 102], n=3", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newLab(t).claim(c.checks...)
			if r.Measured != c.measured {
				t.Errorf("%q\nis not %q", r.Measured, c.measured)
			}
			if !strings.Contains(r.Reason, c.reason) {
				t.Errorf("%q\ndoes not say %q", r.Reason, c.reason)
			}
		})
	}
}
