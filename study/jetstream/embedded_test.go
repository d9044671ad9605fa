//go:build unix

package jetstream

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/study"
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

func TestFailuresOfARunEndIt(t *testing.T) {
	o := embeddedOptions(t)
	o.MaxAttempts, o.RetryDelay = 3, time.Millisecond
	log := filepath.Join(t.TempDir(), "log")
	list := []study.Task{
		task(t, "refused", play{Refuse: true, Log: log}),
		task(t, "panics", play{Panic: true, Log: log}),
		task(t, "crashes", play{Crash: true, Log: log}),
		task(t, "fails", play{Fail: true, Log: log}),
		task(t, "dies", play{Die: true, Log: log}),
		task(t, "good", play{Log: log}),
	}
	w := newWatcher(t)
	if err := New(o).Execute(timeout(t, 20*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	begun := map[string]int{}
	for _, key := range lines(t, log) {
		begun[key]++
	}
	for _, c := range []struct {
		key       string
		attempts  int
		permanent bool
		message   string
	}{
		{"refused", 1, true, "^no such topology$"},
		{"panics", 1, true, `(?s)^panic: as told\n.*testRunner`},
		{"crashes", 1, true, `(?s)^exit status 2: .*panic: in a thread of the engine`},
		{"fails", 3, false, "^it failed 3 times, last: no memory$"},
		{"dies", 3, false, "^its process died 3 times, last: killed by signal 9 — often the system's out-of-memory killer$"},
	} {
		got := w.outcomes[c.key]
		switch {
		case got.Failure == nil:
			t.Errorf("%s did not fail", c.key)
		case got.Failure.Permanent != c.permanent || !regexp.MustCompile(c.message).MatchString(got.Failure.Message):
			t.Errorf("%s: permanent %t: %q", c.key, got.Failure.Permanent, got.Failure.Message)
		case got.Attempts != c.attempts || begun[c.key] != c.attempts || got.Result != nil:
			t.Errorf("%s: %d attempts, begun %d times, want %d; result %q", c.key, got.Attempts, begun[c.key], c.attempts, got.Result)
		}
	}
	if o := w.outcomes["good"]; o.Failure != nil || string(o.Result) != "result of good" {
		t.Errorf("good: %+v", o)
	}
	if len(w.lost) != 4 { // two of three attempts of two runs
		t.Errorf("lost: %q", w.lost)
	}
}

func TestWhatFailedForATimeSucceeds(t *testing.T) {
	o := embeddedOptions(t)
	o.RetryDelay = time.Millisecond
	dir := t.TempDir()
	list := []study.Task{
		task(t, "fails", play{Fail: true, Until: dir + "/mended", Log: dir + "/log"}),
		task(t, "dies", play{Die: true, Until: dir + "/mended", Log: dir + "/log"}),
		task(t, "mends", play{Wait: dir + "/log"}),
	}
	w := newWatcher(t)
	w.onEnded = func(o study.Outcome) error {
		if o.Key == "mends" {
			return os.WriteFile(dir+"/mended", nil, 0o644)
		}
		if o.Attempts < 1 || o.Key == "fails" && o.Attempts > 5 {
			t.Errorf("%s took %d attempts", o.Key, o.Attempts)
		}
		return nil
	}
	o.MaxAttempts = 100
	if err := New(o).Execute(timeout(t, 20*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(list)
}

// The workers die again and again, of nothing that they do.
func TestEachRunEndsOnceWhileWorkersAreKilled(t *testing.T) {
	o := embeddedOptions(t)
	o.MaxAttempts = 1000
	list := tasks(t, 150, play{Sleep: 60})
	for i := range list {
		if i%3 > 0 {
			list[i] = task(t, list[i].Key, play{})
		}
	}
	w := newWatcher(t)
	killed, rng := 0, rand.New(rand.NewPCG(1, 2))
	w.onBegan = func(_, name string) {
		if killed < 40 && rng.IntN(3) == 0 {
			_, pid, _ := strings.Cut(name, "/")
			n, err := strconv.Atoi(pid)
			if err != nil || n == os.Getpid() {
				t.Errorf("the worker is %q", name)
				return
			}
			killed++
			// It may be dead and replaced by now: then nothing has this number.
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
	}
	if err := New(o).Execute(timeout(t, 30*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(list)
	if killed < 20 || len(w.lost) == 0 {
		t.Errorf("%d workers were killed, %d runs lost", killed, len(w.lost))
	}
}

func TestABrokenCommandIsTold(t *testing.T) {
	o := embeddedOptions(t)
	o.Command = helper("broken")
	err := New(o).Execute(timeout(t, 20*time.Second), tasks(t, 3, play{}), newWatcher(t))
	if err == nil || !strings.Contains(err.Error(), "this program knows no workers") || !strings.Contains(err.Error(), "end before they do anything") {
		t.Errorf("got %v", err)
	}
	o.Command = func([]string) *exec.Cmd { return exec.Command("/no/such/program") }
	if err := New(o).Execute(timeout(t, 20*time.Second), tasks(t, 3, play{}), newWatcher(t)); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("got %v", err)
	}
}

func TestAnOutcomeThatIsNotKeptStopsAll(t *testing.T) {
	o := embeddedOptions(t)
	list := tasks(t, 20, play{})
	w := newWatcher(t)
	full := errors.New("no space left on device")
	w.onEnded = func(study.Outcome) error {
		if len(w.outcomes) == 5 {
			return full
		}
		return nil
	}
	if err := New(o).Execute(timeout(t, 20*time.Second), list, w); !errors.Is(err, full) {
		t.Fatalf("got %v", err)
	}
	// What was kept is not to be executed again; the outcome that was not is
	// either with the queue, or executed again.
	w.again()
	var rest []study.Task
	for _, task := range list {
		if _, ok := w.outcomes[task.Key]; !ok {
			rest = append(rest, task)
		}
	}
	if len(rest) != 15 {
		t.Fatalf("%d are left", len(rest))
	}
	if err := New(o).Execute(timeout(t, 20*time.Second), rest, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(list)
}

func TestAHeartbeatKeepsALongRun(t *testing.T) {
	o := embeddedOptions(t)
	o.AckWait = 300 * time.Millisecond
	log := filepath.Join(t.TempDir(), "log")
	list := tasks(t, 2, play{Sleep: 1200, Log: log})
	w := newWatcher(t)
	if err := New(o).Execute(timeout(t, 20*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(list)
	if n := len(lines(t, log)); n != 2 || len(w.lost) > 0 {
		t.Errorf("2 runs were begun %d times; lost %q", n, w.lost)
	}
	if w.shares == 0 {
		t.Error("nothing was heard of their progress")
	}
}

func TestLargeResultsArrive(t *testing.T) {
	o := embeddedOptions(t)
	const size = 20 << 20 // beyond what fits a message
	list := tasks(t, 2, play{Bytes: size})
	w := newWatcher(t)
	if err := New(o).Execute(timeout(t, 20*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	for _, task := range list {
		if n := len(w.outcomes[task.Key].Result); n != size {
			t.Errorf("%s has a result of %d bytes", task.Key, n)
		}
	}
}

func TestACancelledExecutionLeavesNothingBehind(t *testing.T) {
	o := embeddedOptions(t)
	ctx, cancel := context.WithCancel(timeout(t, 20*time.Second))
	w := newWatcher(t)
	var pids []int
	w.onBegan = func(_, name string) {
		_, pid, _ := strings.Cut(name, "/")
		n, _ := strconv.Atoi(pid)
		if pids = append(pids, n); len(pids) == 2 {
			cancel()
		}
	}
	if err := New(o).Execute(ctx, tasks(t, 10, play{Sleep: 1 << 30}), w); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("worker %d lives on", pid)
		}
	}
	if len(w.outcomes) > 0 {
		t.Errorf("a run that was abandoned ended: %v", w.outcomes)
	}
}

// A program that is killed leaves no workers, and the next one executes what is left
// and nothing else.
func TestAKilledProgramIsResumed(t *testing.T) {
	dir := t.TempDir()
	j := coordinatorJob{Dir: dir + "/queue", Store: dir + "/store", Workers: 2, Tasks: tasks(t, 60, play{Sleep: 20, Log: dir + "/log"})}
	all := j.Tasks
	for round := 1; ; round++ {
		if round > 10 {
			t.Fatal("it does not come to an end")
		}
		ended := map[string]bool{}
		for _, key := range lines(t, j.Store) {
			if ended[key] {
				t.Fatalf("%s ended twice", key)
			}
			ended[key] = true
		}
		j.Tasks = slices.DeleteFunc(slices.Clone(all), func(t study.Task) bool { return ended[t.Key] })
		p := start(t, "coordinator", j)
		if round <= 3 {
			had := len(ended)
			eventually(t, "some runs have ended", func() bool { return len(lines(t, j.Store)) >= had+8 })
			p.kill()
			if p.stderr.String() != "" {
				t.Errorf("round %d: %s", round, p.stderr)
			}
			continue
		}
		if err := p.wait(); err != nil {
			t.Fatal(err, p.stderr)
		}
		break
	}
	if n := len(lines(t, j.Store)); n != len(all) {
		t.Errorf("%d runs ended, want %d", n, len(all))
	}
	// Two may be in hand at each of three deaths, and one outcome on its way.
	if n := len(lines(t, dir+"/log")); n > len(all)+3*4 {
		t.Errorf("%d runs were begun for %d and three deaths", n, len(all))
	}
}

// A machine that sleeps for longer than AckWait begins nothing twice, though its server
// then takes the runs in hand for lost.
func TestASleepIsNoDeath(t *testing.T) {
	dir := t.TempDir()
	j := coordinatorJob{
		Dir: dir + "/queue", Store: dir + "/store", Workers: 2, AckWait: 300 * time.Millisecond,
		Tasks: tasks(t, 5, play{Sleep: 1500, Log: dir + "/log"}),
	}
	p := start(t, "coordinator", j)
	for slept := range 2 {
		eventually(t, "two runs have begun", func() bool { return len(lines(t, dir+"/log")) >= 2*slept+2 })
		if err := p.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * j.AckWait)
		if err := p.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.wait(); err != nil {
		t.Fatal(err, p.stderr)
	}
	if n := len(lines(t, dir+"/log")); n != len(j.Tasks) {
		t.Errorf("%d runs were begun for %d", n, len(j.Tasks))
	}
	if n := len(lines(t, j.Store)); n != len(j.Tasks) {
		t.Errorf("%d runs ended, want %d", n, len(j.Tasks))
	}
}

// An outcome that the queue has is delivered before anything is executed.
func TestOutcomesInTheQueueAreTakenFirst(t *testing.T) {
	o := embeddedOptions(t)
	log := filepath.Join(t.TempDir(), "log")
	list := tasks(t, 2, play{Log: log})
	s, err := startEmbedded(o.Dir, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	conn, err := s.connect()
	if err != nil {
		t.Fatal(err)
	}
	q, err := newQueue(conn, "the embedded server", true)
	if err != nil {
		t.Fatal(err)
	}
	ctx := timeout(t, 20*time.Second)
	if err := q.prepare(ctx); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{list[0].Key, "unwanted"} {
		body, err := outcomeMeta{Key: key, Worker: "elsewhere/1"}.encode([]byte("result of " + key))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.js.Publish(ctx, newScope(o.Program, o.Study).outcome(key), body); err != nil {
			t.Fatal(err)
		}
	}
	conn.Close()
	s.close(false)

	w := newWatcher(t)
	if err := New(o).Execute(ctx, list, w); err != nil {
		t.Fatal(err)
	}
	w.wantResults(list)
	if got := lines(t, log); len(got) != 1 || got[0] != list[1].Key {
		t.Errorf("begun: %q", got)
	}
	if w.outcomes[list[0].Key].Worker != "elsewhere/1" {
		t.Errorf("got %+v", w.outcomes[list[0].Key])
	}
}

func TestOneProcessExecutesAStudy(t *testing.T) {
	o := embeddedOptions(t)
	s, err := startEmbedded(o.Dir, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(true)
	if err := New(o).Execute(timeout(t, 20*time.Second), tasks(t, 1, play{}), newWatcher(t)); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("got %v", err)
	}
}

func TestADamagedQueueIsBegunAnew(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, dir string){
		"newer server": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, markerFile), `{"server":"99.0.0"}`)
		},
		"marker":    func(t *testing.T, dir string) { write(t, filepath.Join(dir, markerFile), "{") },
		"no marker": func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, markerFile)) },
		"all files": func(t *testing.T, dir string) { overwrite(t, dir, "", "garbage") },
		"meta.inf":  func(t *testing.T, dir string) { overwrite(t, dir, "meta.inf", "garbage") },
		"checksum":  func(t *testing.T, dir string) { overwrite(t, dir, "meta.sum", "garbage") },
		"blocks":    func(t *testing.T, dir string) { overwrite(t, dir, ".blk", strings.Repeat("garbage", 100)) },
		"cut off":   func(t *testing.T, dir string) { overwrite(t, dir, "", "") },
	} {
		t.Run(name, func(t *testing.T) {
			o := embeddedOptions(t)
			ctx := timeout(t, 20*time.Second)
			w := newWatcher(t)
			stop := errors.New("stop")
			w.onEnded = func(study.Outcome) error { return stop }
			list := tasks(t, 10, play{})
			if err := New(o).Execute(ctx, list, w); !errors.Is(err, stop) {
				t.Fatal(err)
			}
			damage(t, o.Dir)
			w.again()
			if err := New(o).Execute(ctx, list, w); err != nil {
				t.Fatal(err)
			}
			w.wantResults(list)
			if name == "blocks" {
				return // the server reads what there is
			}
			if len(w.notices) != 1 || !strings.Contains(w.notices[0], "is begun anew") {
				t.Errorf("notices: %q", w.notices)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// overwrite replaces the content of all files of the store that end so.
func overwrite(t *testing.T, dir, suffix, text string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(filepath.Join(dir, storeFolder), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, suffix) {
			write(t, path, text)
			n++
		}
		return err
	})
	if err != nil || n == 0 {
		t.Fatalf("%d files of %s: %v", n, suffix, err)
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
