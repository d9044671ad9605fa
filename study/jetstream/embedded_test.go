package jetstream

import (
	"os"
	"syscall"
	"testing"
	"time"
)

func embeddedOptions(t testing.TB) Options {
	return Options{
		Dir: t.TempDir() + "/queue", Study: "test", Program: "weft test", Workers: 2, Command: helper("child"),
	}
}

func TestTasksEndWithTheirResults(t *testing.T) {
	o := embeddedOptions(t)
	list := tasks(t, 200, play{})
	w := newWatcher(t)
	if err := New(o).Execute(timeout(t, 20*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(list)
	if len(w.notices) > 0 {
		t.Errorf("notices: %q", w.notices)
	}
	if exists(o.Dir) {
		left, _ := os.ReadDir(o.Dir)
		t.Errorf("the folder of the queue stays, with %v", left)
	}
}

func BenchmarkTasks(b *testing.B) {
	o := embeddedOptions(b)
	list := tasks(b, 10_000, play{})
	before := processorTime(b)
	for b.Loop() {
		w := newWatcher(b)
		if err := New(o).Execute(timeout(b, time.Minute), list, w); err != nil {
			b.Fatal(err)
		}
		w.wantResults(list)
	}
	runs := float64(b.N * len(list))
	b.ReportMetric(float64((processorTime(b)-before).Microseconds())/runs, "cpu-µs/run")
	b.ReportMetric(runs/b.Elapsed().Seconds(), "runs/s")
}

// processorTime is of this process and the children that have ended.
func processorTime(b *testing.B) time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}
