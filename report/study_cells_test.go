package report

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/study"
)

// TestUnfinishedCellsHaveNoPoint holds figures to never showing what the few took that
// finished: not as a point, nor in the range of an axis, but as a cross where it is worse.
func TestUnfinishedCellsHaveNoPoint(t *testing.T) {
	d := studyDemo{axes: []study.Axis{words("variant", "a", "b"), numeric("load", "%", "20%", "40%")}}
	d.never = func(l []int) bool { return l[0] == 0 && l[1] == 1 }
	table := d.table()
	best := table.Column("fct_p99_us")
	table.Cells[1].Estimates[best] = study.Estimate{N: 5, Mean: 0.01, Low: 0.01, High: 0.01}
	v, err := newStudyView(table, StudyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if from, _, _ := v.valueRange(best); from < 1 {
		t.Errorf("the axis begins at %g, where only the unfinished cell is", from)
	}
	same := func(v float64) float64 { return v }
	for _, column := range []int{best, table.Column("goodput_gbps")} {
		m := v.meansOf(nil, column, newLevelAxis(table.Axes[1]), same)
		for color, points := range m.colors {
			for i, q := range points {
				if never := color == 0 && i == 1; q.exists == never || q.missing != never {
					t.Errorf("%s: the point of variant %d at level %d exists: %t, is missing: %t", table.Metrics[column].Name, color, i, q.exists, q.missing)
				}
			}
		}
		if m.lower != table.Metrics[column].LowerIsBetter {
			t.Errorf("%s: less is better: %t", table.Metrics[column].Name, m.lower)
		}
	}
}

// TestFiguresOfManyPanels holds a study to being drawn whole.
func TestFiguresOfManyPanels(t *testing.T) {
	d := studyDemo{axes: []study.Axis{words("variant", "a", "b"), numeric("load", "%", "20%", "40%"), words("fault", "up", "down", "slow", "gone", "late"), words("pattern", "p", "q", "r")}}
	table := d.table()
	drawn, err := StudyFigures(table, t.TempDir(), StudyOptions{Formats: []string{"svg"}, Metrics: []string{"runtime_us"}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range drawn.Files {
		names = append(names, filepath.Base(file))
	}
	if want := []string{"runtime_us.svg", "runtime_us-2.svg"}; !slices.Equal(names, want) {
		t.Errorf("15 panels are in %v, want %v", names, want)
	}
	if _, err := Study(table, StudyOptions{Metrics: []string{"runtime_us"}}); err == nil || !strings.Contains(err.Error(), "room for 12 panels, not 15") {
		t.Errorf("one figure of 15 panels failed with %v", err)
	}
}
