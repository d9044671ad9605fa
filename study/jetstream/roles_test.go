package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"weft/study"
)

// The helpers that are whole programs read their options from a variable.
const optionsVariable = "WEFT_JETSTREAM_TEST_OPTIONS"

// coordinatorJob is what the helper "coordinator" executes. It keeps what ended as
// lines of a file, as a store does.
type coordinatorJob struct {
	Dir, URL, Store string
	Workers         int
	AckWait         time.Duration
	Tasks           []study.Task
}

// workerJob is what the helper "worker" serves.
type workerJob struct {
	URL, Program, Cache string
	Workers             int
}

// serverJob is what the helper "server" serves.
type serverJob struct{ Dir, Listen string }

func job[T any]() (T, error) {
	var v T
	err := json.Unmarshal([]byte(os.Getenv(optionsVariable)), &v)
	return v, err
}

// terminable is done when the process is told to end.
func terminable() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	return ctx
}

func coordinatorRole() error {
	j, err := job[coordinatorJob]()
	if err != nil {
		return err
	}
	store, err := os.OpenFile(j.Store, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	o := Options{
		Dir: j.Dir, URL: j.URL, Study: "test", Program: "weft test", Workers: j.Workers, Command: helper("child"), AckWait: j.AckWait,
	}
	return New(o).Execute(terminable(), j.Tasks, storing{store})
}

// storing is a Watcher that writes down the keys that ended.
type storing struct{ file *os.File }

func (storing) Began(string, string)        {}
func (storing) Progressed(string, float64)  {}
func (storing) Lost(string, string, string) {}
func (storing) Notice(text string)          { fmt.Fprintln(os.Stderr, text) }
func (s storing) Ended(o study.Outcome) error {
	if o.Failure != nil {
		return o.Failure
	}
	_, err := fmt.Fprintln(s.file, o.Key)
	return err
}

func workerRole() error {
	j, err := job[workerJob]()
	if err != nil {
		return err
	}
	return Work(terminable(), WorkerOptions{
		URL: j.URL, Program: j.Program, Workers: j.Workers, Command: helper("child"), Cache: j.Cache,
		Notice: func(text string) { fmt.Fprintln(os.Stderr, text) },
	})
}

func serverRole() error {
	j, err := job[serverJob]()
	if err != nil {
		return err
	}
	return Serve(terminable(), ServeOptions{Dir: j.Dir, Listen: j.Listen, Ready: func(s Served) { fmt.Println(s.URL) }})
}

// program is a helper that runs beside the test, until it is killed or the test
// ends.
type program struct {
	*exec.Cmd
	t      testing.TB
	stderr *syncBuffer
	once   sync.Once
	err    error
}

type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func start(t testing.TB, role string, options any, prepare ...func(*exec.Cmd)) *program {
	t.Helper()
	b, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{Cmd: helper(role)([]string{optionsVariable + "=" + string(b)}), t: t, stderr: &syncBuffer{}}
	p.Stderr = p.stderr
	p.WaitDelay = time.Second
	for _, f := range prepare {
		f(p.Cmd)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.kill()
		if t.Failed() && p.stderr.String() != "" {
			t.Logf("%s wrote: %s", role, p.stderr)
		}
	})
	return p
}

func (p *program) wait() error {
	p.once.Do(func() { p.err = p.Wait() })
	return p.err
}

func (p *program) kill() {
	_ = p.Process.Kill()
	_ = p.wait()
}

// lines returns the lines of a file that may not be there yet.
func lines(t testing.TB, path string) []string {
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(string(b))
}

// eventually waits until something holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); {
		if time.Now().After(end) {
			t.Fatalf("still not: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
