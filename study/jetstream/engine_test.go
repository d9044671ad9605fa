//go:build unix

package jetstream

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"weft/study"
	"weft/study/internal/enginetest"
	"weft/study/remote"
)

// ownWorkers are options of an engine with two workers on its own machine.
func ownWorkers(url string) remote.Options {
	return remote.Options{URL: url, Study: "test", Program: "weft test", Workers: 2, Command: enginetest.Helper(enginetest.Child)}
}

func TestEngine(t *testing.T) {
	enginetest.Suite(t, func(t *testing.T, o enginetest.Options) study.Engine {
		own := ownWorkers(serve(t, remote.ServeOptions{}))
		own.Command, own.MaxAttempts, own.RetryDelay = o.Command, o.MaxAttempts, o.RetryDelay
		return New(own)
	})
}

func TestAHeartbeatKeepsALongRun(t *testing.T) {
	o := ownWorkers(serve(t, remote.ServeOptions{}))
	o.AckWait = 300 * time.Millisecond
	log := filepath.Join(t.TempDir(), "log")
	list := enginetest.Tasks(t, 2, enginetest.Play{Sleep: 1200, Log: log})
	w := enginetest.NewWatcher(t)
	if err := New(o).Execute(enginetest.Timeout(t, 20*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
	if n := len(enginetest.Lines(t, log)); n != 2 || len(w.Losses) > 0 {
		t.Errorf("2 runs were begun %d times; lost %q", n, w.Losses)
	}
	if w.Shares == 0 {
		t.Error("nothing was heard of their progress")
	}
}

// A machine that sleeps for longer than AckWait begins nothing twice, though the server
// then takes the runs in hand for lost.
func TestASleepIsNoDeath(t *testing.T) {
	url := serve(t, remote.ServeOptions{})
	log := filepath.Join(t.TempDir(), "log")
	list := enginetest.Tasks(t, 5, enginetest.Play{Sleep: 1500, Log: log})
	p := enginetest.Start(t, "worker", workerJob{URL: url, Program: "weft test", Workers: 2})
	go func() {
		for slept := range 2 {
			for end := time.Now().Add(20 * time.Second); len(enginetest.Lines(t, log)) < 2*slept+2 && time.Now().Before(end); {
				time.Sleep(5 * time.Millisecond)
			}
			if err := p.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Error(err)
			}
			time.Sleep(900 * time.Millisecond)
			if err := p.Process.Signal(syscall.SIGCONT); err != nil {
				t.Error(err)
			}
		}
	}()
	o := sharedOptions(url)
	o.AckWait = 300 * time.Millisecond
	w := enginetest.NewWatcher(t)
	if err := New(o).Execute(enginetest.Timeout(t, 30*time.Second), list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
	if n := len(enginetest.Lines(t, log)); n != len(list) {
		t.Errorf("%d runs were begun for %d", n, len(list))
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
