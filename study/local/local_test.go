//go:build unix

package local_test

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/study"
	"weft/study/internal/enginetest"
	"weft/study/local"
)

func TestMain(m *testing.M) {
	enginetest.Main(m.Run, map[string]func() error{"program": program})
}

// job is what the helper "program" executes.
type job struct {
	Store string
	Tasks []study.Task
}

func program() error {
	j, err := enginetest.Job[job]()
	if err != nil {
		return err
	}
	w, err := enginetest.Keep(j.Store)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return local.New(local.Options{Workers: 2, Command: enginetest.Helper(enginetest.Child)}).Execute(ctx, j.Tasks, w)
}

func TestEngine(t *testing.T) {
	enginetest.Suite(t, func(_ *testing.T, o enginetest.Options) study.Engine {
		return local.New(local.Options{Workers: 2, Command: o.Command, MaxAttempts: o.MaxAttempts, RetryDelay: o.RetryDelay})
	})
}

// A file that changed since the study began is told, and what reads it is no result.
func TestInputsAreWhatTheyWere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sizes.csv")
	if err := os.WriteFile(path, []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	run := enginetest.Task(t, "a", enginetest.Play{Read: path})
	run.Inputs = []study.Input{{Path: path, SHA256: strings.Repeat("0", 64)}}
	w := enginetest.NewWatcher(t)
	o := local.Options{Workers: 1, Command: enginetest.Helper(enginetest.Child), MaxAttempts: 1}
	if err := local.New(o).Execute(enginetest.Timeout(t, 20*time.Second), []study.Task{run}, w); err != nil {
		t.Fatal(err)
	}
	if f := w.Outcomes["a"].Failure; f == nil || f.Permanent || !strings.Contains(f.Message, path+": it is not what it was when the study began") {
		t.Errorf("%+v", f)
	}
}

func TestACancelledExecutionLeavesNothingBehind(t *testing.T) {
	o := local.Options{Workers: 2, Command: enginetest.Helper(enginetest.Child)}
	ctx, cancel := context.WithCancel(enginetest.Timeout(t, 20*time.Second))
	w := enginetest.NewWatcher(t)
	var pids []int
	w.OnBegan = func(_, name string) {
		_, pid, _ := strings.Cut(name, "/")
		n, _ := strconv.Atoi(pid)
		if pids = append(pids, n); len(pids) == 2 {
			cancel()
		}
	}
	if err := local.New(o).Execute(ctx, enginetest.Tasks(t, 10, enginetest.Play{Sleep: 1 << 30}), w); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("worker %d lives on", pid)
		}
	}
	if len(w.Outcomes) > 0 {
		t.Errorf("a run that was abandoned ended: %v", w.Outcomes)
	}
}

// A program that is killed leaves no workers, and the next one executes what is left
// and nothing else.
func TestAKilledProgramIsResumed(t *testing.T) {
	dir := t.TempDir()
	j := job{Store: dir + "/store", Tasks: enginetest.Tasks(t, 60, enginetest.Play{Sleep: 20, Log: dir + "/log"})}
	all := j.Tasks
	for round := 1; ; round++ {
		if round > 10 {
			t.Fatal("it does not come to an end")
		}
		ended := map[string]bool{}
		for _, key := range enginetest.Lines(t, j.Store) {
			if ended[key] {
				t.Fatalf("%s ended twice", key)
			}
			ended[key] = true
		}
		j.Tasks = slices.DeleteFunc(slices.Clone(all), func(t study.Task) bool { return ended[t.Key] })
		p := enginetest.Start(t, "program", j)
		if round <= 3 {
			had := len(ended)
			enginetest.Eventually(t, "some runs have ended", func() bool { return len(enginetest.Lines(t, j.Store)) >= had+8 })
			p.Kill()
			if p.Said() != "" {
				t.Errorf("round %d: %s", round, p.Said())
			}
			continue
		}
		if err := p.Wait(); err != nil {
			t.Fatal(err, p.Said())
		}
		break
	}
	if n := len(enginetest.Lines(t, j.Store)); n != len(all) {
		t.Errorf("%d runs ended, want %d", n, len(all))
	}
	// Two may be in hand at each of three deaths, and one outcome on its way.
	if n := len(enginetest.Lines(t, dir+"/log")); n > len(all)+3*4 {
		t.Errorf("%d runs were begun for %d and three deaths", n, len(all))
	}
}

func BenchmarkTasks(b *testing.B) {
	o := local.Options{Workers: 2, Command: enginetest.Helper(enginetest.Child)}
	list := enginetest.Tasks(b, 10_000, enginetest.Play{})
	before := processorTime(b)
	for b.Loop() {
		w := enginetest.NewWatcher(b)
		if err := local.New(o).Execute(enginetest.Timeout(b, time.Minute), list, w); err != nil {
			b.Fatal(err)
		}
		w.WantResults(list)
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
