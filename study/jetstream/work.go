package jetstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"weft/internal/printable"
	"weft/study/remote"
)

// Work executes tasks of any study of the program in processes of this machine until the
// context is done. Then it gives back its tasks and returns nil.
func Work(ctx context.Context, o remote.WorkerOptions) error {
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
	shown := remote.WithoutSecrets(o.URL)
	s := newSupervisor(&supervisor{
		program: o.Program, slots: o.Workers, command: o.Command, inputs: newInputs(o.Cache), notice: notice,
	})
	conn, err := connectTo(ctx, o.URL, o.Auth, orDefault(o.ConnectTimeout, defaultConnectTimeout), connectOptions(shown, "weft worker", notice, s.reconnected)...)
	if err != nil {
		return err
	}
	defer conn.Close()
	q, err := newQueue(conn, shown)
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

// statusEvery is the interval of status reports while the status changes.
const statusEvery = 500 * time.Millisecond

func (s *supervisor) report(stop <-chan struct{}, mu *sync.Mutex, tell func(remote.WorkerStatus)) {
	tick := time.NewTicker(statusEvery)
	defer tick.Stop()
	var last remote.WorkerStatus
	for {
		now := remote.WorkerStatus{
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
