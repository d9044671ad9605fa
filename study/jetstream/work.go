package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"weft/internal/printable"
	"weft/study"
	"weft/study/jetstream/internal/process"
)

// WorkerOptions are of a machine's workers.
type WorkerOptions struct {
	// URL of the NATS server, several separated by commas.
	URL  string
	Auth Auth
	// Program is the identity of this program, whose tasks it takes.
	Program string
	// Workers is how many processes to start, as many as there are cores if it is
	// 0.
	Workers int
	// Command makes the command of a worker process, which calls RunTasks.
	Command func(env []string) *exec.Cmd
	// Cache is a folder for files that tasks need and this machine has not. In the
	// user's cache if it is empty.
	Cache string
	// ConnectTimeout is how long to look for the server at first. Once connected,
	// it is looked for as long as it takes. 10 s if it is 0.
	ConnectTimeout time.Duration
	// Notice is told what the user should know, and Status now and then what goes
	// on. Calls come one at a time.
	Notice func(text string)
	Status func(WorkerStatus)
}

// WorkerStatus is what the workers of a machine do.
type WorkerStatus struct {
	Connected bool
	// Workers is how many processes there are, and Busy how many of them run.
	Workers, Busy int
	// Done, Failed and Lost count runs that have a result, that have none, and
	// whose process died.
	Done, Failed, Lost int
}

// Work executes tasks of any study of the program, in processes of this machine,
// until the context is done. Then it gives back what it had and returns nil.
func Work(ctx context.Context, o WorkerOptions) error {
	if o.Program == "" || o.Command == nil || o.URL == "" {
		return errors.New("jetstream: WorkerOptions need URL, Program and Command")
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Workers < 0 {
		return fmt.Errorf("jetstream: %d workers are impossible", o.Workers)
	}
	if o.Cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			dir = os.TempDir()
		}
		o.Cache = filepath.Join(dir, "weft", "inputs")
	}
	var mu sync.Mutex
	notice := func(text string) {
		if o.Notice != nil {
			mu.Lock()
			defer mu.Unlock()
			o.Notice(printable.Line(text))
		}
	}
	shown := withoutSecrets(o.URL)
	s := newSupervisor(&supervisor{
		program: o.Program, slots: o.Workers, command: o.Command, inputs: newInputs(o.Cache), notice: notice,
	})
	conn, err := connectTo(ctx, o.URL, o.Auth, orDefault(o.ConnectTimeout, defaultConnectTimeout), connectOptions(shown, "weft worker", notice, s.reconnected)...)
	if err != nil {
		return err
	}
	defer conn.Close()
	q, err := newQueue(conn, shown, false)
	if err != nil {
		return err
	}
	if err := hasJetStream(ctx, q.js, shown); err != nil {
		return err
	}
	if err := q.prepare(ctx); err != nil {
		return err
	}
	if err := q.workers(ctx, o.Program, 0); err != nil {
		return err
	}
	s.queue = q
	if o.Status != nil {
		stop := make(chan struct{})
		var told sync.WaitGroup
		told.Go(func() { s.report(stop, &mu, o.Status) })
		defer told.Wait()
		defer close(stop)
	}
	return s.run(ctx)
}

// statusEvery is how often the status is told if it changes.
const statusEvery = 500 * time.Millisecond

func (s *supervisor) report(stop <-chan struct{}, mu *sync.Mutex, tell func(WorkerStatus)) {
	tick := time.NewTicker(statusEvery)
	defer tick.Stop()
	var last WorkerStatus
	for {
		now := WorkerStatus{
			Connected: s.queue.conn.IsConnected(), Workers: s.slots, Busy: int(s.busy.Load()),
			Done: int(s.done.Load()), Failed: int(s.failed.Load()), Lost: int(s.lost.Load()),
		}
		if now != last {
			mu.Lock()
			tell(now)
			mu.Unlock()
			last = now
		}
		select {
		case <-tick.C:
		case <-stop:
			return
		}
	}
}

// RunTasks is what a worker process does: it executes tasks that its parent hands it
// over in, one at a time, and answers over out, until in ends or the context is
// done. Nothing else may write to out. The process should end when RunTasks returns:
// a run that does not heed its context may still go on.
func RunTasks(ctx context.Context, in io.Reader, out io.Writer, run study.Runner) error {
	return process.Serve(ctx, in, out, run)
}
