// Package local executes the runs of studies in processes of this machine.
//
// The goroutine that called Execute hands out the tasks and calls the Watcher. Each worker
// process has a goroutine that talks to it over pipes and replaces it when it dies.
// Outcomes go straight to the Watcher, so the study's store is the only state. Whoever is
// killed, exactly the runs that the store lacks are executed again.
package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"weft/study"
	"weft/study/workers"
)

// Options are the options of an engine.
type Options struct {
	// Workers is the number of processes to start. 0 means the number of cores.
	Workers int
	// Command returns the command of a worker process, which calls workers.Serve.
	Command workers.Command
	// MaxAttempts limits the attempts of a run whose process dies, or that fails for lack
	// of a resource. 0 means 5.
	MaxAttempts int
	// RetryDelay is the wait before a run that failed for lack of a resource is repeated.
	// It doubles each time. 0 means 500 ms. A run whose process died is repeated at once.
	RetryDelay time.Duration
}

// New returns an engine that executes tasks on this machine.
func New(o Options) study.Engine { return &engine{o} }

type engine struct{ options Options }

// Execute implements study.Engine.
func (e *engine) Execute(ctx context.Context, tasks []study.Task, w study.Watcher) error {
	o := e.options
	if o.Command == nil || o.Workers < 0 {
		return fmt.Errorf("local: Options need a Command and at least one worker; there are %d", o.Workers)
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.MaxAttempts == 0 {
		o.MaxAttempts = workers.DefaultAttempts
	}
	if o.RetryDelay == 0 {
		o.RetryDelay = workers.DefaultRetryDelay
	}
	x := &execution{
		Options: o, watcher: w, files: workers.NewFiles(),
		todo: make(chan *entry, o.Workers), news: make(chan news, 4*o.Workers), due: make(chan *entry),
	}
	return x.run(ctx, tasks)
}

// execution executes the tasks of one call.
type execution struct {
	Options
	watcher study.Watcher
	files   *workers.Files

	// ready lists the tasks to hand out. again lists tasks to repeat, which go first.
	ready, again []*entry
	open         int // tasks that have not ended

	todo chan *entry
	news chan news
	due  chan *entry
}

// entry is a task that has not ended.
type entry struct {
	task  study.Task
	tries workers.Tries
}

// news is a report of a worker's goroutine about a task. At most one of the other fields is
// set; none means that the worker has started the task.
type news struct {
	entry  *entry
	worker string
	share  *float64
	ended  *workers.Attempt
}

func (x *execution) run(ctx context.Context, tasks []study.Task) error {
	seen := map[string]bool{}
	for _, t := range tasks {
		if !seen[t.Key] {
			seen[t.Key] = true
			x.ready = append(x.ready, &entry{task: t})
		}
	}
	x.open = len(x.ready)
	if x.open == 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var all sync.WaitGroup
	for range min(x.Workers, x.open) {
		all.Go(func() {
			if err := x.work(ctx); err != nil {
				cancel(err)
			}
		})
	}
	go func() {
		all.Wait()
		close(x.news)
	}()
	err := x.loop(ctx)
	stopped := ctx.Err() != nil && err == context.Cause(ctx)
	cancel(nil)
	for n := range x.news {
		// A result that arrived while all workers stopped saves repeating the run.
		if stopped && n.ended != nil && n.ended.Failure == nil {
			if _, kept := x.finish(n.entry, *n.ended); kept != nil {
				err, stopped = errors.Join(err, kept), false
			}
		}
	}
	return err
}

// loop executes the open tasks.
func (x *execution) loop(ctx context.Context) error {
	for x.open > 0 {
		next, todo := x.next(), x.todo
		if next == nil {
			todo = nil
		}
		select {
		case todo <- next:
			x.handedOut()
		case n := <-x.news:
			if err := x.take(ctx, n); err != nil {
				return err
			}
		case e := <-x.due:
			x.again = append(x.again, e)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// next returns the task to hand out next, or nil.
func (x *execution) next() *entry {
	for _, list := range [][]*entry{x.again, x.ready} {
		if len(list) > 0 {
			return list[0]
		}
	}
	return nil
}

func (x *execution) handedOut() {
	if len(x.again) > 0 {
		x.again = x.again[1:]
	} else {
		x.ready = x.ready[1:]
	}
}

// take acts on a report.
func (x *execution) take(ctx context.Context, n news) error {
	e := n.entry
	switch {
	case n.ended != nil:
		return x.ended(ctx, e, *n.ended)
	case n.share != nil:
		x.watcher.Progressed(e.task.Key, *n.share)
	default:
		x.watcher.Began(e.task.Key, n.worker)
	}
	return nil
}

// ended processes the end of an attempt: the task ends, or is started again.
func (x *execution) ended(ctx context.Context, e *entry, a workers.Attempt) error {
	if a.Failure == nil {
		refused, err := x.finish(e, a)
		if err != nil || refused == nil {
			return err
		}
		a.Failure = refused
	}
	if last := e.tries.Fail(a.Failure, a.Lost, x.MaxAttempts); last != nil {
		return x.end(e, study.Outcome{Failure: last, Worker: a.Worker, Attempts: e.tries.Begun, Started: a.Started, Took: a.Took})
	}
	x.watcher.Lost(e.task.Key, a.Worker, a.Failure.Message)
	if a.Lost {
		x.again = append(x.again, e)
		return nil
	}
	time.AfterFunc(e.tries.Delay(x.RetryDelay), func() {
		select {
		case x.due <- e:
		case <-ctx.Done():
		}
	})
	return nil
}

// finish ends a task with its result. refused is the reason why the study does not accept
// it.
func (x *execution) finish(e *entry, a workers.Attempt) (refused *study.Failure, err error) {
	err = x.end(e, study.Outcome{Result: a.Packed, Worker: a.Worker, Attempts: e.tries.Begun + 1, Started: a.Started, Took: a.Took})
	if errors.Is(err, study.ErrNotResult) {
		return &study.Failure{Message: err.Error()}, nil
	}
	return nil, err
}

func (x *execution) end(e *entry, o study.Outcome) error {
	o.Key = e.task.Key
	if err := x.watcher.Ended(o); err != nil {
		return err
	}
	e.task.Scenario = nil
	x.open--
	return nil
}

// work keeps a worker process busy until the context is done. It fails if processes cannot
// be kept alive.
func (x *execution) work(ctx context.Context) error {
	k := workers.NewKeeper(x.Command)
	defer k.Close()
	for {
		if err := k.Ready(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		select {
		case e := <-x.todo:
			x.attempt(ctx, k, e)
		case <-k.Exited():
			k.Close()
		case <-ctx.Done():
			return nil
		}
	}
}

// attempt runs a task in a process. It reports nothing if the context ends it.
func (x *execution) attempt(ctx context.Context, k *workers.Keeper, e *entry) {
	worker := k.Worker()
	x.news <- news{entry: e, worker: worker}
	lacks := func(f *study.Failure) {
		x.news <- news{entry: e, ended: &workers.Attempt{Worker: worker, Started: time.Now(), Failure: f}}
	}
	for _, in := range e.task.Inputs {
		if f := x.files.Unchanged(in); f != nil {
			lacks(f)
			return
		}
	}
	body, err := json.Marshal(e.task)
	if err != nil {
		lacks(&study.Failure{Message: fmt.Sprintf("it cannot be handed out: %v", err), Permanent: true})
		return
	}
	a, err := k.Run(ctx, body, func(share float64) { x.news <- news{entry: e, worker: worker, share: &share} })
	if err == nil {
		x.news <- news{entry: e, ended: &a}
	}
}
