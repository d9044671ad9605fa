package study_test

import (
	"context"
	"os"
	"testing"

	"weft"
	"weft/study"
)

// trivialTasks returns the tasks of a study of runs that take next to no time.
func trivialTasks(tb testing.TB, count int) []study.Task {
	const path = "testdata/trivial.yaml"
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := weft.Load(path, weft.Builtin())
	if err != nil {
		tb.Fatal(err)
	}
	plan, err := study.NewPlan(f, text, nil, "test")
	if err != nil {
		tb.Fatal(err)
	}
	var tasks []study.Task
	var cache study.TaskCache
	for _, r := range plan.Runs()[:count] {
		t, err := plan.Task(r, &cache)
		if err != nil {
			tb.Fatal(err)
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// BenchmarkTrivialRun is what a run costs beside its events: reading its scenario,
// building, describing and packing the result.
func BenchmarkTrivialRun(b *testing.B) {
	tasks := trivialTasks(b, 1000)
	run := study.NewRunner(weft.Builtin(), "test")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, failure := run(context.Background(), tasks[i%len(tasks)], func(float64) {}); failure != nil {
			b.Fatal(failure)
		}
	}
}
