package cli

import (
	"strings"
	"testing"

	"weft/record"
	"weft/scenario"
)

// TestRemaining: what an interrupt leaves, and what the command that is named does.
func TestRemaining(t *testing.T) {
	tasksOf := func(wire bool, variants ...string) (tasks []task) {
		for _, v := range variants {
			s := &scenario.Scenario{Variant: v}
			for i, name := range namesOfRuns(v, wire) {
				tasks = append(tasks, task{scenario: s, name: name, wire: i > 0})
			}
		}
		return tasks
	}
	for _, c := range []struct {
		name  string
		tasks []task
		all   int
		done  string // names of runs, those that are partial with a question mark
		want  string
	}{
		{"none", tasksOf(false, "a", "b"), 2, "", "0 of 2 variants complete, nothing is kept; run it again from the beginning, with weft run f.yaml"},
		{"first", tasksOf(false, "a", "b"), 2, "a?", "0 of 2 variants complete, the rest is missing or marked as partial in o; run it again from the beginning, with weft run f.yaml"},
		{"second", tasksOf(false, "a", "b", "c"), 3, "a b?", "1 of 3 variants complete, the rest is missing or marked as partial in o; continue with weft run f.yaml --variant b --variant c (keeps a; runs b, c from the beginning)"},
		{"chosen", tasksOf(false, "b"), 3, "b?", "0 of 1 variants complete, the rest is missing or marked as partial in o; run it again from the beginning, with weft run f.yaml --variant b"},
		{"all", tasksOf(false, "a", "b"), 2, "a b", "2 of 2 variants complete, nothing is left to run"},
		{"simulating", tasksOf(true, "a"), 1, "a?", "0 of 2 runs complete, the rest is missing or marked as partial in o; run it again from the beginning, with weft run f.yaml --on wire"},
		{"on wire", tasksOf(true, "a"), 1, "a a+on+wire?", "1 of 2 runs complete, the rest is missing or marked as partial in o; run it again from the beginning, the simulation too, with weft run f.yaml --on wire"},
		{"second on wire", tasksOf(true, "a", "b", "c"), 3, "a a+on+wire b", "3 of 6 runs complete, the rest is missing or marked as partial in o; continue with weft run f.yaml --variant b --variant c --on wire (keeps a; runs b, c from the beginning, the simulation too)"},
		{"second simulating", tasksOf(true, "a", "b"), 2, "a a+on+wire b?", "2 of 4 runs complete, the rest is missing or marked as partial in o; continue with weft run f.yaml --variant b --on wire (keeps a; runs b from the beginning)"},
	} {
		var done []record.Summary
		for _, name := range strings.Fields(c.done) {
			whole, partial := strings.CutSuffix(name, "?")
			done = append(done, record.Summary{Name: strings.ReplaceAll(whole, "+", " "), Partial: partial})
		}
		flags := runFlags{variants: []string{"what the user chose"}}
		if strings.Contains(c.want, "--on wire") {
			flags.on = onWire
		}
		got := remaining(done, c.tasks, flags, "f.yaml", "o", c.all).Error()
		if got != "interrupted: "+c.want {
			t.Errorf("%s:\n%s, want\ninterrupted: %s", c.name, got, c.want)
		}
	}
}
