// Package enginetest holds what the tests of engines share: tasks that do as they are told,
// a Watcher that records its calls, helper processes, and a suite that each engine must
// pass.
package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/study"
	"weft/study/workers"
)

const (
	// roleVariable turns a test's executable into one of its helpers. optionsVariable holds
	// the options of helpers that are whole programs.
	roleVariable    = "WEFT_ENGINE_TEST_ROLE"
	optionsVariable = "WEFT_ENGINE_TEST_OPTIONS"
)

// Main runs the tests, or the helper whose role this process has. The helpers Child and
// Broken exist for all engines.
func Main(run func() int, roles map[string]func() error) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(run())
	}
	os.Unsetenv(roleVariable)
	var err error
	switch role {
	case Child:
		err = workers.Serve(context.Background(), os.Stdin, os.Stdout, runner)
	case Broken:
		err = errors.New("this program knows no workers")
	default:
		err = roles[role]()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// The helpers that Main knows: a worker process, and one that cannot start.
const (
	Child  = "child"
	Broken = "broken"
)

// Helper returns the command of a helper.
func Helper(role string) workers.Command {
	return func(env []string) *exec.Cmd {
		c := exec.Command(os.Args[0])
		c.Env = append(append(os.Environ(), roleVariable+"="+role), env...)
		return c
	}
}

// Job returns the options of a helper.
func Job[T any]() (T, error) {
	var v T
	err := json.Unmarshal([]byte(os.Getenv(optionsVariable)), &v)
	return v, err
}

// Keep returns a Watcher that appends the key of each ended run to a file, as a store does.
func Keep(path string) (study.Watcher, error) {
	store, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	return storing{store}, err
}

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

// Program is a helper that runs in parallel to the test, until it is killed or the test
// ends.
type Program struct {
	*exec.Cmd
	t    testing.TB
	said *syncBuffer
	once sync.Once
	err  error
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

// Start starts a helper with options, which the helper reads with Job.
func Start(t testing.TB, role string, options any, prepare ...func(*exec.Cmd)) *Program {
	t.Helper()
	b, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	p := &Program{Cmd: Helper(role)([]string{optionsVariable + "=" + string(b)}), t: t, said: &syncBuffer{}}
	p.Stderr = p.said
	p.WaitDelay = time.Second
	for _, f := range prepare {
		f(p.Cmd)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() && p.said.String() != "" {
			t.Logf("%s wrote: %s", role, p.said)
		}
	})
	return p
}

// Said returns the helper's standard error so far.
func (p *Program) Said() string { return p.said.String() }

// Wait waits for the helper to end.
func (p *Program) Wait() error {
	p.once.Do(func() { p.err = p.Cmd.Wait() })
	return p.err
}

// Kill kills the helper if it has not ended.
func (p *Program) Kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// Lines returns the lines of a file that may not exist yet.
func Lines(t testing.TB, path string) []string {
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(string(b))
}

// Eventually waits until a condition holds.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(end) {
			t.Fatalf("still not: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Timeout returns a context that ends after some time.
func Timeout(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}
