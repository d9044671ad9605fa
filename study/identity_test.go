package study_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft"
	"weft/scenario"
	"weft/study"
)

// TestTasksKeepTheIdentityOfTheirCells reads the scenarios of tasks as workers do, which
// refuse one whose identity is not that of its key.
func TestTasksKeepTheIdentityOfTheirCells(t *testing.T) {
	checked := 0
	err := filepath.WalkDir("../scenarios", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		f, err := weft.Load(path, weft.Builtin())
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		plan, err := study.NewPlan(f, text, nil, "p")
		if err != nil {
			return err
		}
		const most = 3 // of a file
		var cache study.TaskCache
		for _, r := range plan.Runs()[:min(most, len(plan.Cells))] {
			task, err := plan.Task(r, &cache)
			if err != nil {
				return err
			}
			again, err := scenario.Parse(task.Name, task.Scenario, weft.Builtin(), nil)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if got, err := again.Variants[0].Identity(nil); got != task.Cell {
				t.Errorf("%s: cell %s becomes %s, %v", path, task.Cell, got, err)
			}
			checked++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 20 {
		t.Errorf("only %d tasks were checked", checked)
	}
}
