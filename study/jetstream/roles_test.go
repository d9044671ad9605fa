package jetstream

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"weft/study"
	"weft/study/internal/enginetest"
	"weft/study/remote"
)

// coordinatorJob is what the helper "coordinator" executes. It keeps what ended as
// lines of a file, as a store does.
type coordinatorJob struct {
	URL, Store string
	Workers    int
	AckWait    time.Duration
	Tasks      []study.Task
}

// workerJob is what the helper "worker" serves.
type workerJob struct {
	URL, Program, Cache string
	Workers             int
}

// serverJob is what the helper "server" serves.
type serverJob struct{ Dir, Listen string }

// terminable is done when the process is told to end.
func terminable() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	return ctx
}

func coordinatorRole() error {
	j, err := enginetest.Job[coordinatorJob]()
	if err != nil {
		return err
	}
	w, err := enginetest.Keep(j.Store)
	if err != nil {
		return err
	}
	o := remote.Options{
		URL: j.URL, Study: "test", Program: "weft test", Workers: j.Workers, Command: enginetest.Helper(enginetest.Child), AckWait: j.AckWait,
	}
	return New(o).Execute(terminable(), j.Tasks, w)
}

func workerRole() error {
	j, err := enginetest.Job[workerJob]()
	if err != nil {
		return err
	}
	return Work(terminable(), remote.WorkerOptions{
		URL: j.URL, Program: j.Program, Workers: j.Workers, Command: enginetest.Helper(enginetest.Child), Cache: j.Cache,
		Notice: func(text string) { fmt.Fprintln(os.Stderr, text) },
	})
}

func serverRole() error {
	j, err := enginetest.Job[serverJob]()
	if err != nil {
		return err
	}
	return Serve(terminable(), remote.ServeOptions{Dir: j.Dir, Listen: j.Listen, Ready: func(s remote.Served) { fmt.Println(s.URL) }})
}
