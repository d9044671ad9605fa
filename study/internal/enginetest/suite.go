//go:build unix

package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/study"
	"weft/study/workers"
)

// Options are the options that a test of the suite sets on an engine.
type Options struct {
	Command     workers.Command // of the helper Child if it is nil
	MaxAttempts int
	RetryDelay  time.Duration
}

// Maker returns an engine with two workers on this machine.
type Maker func(*testing.T, Options) study.Engine

// Suite runs the tests that each engine must pass.
func Suite(t *testing.T, engine Maker) {
	for name, test := range map[string]func(*testing.T, Maker){
		"TasksEndWithTheirResults":             tasksEndWithTheirResults,
		"FailuresOfARunEndIt":                  failuresOfARunEndIt,
		"WhatFailedForATimeSucceeds":           whatFailedForATimeSucceeds,
		"EachRunEndsOnceWhileWorkersAreKilled": eachRunEndsOnceWhileWorkersAreKilled,
		"ABrokenCommandIsTold":                 aBrokenCommandIsTold,
		"AnOutcomeThatIsNotKeptStopsAll":       anOutcomeThatIsNotKeptStopsAll,
		"LargeResultsArrive":                   largeResultsArrive,
		"ResultsThatAreNoneAreFailedAttempts":  resultsThatAreNoneAreFailedAttempts,
	} {
		t.Run(name, func(t *testing.T) {
			test(t, func(t *testing.T, o Options) study.Engine {
				if o.Command == nil {
					o.Command = Helper(Child)
				}
				return engine(t, o)
			})
		})
	}
}

func tasksEndWithTheirResults(t *testing.T, engine Maker) {
	o := Options{}
	list := Tasks(t, 200, Play{})
	w := NewWatcher(t)
	if err := engine(t, o).Execute(Timeout(t, time.Minute), list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
	if len(w.Notices) > 0 {
		t.Errorf("notices: %q", w.Notices)
	}
}

func failuresOfARunEndIt(t *testing.T, engine Maker) {
	o := Options{MaxAttempts: 3, RetryDelay: time.Millisecond}
	log := filepath.Join(t.TempDir(), "log")
	list := []study.Task{
		Task(t, "refused", Play{Refuse: true, Log: log}),
		Task(t, "panics", Play{Panic: true, Log: log}),
		Task(t, "crashes", Play{Crash: true, Log: log}),
		Task(t, "fails", Play{Fail: true, Log: log}),
		Task(t, "dies", Play{Die: true, Log: log}),
		Task(t, "good", Play{Log: log}),
	}
	w := NewWatcher(t)
	if err := engine(t, o).Execute(Timeout(t, time.Minute), list, w); err != nil {
		t.Fatal(err)
	}
	begun := map[string]int{}
	for _, key := range Lines(t, log) {
		begun[key]++
	}
	for _, c := range []struct {
		key       string
		attempts  int
		permanent bool
		message   string
	}{
		{"refused", 1, true, "^no such topology$"},
		{"panics", 1, true, `(?s)^panic: as told\n.*runner`},
		{"crashes", 1, true, `(?s)^exit status 2: .*panic: in a thread of the engine`},
		{"fails", 3, false, "^it failed 3 times, last: no memory$"},
		{"dies", 3, false, "^its process died 3 times, last: killed by signal 9 — often the system's out-of-memory killer$"},
	} {
		got := w.Outcomes[c.key]
		switch {
		case got.Failure == nil:
			t.Errorf("%s did not fail", c.key)
		case got.Failure.Permanent != c.permanent || !regexp.MustCompile(c.message).MatchString(got.Failure.Message):
			t.Errorf("%s: permanent %t: %q", c.key, got.Failure.Permanent, got.Failure.Message)
		case got.Attempts != c.attempts || begun[c.key] != c.attempts || got.Result != nil:
			t.Errorf("%s: %d attempts, begun %d times, want %d; result %q", c.key, got.Attempts, begun[c.key], c.attempts, got.Result)
		}
	}
	if o := w.Outcomes["good"]; o.Failure != nil || string(o.Result) != "result of good" {
		t.Errorf("good: %+v", o)
	}
	if len(w.Losses) != 4 { // two of three attempts of two runs
		t.Errorf("lost: %q", w.Losses)
	}
}

func whatFailedForATimeSucceeds(t *testing.T, engine Maker) {
	o := Options{RetryDelay: time.Millisecond}
	dir := t.TempDir()
	list := []study.Task{
		Task(t, "fails", Play{Fail: true, Until: dir + "/mended", Log: dir + "/log"}),
		Task(t, "dies", Play{Die: true, Until: dir + "/mended", Log: dir + "/log"}),
		Task(t, "mends", Play{Wait: dir + "/log"}),
	}
	w := NewWatcher(t)
	w.OnEnded = func(o study.Outcome) error {
		if o.Key == "mends" {
			return os.WriteFile(dir+"/mended", nil, 0o644)
		}
		if o.Attempts < 1 || o.Key == "fails" && o.Attempts > 5 {
			t.Errorf("%s took %d attempts", o.Key, o.Attempts)
		}
		return nil
	}
	o.MaxAttempts = 100
	if err := engine(t, o).Execute(Timeout(t, time.Minute), list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
}

// Workers die again and again through no fault of their own.
func eachRunEndsOnceWhileWorkersAreKilled(t *testing.T, engine Maker) {
	o := Options{MaxAttempts: 1000}
	list := Tasks(t, 150, Play{Sleep: 60})
	for i := range list {
		if i%3 > 0 {
			list[i] = Task(t, list[i].Key, Play{})
		}
	}
	w := NewWatcher(t)
	killed, rng := 0, rand.New(rand.NewPCG(1, 2))
	w.OnBegan = func(_, name string) {
		if killed < 40 && rng.IntN(3) == 0 {
			_, pid, _ := strings.Cut(name, "/")
			n, err := strconv.Atoi(pid)
			if err != nil || n == os.Getpid() {
				t.Errorf("the worker is %q", name)
				return
			}
			killed++
			// The worker may be dead and replaced by now. Then no process has this number.
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
	}
	if err := engine(t, o).Execute(Timeout(t, time.Minute), list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
	if killed < 20 || len(w.Losses) == 0 {
		t.Errorf("%d workers were killed, %d runs lost", killed, len(w.Losses))
	}
}

func aBrokenCommandIsTold(t *testing.T, engine Maker) {
	o := Options{Command: Helper(Broken)}
	err := engine(t, o).Execute(Timeout(t, time.Minute), Tasks(t, 3, Play{}), NewWatcher(t))
	if err == nil || !strings.Contains(err.Error(), "this program knows no workers") || !strings.Contains(err.Error(), "end before they do anything") {
		t.Errorf("got %v", err)
	}
	o.Command = func([]string) *exec.Cmd { return exec.Command("/no/such/program") }
	if err := engine(t, o).Execute(Timeout(t, time.Minute), Tasks(t, 3, Play{}), NewWatcher(t)); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("got %v", err)
	}
}

func anOutcomeThatIsNotKeptStopsAll(t *testing.T, engine Maker) {
	o := Options{}
	list := Tasks(t, 20, Play{})
	w := NewWatcher(t)
	full := errors.New("no space left on device")
	w.OnEnded = func(study.Outcome) error {
		if len(w.Outcomes) == 5 {
			return full
		}
		return nil
	}
	if err := engine(t, o).Execute(Timeout(t, time.Minute), list, w); !errors.Is(err, full) {
		t.Fatalf("got %v", err)
	}
	// Stored outcomes must not be executed again. The outcome that was not stored is still
	// in the queue, or is executed again.
	w.Again()
	var rest []study.Task
	for _, task := range list {
		if _, ok := w.Outcomes[task.Key]; !ok {
			rest = append(rest, task)
		}
	}
	if len(rest) != 15 {
		t.Fatalf("%d are left", len(rest))
	}
	if err := engine(t, o).Execute(Timeout(t, time.Minute), rest, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
}

func largeResultsArrive(t *testing.T, engine Maker) {
	o := Options{}
	const size = 20 << 20 // too large for a message
	list := Tasks(t, 2, Play{Bytes: size})
	w := NewWatcher(t)
	if err := engine(t, o).Execute(Timeout(t, time.Minute), list, w); err != nil {
		t.Fatal(err)
	}
	for _, task := range list {
		if n := len(w.Outcomes[task.Key].Result); n != size {
			t.Errorf("%s has a result of %d bytes", task.Key, n)
		}
	}
}

// An outcome that the study does not accept as a result is a failed attempt.
func resultsThatAreNoneAreFailedAttempts(t *testing.T, engine Maker) {
	o := Options{MaxAttempts: 3, RetryDelay: time.Millisecond}
	list := Tasks(t, 6, Play{})
	always, once := list[1].Key, list[4].Key
	w := NewWatcher(t)
	refused := 0
	w.OnEnded = func(o study.Outcome) error {
		if o.Failure == nil && (o.Key == always || o.Key == once && refused == 0) {
			if o.Key == once {
				refused++
			}
			return fmt.Errorf("%w: of another cell", study.ErrNotResult)
		}
		return nil
	}
	if err := engine(t, o).Execute(Timeout(t, time.Minute), list, w); err != nil {
		t.Fatal(err)
	}
	if o := w.Outcomes[always]; o.Failure == nil || o.Failure.Permanent || o.Attempts != 3 ||
		!strings.Contains(o.Failure.Message, "it failed 3 times, last: not a result of this run: of another cell") {
		t.Errorf("%+v", o)
	}
	if o := w.Outcomes[once]; o.Failure != nil || o.Attempts != 2 {
		t.Errorf("%+v", o)
	}
	if len(w.Outcomes) != len(list) || len(w.Losses) != 3 {
		t.Errorf("%d ended; lost %q", len(w.Outcomes), w.Losses)
	}
}
