package cli

import (
	"strings"
	"testing"
)

// Distances of a sample are told as such.
func TestTopoReportOfASample(t *testing.T) {
	for _, test := range []struct {
		sources int
		want    string
	}{
		{100, "diameter D 3"},
		{64, "diameter D ≥ 3  from 64 switches of 100; --exact takes all"},
	} {
		r := topoReport{Distances: topoDistances{Diameter: 3, Sources: test.sources, Of: 100, Pairs: []int64{0, 1, 2, 1}, Unreached: 7}}
		var b strings.Builder
		if err := r.write(&b); err != nil {
			t.Fatal(err)
		}
		found := false
		for line := range strings.Lines(b.String()) {
			found = found || strings.Join(strings.Fields(line), " ") == strings.Join(strings.Fields(test.want), " ")
		}
		if !found {
			t.Errorf("%q is not in\n%s", test.want, b.String())
		}
		if !strings.Contains(b.String(), "1: 25.0 %, 2: 50.0 %, 3: 25.0 %") {
			t.Errorf("the shares of distances are not in\n%s", b.String())
		}
	}
}
