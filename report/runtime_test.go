package report

import (
	"strconv"
	"strings"
	"testing"

	"weft/record"
	"weft/unit"
)

// TestRuntimesHaveOneUnit has runtimes for which µs and ms suggest themselves: bars and axis
// have the same, and the axis ends with the longest bar, though its text goes on.
func TestRuntimesHaveOneUnit(t *testing.T) {
	var runs []run
	for name, runtime := range map[string]unit.Time{"a": 40_009 * unit.Microsecond, "b": 202_512 * unit.Microsecond} {
		stats := record.Stats{Messages: 9, Runtime: runtime}
		if name == "b" {
			stats.Unfinished = 3
		}
		runs = append(runs, run{name: name, groups: []group{{}}, Summary: record.Summary{Stats: stats}})
	}
	figures, notices := runtimeFigures(runs, paper{})
	if len(figures) != 1 {
		t.Fatal(notices)
	}
	f := figures[0]
	var all []string
	for _, x := range drawn(f) {
		all = append(all, x.text)
		if v, err := strconv.ParseFloat(x.text, 64); err == nil && v > 40.01 {
			t.Errorf("the axis goes on to %s", x.text)
		}
		if strings.Contains(x.text, "40.01") && f.width-x.Max.X > 12 {
			t.Errorf("%q ends %v before the edge", x.text, f.width-x.Max.X)
		}
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"Runtime (ms)", "40.01 ms", "unfinished after 202.5 ms, 3 of 9 messages"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing says %q:\n%s", want, text)
		}
	}
}
