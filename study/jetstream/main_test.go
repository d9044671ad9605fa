package jetstream

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"weft/study"
)

// roleVariable makes this test's executable one of its helpers.
const roleVariable = "WEFT_JETSTREAM_TEST_ROLE"

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(withConfigHome(m.Run))
	}
	os.Unsetenv(roleVariable)
	if err := roles[role](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// withConfigHome runs tests with a folder of their own for the tokens of servers.
func withConfigHome(run func() int) int {
	dir, err := os.MkdirTemp("", "weft")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.Setenv("XDG_CONFIG_HOME", dir)
	return run()
}

var roles = map[string]func() error{
	"child": func() error {
		return RunTasks(context.Background(), os.Stdin, os.Stdout, testRunner)
	},
	"coordinator": coordinatorRole,
	"worker":      workerRole,
	"server":      serverRole,
	"broken":      func() error { return fmt.Errorf("this program knows no workers") },
}

// helper makes the command of a helper.
func helper(role string) func(env []string) *exec.Cmd {
	return func(env []string) *exec.Cmd {
		c := exec.Command(os.Args[0])
		c.Env = append(append(os.Environ(), roleVariable+"="+role), env...)
		return c
	}
}

// play is the scenario of a test's task: what its run does.
type play struct {
	// Sleep in milliseconds.
	Sleep int
	// Bytes of the result.
	Bytes int
	// Die, Panic, Fail, Refuse: as long as the file Until is not there, if it is
	// named.
	Die, Panic, Crash, Fail, Refuse bool
	Until                           string
	// Log is a file that each beginning appends a line to.
	Log string
	// Wait for a file. Its run then shows its process in the file's name and .pid.
	Wait string
	// Read is a file whose content is the result.
	Read string
}

func testRunner(ctx context.Context, t study.Task, progress func(float64)) ([]byte, *study.Failure) {
	var p play
	if err := json.Unmarshal(t.Scenario, &p); err != nil {
		return nil, &study.Failure{Message: err.Error(), Permanent: true}
	}
	if p.Log != "" {
		f, err := os.OpenFile(p.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, &study.Failure{Message: err.Error()}
		}
		fmt.Fprintln(f, t.Key)
		f.Close()
	}
	for end := time.Now().Add(time.Duration(p.Sleep) * time.Millisecond); time.Now().Before(end) || p.Wait != "" && !exists(p.Wait); {
		if ctx.Err() != nil {
			return nil, &study.Failure{Message: "interrupted"}
		}
		time.Sleep(2 * time.Millisecond)
		progress(0.5)
	}
	if p.Until == "" || !exists(p.Until) {
		switch {
		case p.Die:
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		case p.Panic:
			panic("as told")
		case p.Crash:
			go func() { panic("in a thread of the engine") }()
			select {}
		case p.Fail:
			return nil, &study.Failure{Message: "no memory"}
		case p.Refuse:
			return nil, &study.Failure{Message: "no such topology", Permanent: true}
		}
	}
	if p.Read != "" {
		b, err := os.ReadFile(p.Read)
		if err != nil {
			return nil, &study.Failure{Message: err.Error()}
		}
		return b, nil
	}
	if p.Bytes > 0 {
		return []byte(strings.Repeat("x", p.Bytes)), nil
	}
	return []byte("result of " + t.Key), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func task(t testing.TB, key string, p play) study.Task {
	t.Helper()
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return study.Task{Key: key, Cell: "cell", Name: "run " + key, Scenario: b, Seed: 1}
}

func tasks(t testing.TB, n int, p play) []study.Task {
	list := make([]study.Task, n)
	for i := range list {
		list[i] = task(t, fmt.Sprintf("run-%04d", i), p)
	}
	return list
}

// watcher writes down what it is told. Its hooks are called before.
type watcher struct {
	t        testing.TB
	outcomes map[string]study.Outcome
	running  map[string]string
	begun    map[string]int
	lost     []string
	shares   int
	notices  []string

	onBegan func(key, worker string)
	onEnded func(study.Outcome) error
}

func newWatcher(t testing.TB) *watcher {
	return &watcher{t: t, outcomes: map[string]study.Outcome{}, running: map[string]string{}, begun: map[string]int{}}
}

func (w *watcher) Began(key, name string) {
	if w.running[key] != "" {
		w.t.Errorf("%s began on %s while on %s", key, name, w.running[key])
	}
	w.running[key] = name
	w.begun[key]++
	if w.onBegan != nil {
		w.onBegan(key, name)
	}
}

func (w *watcher) Progressed(key string, share float64) { w.shares++ }

func (w *watcher) Lost(key, name, why string) {
	if w.running[key] != name {
		w.t.Errorf("%s was lost on %s, but ran on %s", key, name, w.running[key])
	}
	delete(w.running, key)
	w.lost = append(w.lost, key+": "+why)
}

func (w *watcher) Ended(o study.Outcome) error {
	if w.onEnded != nil {
		if err := w.onEnded(o); err != nil {
			return err
		}
	}
	if _, twice := w.outcomes[o.Key]; twice {
		w.t.Errorf("%s ended twice", o.Key)
	}
	if w.begun[o.Key] == 0 {
		w.t.Errorf("%s ended and had not begun", o.Key)
	}
	delete(w.running, o.Key)
	w.outcomes[o.Key] = o
	return nil
}

func (w *watcher) Notice(text string) { w.notices = append(w.notices, text) }

// again forgets what an execution that stopped left open.
func (w *watcher) again() { clear(w.running); w.onEnded = nil }

// wantResults demands that all tasks ended with their results.
func (w *watcher) wantResults(list []study.Task) {
	w.t.Helper()
	for _, t := range list {
		o, ok := w.outcomes[t.Key]
		switch {
		case !ok:
			w.t.Errorf("%s has not ended", t.Key)
		case o.Failure != nil:
			w.t.Errorf("%s failed: %s", t.Key, o.Failure.Message)
		case string(o.Result) != "result of "+t.Key:
			w.t.Errorf("%s has the result %q", t.Key, o.Result)
		}
	}
	if len(w.outcomes) != len(list) {
		w.t.Errorf("%d tasks ended, want %d", len(w.outcomes), len(list))
	}
}

func timeout(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}
